"""The rules of a robots.txt for us, in time that grows with the file and with the address.

A library reads them. It gives every rule to every user agent named above it, so that half a megabyte of names and rules would be
hundreds of millions of rules; and it tries every pattern with a star on every address. So it is handed one group only, the one that
is for us, and an address is refused when patterns and address together are longer than any real ones.
"""

from __future__ import annotations

import re

from protego import Protego

MAX_COMPARED = 50_000_000
"""Characters of the patterns with a wildcard, times characters of the address. All of a robots.txt fits with an address of 100."""
_QUICK = 200_000
_AGENT = re.compile(r"\s*+user[\s-]*+agent(?:\s*+:|\s++)(.*)", re.IGNORECASE)
_ANYONE, _OTHERS = "*", "~"


class RobotsRules:
    """What a robots.txt says to us. `agent` is our product token."""

    def __init__(self, text: str, agent: str) -> None:
        ours = _for(agent, text.splitlines())
        self._rules = Protego.parse("\n".join(ours))
        self._agent = agent
        self._wild = sum(len(line) for line in ours if "*" in line or "$" in line)
        self.crawl_delay = self._rules.crawl_delay(agent)

    def quick(self, url: str) -> bool:
        """Whether to answer for this address takes no longer than waiting for a thread."""
        return self._wild * len(url) < _QUICK

    def allows(self, url: str) -> bool:
        """Whether we may fetch an address (in wire form)."""
        return self._wild * len(url) <= MAX_COMPARED and bool(self._rules.can_fetch(url, self._agent))


def _for(agent: str, lines: list[str]) -> list[str]:
    """The lines, with only two names of user agents: the one that is most like ours, and one for all others."""
    named = {number: _named(line) for number, line in enumerate(lines) if _AGENT.match(line)}
    best = max((name for name in named.values() if name and agent.startswith(name)), key=len, default=_ANYONE)
    kept = list(lines)
    for number, name in named.items():
        kept[number] = f"User-agent: {agent if name == best else _OTHERS}"
    return kept


def _named(line: str) -> str:
    found = _AGENT.match(line)
    name = found[1].partition("#")[0].strip().lower() if found else ""
    return name if name == _ANYONE else name.replace("*", "")
