"""What every test shares: two guards, and no deadlines that a busy machine would miss."""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tearsheet.engines.database import Database, open_database
from tests.support.fresh_process import forget_commands
from tests.support.guards import no_disk, no_network_beyond_loopback
from tests.support.import_shares import import_own_share
from tests.support.kill_table import KILLS, table_of
from tests.support.left_out import left_out
from tests.support.loop_watch import Turns
from tests.support.loop_watch import unblocked_loop as unblocked
from tests.support.paths import ROOT, SHARED_DATA
from tests.support.servers import require_server

# The same tree always gets the same verdict; `make fuzz` draws other examples each time.
settings.register_profile("fuzz", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("tests", settings.get_profile("fuzz"), derandomize=True)
settings.load_profile(os.environ.get("TEARSHEET_TEST_PROFILE", "tests"))
if settings().derandomize:
    # Hypothesis also draws from the constants of all modules that happen to be loaded, so examples would depend on which tests ran
    # before in the same process; and reading those constants takes each process seconds.
    providers._get_local_constants = lambda: providers._local_constants

# Child processes look for code where Python is told to, not in the folder where we happen to be.
os.environ["PYTHONPATH"] = str(ROOT)
# The program speaks otherwise when `make run` started it; that `make test` started the tests is not the same.
for _name in ("MAKELEVEL", "MAKEFLAGS", "MFLAGS"):
    os.environ.pop(_name, None)

FOLDERS = {"tmp_path", "tmp_path_factory"}
"""Fixtures that give a folder. A test has asked for one when it uses one of them, or a fixture that is made from them."""


LONGEST_FIRST = (
    "acceptance/", "docs/test_architecture", "docs/test_recovery", "cli/test_context", "topics/spider/", "fetch/test_polite",
    "app/test_running", "browser/", "work/test_workers", "ingest/test_service", "test_foreign_readers", "web/test_guard_routes",
    "extract/test_article", "web/test_bodies", "app/test_erasing",
)  # fmt: skip
"""Files whose tests take long or wait: the others fill the gaps that they leave at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The order in which files are handed out to the test processes: each stays in one of them, with what it has built."""
    items.sort(key=lambda item: not item.nodeid.removeprefix("tests/").startswith(LONGEST_FIRST))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """While tests are looked for, half a million objects are made, and none becomes garbage: looking for it would take seconds.

    They stay until the end, so later rounds of the garbage collector leave them out.
    """
    gc.disable()
    try:
        import_own_share(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_configure() -> None:
    """A shell lets a job in the background ignore Ctrl-C; tests that send it to processes of theirs need the usual answer."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test of a real server is left out by name when the server is not up."""
    for marker in item.iter_markers("engine"):
        require_server(marker.args[0])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol() -> None:
    """No test depends on the commands that others ran before it in the same process."""
    forget_commands()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A test that asked for no folder writes to no disk."""
    if FOLDERS.isdisjoint(getattr(item, "fixturenames", ())):
        with no_disk():
            return (yield)
    return (yield)


def pytest_terminal_summary(terminalreporter) -> None:
    """Say what was left out because this machine lacks something, and count what was killed."""
    for line in left_out([str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])]):
        terminalreporter.write_line(line, yellow=True)
    failed = any(terminalreporter.getreports(kind) for kind in ("failed", "error"))
    for line in table_of(terminalreporter.getreports(""), failed=failed):
        terminalreporter.write_line(line)


@pytest.fixture(autouse=True, scope="session")
def local_network_only() -> Iterator[None]:
    """No test reaches beyond this machine."""
    with no_network_beyond_loopback():
        yield


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A new database, with all tables and nothing in them."""
    database = open_database("t.db", tmp_path)
    database.migrate()
    yield database
    database.close()


@pytest.fixture
def kills(record_property: Callable[[str, object], None]) -> Iterator[Counter[str]]:
    """How many processes a test has killed while they were at work, by part: for the table of `make kills`."""
    counted: Counter[str] = Counter()
    yield counted
    record_property(KILLS, dict(counted))


@pytest.fixture
def unblocked_loop() -> Iterator[Turns]:
    """The test fails when an event loop computed for over 100 ms in one go: see `tests.support.loop_watch`."""
    with unblocked() as turns:
        yield turns


@pytest.fixture
def shared_data() -> Path:
    """The evaluation pages and feeds, where they are at hand."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the evaluation data is not at {SHARED_DATA}")
    return SHARED_DATA
