"""Makes a captured page inert: takes away what makes a browser connect to others though no request is allowed.

A content security policy stops requests. It does not stop the connections that a page asks for ahead of them (`preconnect`), the
look-ups of names (`dns-prefetch`), or those that a browser makes by itself when a frame opens or a reader's hand is over a link,
before it asks the policy. Each tells a stranger that the page is being read. So the names of the elements and attributes that can
do this are replaced by names that mean nothing, or by `meta`, which stands wherever `link` may. Links keep their look but lead
nowhere; where they led is shown by the browser as their title.

This is done in the text, not in a parsed tree, because a parser might see a page differently from the browser: the name of an
element directly follows its `<`, that of an attribute precedes its `=`, and neither can be spelled in any other way. It takes one
pass over the page. Where such a name is a part of the visible text it is changed too, which is rare and does no harm.
"""

from __future__ import annotations

import re

_CONNECTING = re.compile(
    rb"""<link(?=[\t\n\f\r />])
    | (?<=[\t\n\f\r /"'])
      (?:(?:attributename|attributionsrc|http-equiv|ping|srcdoc)(?=[\t\n\f\r ]*+=)
      | (?:action|data|formaction|src)(?=[\t\n\f\r ]*+=(?![\t\n\f\r ]*+(?:["']|&quot;)?[\t\n\f\r ]*+data:))
      | (?:xlink:)?href(?=[\t\n\f\r ]*+=(?![\t\n\f\r ]*+(?:["']|&quot;)?[\t\n\f\r ]*+(?:\#|data:))))""",
    re.IGNORECASE | re.VERBOSE,
)
"""`link` has many relations that connect; `http-equiv` states headers; `ping` and `attributionsrc` report what a reader does; the
addresses of links, frames and forms lead elsewhere, unless what they name is in the page; `attributename` lets an animation change
any of these later; and `srcdoc` holds another page, in which all of them can be written with character references, as quotes are in
the frames of our own (`&quot;`)."""
_LED_TO = b"href=# title"
"""Of two attributes with one name, the first counts."""


def make_inert(page: bytes) -> bytes:
    """The page, in UTF-8, without what makes a browser connect or look up a name."""
    return _CONNECTING.sub(_harmless, page)


def _harmless(found: re.Match[bytes]) -> bytes:
    name = found[0].lower()
    if name == b"<link":
        return b"<meta"
    return _LED_TO if name.endswith(b"href") else b"x" + found[0][1:]
