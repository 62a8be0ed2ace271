"""From and to WARC files, as the output of a pipeline, and on the command line."""

import json

import pytest
from typer.testing import CliRunner

from tearsheet.archive import StoryArchiveReader, StoryArchiveWriter
from tearsheet.cli import app
from tearsheet.pagestore import PageStore
from tearsheet.pagestore.check import check_store
from tearsheet.pagestore.stories import put_story, story_of
from tearsheet.pipeline.page_storer import PageStorer
from tearsheet.work.outcomes import Quarantine
from tests.support.archive_stories import PAGE, plain_story


def test_a_story_keeps_what_a_page_can_keep(tmp_path):
    story = plain_story(1, language="en")
    story.rss_entry.source_feed_id = 12
    page = put_story(PageStore(tmp_path), story)
    assert (str(page.day), page.url, page.page_id, page.language) == ("2023-11-14", "https://t.example/1", "12", "en")
    back = story_of(page)
    assert back.id == story.id
    assert back.raw_html.html == PAGE
    assert back.http_metadata == story.http_metadata
    assert back.rss_entry.link == story.rss_entry.link
    assert back.rss_entry.source_feed_id == 12
    assert back.content_metadata.language == "en"


def test_a_story_without_a_link_goes_by_its_address(tmp_path):
    story = plain_story(1)
    story.rss_entry.link = "3211617605"  # what the old system called a download
    assert put_story(PageStore(tmp_path), story).url == "https://news.example/1"


def test_the_stage_stores_and_passes_on(tmp_path):
    store = PageStore(tmp_path)
    good, bad = plain_story(1), plain_story(2)
    bad.raw_html.html = None
    results = PageStorer(store).process_batch([good, bad, good])
    assert results[0] is results[2] is good
    assert isinstance(results[1], Quarantine)
    assert len(list(store.pages())) == 1
    assert list(check_store(store)) == []


@pytest.fixture
def run(tmp_path):
    def call(*words: str, code: int = 0, stdin: str | None = None):
        result = CliRunner().invoke(app, ["--data", str(tmp_path), "--quiet", "pages", *words], input=stdin)
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return call


def test_put_get_and_list(run, tmp_path):
    run("put", "http://a.example/", "-", "--day", "2026-01-05", "--id", "7", "--language", "en", stdin="<p>x")
    assert run("get", "http://a.example/").stdout == "<p>x"
    run("get", "http://a.example/", "--day", "2026-01-06", code=5)
    (row,) = json.loads(run("list", "--json").stdout)
    assert (row["day"], row["page_id"], row["kind"]) == ("2026-01-05", "7", "url")
    assert json.loads(run("list", "--json", "--from", "2026-01-06").stdout) == []
    run("list", "--kind", "file", code=2)
    run("put", "http://a.example/", str(tmp_path / "nothing"), code=5)
    assert "0 findings" not in run("check").stdout


def test_check_and_migrate(run, tmp_path):
    run("put", "http://a.example/", "-", "--day", "2026-01-05", stdin="<p>x")
    meta = tmp_path / "pages/2026/01/05/META"
    meta.write_text(" ".join(meta.read_text().split()[:2]) + "\n")
    assert "are missing" in run("check", code=3).stdout
    (tmp_path / "known.csv").write_text("url,id,kind,language\nhttp://a.example/,4,url,en\n")
    run("migrate", "--pages", str(tmp_path / "known.csv"), "--dry-run")
    assert "4 url en" not in meta.read_text()
    run("migrate", "--pages", str(tmp_path / "known.csv"))
    assert "4 url en" in meta.read_text()
    run("check")
    (tmp_path / "known.csv").write_text("url\nhttp://a.example/\n")
    run("migrate", "--pages", str(tmp_path / "known.csv"), code=2)


def test_import_and_export(run, tmp_path):
    stories = [plain_story(n, PAGE + b"%d" % n) for n in range(3)]
    with StoryArchiveWriter(tmp_path / "in") as writer:
        for story in stories:
            writer.write(story)
    assert "3 pages stored" in run("import", str(writer.close().path)).stdout
    run("put", "http://a.example/feed", "-", "--kind", "rss", "--day", "2026-01-05", stdin="<rss/>")
    assert "3 pages in 1 file" in run("export", str(tmp_path / "out")).stdout
    (path,) = (tmp_path / "out").rglob("*.warc.gz")
    with StoryArchiveReader(path) as reader:
        found = {story.id: story for story in reader}
    for story in stories:
        assert found[story.id].raw_html.html == story.raw_html.html
        assert found[story.id].http_metadata == story.http_metadata
    run("import", str(tmp_path / "nothing.warc.gz"), code=5)
