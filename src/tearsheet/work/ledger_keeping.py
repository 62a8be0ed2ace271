"""Folding the ledger now and then, beside the workers of a run."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from tearsheet.errors import TearsheetError
from tearsheet.work.ledger import Ledger

log = logging.getLogger(__name__)
EVERY_SECONDS = 3600.0


class LedgerKeeper:
    """Folds rows that are older than `keep_days` at the start of a run and then every hour; 0 means never."""

    def __init__(self, ledger: Ledger, keep_days: int) -> None:
        self._ledger = ledger
        self._keep_days = keep_days

    async def run(self, stop: asyncio.Event) -> None:
        """Fold until stopped. What is left then is folded by the next run."""
        while self._keep_days > 0 and not stop.is_set():
            try:
                folded = await asyncio.to_thread(self._ledger.fold, self._keep_days, stop.is_set)
                if folded:
                    log.info("ledger folded", extra={"rows": folded, "older_than_days": self._keep_days})
            except TearsheetError as error:  # others say so and end the run if it stays so: nothing depends on folding
                log.warning("ledger not folded, tried again in an hour", extra={"error": str(error)})
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), EVERY_SECONDS)
