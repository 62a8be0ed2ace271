"""The settings of the demo stand in its own folder, and in no other."""

import pytest

from tearsheet.app.demo_folder import demo_services
from tearsheet.demo import Newsroom, serve_in_thread
from tearsheet.errors import BusyError
from tearsheet.settings import load_settings


def test_every_command_on_the_folder_reaches_the_newsroom_and_no_other_folder_may(tmp_path):
    newsroom = Newsroom(seed=3, sites=2, articles=40)
    with serve_in_thread(newsroom) as server:
        with demo_services(tmp_path, server, newsroom.expectation(), {"web.port": 8799}) as services:
            assert services.settings.web.port == 8799
            assert services.settings.data == tmp_path / "demo"
            with (
                pytest.raises(BusyError, match="`tearsheet demo` is already at work"),
                demo_services(tmp_path, server, newsroom.expectation(), {}),
            ):
                pass
        later = load_settings(tmp_path / "demo", environ={})
        assert later.fetch.connect_to == server.connect_to()
        assert later.fetch.allow_addresses == []  # only these names lead to this machine
        assert later.sources["fetch.connect_to"] == "config.toml"
    assert load_settings(tmp_path, environ={}).fetch.connect_to == {}
