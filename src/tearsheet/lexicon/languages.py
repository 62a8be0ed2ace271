"""English names of the languages that news is written in, by ISO 639-1 code."""

from __future__ import annotations

LANGUAGE_NAMES: dict[str, str] = dict(
    pair.split("=")
    for pair in (
        "af=Afrikaans am=Amharic ar=Arabic as=Assamese az=Azerbaijani be=Belarusian bg=Bulgarian bn=Bengali bs=Bosnian ca=Catalan "
        "cs=Czech cy=Welsh da=Danish de=German el=Greek en=English eo=Esperanto es=Spanish et=Estonian eu=Basque fa=Persian "
        "fi=Finnish fr=French ga=Irish gl=Galician gu=Gujarati ha=Hausa he=Hebrew hi=Hindi hr=Croatian hu=Hungarian hy=Armenian "
        "id=Indonesian ig=Igbo is=Icelandic it=Italian ja=Japanese ka=Georgian kk=Kazakh km=Khmer kn=Kannada ko=Korean ku=Kurdish "
        "ky=Kyrgyz la=Latin lb=Luxembourgish lo=Lao lt=Lithuanian lv=Latvian mk=Macedonian ml=Malayalam mn=Mongolian mr=Marathi "
        "ms=Malay mt=Maltese my=Burmese nb=Norwegian ne=Nepali nl=Dutch nn=Norwegian no=Norwegian pa=Punjabi pl=Polish ps=Pashto "
        "pt=Portuguese ro=Romanian ru=Russian si=Sinhala sk=Slovak sl=Slovenian so=Somali sq=Albanian sr=Serbian sv=Swedish "
        "sw=Swahili ta=Tamil te=Telugu tg=Tajik th=Thai ti=Tigrinya tl=Tagalog tr=Turkish uk=Ukrainian ur=Urdu uz=Uzbek "
        "vi=Vietnamese xh=Xhosa yo=Yoruba zh=Chinese zu=Zulu"
    ).split()
)


def language_name(code: str) -> str:
    """`German` for `de`; the code itself where we have no name."""
    return LANGUAGE_NAMES.get(code.lower(), code or "unknown")
