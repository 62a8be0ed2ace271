"""A Chromium as readers have it, and whom it looked up or connected to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.chromium import CHROMIUM, FLAGS
from tests.support.connecting import LEAK

if TYPE_CHECKING:
    from playwright.sync_api import Page

_PROGRAM = Path("/usr/lib/chromium/chromium")
"""Debian starts it by a script that turns off pings."""
_PREFERENCES = {"net": {"network_prediction_options": 0}}
"""Debian turns off connections made ahead of requests; most readers' browsers make them."""
_NOBODY_ELSE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE *.localhost, EXCLUDE *.example, EXCLUDE 127.0.0.1"
"""What the browser asks for by itself leads nowhere and is not in the log."""


@dataclass
class Watched:
    """What the log of the network says, when the browser has been closed."""

    features: set[str] = field(default_factory=set)
    """The hosts below `leak.localhost` that were looked up or connected to, without that ending."""
    names: set[str] = field(default_factory=set)
    """All hosts that were looked up, with their ports."""
    addresses: set[str] = field(default_factory=set)
    """All addresses that a connection was made to, with their ports."""


@contextmanager
def watched_browser(folder: Path) -> Iterator[tuple[Page, Watched]]:
    """A page of a browser with a profile of its own, in which only the hosts of tests have addresses.

    A browser without a profile, as tests usually have it, would not connect ahead of requests.
    """
    from playwright.sync_api import sync_playwright

    log, profile, watched = folder / "net.json", folder / "profile", Watched()
    (profile / "Default").mkdir(parents=True)
    (profile / "Default" / "Preferences").write_text(json.dumps(_PREFERENCES))
    (profile / "First Run").touch()
    program = _PROGRAM if _PROGRAM.exists() else CHROMIUM
    flags = [*FLAGS, f"--log-net-log={log}", _NOBODY_ELSE]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch_persistent_context(profile, executable_path=program, args=flags)
        try:
            yield browser.pages[0], watched
        finally:
            browser.close()
    text = log.read_text("utf-8", "replace")
    watched.features |= set(re.findall(rf"([\w.-]+)\.{re.escape(LEAK)}", text))
    events = json.loads(text)
    watched.names |= set(_stated(events, "HOST_RESOLVER_MANAGER_REQUEST", "host"))
    watched.addresses |= set(_stated(events, "TCP_CONNECT_ATTEMPT", "address"))


def _stated(log: dict[str, Any], kind: str, name: str) -> Iterator[str]:
    """What the events of a kind state under a name."""
    wanted = log["constants"]["logEventTypes"][kind]
    for event in log["events"]:
        value = event.get("params", {}).get(name)
        if event["type"] == wanted and value:
            yield value
