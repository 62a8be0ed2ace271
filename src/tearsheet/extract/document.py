"""One page, parsed once, and everything that can be read from it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property

from tearsheet import urls
from tearsheet.extract import dates, language, names, text
from tearsheet.extract.authors import authors as find_authors
from tearsheet.extract.blocks import Blocks, cut
from tearsheet.extract.encoding import as_utf8
from tearsheet.extract.features import PageHints
from tearsheet.extract.guard import parse
from tearsheet.extract.head import Head, read_head
from tearsheet.extract.model import Model, shipped

MAX_PAGE = 12_000_000
"""How many bytes of a page are read. No article is that long; the rest is ignored."""
_ENOUGH, _DOUBTFUL = 400, 0.6
"""If a text is shorter or less certain than this, the whole page is read again."""
_MAX_LINKS = 20_000


@dataclass(slots=True, frozen=True)
class Link:
    """A hyperlink: where it leads, as an absolute http(s) address, and its text."""

    url: str
    text: str


class Document:
    """One page, parsed once. Each property is computed when it is first used.

    `html` is either bytes, with `charset` from the HTTP header, or text that is already decoded.
    """

    def __init__(
        self, html: bytes | str, url: str = "", *, charset: str | None = None, today: date | None = None
    ) -> None:
        self.url = url
        self.model: Model | None = None
        self.today = today or datetime.now(UTC).date()
        if isinstance(html, bytes):
            data, self.encoding = as_utf8(html[:MAX_PAGE], charset)
        else:
            # Lone surrogates have no UTF-8 form, which is what the parser reads.
            data, self.encoding = html[:MAX_PAGE].encode("utf-8", "replace"), "utf-8"
        self.tree = parse(data)

    @cached_property
    def head(self) -> Head:
        """What the page says about itself."""
        return read_head(self.tree)

    @cached_property
    def article(self) -> text.ArticleText:
        """The text of the article, with its expected accuracy."""
        model = self.model or shipped()
        found = text.choose(self.blocks, self.hints, model)
        if len(found.text) >= _ENOUGH and found.confidence >= _DOUBTFUL:
            return found
        # Some pages have their text in parts that are skipped at first, or show it only to readers without scripts.
        again = parse(self.tree.raw_html, scripting=False)
        other = text.choose(cut(again.body, everything=True), self.hints, model) if again.body is not None else found
        return other if other.confidence > found.confidence and len(other.text) > len(found.text) else found

    @cached_property
    def blocks(self) -> Blocks:
        """The text of the page in blocks, without navigation and page footers."""
        return cut(self.tree.body) if self.tree.body is not None else Blocks()

    @cached_property
    def hints(self) -> PageHints:
        """What the page says about its article, to compare its blocks with."""
        body = next((b for b in (item.get("articleBody") for item in self.head.articles) if isinstance(b, str)), "")
        return PageHints(self.title or "", self.description or "", " ".join(body.split()))

    @property
    def text(self) -> str:
        """The text of the article, one paragraph per line; empty if there is none."""
        return self.article.text

    @cached_property
    def title(self) -> str | None:
        """The headline."""
        return names.article_title(self.head)

    @cached_property
    def publication_date(self) -> tuple[date, str] | None:
        """The day of publication and where it was found."""
        return dates.publication_date(self.head, self.url, self.blocks, self.today, self.tree)

    @cached_property
    def language(self) -> str | None:
        """A two-letter ISO 639-1 code."""
        return language.language_of(self.text) if self.text else None

    @property
    def stated_language(self) -> str | None:
        """The language that the page states for itself, such as `en-gb`."""
        root = self.tree.root
        stated = root.attributes.get("lang") if root is not None else None
        return language.stated_language(stated or self.head.first("og:locale", "content-language", "language"))

    @cached_property
    def base_url(self) -> str:
        """What relative addresses in the page are relative to."""
        return self.absolute(self.head.base, self.url) or self.url if self.head.base else self.url

    @cached_property
    def canonical_url(self) -> str | None:
        """The address that the page gives as its own: its canonical link, else `og:url`."""
        stated = (*self.head.links.get("canonical", ()), *self.head.meta.get("og:url", ()))
        return next((url for url in map(self.absolute, stated) if url), None)

    @property
    def description(self) -> str | None:
        """What the page says it is about."""
        return names.description(self.head)

    @property
    def authors(self) -> list[str]:
        """The people who wrote the article."""
        return find_authors(self.head, self.tree)

    @property
    def image(self) -> str | None:
        """The address of the picture that stands for the article."""
        stated = names.image(self.head)
        return self.absolute(stated) if stated else None

    @cached_property
    def links(self) -> list[Link]:
        """Every hyperlink of the page in order, as absolute addresses."""
        found = []
        for node in self.tree.css("a[href]")[:_MAX_LINKS]:
            if url := self.absolute(node.attributes.get("href") or ""):
                found.append(Link(url, " ".join(node.text().split())))
        return found

    def absolute(self, address: str, base: str | None = None) -> str | None:
        """An address in this page made absolute; None if it cannot be fetched."""
        try:
            address = address.strip()
            if not address.startswith(("https://", "http://")):
                address = urls.join_url(self.base_url if base is None else base, address)
            return address if len(address) <= urls.MAX_URL_LENGTH and urls.split_http_url(address) else None
        except ValueError:
            return None
