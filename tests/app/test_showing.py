"""Captures are made ready for a browser in confined processes: one that takes too long harms only itself."""

from __future__ import annotations

import pytest

from tearsheet.app.showing import Shown
from tearsheet.archive.replay import CAPTURE_POLICY
from tearsheet.errors import ItemRefused
from tearsheet.ingest.replay import WholeDocument
from tearsheet.ingest.replay_parts import Part
from tests.support.archive_stories import archived_story

URL = "http://a.example/"


@pytest.fixture
def shown():
    made = Shown(30.0)
    yield made
    made.close()


def test_a_capture_is_shown_in_utf_8_and_inert(shown, tmp_path):
    page = shown.capture(archived_story(tmp_path, "<link href=//b.example><p>été".encode("latin1")))
    assert page.body.decode() == "<meta href=# title=//b.example><p>été"
    assert page.headers["content-security-policy"] == CAPTURE_POLICY


def test_a_document_is_shown_with_its_parts(shown):
    picture = Part(f"{URL}a.png", "image/png", b"\x89PNG")
    page = shown.document(WholeDocument(b"<img src=a.png><script>1</script>", URL, None, {picture.url: picture}))
    assert b"data:image/png;base64,iVBORw==" in page.body


def test_what_takes_too_long_is_refused(tmp_path):
    shown = Shown(0.1)
    try:
        with pytest.raises(ItemRefused, match=r"this capture cannot be shown: .*archive extract"):
            shown.capture(archived_story(tmp_path, b"<p src" + b" " * 10_000_000))  # over a second
    finally:
        shown.close()
