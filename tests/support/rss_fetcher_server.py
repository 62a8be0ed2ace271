"""A loopback rss-fetcher, which is also the newspaper whose stories it knows."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.flavour_runs import page


@contextmanager
def rss_fetcher(stories: int, odd: dict[str, object] | None = None) -> Iterator[str]:
    """An rss-fetcher that knows so many stories of old.example, and the newspaper itself: its address.

    It gives more rows than it is asked for; `odd` is in the second of them.
    """
    rows: list[dict[str, object]] = [
        {"id": number, "url": f"http://old.example/story-{number}"} | (odd or {} if number == 2 else {})
        for number in range(1, stories + 1)
    ]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            first = re.fullmatch(r"/api/rss_entries/(\d+)\?_limit=\d+", self.path)
            newer = [row for row in rows if first and int(str(row["id"])) >= int(first[1])]
            answer = json.dumps({"status": "OK", "results": newer}).encode() if first else page(self.path)
            self.send_response(404 if self.path == "/robots.txt" else 200)
            self.send_header("content-type", "application/json" if first else "text/html")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
