"""The pages of a data folder, served by a process of their own that may open few files."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PROGRAM = """
import resource, sys
from pathlib import Path
from tearsheet.app import Services, serve_alone
from tearsheet.settings import load_settings
from tearsheet.web import page_service
resource.setrlimit(resource.RLIMIT_NOFILE, (512, 1200))  # fewer files than there may be clients
with Services(load_settings(Path(sys.argv[1]), {"web.port": int(sys.argv[2])}, environ={})) as services:
    serve_alone(page_service(services, lambda address: print(address, flush=True), print))
"""


@contextmanager
def serving_process(data: Path) -> Iterator[tuple[int, int]]:
    """Serve during the block; the port, and the id of the process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    with subprocess.Popen([sys.executable, "-c", _PROGRAM, str(data), str(port)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline()
        try:
            yield port, process.pid
        finally:
            process.terminate()
