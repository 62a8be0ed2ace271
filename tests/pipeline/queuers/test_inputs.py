from __future__ import annotations

import functools
import gzip
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tearsheet.engines.blobs.opener import open_blobs
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.pipeline.queuers.inputs import CannotOpen, InputFile, InputStores, expand, unpacked


@pytest.fixture
def places(tmp_path) -> InputStores:
    return InputStores("blobs", lambda url, setting: open_blobs(url, tmp_path, setting=setting))


def text_of(file: InputFile) -> str:
    with file.open() as stream:
        return unpacked(stream).read().decode()


def test_files_and_directories_the_newest_names_first(tmp_path, places):
    folder = tmp_path / "in"
    (folder / "2024").mkdir(parents=True)
    for name in ("a-2023.csv", "2024/b-2024.csv.gz", "2024/c.txt", ".hidden.csv", "2024/UPPER.CSV"):
        (folder / name).write_text(name)
    found = expand([str(folder / "2024" / "c.txt"), str(folder)], places, (".csv",))
    assert [Path(file.name).name for file in found] == ["c.txt", "a-2023.csv", "b-2024.csv.gz", "UPPER.CSV"]
    assert found[1].size == len("a-2023.csv")


def test_gzip_is_unpacked_by_its_bytes_and_not_by_its_name(tmp_path, places):
    (tmp_path / "a.csv").write_bytes(gzip.compress(b"packed"))
    (tmp_path / "b.csv.gz").write_bytes(b"plain")
    (tmp_path / "c.csv").write_bytes(b"")
    names = [str(tmp_path / name) for name in ("a.csv", "b.csv.gz", "c.csv")]
    assert [text_of(file) for file in expand(names, places)] == ["packed", "plain", ""]


def test_lists_name_inputs_and_other_lists(tmp_path, places):
    (tmp_path / "a.csv").write_text("a")
    (tmp_path / "one").write_text(f"# a remark\n\n  {tmp_path}/a.csv  \n@{tmp_path}/two\n{tmp_path}/gone.csv\n")
    (tmp_path / "two").write_text(f"{tmp_path}/a.csv\n")
    found = expand([f"@{tmp_path}/one"], places)
    assert [Path(file.name).name for file in found] == ["a.csv", "a.csv", "gone.csv"]
    assert found[2].problem == f"line 5 of {tmp_path}/one: there is no such file or directory"
    with pytest.raises(CannotOpen, match=r"gone\.csv: there is no such file"):
        found[2].open()
    (tmp_path / "two").write_text(f"@{tmp_path}/one\n")
    with pytest.raises(UsageError, match="does one name itself"):
        expand([f"@{tmp_path}/one"], places)
    with pytest.raises(NotFoundError, match="the list cannot be read"):
        expand([f"@{tmp_path}/three"], places)


def test_blobs_with_a_star_at_the_end(tmp_path, places):
    store = open_blobs("blobs", tmp_path)
    for key in ("lists/2023-a.csv", "lists/2024-b.csv.gz", "lists/2024-c.csv", "lists/2024.txt", "other.csv"):
        store.put(key, gzip.compress(key.encode()))
    found = expand(["blob:lists/2024*", "blob:other.csv", "blob:none*", "blob:missing.csv"], places, (".csv",))
    assert [file.name for file in found] == [
        "blob:lists/2024-c.csv", "blob:lists/2024-b.csv.gz", "blob:other.csv", "blob:none*", "blob:missing.csv",
    ]  # fmt: skip
    assert [text_of(file) for file in found[:3]] == ["lists/2024-c.csv", "lists/2024-b.csv.gz", "other.csv"]
    assert [bool(file.problem) for file in found] == [False, False, False, True, True]
    store.delete("other.csv")
    with pytest.raises(CannotOpen, match="there is no blob"):
        found[2].open()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        if self.path == "/cut.csv":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"only a part")
        else:
            super().do_GET()


@pytest.fixture
def web(tmp_path) -> Iterator[str]:
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "a.csv.gz").write_bytes(gzip.compress(b"from afar"))
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path / "web"))
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_http_addresses(web, places):
    found = expand([f"http://u:p@{web}/a.csv.gz", f"http://{web}/none.csv", f"http://{web}/cut.csv"], places)
    assert found[0].name == f"http://{web}/a.csv.gz", "no password is shown"
    assert text_of(found[0]) == "from afar"
    with pytest.raises(CannotOpen, match="answers 404"):
        found[1].open()
    with pytest.raises(CannotOpen, match=r"lost before its end|IncompleteRead"):
        found[2].open()
    (refused,) = expand(["http://127.0.0.1:1/a.csv"], places)
    with pytest.raises(CannotOpen, match="refused"):
        refused.open()
