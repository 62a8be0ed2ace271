"""Pages as older programs stored them."""

from __future__ import annotations

from pathlib import Path

from tearsheet.pagestore.meta import md5_hex


def old_page(folder: Path, url: str, content: bytes = b"<html>old\n", md5: str | None = None) -> str:
    name = md5 or md5_hex(url)
    (folder / name).mkdir(parents=True)
    (folder / name / "contents.html").write_bytes(content)
    return name
