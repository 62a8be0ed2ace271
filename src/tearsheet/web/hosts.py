"""Which host a request names.

It is read strictly: what one program takes for this machine and another for somebody else, as `evil.example@127.0.0.1`, is a way in
for a stranger's page, whose name leads the reader's browser to our address.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import AddressValueError, IPv6Address

_HOST = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::(?P<port>[0-9]{0,5}))?", re.ASCII)
_LAST_PORT = 65_535


def host_named(headers: Sequence[str]) -> str | None:
    """The host of the Host header, in small letters, without port and brackets.

    None if there is no such header, more than one, or one that is not written as the standard says.
    """
    found = _HOST.fullmatch(headers[0].lower()) if len(headers) == 1 and headers[0].isascii() else None
    if found is None or int(found["port"] or 0) > _LAST_PORT:
        return None
    if found["six"] is None:
        return found["name"]
    try:
        return str(IPv6Address(found["six"]))
    except AddressValueError:
        return None
