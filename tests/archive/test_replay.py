"""A captured page is shown as it was, and can do nothing."""

import threading
import urllib.request

import pytest

from tearsheet.archive import StoryArchiveWriter
from tearsheet.archive.reader import read_story_at
from tearsheet.archive.replay import frame_page, replay_page
from tearsheet.cli.replay_server import make_server
from tearsheet.errors import BusyError
from tests.support.archive_stories import plain_story

HOSTILE = (
    b'<base href="http://evil.example/"><script>top.location="http://evil.example"</script><img src=http://x/y.png>'
)


@pytest.fixture
def entry(tmp_path):
    story = plain_story(1, HOSTILE)
    story.content_metadata.article_title = "</title><script>alert(1)</script>"
    story.http_metadata.final_url = 'https://news.example/"><script>x</script>'
    story.http_metadata.encoding = "latin1"
    with StoryArchiveWriter(tmp_path) as writer:
        writer.write(story)
    capture = writer.close().captures[0]
    return read_story_at(tmp_path / writer.close().key, capture.offset)


def test_the_page_is_served_untouched_and_powerless(entry):
    page = replay_page(entry)
    assert page.body == HOSTILE
    policy = [part.strip() for part in page.headers["content-security-policy"].split(";")]
    assert {"sandbox", "default-src 'none'", "base-uri 'none'", "form-action 'none'"} <= set(policy)
    assert not any(word in page.headers["content-security-policy"] for word in ("allow-", "http", "script", "*"))
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["content-type"] == "text/html; charset=latin1"


@pytest.mark.parametrize("label", [None, "", "utf-8\r\nX-Evil: 1", "base64", "ütf"])
def test_an_unknown_charset_is_left_to_the_browser(entry, label):
    entry.story.http_metadata.encoding = label
    assert replay_page(entry).headers["content-type"] == "text/html"


def test_every_word_around_the_frame_is_escaped(entry):
    text = frame_page(entry, "/capture").body.decode()
    assert "<script" not in text
    assert '<iframe sandbox=""' in text
    assert entry.sha256 in text


def test_one_page_is_served_on_this_machine_only(entry):
    with make_server(entry, 0) as server:
        host, port = server.server_address[:2]
        assert host == "127.0.0.1"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/capture", timeout=10) as answer:
                assert answer.read() == HOSTILE
                assert answer.headers["content-security-policy"].startswith("sandbox;")
            direct = urllib.request.Request(f"http://127.0.0.1:{port}/capture", headers={"Sec-Fetch-Dest": "document"})
            with urllib.request.urlopen(direct, timeout=10) as answer:
                assert b"<iframe" in answer.read()
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/../etc/passwd", timeout=10)
            with pytest.raises(BusyError, match="--port"):
                make_server(entry, port)
        finally:
            server.shutdown()
