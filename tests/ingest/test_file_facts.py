"""What a file is, by its bytes and by what the server says."""

from __future__ import annotations

import pytest

from tearsheet.ingest.file_facts import HTML_TYPES, sniff_type


@pytest.mark.parametrize(
    ("body", "stated", "kind"),
    [
        (b"<!DOCTYPE html><p>", "text/plain; x", "text/plain"),
        (b"<!DOCTYPE html><p>", None, "text/html"),
        (b"\n\n<!-- c --><HTML>", "application/octet-stream", "text/html"),
        (b"plain words", "text/html", "text/html"),
        (b"plain words", None, "text/plain"),
        (b"%PDF-1.7", "text/html", "application/pdf"),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', "text/html", "application/xhtml+xml"),
        (b'<?xml version="1.0"?><article dtd="x">', "text/xml", "application/jats+xml"),
        (b"<svg xmlns=x>", None, "image/svg+xml"),
        (b"\xff\xfe<\x00h\x00t\x00m\x00l\x00", "text/html", "text/html"),
        ("\n <html>日本".encode("utf-16-le"), "text/html; charset=utf-16le", "text/html"),
        ("<html>日本".encode("utf-16-be"), "text/html", "text/html"),
        ("日本".encode("utf-16"), "text/plain", "text/plain"),
        (b"RIFF0000WEBPVP8", None, "image/webp"),
        (b"\x00\x01\x02" * 50, "text/html", "application/octet-stream"),
        (b"", None, "text/plain"),
    ],
)
def test_sniffed_types(body, stated, kind):
    assert sniff_type(body, stated) == kind
    assert (kind in HTML_TYPES) == kind.endswith(("html", "xhtml+xml"))
