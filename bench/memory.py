"""How much memory a whole pipeline takes: `tearsheet pipeline run csv` over real pages, from many hosts on loopback.

    make bench-memory              (or: python -m bench.memory --pages 2000)

The pages are those of the evaluation data, gzipped as servers send them. Each is served under many addresses with a line of its
own at the end, so that no two are the same. The pipeline is the command as a user types it, with everything as it is set by
default but the pause between two requests to one host. The peak of each process is what the kernel says it was (VmHWM). Exits
with 1 when the largest process reached the bar, or when a story was neither archived nor dropped with a reason.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.loopback import Answers, response, serving
from tearsheet.app import Services
from tearsheet.settings import load_settings

DATA = Path(os.environ.get("TEARSHEET_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
HOSTS = 1_500
BAR_MB = 400
ROBOTS = response("text/plain", b"User-agent: *\nDisallow: /private/\n")
CONFIG = """
[fetch]
allow_addresses = ["127.0.0.0/8"]
connect_to = {{ "*" = "127.0.0.1:{port}" }}
interval_seconds = 0.02
"""


@dataclass(slots=True)
class Page:
    """A page that is compressed already, but for its last line."""

    start: bytes
    crc: int
    size: int

    @classmethod
    def of(cls, html: bytes) -> Page:
        press = zlib.compressobj(6, zlib.DEFLATED, -15)
        return cls(press.compress(html) + press.flush(zlib.Z_FULL_FLUSH), zlib.crc32(html), len(html))

    def ending_in(self, line: bytes) -> bytes:
        """The gzip form of the page with one more line."""
        press = zlib.compressobj(6, zlib.DEFLATED, -15)
        end = press.compress(line) + press.flush()
        sums = zlib.crc32(line, self.crc).to_bytes(4, "little") + (self.size + len(line)).to_bytes(4, "little")
        return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + self.start + end + sums


@dataclass(slots=True)
class Peak:
    """The most that one process has held, and what it is."""

    role: str
    kilobytes: int = 0
    cpu_seconds: float = 0.0


def read_pages() -> list[Page]:
    """The real pages of news articles."""
    with tarfile.open(DATA / "fulltext" / "pages.tar.xz") as archive:
        files = [archive.extractfile(member) for member in archive if member.isfile()]
        return [Page.of(file.read()) for file in files if file is not None]


def answers(pages: list[Page]) -> Answers:
    """Page N of the list for each address `/story/NUMBER`, with its number as its last line."""

    def answer(path: bytes) -> bytes:
        if path == b"/robots.txt":
            return ROBOTS
        number = int(path.rpartition(b"/")[2])
        body = pages[number % len(pages)].ending_in(b"\n<!-- edition %d -->\n" % number)
        return (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
            % len(body)
            + body
        )

    return answer


def processes_under(root: int) -> Iterator[int]:
    """A process and everything that it started."""
    children: dict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children[parent].append(int(entry.name))
    waiting = [root]
    while waiting:
        process = waiting.pop()
        yield process
        waiting += children[process]


def note_peaks(root: int, peaks: dict[int, Peak]) -> None:
    """Look at every process of the tree once more; one that has just ended keeps what was seen of it."""
    for process in processes_under(root):
        try:
            status = Path(f"/proc/{process}/status").read_text()
            times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if "VmHWM:" in status:
            peak = peaks.setdefault(process, Peak("main" if process == root else "reader of pages"))
            peak.kilobytes = max(peak.kilobytes, int(status.partition("VmHWM:")[2].split()[0]))
            peak.cpu_seconds = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


def run_pipeline(folder: Path, addresses: Path) -> tuple[dict[int, Peak], float]:
    """Run the command to its end; returns what its processes held at most, and how long it took."""
    words = [sys.executable, "-m", "tearsheet", "--data", str(folder), "pipeline", "run", "csv", str(addresses)]
    started = time.perf_counter()
    peaks: dict[int, Peak] = {}
    with (folder / "progress").open("wb") as progress:
        command = subprocess.Popen(words, stdout=progress, stderr=subprocess.STDOUT)
        while command.poll() is None:
            note_peaks(command.pid, peaks)
            time.sleep(0.1)
    if command.returncode:
        sys.exit(f"the pipeline ended with {command.returncode}: {(folder / 'progress').read_text()[-2000:]}")
    return peaks, time.perf_counter() - started


def ended_stories(folder: Path) -> tuple[int, dict[str, int]]:
    """How many stories are in the archive, and how many were left out, by reason."""
    with Services(load_settings(folder, environ={})) as services:
        left_out = {
            one.reason: one.stories for one in services.ledger.counts() if one.status in ("dropped", "quarantined")
        }
        return services.archive.totals().stories, left_out


def report(peaks: dict[int, Peak], archived: int, seconds: float) -> float:
    """Print the table; returns the largest peak in megabytes."""
    table = Table(title=f"{archived:,} stories in {seconds:,.0f} s: {archived / seconds:,.1f} a second")
    for heading in ("process", "peak memory", "processor time a story"):
        table.add_column(heading, justify="left" if heading == "process" else "right")
    for peak in sorted(peaks.values(), key=lambda peak: -peak.kilobytes):
        spent = f"{peak.cpu_seconds / max(archived, 1) * 1000:.2f} ms"
        table.add_row(peak.role, f"{peak.kilobytes / 1000:,.0f} MB", spent)
    Console().print(table)
    return max(peak.kilobytes for peak in peaks.values()) / 1000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pages", type=int, default=20_000)
    wanted = options.parse_args().pages
    with tempfile.TemporaryDirectory() as name, serving(answers(read_pages())) as server:
        folder = Path(name)
        (folder / "config.toml").write_text(CONFIG.format(port=server.port))
        addresses = folder / "addresses.csv"
        lines = (f"http://paper{number % HOSTS}.example/story/{number}\n" for number in range(wanted))
        addresses.write_text("url\n" + "".join(lines))
        peaks, seconds = run_pipeline(folder, addresses)
        archived, left_out = ended_stories(folder)
    largest = report(peaks, archived, seconds)
    Console().print(f"the largest process held {largest:,.0f} MB (the bar: less than {BAR_MB} MB)")
    Console().print(f"left out: {left_out or 'none'}")
    sys.exit(largest >= BAR_MB or archived + sum(left_out.values()) != wanted)


if __name__ == "__main__":
    main()
