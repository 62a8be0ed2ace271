"""What a page says about itself: `meta`, `link`, `title`, headings, `time` elements and JSON-LD, collected in one pass."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tearsheet.foreign_text import read_json

_SELECTOR = 'meta,link,title,h1,time,base,script[type*="ld+json"]'
_MARKED_DATES = (
    'abbr[title],[itemprop="datePublished"],[itemprop="dateCreated"],[property$="dateCreated"],[property$="datePublished"],'
    ".published,.updated[title],.dt-published"
)
"""Elements marked as dates that are not `time` elements. They are rarely needed, so they are searched for only then."""
_MAX_META = 400
_MAX_TIMES = 60
_MAX_JSON_BYTES = 2_000_000
_MAX_JSON_ITEMS = 400
_CONTROL = re.compile(r"[\x00-\x1f]+")
_WRAPPING = re.compile(r"<!\[CDATA\[|\]\]>|<!--|-->")
_TRAILING_COMMA = re.compile(r",\s*([}\]])")

ARTICLE_TYPES = frozenset(
    """
    Article NewsArticle ReportageNewsArticle BlogPosting LiveBlogPosting AnalysisNewsArticle OpinionNewsArticle
    BackgroundNewsArticle ReviewNewsArticle AskPublicNewsArticle AdvertiserContentArticle SatiricalArticle Report
    ScholarlyArticle SocialMediaPosting TechArticle DiscussionForumPosting Review Recipe HowTo
    """.split()
)
"""The schema.org types whose headline and dates are those of the page's article."""


@dataclass(slots=True)
class TimeElement:
    """A `time` element, or any other that is marked as a date."""

    value: str
    published: bool
    """It is marked as the date of publication."""
    modified: bool


@dataclass(slots=True)
class Head:
    """What a page states about itself, in page order."""

    meta: dict[str, list[str]] = field(default_factory=dict)
    """Contents by name, property, itemprop or http-equiv, in lower case."""
    links: dict[str, list[str]] = field(default_factory=dict)
    """Addresses by lower-case rel, as written."""
    title: str = ""
    headings: list[LexborNode] = field(default_factory=list)
    times: list[TimeElement] = field(default_factory=list)
    articles: list[dict[str, Any]] = field(default_factory=list)
    """JSON-LD objects of an article type."""
    other: list[dict[str, Any]] = field(default_factory=list)
    """JSON-LD objects of any other type."""
    base: str = ""

    def first(self, *names: str) -> str | None:
        """The first non-empty content among these names, in this order of preference."""
        for name in names:
            for value in self.meta.get(name, ()):
                if value:
                    return value
        return None


def read_head(tree: LexborHTMLParser) -> Head:
    """Collect what the page says about itself."""
    head = Head()
    json_bytes = 0
    for node in tree.css(_SELECTOR):
        tag = node.tag
        if tag == "meta":
            _add_meta(head, node.attributes)
        elif tag == "link":
            attributes = node.attributes
            if href := attributes.get("href"):
                for rel in (attributes.get("rel") or "").lower().split():
                    head.links.setdefault(rel, []).append(href.strip())
        elif tag == "script":
            text = node.text()
            json_bytes += len(text)
            if json_bytes <= _MAX_JSON_BYTES:
                _add_json_ld(head, text)
        elif tag == "title":
            # An SVG picture may have titles of its own.
            if not head.title:
                head.title = " ".join(node.text().split())
        elif tag == "h1":
            if len(head.headings) < 8:
                head.headings.append(node)
        elif tag == "base":
            head.base = head.base or (node.attributes.get("href") or "").strip()
        else:
            _add_time(head.times, node)
    return head


def marked_dates(tree: LexborHTMLParser) -> list[TimeElement]:
    """Elements other than `time` that are marked as dates."""
    times: list[TimeElement] = []
    for node in tree.css(_MARKED_DATES)[:_MAX_TIMES]:
        if node.tag not in ("time", "meta"):
            _add_time(times, node)
    return times


def _add_meta(head: Head, attributes: dict[str, str | None]) -> None:
    content = attributes.get("content")
    if not content or len(head.meta) >= _MAX_META:
        return
    for key in ("property", "name", "itemprop", "http-equiv"):
        if name := attributes.get(key):
            head.meta.setdefault(name.strip().lower(), []).append(content.strip())


def _add_time(times: list[TimeElement], node: LexborNode) -> None:
    if len(times) >= _MAX_TIMES:
        return
    attributes = node.attributes
    itemprop = (attributes.get("itemprop") or attributes.get("property") or "").lower()
    classes = (attributes.get("class") or "").lower()
    value = attributes.get("datetime") or attributes.get("content") or attributes.get("title") or node.text()[:200]
    published = "datepublished" in itemprop or "datecreated" in itemprop or "pubdate" in attributes
    published = published or any(word in classes for word in ("publish", "entry-date", "dt-published"))
    modified = "modified" in itemprop or "updated" in classes or "modified" in classes
    times.append(TimeElement(value.strip(), published, modified and "publish" not in classes))


def _add_json_ld(head: Head, text: str) -> None:
    stack = [load_json(text)]
    seen = 0
    while stack and seen < _MAX_JSON_ITEMS:
        item = stack.pop(0)
        seen += 1
        if isinstance(item, list):
            stack = item[:_MAX_JSON_ITEMS] + stack
        elif isinstance(item, dict):
            kinds = item.get("@type")
            names = kinds if isinstance(kinds, list) else [kinds]
            is_article = any(isinstance(name, str) and name.rpartition("/")[2] in ARTICLE_TYPES for name in names)
            (head.articles if is_article else head.other).append(item)
            for key in ("@graph", "mainEntity", "mainEntityOfPage"):
                if isinstance(item.get(key), list | dict):
                    stack.append(item[key])


def load_json(text: str) -> Any:
    """JSON as pages write it, with comment marks, raw line breaks or trailing commas; None if it cannot be read."""
    text = text.strip()
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        pass
    text = _WRAPPING.sub(" ", text)
    start = min((i for i in (text.find("{"), text.find("[")) if i >= 0), default=-1)
    end = max(text.rfind("}"), text.rfind("]"))
    if start < 0 or end < start:
        return None
    try:
        return read_json(_TRAILING_COMMA.sub(r"\1", _CONTROL.sub(" ", text[start : end + 1])))
    except ValueError:
        return None
