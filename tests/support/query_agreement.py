"""Stories in many scripts and queries of every form, made from a seed: all engines must agree on each of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

import re2

from tearsheet.engines.index.port import IndexedStory
from tearsheet.query import Query, QueryError, parse_query
from tearsheet.query.match import Subject, make_subject
from tearsheet.query.pattern import pattern_field
from tearsheet.query.pattern import subject as pattern_subject
from tearsheet.query.tree import ANY, TEXT, TITLE
from tests.support.index_stories import DAY, START, story

WORDS = {
    "en": "climate policy law lawyer lawful the a of costs woman women women's e-mail co-operate U.S. strasse naïve".split(),
    "de": "Klima Politik Gesetz Straße Größe über die der Klimapolitik Düsseldorf GESETZ".split(),
    "fr": "l’homme d´affaires été élève cœur Noël naïve aujourd'hui la le".split(),
    "ru": "климат политика закон законы Москва и в на".split(),
    "el": "Οδυσσέας ΟΔΥΣΣΕΑΣ νόμος κλίμα και".split(),
    "ar": "المناخ سياسة قانون مِصر می\u200cخواهم و".split(),
    "hi": "जलवायु नीति कानून दिल्ली हिन्दी की".split(),
    "ko": "기후 정책 법률 서울 한국어".split(),
    "ja": "東京都知事選 東京 京都 都知事 が 3月に会見 ﾄｳｷｮｳ トウキョウ 2024年 news東京".split(),
    "zh": "中国 中国人民 人民日报 国人 中 气候政策 法律 2024年3月 ＡＢＣ".split(),
    "th": "ประเทศไทย กรุงเทพ ไทย นโยบาย".split(),
    "tr": "İstanbul ısı IŞIK ışık iklim".split(),
}  # fmt: skip
UNSPACED_LANGUAGES = ("ja", "zh", "th")
DOMAINS = ["a.example", "b.example", "news.example", "c.example"]
MARKS = ["", "", "", "", ",", ".", "!", " –", " “", "”", "…", " 🎉"]


def make_stories(count: int, seed: int = 1) -> list[IndexedStory]:
    """Short stories, so that words, phrases and distances meet and miss in every way."""
    source = random.Random(seed)
    stories = []
    for number in range(count):
        language = source.choice(list(WORDS))
        published = date(2024, 1, 1) + timedelta(days=source.randrange(120))
        stories.append(
            story(
                f"{number}-{source.choice(['Politics', 'world', 'a(b)', 'x*y', 'ü'])}",
                _text(source, language, source.randint(0, 4)),
                _text(source, language, source.randint(1, 14)),
                language=source.choice([language, language, language, ""]),
                canonical_domain=source.choice(DOMAINS),
                publication_date=source.choice([published.isoformat()] * 5 + [None]),
                indexed_date=START + source.randrange(100) * DAY // 10 + source.choice([0, 1, 999]),
                source_id=source.choice([None, 1, 2, 33]),
            )
        )
    return stories


def _text(source: random.Random, language: str, count: int) -> str:
    text = ""
    for _ in range(count):
        spoken = language if source.random() < 0.8 else source.choice(list(WORDS))
        word = source.choice(WORDS[spoken])
        if source.random() < 0.2:
            word = source.choice([word.upper(), word.lower(), word.title()])
        joined = spoken in UNSPACED_LANGUAGES and source.random() < 0.6
        text += word + source.choice(MARKS) + ("" if joined else source.choice([" ", " ", " ", "\n", "\u00a0"]))
    return text


def make_queries(count: int, seed: int = 2) -> Iterator[Query]:
    """Queries of every form; those that the language refuses are left out, and made up for."""
    source = random.Random(seed)
    made = 0
    while made < count:
        try:
            query = parse_query(_node(source, 0))
        except QueryError:
            continue
        made += 1
        yield query


def _node(source: random.Random, depth: int) -> str:
    choice = source.random()
    if depth >= 3 or choice < 0.35:
        return _leaf(source)
    parts = [_node(source, depth + 1) for _ in range(source.randint(2, 3))]
    if choice < 0.55:
        return "(" + source.choice([" AND ", " ", " && "]).join(parts) + ")"
    if choice < 0.8:
        return "(" + source.choice([" OR ", " || "]).join(parts) + ")"
    if choice < 0.9:
        return f"({parts[0]} {source.choice(['AND NOT ', '-', 'NOT '])}{parts[1]})"
    if choice < 0.95:
        return f"NOT ({parts[0]})"
    return f"{parts[0]} OR {parts[1]} AND {parts[0]}"


def _leaf(source: random.Random) -> str:
    word = source.choice(WORDS[source.choice(list(WORDS))])
    field = source.choice(["", "", "", "", "title:", "text:"])
    forms = [
        lambda: field + word,
        lambda: field + word,
        lambda: field + _quoted(source, source.randint(2, 3)),
        lambda: field + _quoted(source, source.randint(2, 4)) + f"~{source.randint(1, 6)}",
        lambda: field + _quoted(source, 2, "*"),
        lambda: field + word[: source.randint(1, max(1, len(word) - 1))] + "*",
        lambda: field + _wild(source, word),
        lambda: field + word[source.randrange(len(word)) :],
        lambda: f"language:{source.choice(list(WORDS))}",
        lambda: f"canonical_domain:({source.choice(DOMAINS)} OR {source.choice(DOMAINS)})",
        lambda: f"source_id:{source.choice([1, 2, 3])}",
        lambda: source.choice(
            ["url:*olit*", "url:https://example.com/1*", 'url:"https://example.com/7-x*y"', "url:*x\\*y"]
        ),
        lambda: f"publication_date:{source.choice(['2024-02', '>=2024-03-10', '[2024-01-10 TO 2024-02-10}', '*'])}",
        lambda: f"indexed_date:{source.choice(['[* TO 2023-11-18]', '>2023-11-16T22:13:20.000000001', '2023-11-19'])}",
    ]
    weights = [4, 4, 5, 7, 2, 4, 2, 3, 1, 1, 1, 1, 1, 1]
    return source.choices(forms, weights)[0]()


def _quoted(source: random.Random, count: int, end: str = "") -> str:
    language = source.choice(list(WORDS))
    words = [source.choice(WORDS[language]) for _ in range(count)]
    if source.random() < 0.1:
        words[-1] = words[0]
    if end:
        words[-1] = words[-1][: max(2, len(words[-1]) // 2)]
    glue = "" if language in UNSPACED_LANGUAGES and source.random() < 0.5 else " "
    return f'"{glue.join(words)}{end}"'


def _wild(source: random.Random, word: str) -> str:
    place = source.randrange(len(word))
    return word[:place] + source.choice("?*") + word[place + 1 :]


@dataclass
class Prepared:
    """A story in the forms that queries are tested on."""

    story: IndexedStory
    subject: Subject
    texts: dict[str, str]


def prepare(stories: list[IndexedStory]) -> list[Prepared]:
    """Cut each story once, not once a query."""
    return [
        Prepared(
            one,
            make_subject(
                title=one.article_title,
                text=one.text_content,
                url=one.url,
                language=one.language,
                canonical_domain=one.canonical_domain,
                publication_date=one.publication_date,
                indexed_date=one.indexed_date,
                source_id=one.source_id,
            ),
            {field: pattern_subject(field, one.article_title, one.text_content) for field in (ANY, TITLE, TEXT)},
        )
        for one in stories
    ]


def expected(query: Query, stories: list[Prepared]) -> set[str]:
    """The ids of the stories that the test on a single story accepts."""
    return {one.story.id for one in stories if query.matches_subject(one.subject)}


def by_pattern(query: Query, stories: list[Prepared]) -> set[str] | None:
    """The ids of the stories that the regular expression accepts; None when there is none."""
    try:
        pattern = re2.compile(query.pattern())
    except QueryError:
        return None
    field = pattern_field(query.tree)
    return {one.story.id for one in stories if pattern.search(one.texts[field])}
