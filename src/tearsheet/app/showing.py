"""Captures as they are shown in a frame. What strangers made of them is read in confined processes, within limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tearsheet.archive import ArchivedStory, CapturedBytes, ReplayPage, make_inert, plain_page, whole_page
from tearsheet.errors import ItemRefused
from tearsheet.extract import as_utf8
from tearsheet.work import Limits, Quarantine, ReadingJob, WaitingReader

if TYPE_CHECKING:
    from tearsheet.ingest import WholeDocument

Q = TypeVar("Q")
_PROCESSES = 2
_LIMITS = Limits(memory=3 << 30, answer=256 << 20)
"""A document comes with up to 100 MB of pictures, which the page then has as text."""


def show_capture(captured: CapturedBytes) -> bytes:
    """A captured page as it is shown: in UTF-8, and inert."""
    return make_inert(as_utf8(captured.body, captured.charset)[0])


SHOW_CAPTURE = ReadingJob(show_capture, max_answer=_LIMITS.answer)


class Shown:
    """Makes what a browser is given of captures."""

    def __init__(self, seconds: float) -> None:
        self._reader = WaitingReader(_PROCESSES, seconds, _LIMITS)

    def capture(self, archived: ArchivedStory) -> ReplayPage:
        """The page of a capture by itself. Raises ItemRefused if it cannot be shown within the limits."""
        return plain_page(self._made(SHOW_CAPTURE, CapturedBytes.of(archived)))

    def document(self, document: WholeDocument) -> ReplayPage:
        """An ingested document with its parts. Raises ItemRefused if it cannot be shown within the limits."""
        from tearsheet.ingest import SHOW_DOCUMENT  # few captures are documents, and its imports take long

        return whole_page(self._made(SHOW_DOCUMENT, document))

    def _made(self, job: ReadingJob[Q, bytes], question: Q) -> bytes:
        try:
            return self._reader.read(job, question)
        except Quarantine as error:
            told = error.detail or error.reason
            raise ItemRefused(
                f"this capture cannot be shown: {told}; `tearsheet archive extract` gives its bytes"
            ) from error

    def close(self) -> None:
        """End the processes."""
        self._reader.close()
