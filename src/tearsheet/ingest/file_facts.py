"""A document as a file: its hashes, size and media type; and its row in the index of a web archive."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import UTC, datetime

from tearsheet.ingest.model import CdxRow, FileMeta
from tearsheet.urls import BadURL, surt

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_SIGNATURES = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%!PS", "application/postscript"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"wOF2", "font/woff2"),
    (b"wOFF", "font/woff"),
    (b"OggS", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\x00\x00\x01\x00", "image/vnd.microsoft.icon"),
)
_HTML_TAGS = (
    b"<!doctype html", b"<html", b"<head", b"<body", b"<script", b"<title", b"<meta", b"<table", b"<div", b"<h1", b"<p>", b"<p ",
    b"<a ", b"<br", b"<font", b"<center", b"<frameset", b"<iframe", b"<style", b"<link", b"<img", b"<b>", b"<ul",
)  # fmt: skip
_SNIFFED = 2048
_SHA1 = re.compile(r"[0-9a-f]{40}")


def sniff_type(body: bytes, stated: str | None = None) -> str:
    """The media type of a body: by its bytes, and only if they do not tell, by what the server stated."""
    start = _narrow(body[:_SNIFFED])
    for signature, kind in _SIGNATURES:
        if start.startswith(signature):
            return kind
    if start.startswith(b"RIFF") and start[8:12] == b"WEBP":
        return "image/webp"
    if start[4:8] == b"ftyp":
        return "image/avif" if start[8:12] in (b"avif", b"avis") else "video/mp4"
    word = (stated or "").partition(";")[0].strip().lower()
    markup = _markup_type(start, word)
    if markup:
        return markup
    if word and "/" in word and word not in ("text/html", "application/octet-stream"):
        return word
    if word == "text/html" and not _is_binary(start):
        return "text/html"
    return "application/octet-stream" if _is_binary(start) else "text/plain"


def _markup_type(start: bytes, stated: str) -> str | None:
    """HTML, XHTML, JATS, SVG or other XML; None if the bytes do not start with markup."""
    text = start.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\f").lower()
    while text.startswith(b"<!--") and b"-->" in text:
        text = text.partition(b"-->")[2].lstrip()
    if text.startswith((b"<?xml", b"<!doctype")) and b"<htm" in text[:1024]:
        return "application/xhtml+xml" if text.startswith(b"<?xml") and b"1999/xhtml" in text[:1024] else "text/html"
    if text.startswith(b"<?xml") or stated.endswith(("/xml", "+xml")):
        if b"<article " in text or b"<article>" in text:
            return "application/jats+xml"
        if b"<svg" in text:
            return "image/svg+xml"
        return stated if stated.endswith("+xml") else "text/xml"
    if text.startswith(b"<svg"):
        return "image/svg+xml"
    if text.startswith(_HTML_TAGS) and stated not in ("text/plain", "text/css", "application/javascript"):
        return "text/html"
    return None


def _narrow(start: bytes) -> bytes:
    """UTF-16 that starts with markup, with or without a byte order mark, as single bytes; anything else unchanged."""
    for mark, nulls in ((b"\xff\xfe", 1), (b"\xfe\xff", 0)):
        text = start.removeprefix(mark)
        if not any(text[nulls:8:2]) and text[1 - nulls :: 2].lstrip().startswith(b"<"):
            return text.replace(b"\x00", b"")
    return start


def _is_binary(start: bytes) -> bool:
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    return start.count(0) > len(start) // 32


def sha1_hex(body: bytes) -> str:
    """The SHA-1 in hexadecimal, by which catalogues identify a file."""
    return hashlib.sha1(body, usedforsecurity=False).hexdigest()


def is_sha1(text: str) -> bool:
    """Whether text is a SHA-1 in hexadecimal, as `sha1_hex` writes it."""
    return _SHA1.fullmatch(text) is not None


def sha1_base32(hexadecimal: str) -> str:
    """The same hash as web archives write it."""
    return base64.b32encode(bytes.fromhex(hexadecimal)).decode()


def file_meta(body: bytes, mimetype: str) -> FileMeta:
    """Hashes and size."""
    return FileMeta(
        size_bytes=len(body),
        md5hex=hashlib.md5(body, usedforsecurity=False).hexdigest(),
        sha1hex=sha1_hex(body),
        sha256hex=hashlib.sha256(body).hexdigest(),
        mimetype=mimetype,
    )


def time14(timestamp: float) -> str:
    """Seconds since 1970 in the form that web archives use, YYYYMMDDhhmmss."""
    return datetime.fromtimestamp(timestamp, UTC).strftime("%Y%m%d%H%M%S")


def surt_or_url(url: str) -> str:
    """The sort key of an address; the address itself if it has none."""
    try:
        return surt(url)
    except BadURL:
        return url


def cdx_row(url: str, status: int, timestamp: float, meta: FileMeta) -> CdxRow:
    """The row of a document, not yet archived."""
    return CdxRow(
        surt=surt_or_url(url),
        datetime=time14(timestamp),
        url=url,
        mimetype=meta.mimetype,
        status_code=status,
        sha1b32=sha1_base32(meta.sha1hex),
        sha1hex=meta.sha1hex,
    )
