from __future__ import annotations

import pytest

from tearsheet.errors import ConfigError
from tearsheet.settings import declared_settings, load_settings


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path):
    (tmp_path / "config.toml").write_text('[web]\nport = 1\nhost = "0.0.0.0"\n[fetch]\nper_host = 7\n')
    settings = load_settings(tmp_path, {"web.port": 3}, {"TEARSHEET_WEB_PORT": "2", "TEARSHEET_FETCH_PER_HOST": "8"})
    assert (settings.web.port, settings.fetch.per_host, settings.web.host) == (3, 8, "0.0.0.0")
    assert settings.sources == {
        "web.port": "flag",
        "fetch.per_host": "TEARSHEET_FETCH_PER_HOST",
        "web.host": "config.toml",
    }


def test_a_secret_may_stand_in_a_file(tmp_path):
    (tmp_path / "secret").write_text("postgresql://u:p@h/db\n")
    settings = load_settings(tmp_path, environ={"TEARSHEET_ENGINES_DATABASE_FILE": str(tmp_path / "secret")})
    assert settings.engines.database == "postgresql://u:p@h/db"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[web]\nport = 'many'\n", "web.port"),
        ("[web]\nprot = 1\n", "web.prot"),
        ("[fetch]\nobey_robots = 'perhaps'\n", "fetch.obey_robots"),
        ("[fetch]\nallow_addresses = 3\n", "fetch.allow_addresses"),
        ("[fetch]\nconnect_to = 3\n", "fetch.connect_to"),
        ("[pipeline]\nhigh_water = -1\n", "pipeline.high_water"),
        ("[log]\nlevel = 3\n", "log.level"),
        (
            "[log]\nlevel = 'loud'\n",
            "log.level .*'loud' is not one of its values: `debug`, `info`, `warning` or `error`",
        ),
        ("[log]\nformat = 'xml'\n", "log.format .*'xml' is not one of its values: `text`, `json`"),
        ("port = 1\n", "port"),
        ("[web\n", "config.toml"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, text, names):
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(ConfigError, match=names) as caught:
        load_settings(tmp_path, environ={})
    assert "\n" not in str(caught.value)


NUMBERS = [declared for declared in declared_settings() if declared.type in (int, float)]


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "-1", "1e308", "9" * 30, "9" * 5_000])
def test_no_number_is_beyond_what_clocks_and_machines_can_do(tmp_path, number):
    """A limit that is no number would be no limit: whatever is compared with NaN is not above it."""
    for declared in NUMBERS:
        with pytest.raises(ConfigError, match=f"^{declared.name} "):
            load_settings(tmp_path, environ={declared.variable: number})
        if len(number) > 30:
            continue  # TOML itself refuses them
        section, name = declared.name.split(".")
        (tmp_path / "config.toml").write_text(f"[{section}]\n{name} = {number}\n")
        with pytest.raises(ConfigError, match=f"^{declared.name} "):
            load_settings(tmp_path, environ={})
        (tmp_path / "config.toml").unlink()


def test_a_negative_number_is_called_too_small_and_not_no_number(tmp_path):
    with pytest.raises(ConfigError, match="'-1' is less than 1, the least that it may be"):
        load_settings(tmp_path, environ={"TEARSHEET_FEEDS_MIN_MINUTES": "-1"})


def test_the_longest_time_between_polls_is_not_shorter_than_the_shortest(tmp_path):
    with pytest.raises(ConfigError, match=r"feeds\.max_minutes is 5 and feeds\.min_minutes 10"):
        load_settings(tmp_path, environ={"TEARSHEET_FEEDS_MAX_MINUTES": "5"})
    assert load_settings(tmp_path, environ={"TEARSHEET_FEEDS_MAX_MINUTES": "10"}).feeds.max_minutes == 10


def test_a_file_with_a_secret_that_is_no_text_is_named(tmp_path):
    (tmp_path / "secret").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"ENGINES_DATABASE_FILE: .* is not text"):
        load_settings(tmp_path, environ={"TEARSHEET_ENGINES_DATABASE_FILE": str(tmp_path / "secret")})


def test_lists_and_tables_can_come_from_the_environment(tmp_path):
    environ = {
        "TEARSHEET_FETCH_ALLOW_ADDRESSES": "10.0.0.0/8, ::1",
        "TEARSHEET_FETCH_CONNECT_TO": "a.example=127.0.0.1:1",
    }
    settings = load_settings(tmp_path, environ=environ)
    assert settings.fetch.allow_addresses == ["10.0.0.0/8", "::1"]
    assert settings.fetch.connect_to == {"a.example": "127.0.0.1:1"}


def test_every_setting_says_what_it_means_and_none_shares_a_variable():
    declared = list(declared_settings())
    assert all(setting.help for setting in declared)
    assert len({setting.variable for setting in declared}) == len(declared)


def test_a_choice_may_be_written_in_capitals(tmp_path):
    assert load_settings(tmp_path, environ={"TEARSHEET_LOG_LEVEL": "DEBUG"}).log.level == "debug"
