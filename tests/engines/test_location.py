"""From a setting's URL or path to a place: one rule, and what is refused with the line to write instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tearsheet.engines.blobs.opener import open_blobs
from tearsheet.engines.broker.opener import open_broker
from tearsheet.engines.database.opener import open_database
from tearsheet.engines.events.opener import open_events
from tearsheet.engines.index.opener import open_index
from tearsheet.engines.location import engine_of, is_embedded, local_path, scheme_of, written_path
from tearsheet.errors import ConfigError


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("copies", "copies"),
        ("./copies/", "copies"),
        ("a/./b", "a/b"),
        ("two words/ä", "two words/ä"),
        ("50%20/a#b?c", "50%20/a#b?c"),
        ("/mnt/disk", "/mnt/disk"),
        ("file:///mnt/disk", "/mnt/disk"),
        ("file:///mnt/two words", "/mnt/two words"),
        ("file:////mnt/disk", "/mnt/disk"),
        ("file:/mnt/disk/", "/mnt/disk"),
        ("file://localhost/mnt/disk", "/mnt/disk"),
        ("file:copies", "copies"),
        ("FILE:///mnt", "/mnt"),
        ("sqlite:///var/t.db", "/var/t.db"),
        ("sqlite:t.db", "t.db"),
        ("tantivy:///var/index", "/var/index"),
        ("jsonl:./events", "events"),
        ("./a:b", "a:b"),
        ("a~", "a~"),
        ("./~/x", "~/x"),
    ],
)
def test_what_a_path_or_a_url_names(url, path):
    assert written_path(url, "archive.stores") == path


@pytest.mark.parametrize(
    ("url", "instead"),
    [
        ("file://mnt/disk", "'file:///mnt/disk', or 'mnt/disk'"),
        ("file://localhost.example/mnt", "names a machine"),
        ("file://localhost", "is no path"),
        ("file:///mnt/a%20b", "'/mnt/a%20b'"),
        ("file:///mnt/a?b", "'/mnt/a?b'"),
        ("file:///mnt/a#b", "'/mnt/a#b'"),
        ("../disk", "without '..'"),
        ("file:///mnt/../etc", "without '..'"),
        ("a/../../b", "without '..'"),
        ("", "is no path"),
        ("/", "is no path"),
        ("file://", "is no path"),
        ("file:///", "is no path"),
        (" copies", "is no path"),
        ("copies\n", "is no path"),
        ("a\0b", "is no path"),
        ("\\\\server\\share", "is no path"),
        ("postgresql//host/name", "is no path"),
    ],
)
def test_what_names_no_place_is_refused_with_what_to_write(url, instead):
    with pytest.raises(ConfigError, match=r"archive\.stores: ") as caught:
        written_path(url, "archive.stores")
    assert instead in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_home_folder_is_written_in_full(monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    with pytest.raises(ConfigError, match=r"write '/home/ada/copies', or '\./~/copies'"):
        written_path("~/copies", "archive.stores")


@pytest.mark.parametrize("url", ["b2://bucket/x", "gs://bucket", "fiel:///mnt/x", "C:\\copies", "c:/copies", "ftp:x"])
def test_unknown_schemes_are_refused_with_those_that_are_known(url):
    with pytest.raises(
        ConfigError, match=r"archive\.stores: unknown engine .* use a path, file:///F or s3://B"
    ) as caught:
        engine_of(url, "archive.stores", "file:///F s3://B")
    assert ("write ./ftp:x" in str(caught.value)) == (url == "ftp:x")


def test_a_scheme_or_none():
    assert (scheme_of("POSTGRESQL://h/n"), scheme_of("copies"), scheme_of("/a:b"), scheme_of("a/b:c")) == (
        "postgresql", "", "", "",
    )  # fmt: skip
    assert is_embedded("index-2") and is_embedded("tantivy:///i") and not is_embedded("opensearch://h/i")


def test_a_path_is_in_the_data_folder_or_where_it_says(tmp_path):
    data = tmp_path / "data"
    assert local_path("copies", data, "archive.stores") == data / "copies"
    for written in (f"file://{tmp_path}/disk", f"file:///{tmp_path}/disk", f"{tmp_path}/disk"):
        assert local_path(written, data, "archive.stores") == tmp_path / "disk"
    assert not data.exists(), "nothing is made by looking"


def test_what_an_earlier_version_took_for_the_data_folder_is_refused_while_it_is_there(tmp_path):
    data, disk = tmp_path / "data", tmp_path / "disk"
    earlier = data / str(disk).lstrip("/")
    earlier.mkdir(parents=True)
    url = f"file://{disk}"
    for _ in range(2):
        with pytest.raises(ConfigError) as caught:
            local_path(url, data, "archive.stores")
        said = str(caught.value)
        assert f"{url!r} means {disk}, but an earlier version took it for {earlier}, which is there" in said
        assert f"write {str(disk)[1:]!r} to keep that one, or {str(disk)!r} for the other" in said
        disk.mkdir(exist_ok=True)  # that both are there makes it no clearer
    assert local_path(str(disk)[1:], data, "archive.stores") == earlier
    assert local_path(str(disk), data, "archive.stores") == disk
    assert local_path(f"file:///{disk}", data, "archive.stores") == disk, "four slashes never meant anything else"
    earlier.rmdir()
    earlier.symlink_to(disk)
    assert local_path(url, data, "archive.stores") == disk, "the two are one"
    earlier.unlink()
    assert local_path(url, data, "archive.stores") == disk


def test_a_url_whose_first_folder_is_not_there_was_meant_for_the_data_folder(tmp_path):
    with pytest.raises(
        ConfigError, match=r"there is no /no-such: write 'no-such/x' for a place in the data folder, or '/no-such/x'"
    ):
        local_path("tantivy:///no-such/x", tmp_path, "engines.index")
    with pytest.raises(ConfigError, match=r"there is no /no-such\.db"):
        local_path("sqlite:///no-such.db", tmp_path, "engines.database")


OPENERS: dict[str, tuple[Callable[[str, Path], Any], str, str]] = {
    "engines.database": (open_database, "t.db", "sqlite"),
    "engines.broker": (open_broker, "q.db", "sqlite"),
    "engines.index": (open_index, "index", "tantivy"),
    "engines.blobs": (open_blobs, "blobs", "file"),
    "engines.events": (open_events, "events", "jsonl"),
}


@pytest.mark.parametrize("setting", OPENERS)
def test_every_engine_follows_the_rule(setting, tmp_path):
    opener, name, scheme = OPENERS[setting]
    data = tmp_path / "data"
    data.mkdir()
    (data / name).mkdir()
    with pytest.raises(ConfigError, match=f"{setting}: .*write '{name}' to keep that one"):
        opener(f"{scheme}:///{name}", data)
    (data / name).rmdir()
    with pytest.raises(ConfigError, match=f"{setting}: unknown engine 'b2'; use a path, {scheme}:///"):
        opener("b2://x", data)
    with pytest.raises(ConfigError, match=f"{setting}: .* names a machine"):
        opener(f"{scheme}://host/x", data)


def test_a_database_outside_the_data_folder_is_there(tmp_path):
    data, other = tmp_path / "data", tmp_path / "other"
    data.mkdir(), other.mkdir()
    database = open_database(f"sqlite://{other}/t.db", data)
    database.migrate()
    database.close()
    assert (other / "t.db").is_file()
    assert [path for path in data.rglob("*") if path != Path(data)] == []
