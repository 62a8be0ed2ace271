"""Whether a demo's newsroom is served, and that only the demo's own folder asks."""

import pytest

from tearsheet.app.engines import Engines
from tearsheet.app.newsroom import SERVED, require_newsroom
from tearsheet.errors import EngineError
from tearsheet.settings import FetchSettings, Settings


@pytest.fixture
def demo(tmp_path):
    settings = Settings(tmp_path, fetch=FetchSettings(connect_to={"paper.example": "127.0.0.1:9"}))
    (tmp_path / f"{SERVED}.lock").touch()
    with Engines(settings) as engines:
        yield engines


def test_a_demo_that_is_not_running_is_told_with_how_to_start_it(demo):
    with pytest.raises(EngineError, match="start it with `tearsheet demo`"):
        require_newsroom(demo)
    with pytest.raises(EngineError):
        require_newsroom(demo, ["https://elsewhere.example/", "http://paper.example/1"])


def test_what_is_elsewhere_needs_no_newsroom(demo):
    require_newsroom(demo, ["https://elsewhere.example/", "not an address"])


def test_a_running_demo_is_enough(demo):
    with Engines(demo.settings) as running, running.exclusive(SERVED):
        require_newsroom(demo)


def test_no_other_folder_needs_one_or_gets_a_lock(tmp_path):
    with Engines(Settings(tmp_path)) as engines:
        require_newsroom(engines)
    assert list(tmp_path.iterdir()) == []
