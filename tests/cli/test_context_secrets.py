"""A recognisable secret in every secret setting, in every awkward form, and servers that are away: no command tells any of it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from urllib.parse import quote

import pytest

from tearsheet import masking
from tearsheet.app import Services, checks
from tearsheet.settings import declared_settings, load_settings, loading
from tests.support.every_command import command_lines
from tests.support.tearsheet_command import as_toml, command, environment, in_process

FIRST, SECOND = "Zq7Xw9kPl2", "Vb5Ng8Rt3Jh"
PIECE = 6
AWAY = "127.0.0.1:1"
LOGINS = {
    "plain": f"{FIRST}{SECOND}",
    "at": f"{FIRST}@{SECOND}",
    "slash": f"{FIRST}/{SECOND}",
    "number and slash": f"12/{FIRST}{SECOND}",
    "question mark": f"{FIRST}?{SECOND}",
    "hash": f"{FIRST}#{SECOND}",
    "colon": f"{FIRST}:{SECOND}",
    "bracket": f"{FIRST}[{SECOND}",
    "percent": f"{FIRST}%{SECOND}",
    "blank": f"{FIRST} {SECOND}",
    "escaped": quote(f"{FIRST}/@:?{SECOND}", safe=""),
}
URLS = {
    "engines.database": "postgresql://me:{login}@{away}/papers{query}",
    "engines.broker": "amqp://me:{login}@{away}/papers{query}",
    "engines.index": "opensearch://me:{login}@{away}/papers{query}",
    "engines.blobs": "s3://KEY:{login}@{away}/papers{query}",
    "engines.events": "kafka://me:{login}@{away}{query}",
    "feeds.remote": "http://me:{login}@{away}{query}",
    "pipeline.downloads": "s3://KEY:{login}@{away}/papers{query}",
    "backup.place": "s3://KEY:{login}@{away}/backups{query}",
}


def values(login: str, query: str = "") -> dict[str, object]:
    """Every secret setting, with this login in it."""
    found: dict[str, object] = {name: url.format(login=login, away=AWAY, query=query) for name, url in URLS.items()}
    found["archive.stores"] = ["copies", URLS["engines.blobs"].format(login=login, away=AWAY, query=query)]
    found["topics.facebook_token"] = found["feeds.directory_token"] = login
    found["log.sentry_dsn"] = (
        f"http://{quote(login, safe='')}@{AWAY}/1"  # otherwise it is refused before anything is done
    )
    return found


def write_settings(data: Path, secrets: dict[str, object]) -> None:
    data.mkdir(exist_ok=True)
    flat = {"engines.patience_seconds": 0.0, "log.level": "debug", "fetch.timeout_seconds": 1.0} | secrets
    sections: dict[str, list[str]] = {}
    for name, value in flat.items():
        sections.setdefault(name.partition(".")[0], []).append(f"{name.partition('.')[2]} = {as_toml(value)}")
    text = "\n".join(line for section, lines in sections.items() for line in (f"[{section}]", *lines))
    (data / "config.toml").write_text(text + "\n", "utf-8")


def told(text: str) -> list[str]:
    """The pieces of the secret that are in a text."""
    return [
        word[at : at + PIECE]
        for word in (FIRST, SECOND)
        for at in range(len(word) - PIECE + 1)
        if word[at : at + PIECE] in text
    ]


def test_every_secret_setting_is_tried():
    assert {declared.name for declared in declared_settings() if declared.secret} == set(values(""))


@pytest.fixture
def quick_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one check that starts a process is left out: it takes longer than all others, and is handed no setting."""
    monkeypatch.setattr(checks, "_confinement", lambda services: "")


@pytest.mark.parametrize("login", ["plain", "percent", "escaped"])
@pytest.mark.usefixtures("quick_checks")
def test_settings_and_checks_tell_nothing(tmp_path: Path, login: str):
    tell_nothing(tmp_path, LOGINS[login], "doctor --json")


@pytest.mark.parametrize("login", LOGINS.values(), ids=LOGINS)
@pytest.mark.usefixtures("quick_checks")
def test_settings_and_checks_tell_nothing_by_themselves(tmp_path: Path, login: str, monkeypatch: pytest.MonkeyPatch):
    """Each message is free of secrets by itself; that known secrets are taken out of every text comes on top."""
    monkeypatch.setattr(loading, "keep_secret", lambda _: masking.keep_secret([]))
    tell_nothing(tmp_path, login, "doctor")


def tell_nothing(tmp_path: Path, login: str, checks: str) -> None:
    """Both forms of the checks say the same, and they take long."""
    for query in ("", f"?password={login}&token={login}&aws_secret={login}"):
        write_settings(tmp_path, values(login, query))
        for line in ("config show", "config show --json", "config show --sources", checks):
            result = in_process(*line.split(), data=tmp_path)
            assert not told(result.output), (line, result.output)
            assert result.exception is None or isinstance(result.exception, SystemExit), line


@pytest.mark.parametrize("name", sorted(values("")))
def test_no_engine_tells_its_own_secret(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch):
    """One server is away at a time, so that commands get as far as that server."""
    monkeypatch.setattr(loading, "keep_secret", lambda _: masking.keep_secret([]))
    lines = ["search x", "queues list", "ingest http://127.0.0.1:1/", "archive upload", "archive list"]
    lines += ["pipeline run historical --dry-run blob:x", "pipeline run csv --dry-run blob:x"]
    if name in ("engines.database", "engines.broker", "engines.index", "feeds.remote"):
        lines.append("run --once --no-web")
    for login in (LOGINS["plain"], LOGINS["slash"]):
        write_settings(tmp_path, {"feeds.remote": f"http://{AWAY}", name: values(login)[name]})
        for line in lines:
            result = in_process(*line.split(), data=tmp_path)
            assert not told(result.output), (line, result.output)
            assert not told(repr(result.exception) + str(result.exception)), line


def test_no_command_tells_a_secret(tmp_path: Path):
    write_settings(tmp_path, values(LOGINS["plain"], f"?password={LOGINS['plain']}"))
    for words in command_lines("name", str(tmp_path)):
        result = in_process(*words, data=tmp_path)
        assert not told(result.output), (words, result.output)


def test_a_defect_tells_no_secret(tmp_path: Path):
    """A traceback, the warnings of libraries, and a value of the wrong kind."""
    secret = LOGINS["plain"]
    code = f"""
import logging, sys, tearsheet.app as program
from tearsheet.cli import main
def fail(services):
    logging.getLogger("a.library").warning("connecting with %s", services.settings.engines.database)
    settings = services.settings
    raise RuntimeError(f"cannot use {{settings.engines.database}}") from ValueError(settings.topics.facebook_token)
program.examine = fail
sys.argv = ["tearsheet", "--data", {str(tmp_path)!r}, "doctor"]
main()
"""
    write_settings(tmp_path, values(secret))
    done = subprocess.run(
        [*command(data=tmp_path)[:1], "-c", code], capture_output=True, text=True, env=environment({}), check=False
    )
    assert done.returncode == 1
    assert "RuntimeError: cannot use ***" in done.stderr and "connecting with ***" in done.stderr
    assert not told(done.stdout + done.stderr)


def test_a_wrong_kind_of_value_is_not_told(tmp_path: Path):
    write_settings(tmp_path, {"topics.facebook_token": [FIRST], "archive.stores": {"a": SECOND}})
    result = in_process("config", "show", data=tmp_path)
    assert (result.exit_code == 4 and "topics.facebook_token" in result.output) or "archive.stores" in result.output
    assert not told(result.output)


def test_secrets_of_files_and_own_pipelines_are_not_told(tmp_path: Path):
    (tmp_path / "token").write_text(FIRST + SECOND)
    write_settings(tmp_path, {})
    with (tmp_path / "config.toml").open("a") as file:
        file.write(f'[pipelines.mine]\nqueuer = "s3://KEY:{FIRST}@h/b"\nstages = ["fetcher"]\n')
    for words in ("config show", "pipeline list", "doctor", "status"):
        done = in_process(*words.split(), data=tmp_path, TEARSHEET_TOPICS_FACEBOOK_TOKEN_FILE=str(tmp_path / "token"))
        assert done.output and not told(done.output)


def test_objects_tell_no_secret(tmp_path: Path):
    write_settings(tmp_path, values(LOGINS["escaped"]))
    loaded = load_settings(tmp_path, environ={})
    with Services(loaded) as services:
        blobs = services.open_blobs()
        shown = [
            repr(loaded),
            str(loaded),
            repr(services),
            repr(blobs),
            repr(vars(blobs)),
            repr(services.archive_stores),
        ]
    assert not told("".join(shown))
