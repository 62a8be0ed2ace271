"""The languages in which the newsroom writes: sentence parts as data, one module per language."""

from __future__ import annotations

from tearsheet.demo.languages.ar import ARABIC
from tearsheet.demo.languages.de import GERMAN
from tearsheet.demo.languages.en import ENGLISH
from tearsheet.demo.languages.es import SPANISH
from tearsheet.demo.languages.fr import FRENCH
from tearsheet.demo.languages.ja import JAPANESE
from tearsheet.demo.languages.language import Event, Language, Phrases
from tearsheet.demo.languages.pt import PORTUGUESE
from tearsheet.demo.languages.zh import CHINESE

LANGUAGES: dict[str, Language] = {
    language.code: language for language in (ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, CHINESE, JAPANESE, ARABIC)
}
EVENTS: tuple[str, ...] = tuple(ENGLISH.events)

__all__ = ["EVENTS", "LANGUAGES", "Event", "Language", "Phrases"]
