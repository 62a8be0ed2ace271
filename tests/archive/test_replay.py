"""A captured page is shown as it was, and can do nothing."""

import threading
import urllib.error
import urllib.request

import pytest

from tearsheet.app.showing import show_capture
from tearsheet.archive import StoryArchiveWriter
from tearsheet.archive.reader import ArchivedStory, read_story_at
from tearsheet.archive.replay import CapturedBytes, ReplayPage, frame_page, plain_page
from tearsheet.cli.replay_server import make_server
from tearsheet.errors import BusyError
from tests.support.archive_stories import archived_story, plain_story
from tests.support.connecting import recorded_headers
from tests.support.patience import PATIENCE

HOSTILE = (
    b'<base href="http://evil.example/"><script>top.location="http://evil.example"</script><img src=http://x/y.png>'
)
SHOWN = HOSTILE.replace(b"src=", b"xrc=").replace(b"href=", b"href=# title=")


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


def replay_page(entry: ArchivedStory) -> ReplayPage:
    return plain_page(show_capture(CapturedBytes.of(entry)))


def test_the_page_is_shown_as_it_was_and_powerless(entry):
    page = replay_page(entry)
    assert page.body == SHOWN
    policy = [part.strip() for part in page.headers["content-security-policy"].split(";")]
    assert {"sandbox", "default-src 'none'", "base-uri 'none'", "form-action 'none'"} <= set(policy)
    assert not any(word in page.headers["content-security-policy"] for word in ("allow-", "http", "script", "*"))
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["x-dns-prefetch-control"] == "off"


@pytest.mark.parametrize(
    ("label", "page"),
    [
        (None, "été".encode()), ("", "été".encode()), ("latin1", "été".encode("latin1")), (None, "é".encode("utf-16")),
        ("utf-8\r\nX-Evil: 1", "été".encode()), ("base64", "été".encode()), ("ütf", "été".encode()),
    ],
)  # fmt: skip
def test_whatever_charset_it_had_the_page_is_shown_in_utf_8(entry, label, page):
    entry.story.http_metadata.encoding = label
    entry.story.raw_html.html = page
    shown = replay_page(entry)
    assert shown.body.decode() in ("été", "é")
    assert shown.headers["content-type"] == "text/html; charset=utf-8"


def test_the_page_is_inert_in_any_charset(entry):
    entry.story.http_metadata.encoding = "iso-2022-jp"
    entry.story.raw_html.html = b"<\x1b(Blink rel=preconnect href=http://evil.example><p>news"
    assert b"<link" not in replay_page(entry).body


def test_every_word_around_the_frame_is_escaped(entry):
    text = frame_page(entry, "/capture").body.decode()
    assert "<script" not in text
    assert '<iframe sandbox=""' in text
    assert entry.sha256 in text


def status_of(request: urllib.request.Request) -> str:
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return str(answer.status)
    except urllib.error.HTTPError as error:
        return str(error.code)


def test_no_header_of_the_captured_answer_is_sent(tmp_path):
    """`Link`, `Refresh`, `Report-To` and their like would make a browser connect; only headers of our own are sent."""
    recorded = recorded_headers("evil.example")
    entry = archived_story(tmp_path, HOSTILE, recorded)
    with make_server(entry, replay_page(entry), 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{server.server_address[1]}/capture", timeout=PATIENCE
            ) as answer:
                sent = {name.lower(): value for name, value in answer.headers.items()}
        finally:
            server.shutdown()
    assert sent.keys() - replay_page(entry).headers.keys() <= {"server", "date", "connection", "content-length"}
    assert "evil.example" not in "".join(sent.values())
    assert not any(name in answer.headers for name, _ in recorded if name.lower() != "x-dns-prefetch-control")


def test_one_page_is_served_on_this_machine_only(entry):
    with make_server(entry, replay_page(entry), 0) as server:
        host, port = server.server_address[:2]
        assert host == "127.0.0.1"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/capture", timeout=PATIENCE) as answer:
                assert answer.read() == SHOWN
                assert answer.headers["content-security-policy"].startswith("sandbox;")
            direct = urllib.request.Request(f"http://127.0.0.1:{port}/capture", headers={"Sec-Fetch-Dest": "document"})
            with urllib.request.urlopen(direct, timeout=PATIENCE) as answer:
                assert b"<iframe" in answer.read()
            for name, status in (("localhost", "200"), ("evil.example", "403"), ("127.0.0.1.evil.example:80", "403")):
                named = urllib.request.Request(f"http://127.0.0.1:{port}/capture", headers={"Host": name})
                assert status_of(named) == status
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/../etc/passwd", timeout=PATIENCE)
            with pytest.raises(BusyError, match="--port"):
                make_server(entry, replay_page(entry), port)
        finally:
            server.shutdown()
