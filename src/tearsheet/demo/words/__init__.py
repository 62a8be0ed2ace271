"""The languages in which the newsroom writes: tables of sentence parts, one module each."""

from __future__ import annotations

from tearsheet.demo.words.ar import ARABIC
from tearsheet.demo.words.de import GERMAN
from tearsheet.demo.words.en import ENGLISH
from tearsheet.demo.words.es import SPANISH
from tearsheet.demo.words.fr import FRENCH
from tearsheet.demo.words.ja import JAPANESE
from tearsheet.demo.words.language import Event, Language, Phrases
from tearsheet.demo.words.pt import PORTUGUESE
from tearsheet.demo.words.zh import CHINESE

LANGUAGES: dict[str, Language] = {
    language.code: language for language in (ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, CHINESE, JAPANESE, ARABIC)
}
EVENTS: tuple[str, ...] = tuple(ENGLISH.events)

__all__ = ["EVENTS", "LANGUAGES", "Event", "Language", "Phrases"]
