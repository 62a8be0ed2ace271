"""The demo newsroom: a small web of invented news sites, served from this machine. It is the test suite's web too."""

from __future__ import annotations

from tearsheet.demo.cases import Case, Verdict
from tearsheet.demo.expectation import Expectation, ExpectedEntry, ExpectedStory, Totals
from tearsheet.demo.newsroom import Newsroom
from tearsheet.demo.server import FeedAddress, NewsroomServer, serve_in_thread

__all__ = [
    "Case",
    "Expectation",
    "ExpectedEntry",
    "ExpectedStory",
    "FeedAddress",
    "Newsroom",
    "NewsroomServer",
    "Totals",
    "Verdict",
    "serve_in_thread",
]
