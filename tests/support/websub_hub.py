"""A hub of WebSub on loopback: it hears requests over the wire, and calls back as a test tells it to."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs

import httpx

from tests.support.patience import PATIENCE

CHALLENGE = "a challenge of the hub, 123"


@dataclass
class Hub:
    """A running hub, and the forms that it was sent."""

    port: int = 0
    status: str = "202 Accepted"
    forms: list[dict[str, str]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hub"

    async def verify(self, client: httpx.AsyncClient, **changes: str) -> httpx.Response:
        """Ask whether the last request was meant."""
        form = self.forms[-1]
        said = {name: form[name] for name in ("hub.mode", "hub.topic", "hub.lease_seconds")}
        said["hub.challenge"] = CHALLENGE
        said |= {name.replace("_", ".", 1): value for name, value in changes.items()}
        return await client.get(form["hub.callback"], params=said, timeout=PATIENCE)

    async def push(
        self, client: httpx.AsyncClient, body: bytes, secret: str | None = None, method: str = "sha256"
    ) -> int:
        """Tell of news; returns the status of the answer."""
        form = self.forms[-1]
        algorithm = getattr(hashlib, method)
        signature = hmac.new((secret or form["hub.secret"]).encode(), body, algorithm).hexdigest()
        headers = {"X-Hub-Signature": f"{method}={signature}", "Content-Type": "application/atom+xml"}
        answer = await client.post(form["hub.callback"], content=body, headers=headers, timeout=PATIENCE)
        return answer.status_code


@asynccontextmanager
async def running_hub() -> AsyncIterator[Hub]:
    """Run a hub."""
    hub = Hub()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            lengths = [
                line.partition(":")[2] for line in head.split("\r\n") if line.lower().startswith("content-length")
            ]
            body = await reader.readexactly(int(lengths[0])) if lengths else b""
            assert head.startswith("POST /hub ")
            hub.forms.append({name: values[0] for name, values in parse_qs(body.decode()).items()})
            writer.write(f"HTTP/1.1 {hub.status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
            await writer.drain()
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    hub.port = server.sockets[0].getsockname()[1]
    try:
        yield hub
    finally:
        server.close()
