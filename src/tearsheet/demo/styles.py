"""Style sheets: one page layout, four faces."""

from __future__ import annotations

_BASE = """
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:#1b1b1b;font:17px/1.55 var(--text)}
a{color:inherit}.bar{background:var(--accent);color:#fff;font:13px/2 var(--sans)}
.bar div,.masthead,nav ul,main,footer div{max-width:1060px;margin:0 auto;padding:0 20px}
.bar div{display:flex;justify-content:space-between}
.masthead{text-align:var(--align);padding:22px 20px 14px}.masthead a{font:var(--title);text-decoration:none;color:var(--name)}
.masthead p{margin:4px 0 0;font:italic 14px var(--text);color:#666}
nav{border-top:var(--rule);border-bottom:var(--rule);background:var(--navback)}
nav ul{display:flex;gap:26px;list-style:none;padding-top:8px;padding-bottom:8px;justify-content:var(--align);flex-wrap:wrap}
nav a{font:600 14px var(--sans);text-decoration:none;color:var(--navtext)}
main{display:grid;grid-template-columns:minmax(0,1fr) 280px;gap:48px;padding-top:28px;padding-bottom:40px}
.kicker{font:700 13px var(--sans);color:var(--accent);text-transform:uppercase;letter-spacing:.06em}
h1{font:var(--head);margin:6px 0 10px}h2{font:700 22px/1.2 var(--headfont);margin:6px 0}h3{font:700 17px var(--sans);margin:0 0 8px}
.byline{font:14px var(--sans);color:#666;margin-bottom:18px}
figure{margin:0 0 20px}figure img{width:100%;height:auto;display:block}figcaption{font:13px var(--sans);color:#777;padding-top:5px}
.text p,.story-body p,.text div.p{margin:0 0 1.05em}
aside section{border-top:3px solid var(--accent);padding:12px 0 18px;font-size:15px}
aside ol,aside ul{margin:0;padding-inline-start:20px}
aside li{margin-bottom:8px}.comments{border-top:var(--rule);margin-top:30px;padding-top:14px;font-size:15px}
.comments p{margin:6px 0}
.comments b{font:600 13px var(--sans);color:#555}
.lead{margin-bottom:26px}.grid{display:grid;grid-template-columns:1fr 1fr;gap:30px}.card{border-top:1px solid #ccc;padding-top:12px}
.card img,.lead img{width:100%}.card p,.lead p{margin:4px 0;color:#444;font-size:16px}.card a,.lead a,aside a{text-decoration:none}
.lead h2{font:var(--head)}
footer{background:#222;color:#bbb;font:13px var(--sans);padding:22px 0;margin-top:30px}
.cookies{position:fixed;bottom:14px;inset-inline:14px;max-width:620px;margin:auto;
background:#fff;border:1px solid #bbb;border-radius:6px;
padding:10px 16px;font:14px var(--sans);box-shadow:0 3px 14px #0003;display:flex;gap:16px;align-items:center}
.cookies button{background:var(--accent);color:#fff;border:0;border-radius:4px;padding:6px 14px}
@media(max-width:760px){main,.grid{grid-template-columns:1fr}}
"""
_SERIF = "Georgia,'Liberation Serif','Noto Serif CJK SC','Noto Naskh Arabic',serif"
_SANS = "'Helvetica Neue','Liberation Sans','Noto Sans CJK SC','Noto Sans Arabic',sans-serif"

THEMES: dict[str, dict[str, str]] = {
    "broadsheet": {
        "paper": "#fdfbf6", "accent": "#1d3a56", "name": "#111", "text": _SERIF, "sans": _SANS, "headfont": _SERIF,
        "title": f"700 46px/1.1 {_SERIF}", "head": f"700 37px/1.15 {_SERIF}", "align": "center",
        "rule": "3px double #333", "navback": "none", "navtext": "#222",
    },
    "tabloid": {
        "paper": "#fff", "accent": "#c4121a", "name": "#c4121a", "text": _SANS, "sans": _SANS, "headfont": _SANS,
        "title": f"900 44px/1.1 {_SANS}", "head": f"900 39px/1.1 {_SANS}", "align": "start",
        "rule": "0", "navback": "#111", "navtext": "#fff",
    },
    "modern": {
        "paper": "#fff", "accent": "#0b7a75", "name": "#0b3c49", "text": _SERIF, "sans": _SANS, "headfont": _SANS,
        "title": f"300 38px/1.2 {_SANS}", "head": f"600 35px/1.2 {_SANS}", "align": "start",
        "rule": "1px solid #ddd", "navback": "none", "navtext": "#0b3c49",
    },
    "magazine": {
        "paper": "#f6f3ee", "accent": "#8a5a00", "name": "#2b2118", "text": _SERIF, "sans": _SANS, "headfont": _SERIF,
        "title": f"italic 700 42px/1.2 {_SERIF}", "head": f"italic 700 38px/1.15 {_SERIF}", "align": "center",
        "rule": "1px solid #c9b99a", "navback": "#efe8da", "navtext": "#2b2118",
    },
}  # fmt: skip


def style_sheet(theme: str) -> str:
    """The style sheet of a theme."""
    variables = ";".join(f"--{name}:{value}" for name, value in THEMES[theme].items())
    return f":root{{{variables}}}{_BASE}"
