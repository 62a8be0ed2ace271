"""Places that the settings name are apart: a copy beside its original, or in its place, is refused before anything is done."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tearsheet.app.pages import page_store
from tearsheet.app.places import check_apart
from tearsheet.app.queues import dump_queues
from tearsheet.app.store_checks import StorePlace, check_store
from tearsheet.errors import ConfigError
from tearsheet.settings import load_settings
from tests.support.moved_archive import MOVING, collect
from tests.support.web_seed import open_services

BESIDE = "name a folder of its own, as 'my-copies' in the data folder or '/mnt/second-disk/my-copies' on another disk"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with a link to its own archive beside it."""
    data = tmp_path / "data"
    (data / "archive").mkdir(parents=True)
    (tmp_path / "link").symlink_to(data / "archive")
    return data


def refusal(data: Path, setting: str, place: Path, **flags: object) -> str:
    with pytest.raises(ConfigError) as refused:
        check_apart(load_settings(data, flags, environ={}), setting, place)
    return str(refused.value)


@pytest.mark.parametrize(
    ("place", "relation"),
    [
        ("data/archive", "is {data}/archive, which archive.folder names"),
        ("link", "is {data}/archive, which archive.folder names"),
        ("data/archive/copies", "lies in {data}/archive, which archive.folder names"),
        ("link/copies", "lies in {data}/archive, which archive.folder names"),
        ("data", "holds {data}/archive, which archive.folder names"),
        (".", "holds {data}/archive, which archive.folder names"),
        ("data/index/copies", "lies in {data}/index, which engines.index names"),
        ("data/tearsheet.db", "is {data}/tearsheet.db, which engines.database names"),
        ("data/queues.db-pages", "is {data}/queues.db-pages, which the program uses itself"),
        ("data/topics", "is {data}/topics, which the program uses itself"),
    ],
)
def test_a_place_of_another_part_is_refused(data, tmp_path, place, relation):
    named = tmp_path / place
    assert refusal(data, "archive.stores", named) == f"archive.stores: {named} {relation.format(data=data)}: {BESIDE}"


_REFUSED_IN_A_MOUNT = """
import sys
from pathlib import Path
from tearsheet.app.backups import opened_place
from tearsheet.app.places import check_apart
from tearsheet.archive.copies import check_store_url
from tearsheet.errors import UserError
from tearsheet.settings import load_settings
data, mounted = Path(sys.argv[1]), Path(sys.argv[2])
urls = [str(mounted), str(data / "archive")]
for check in (
    lambda: check_apart(load_settings(data, environ={}), "archive.stores", mounted),
    lambda: check_apart(load_settings(data, environ={}), "archive.stores", mounted / "copies"),
    lambda: check_store_url(urls[0], urls, data),
    lambda: opened_place(load_settings(data, environ={}), str(mounted / "backups"), new=True).__enter__(),
):
    try:
        check()
    except UserError as error:
        print(error)
"""


def test_a_folder_that_is_mounted_a_second_time_is_the_same_place(data, tmp_path):
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    script = f'mount --bind "$1/archive" "$2" && exec {sys.executable} -c "$3" "$1" "$2"'
    words = ["unshare", "--mount", "sh", "-c", script, "sh", str(data), str(mounted), _REFUSED_IN_A_MOUNT]
    if sys.platform != "linux" or shutil.which("unshare") is None:
        pytest.skip("only Linux mounts a folder a second time")
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode and any(word in done.stderr for word in ("unshare", "mount")):
        pytest.skip("mounting takes rights that are not there")
    assert done.stdout.splitlines() == [
        f"archive.stores: {mounted} is {data}/archive, which archive.folder names: {BESIDE}",
        f"archive.stores: {mounted}/copies lies in {data}/archive, which archive.folder names: {BESIDE}",
        f"archive.stores: {str(mounted)!r} is named twice",
        f"{mounted}/backups is in {data}/archive, and would be lost with it: write a whole path outside it, as /mnt/disk/backups",
    ], done.stderr


def test_places_of_their_own_may_be_used(data, tmp_path):
    settings = load_settings(data, environ={})
    for place in (data / "copies", tmp_path / "copies", tmp_path / "data-2"):
        check_apart(settings, "archive.stores", place)
    check_apart(settings, "archive.folder", data / "archive")
    check_apart(settings, "--store", data / "pages", may_be="pages.folder")


def test_parts_that_are_elsewhere_count_where_they_are(data, tmp_path):
    flags = {"archive.folder": str(tmp_path / "large" / "archive")}
    assert "lies in" in refusal(data, "archive.stores", tmp_path / "large" / "archive" / "copies", **flags)


def test_the_only_copy_is_never_removed(data, tmp_path):
    with open_services(data) as services:
        collect(services, [1])
    (file,) = (data / "archive").rglob("*.warc.gz")
    for store in ("archive", "archive/copies", "file:archive", str(data / "archive"), str(tmp_path / "link")):
        with open_services(data, **{**MOVING, "archive.stores": [store]}) as services:
            with pytest.raises(ConfigError, match=rf"^archive\.stores: .*{BESIDE}$"):
                services.uploader.run(all_now=True)
            with pytest.raises(ConfigError, match=r"^archive\.stores: "):  # what the doctor says
                check_store(services, StorePlace("archive.stores", store, is_backup=True))
        assert file.is_file(), store


@pytest.mark.parametrize(
    ("setting", "value", "use"),
    [
        ("archive.folder", "index", lambda services: services.archive_folder),
        ("pages.folder", "archive", lambda services: services.page_store),
        ("engines.blobs", "archive", lambda services: services.open_blobs()),
        ("engines.events", "archive/events", lambda services: services.events),
    ],
)
def test_parts_must_be_apart_from_one_another(data, setting, value, use):
    with open_services(data, **{setting: value}) as services, pytest.raises(ConfigError, match=rf"^{setting}: "):
        use(services)


def test_what_a_command_writes_does_not_get_into_the_archive(data):
    with open_services(data) as services:
        with pytest.raises(ConfigError, match=r"^--output: .* is .*archive\.folder"):
            dump_queues(services, [], data / "archive", None)
        with pytest.raises(ConfigError, match=r"^--store: "):
            page_store(services, data / "archive")
        assert dump_queues(services, [], data / "queue-dumps" / "today", None) == []
        assert page_store(services, data / "pages").base == data / "pages"
