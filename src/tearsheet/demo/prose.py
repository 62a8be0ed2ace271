"""Headlines, names and texts, put together from the sentence parts of a language."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from datetime import datetime

from tearsheet.demo.languages import LANGUAGES, Language
from tearsheet.demo.model import Article, Link, LinkKind, Paragraph, Span

LEAST_PARAGRAPHS = 6
_MOST_PARAGRAPHS = 8
_ANCHOR = re.compile(r"^(.*)\{a\}(.*)\{z\}(.*)$")


def person(language: Language, rng: random.Random) -> str:
    """A name."""
    return language.name_form.format(first=rng.choice(language.first_names), last=rng.choice(language.last_names))


def _big_number(language: Language, rng: random.Random) -> str:
    return f"{rng.randint(1, 9)}{language.thousands}{rng.randint(1, 9)}00"


def fill(template: str, language: Language, rng: random.Random, **fixed: str) -> str:
    """A sentence with its slots filled."""
    values = {
        "n": str(rng.randint(12, 97)),
        "big": _big_number(language, rng),
        "person": person(language, rng),
        "org": rng.choice(language.orgs),
        "place": rng.choice(language.places),
        "day": rng.choice(language.days),
    }
    return template.format(**values | fixed)


def headline(language: Language, event: str, rng: random.Random, taken: set[str]) -> str:
    """A headline that is not among those `taken`, and is added to them."""
    templates = language.events[event].headlines
    for attempt in range(60):
        title = fill(rng.choice(templates), language, rng)
        if attempt > 40:  # a very large newsroom runs out of words
            title = f"{title} ({len(taken)})"
        if title.casefold() not in taken:
            break
    taken.add(title.casefold())
    return title


def reader_date(language: Language, moment: datetime) -> str:
    """A date as readers of the language write it."""
    return language.date_form.format(day=moment.day, month=language.months[moment.month - 1], year=moment.year)


def write_body(
    article: Article, links: Sequence[Link], site_names: dict[int, str], rng: random.Random
) -> tuple[Paragraph, ...]:
    """The paragraphs of an article. They contain its links of the kinds `BODY` and `CLEAR`, in order.

    `site_names` says which paper a link's target was printed in.
    """
    language = LANGUAGES[article.language]
    event = language.events[article.event]
    facts = rng.sample(event.sentences, len(event.sentences))
    if rng.random() < 0.7:  # most reporters begin with what happened
        facts.remove(event.sentences[0])
        facts.append(event.sentences[0])
    around = rng.sample(language.general, len(language.general))
    claims = rng.sample(language.claims, len(language.claims))
    written = [link for link in links if link.kind is not LinkKind.RELATED]
    paragraphs = []
    for index in range(rng.randint(LEAST_PARAGRAPHS, _MOST_PARAGRAPHS)):
        sentences = [Span(fill(facts.pop(), language, rng)), Span(fill(around.pop(), language, rng))]
        if index % 2:
            sentences.append(Span(_quotation(claims.pop(), language, rng)))
        elif around and rng.random() < 0.6:
            sentences.append(Span(fill(around.pop(), language, rng)))
        spans = _joined(sentences, language.blank)
        if index and written:
            link = written.pop(0)
            spans += [Span(language.blank), *_link_sentence(link, site_names, language, rng)]
        paragraphs.append(tuple(spans))
    for link in written:  # more than there are paragraphs
        paragraphs.append(tuple(_link_sentence(link, site_names, language, rng)))
    return tuple(paragraphs)


def _quotation(claim: str, language: Language, rng: random.Random) -> str:
    return fill(language.quote_form, language, rng, claim=fill(claim, language, rng))


def _joined(spans: list[Span], blank: str) -> list[Span]:
    return [Span(blank.join(span.text for span in spans))]


def _link_sentence(link: Link, site_names: dict[int, str], language: Language, rng: random.Random) -> list[Span]:
    if link.kind is LinkKind.CLEAR:
        return [Span(fill(language.address_sentence, language, rng, url=link.url))]
    name = site_names[link.target] if link.target is not None else rng.choice(language.orgs)
    sentence = fill(rng.choice(language.link_sentences), language, rng, site=name, a="{a}", z="{z}")
    parts = _ANCHOR.match(sentence)
    assert parts is not None, "every link sentence has an anchor"
    return [Span(parts[1]), Span(parts[2], link.url), Span(parts[3])]
