"""An ingested page as it looked: with its pictures, styles, fonts and media inlined from the archive, so it needs no network.

What is shown is not the captured bytes, because addresses in them are replaced by `data:` ones; those are in the archive,
untouched. `archive.replay.whole_page` says how such a page is served: it cannot run scripts or make requests. It is made inert,
so that it cannot connect to others either. Its captured style sheets and frames, which are inert themselves, are put in afterwards,
where marks that no page can guess stand for them.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from tearsheet.archive import Captures, StoredCapture, make_inert
from tearsheet.errors import NotFoundError
from tearsheet.extract import Document, decode, tame
from tearsheet.ingest.capture import capture_id
from tearsheet.ingest.css import rewrite_css
from tearsheet.ingest.file_facts import HTML_TYPES, surt_or_url
from tearsheet.ingest.replay_parts import MAX_REPLAY, Part, Parts, Sheets, data_url, rationed
from tearsheet.ingest.resource_elements import ELEMENTS, LATE
from tearsheet.ingest.resources import srcset_addresses
from tearsheet.ingest.store import IngestStore
from tearsheet.story import Story
from tearsheet.work import ReadingJob

MAX_FRAMES = 50
_SHOWN = frozenset({"image", "audio", "media"})
_MEDIA = re.compile(r"[^\w\s(),.:/-]")


@dataclass(slots=True, frozen=True)
class WholeDocument:
    """A captured document, and what was captured with it."""

    body: bytes
    url: str
    charset: str | None
    """What HTTP stated."""
    parts: dict[str, Part]
    """By the address that the page names."""


class _Marks:
    """What stands for the style sheets and frames of a page while it is made inert."""

    def __init__(self) -> None:
        self._secret = f"x-{secrets.token_hex(16)}"
        self._sheets: list[str] = []
        self.frame = f"{self._secret}-frame"
        """The name of the attribute that holds a frame's page."""

    def sheet(self, address: str, media: str) -> str:
        """A text to stand in the place of a style sheet, of which the page now has this `data:` address."""
        # Without quotes and ampersands, which would mean something else in the attribute that holds a frame's page.
        self._sheets.append(f"<style>@import url({address}) {_MEDIA.sub(' ', media)};</style>")
        return f"{self._secret}-{len(self._sheets) - 1}-"

    def replaced(self, page: bytes) -> bytes:
        """The page with all that the marks stand for, also inside of frames."""
        page = page.replace(self.frame.encode(), b"srcdoc")
        return re.sub(rb"%s-(\d+)-" % self._secret.encode(), lambda found: self._sheets[int(found[1])].encode(), page)


class DocumentReplay:
    """Finds ingested documents among the captures in the archive, with everything that was captured with them."""

    def __init__(self, store: IngestStore, captures: Captures) -> None:
        self._store = store
        self._captures = captures

    def newest(self, sha1hex: str) -> WholeDocument:
        """The newest capture of the document with this SHA-1 that is not hidden, with its parts. Raises NotFoundError."""
        lines = self._store.captures_of_sha1(sha1hex)
        if not lines:
            raise NotFoundError(f"no document with SHA-1 {sha1hex} was ingested")
        found = self.document(self._captures.find(capture_id(lines[-1].url, lines[-1].datetime, sha1hex)))
        assert found is not None, "what the table of captures names is an ingested document"
        return found

    def document(self, capture: StoredCapture) -> WholeDocument | None:
        """A captured document with its captured parts; None if the capture is not an ingested document."""
        resources = self._resources(capture)
        if resources is None:
            return None
        story = self._captures.read(capture).story
        parts = _read_parts(self._captures, resources)
        return WholeDocument(story.raw_html.html or b"", capture.url, story.http_metadata.encoding, parts)

    def parts(self, capture: StoredCapture) -> list[StoredCapture]:
        """The captures of an ingested document's sub-resources; empty for any other capture."""
        ids = part_ids(self._resources(capture) or []).values()
        return list(self._captures.of_ids(list(ids)).values())

    def _resources(self, capture: StoredCapture) -> list[dict[str, Any]] | None:
        for line in self._store.captures_of_surt(surt_or_url(capture.url), hidden=True):
            if capture_id(line.url, line.datetime, line.sha1hex) == capture.story_id:
                return self._store.resources_of(line.sha1hex)
        return None


def part_ids(resources: list[dict[str, Any]]) -> dict[str, str]:
    """The ids of the captures of sub-resources, by the address that the page names."""
    return {item["url"]: _id_of(item) for item in resources if item.get("sha1hex") and item["status"] == "success"}


def _read_parts(captures: Captures, resources: list[dict[str, Any]]) -> dict[str, Part]:
    """Sub-resources by the address that the page names. Bytes that came twice were archived once."""
    ids = part_ids(resources)
    stories = dict(_read_stories(captures, captures.of_ids(list(ids.values())).values()))
    by_sha1 = {item["sha1hex"]: stories[ids[item["url"]]] for item in resources if ids.get(item["url"]) in stories}
    return {
        item["url"]: _part(item, by_sha1[item["sha1hex"]])
        for item in resources
        if item["url"] in ids and item["sha1hex"] in by_sha1
    }


def _read_stories(captures: Captures, wanted: Iterable[StoredCapture]) -> Iterator[tuple[str, Story]]:
    """The captures that can be read, by their ids, up to a total size."""
    left = MAX_REPLAY
    for capture, entry in captures.read_each(wanted):
        if entry is not None:
            left -= len(entry.story.raw_html.html or b"")
            if left < 0:
                return
            yield capture.story_id, entry.story


def _part(item: dict[str, Any], story: Story) -> Part:
    return Part(item["terminal_url"], item["mimetype"], story.raw_html.html or b"", story.http_metadata.encoding)


def _id_of(item: dict[str, Any]) -> str:
    digits = re.sub(r"\D", "", item["timestamp"])
    return capture_id(item["terminal_url"], digits, item["sha1hex"])


def show_document(document: WholeDocument) -> bytes:
    """A document in UTF-8, inert, with its parts inlined."""
    return self_contained(document.body, document.url, rationed(document.parts), charset=document.charset)


SHOW_DOCUMENT = ReadingJob(show_document, max_answer=256 << 20)
"""Its pictures are inlined as text, which is a third longer."""


def self_contained(
    body: bytes, url: str, parts: Parts, *, charset: str | None = None, frames: int = MAX_FRAMES
) -> bytes:
    """A page with its parts inlined as `data:` addresses, and up to `frames` frames; missing parts show nothing."""
    marks = _Marks()
    return marks.replaced(_contained(body, url, parts, charset, frames, Sheets(parts), marks))


def _contained(
    body: bytes, url: str, parts: Parts, charset: str | None, frames: int, sheets: Sheets, marks: _Marks
) -> bytes:
    """The page, inert, with marks for its style sheets and frames."""
    document = Document(body, url, charset=charset)
    # All of the page, however long, and as it is without scripts: none will run.
    text = decode(body, charset)[0].encode("utf-8", "replace")
    tree = LexborHTMLParser(tame(text), scripting=False)

    def shown(address: str) -> str | None:
        return _shown(document, parts, address)

    # In this order: the parts are rationed, and pictures come first.
    for node in tree.css("img, picture > source"):
        _choose(node, shown)
    _put_in_elements(tree, shown)
    _put_in_sheets(tree, document, sheets, marks)
    _put_in_styles(tree, shown)
    _put_in_frames(tree, document, parts, frames, sheets, marks)
    for node in tree.css("meta[charset], meta[http-equiv]"):
        node.decompose()
    return b"<!doctype html><meta charset=utf-8>" + make_inert((tree.html or "").encode("utf-8", "replace"))


def _shown(document: Document, parts: Parts, address: str) -> str | None:
    """What an address of the page shows, as a `data:` address; None if it is one already, or was not captured."""
    if address[:5].lower() == "data:":
        return None
    target = document.absolute(address.partition("#")[0])
    part = parts(target) if target else None
    return data_url(part) if part is not None else None


def _put_in_elements(tree: LexborHTMLParser, shown: Callable[[str], str | None]) -> None:
    """Inline pictures, audio and video by the attributes that name them; remove addresses that lead out of the page."""
    for selector, attribute, kind in ELEMENTS:
        for node in tree.css(selector) if kind in _SHOWN else ():
            value = node.attributes.get(attribute) or ""
            found = shown(value)
            if attribute.startswith(LATE):
                if found:
                    node.attrs["src"] = found
            elif value:
                node.attrs[attribute] = found or _kept(value)


def _put_in_sheets(tree: LexborHTMLParser, document: Document, sheets: Sheets, marks: _Marks) -> None:
    """Inline style sheets, both linked and embedded. Other links have nothing to show."""
    for node in tree.css("link"):
        given = node.attributes
        relations = (given.get("rel") or "").lower().split()
        found = sheets.address(document, document.absolute(given.get("href") or "")) if given.get("href") else None
        if "stylesheet" not in relations or "alternate" in relations or found is None:
            node.decompose()
        else:
            node.replace_with(marks.sheet(found, given.get("media") or "all"))
    for node in tree.css("style"):
        node.inner_html = sheets.text(document, node.text(), document.base_url)


def _put_in_styles(tree: LexborHTMLParser, shown: Callable[[str], str | None]) -> None:
    """Inline what the `style` attributes of elements name."""
    for node in tree.css("[style]"):
        style = node.attributes.get("style") or ""
        if "(" in style:
            node.attrs["style"] = rewrite_css(style, lambda _, address: shown(address))


def _put_in_frames(
    tree: LexborHTMLParser, document: Document, parts: Parts, frames: int, sheets: Sheets, marks: _Marks
) -> None:
    """Inline the pages of the first frames, up to `frames`; the others show nothing."""
    for number, node in enumerate(tree.css("iframe[src]")):
        target = document.absolute((node.attributes.get("src") or "").partition("#")[0])
        _put_frame(node, parts(target) if target and number < frames else None, parts, sheets, marks)


def _put_frame(node: Any, part: Part | None, parts: Parts, sheets: Sheets, marks: _Marks) -> None:
    """Inline the page of a frame, without further frames; it is subject to the policy of the page around it."""
    del node.attrs["src"]
    if part is not None and part.mimetype in HTML_TYPES:
        page = _contained(part.body, part.url, parts, part.charset, 0, sheets, marks)
        node.attrs[marks.frame] = page.decode("utf-8", "replace")


def _kept(value: str) -> str:
    """What is already in the page stays; an address that leads out of it does not."""
    return value if value.lower().startswith("data:") else ""


def _choose(node: Any, shown: Callable[[str], str | None]) -> None:
    """Use the first captured size of a picture, if its plain address is missing or a mere placeholder."""
    sets = [node.attributes.get(name) or "" for name in ("srcset", f"{LATE}srcset")]
    found = next(filter(None, map(shown, (address for text in sets for address in srcset_addresses(text)))), None)
    if "srcset" in node.attributes:
        del node.attrs["srcset"]
    if found and node.tag == "source":
        node.attrs["srcset"] = found
    elif found and not shown(node.attributes.get("src") or ""):
        node.attrs["src"] = found
