"""Pages of WARC files into the page store: what is not stored is told."""

from __future__ import annotations

from tearsheet.app.pages import import_pages
from tearsheet.archive import StoryArchiveWriter, index_id_of
from tearsheet.archive.records import compress
from tests.support.archive_stories import plain_story
from tests.support.tearsheet_command import in_process
from tests.support.web_seed import open_services

_PICTURE = (
    b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n"
    b"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: https://a.example/b.png\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"
)


def test_a_file_without_a_page_is_no_success(tmp_path):
    (tmp_path / "pictures.warc.gz").write_bytes(compress(_PICTURE))
    (tmp_path / "empty.warc.gz").write_bytes(b"")
    with StoryArchiveWriter(tmp_path / "dump") as writer:
        writer.write(plain_story(1))
    with open_services(tmp_path / "data") as services:
        files = [tmp_path / "pictures.warc.gz", writer.path, tmp_path / "empty.warc.gz"]
        done = import_pages(services.page_store, files, services.erased)
    assert (done.stored, [problem.what for problem in done.bad]) == (1, ["there is no page in it", "the file is empty"])


def test_what_was_erased_is_not_put_and_an_export_of_nothing_is_told(tmp_path):
    data = tmp_path / "data"
    (tmp_path / "page.html").write_text("<html>x")
    with open_services(data) as services:
        services.erased.start("asked for", {index_id_of("https://a.example/x"): "https://a.example/x"})
    put = in_process("pages", "put", "http://www.a.example/x/", tmp_path / "page.html", data=data)
    assert put.exit_code == 2 and "was erased, and stays away" in put.output
    exported = in_process("pages", "export", tmp_path / "out", data=data)
    assert exported.exit_code == 5 and "nothing was written" in " ".join(exported.output.split())
    assert in_process("pages", "put", "https://a.example/y", tmp_path / "page.html", data=data).exit_code == 0
    assert "1 page in 1 file" in in_process("pages", "export", tmp_path / "out", data=data).output
