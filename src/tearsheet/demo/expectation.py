"""What must become of every entry of every feed: the ground truth for the pipeline's counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from tearsheet.demo.cases import INDEXED, LEAST_RETRIES, VERDICTS, Case, Verdict
from tearsheet.demo.model import Article, Feed


@dataclass(slots=True, frozen=True)
class ExpectedEntry:
    """What must become of one entry."""

    feed_url: str
    link: str
    case: Case
    verdict: Verdict
    story: str | None = None
    """The normalised address under which its article is indexed, through this entry or another one."""
    duplicate_of: str | None = None
    """The link of the entry that it repeats. Which of the two comes first is left open: only one of them makes a story."""

    @property
    def outcome(self) -> str:
        """`indexed`, `dropped` (by a stage of the pipeline) or `skipped` (by the feed reader)."""
        if self.verdict == INDEXED:
            return "indexed"
        return "skipped" if self.verdict.stage == "feeds" else "dropped"


@dataclass(slots=True, frozen=True)
class ExpectedStory:
    """A story that must be in the index once and in the archive once."""

    normalized_url: str
    url: str
    title: str
    language: str
    publication_date: date
    event: str
    links: tuple[str, ...]
    """The links of all entries that lead to it."""


@dataclass(slots=True, frozen=True)
class Totals:
    """The counts. They do not depend on the order in which feeds are read."""

    entries: int
    skipped: dict[str, int]
    """Entries that the feed reader does not queue, by reason."""
    queued: int
    dropped: dict[tuple[str, str], int]
    """Stories that the pipeline drops, by stage and reason."""
    indexed: int
    archived: int


@dataclass(slots=True, frozen=True)
class Expectation:
    """Everything that is expected."""

    entries: tuple[ExpectedEntry, ...]
    stories: tuple[ExpectedStory, ...]
    least_retries: int = LEAST_RETRIES
    """Pages that fail at first need this many further tries."""

    @property
    def totals(self) -> Totals:
        """All counts."""
        skipped = Counter(entry.verdict.reason for entry in self.entries if entry.outcome == "skipped")
        dropped = Counter(
            (entry.verdict.stage, entry.verdict.reason) for entry in self.entries if entry.outcome == "dropped"
        )
        return Totals(
            entries=len(self.entries),
            skipped=dict(sorted(skipped.items())),
            queued=len(self.entries) - skipped.total(),
            dropped=dict(sorted(dropped.items())),
            indexed=len(self.stories),
            archived=len(self.stories),
        )


def expect(feeds: Iterable[Feed], articles: Sequence[Article]) -> Expectation:
    """Judge every entry by its case."""
    entries = []
    links: dict[int, list[str]] = {}
    for feed in feeds:
        for entry in feed.entries:
            story = None
            if entry.article is not None:
                story = articles[entry.article].normalized_url
                links.setdefault(entry.article, []).append(entry.link)
            case = Case(entry.case)
            entries.append(ExpectedEntry(feed.url, entry.link, case, VERDICTS[case], story, entry.original or None))
    stories = tuple(_expected_story(article, tuple(links[article.number])) for article in articles if article.listed)
    return Expectation(tuple(entries), stories)


def _expected_story(article: Article, links: tuple[str, ...]) -> ExpectedStory:
    return ExpectedStory(
        article.normalized_url,
        article.url,
        article.title,
        article.language,
        article.published.date(),
        article.event,
        links,
    )
