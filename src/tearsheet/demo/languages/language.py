"""What the generator knows about one language. The modules beside this one fill it in.

Sentences have slots: `{n}` a number of two digits, `{big}` one of four, `{person}`, `{org}`, `{place}`, `{day}` (a weekday). The
texts are ours, and everything they tell is invented.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Event:
    """One invented event that several papers write about for weeks."""

    section: str
    """The heading under which this language's papers print it."""
    headlines: tuple[str, ...]
    sentences: tuple[str, ...]


@dataclass(slots=True, frozen=True)
class Phrases:
    """Phrases on the page around the article."""

    home: str
    by: str
    published: str
    related: str
    comments: str
    comment: tuple[str, ...]
    cookies: str
    accept: str
    imprint: str
    motto: str
    picture: str
    most_read: str


@dataclass(slots=True, frozen=True)
class Language:
    """One language, with everything needed to write a newspaper in it."""

    code: str
    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    name_form: str
    """How a name is composed from `{first}` and `{last}`."""
    places: tuple[str, ...]
    orgs: tuple[str, ...]
    days: tuple[str, ...]
    date_form: str
    """How a date is written for readers, from `{day}`, `{month}` and `{year}`."""
    months: tuple[str, ...]
    thousands: str
    """What separates thousands from hundreds."""
    blank: str
    """What separates two sentences."""
    events: dict[str, Event]
    general: tuple[str, ...]
    claims: tuple[str, ...]
    quote_form: str
    """How somebody is quoted, from `{claim}`, `{person}`, `{org}` and `{day}`."""
    link_sentences: tuple[str, ...]
    """Sentences with a link between `{a}` and `{z}` to another paper, `{site}`."""
    address_sentence: str
    """A sentence with an address, `{url}`, written out."""
    phrases: Phrases
    direction: str = "ltr"
