"""Fetches a name whose answer changes at every question: `python -m tests.support.rebinding FOLDER`, in mounts of its own.

The name service is ours: this process answers it, and puts its own list of name servers in the place of the system's, so that the
real resolver asks it. Prints what came of each fetch, and how many connections the allowed and the forbidden address got.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
from pathlib import Path

from tearsheet.fetch import FetchError, FetchRequest
from tests.support.loopback_web import client_for, response, serve

NAME_SERVER = "127.0.0.77"
ALLOWED, FORBIDDEN = "127.0.0.2", "127.0.0.1"
ANSWERS = [[ALLOWED], [FORBIDDEN], [ALLOWED, FORBIDDEN], [FORBIDDEN, ALLOWED], [FORBIDDEN, FORBIDDEN]]
"""What the name means, one after the other."""
_ADDRESS = 1


def name_server(service: socket.socket, asked: list[str]) -> None:
    """Answer every question for an address with the next of the answers, to be kept for no time at all."""
    while True:
        question, client = service.recvfrom(4096)
        end = question.index(b"\0", 12) + 5
        kind = int.from_bytes(question[end - 4 : end - 2])
        told = ANSWERS[len(asked) % len(ANSWERS)] if kind == _ADDRESS else []
        if kind == _ADDRESS:
            asked.append(",".join(told))
        head = question[:2] + b"\x81\x80\0\1" + len(told).to_bytes(2) + b"\0\0\0\0"
        records = [b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton(address) for address in told]
        service.sendto(head + question[12:end] + b"".join(records), client)


async def fetch_all(asked: list[str]) -> dict[str, object]:
    ended = []
    async with serve(response(b"inside")) as inside, serve(response(b"outside"), ALLOWED, inside.port) as outside:
        for _ in range(2 * len(ANSWERS)):
            # A client of its own each time: one keeps answers for a minute, whatever the name service says.
            async with client_for(allow=(f"{ALLOWED}/32",)) as client:
                try:
                    got = await client.fetch(FetchRequest(f"http://rebound.example:{inside.port}/", timeout=30))
                    ended.append(got.body.decode())
                except FetchError as error:
                    ended.append(error.kind)
        return {"ended": ended, "asked": asked, "allowed": outside.connections, "forbidden": inside.connections}


def main() -> None:
    list_of_servers = Path(sys.argv[1]) / "resolv.conf"
    list_of_servers.write_text(f"nameserver {NAME_SERVER}\noptions timeout:5 attempts:3\n", "ascii")
    subprocess.run(["mount", "--bind", str(list_of_servers), "/etc/resolv.conf"], check=True)
    asked: list[str] = []
    service = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    service.bind((NAME_SERVER, 53))
    threading.Thread(target=name_server, args=(service, asked), daemon=True).start()
    print(json.dumps(asyncio.run(fetch_all(asked))))


if __name__ == "__main__":
    main()
