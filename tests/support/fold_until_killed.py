"""A process that folds a ledger in small steps, and is killed while it does: `python -m tests.support.fold_until_killed FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

from tearsheet.engines.database import open_database
from tearsheet.work import ledger as module
from tearsheet.work.ledger import Ledger


def main() -> None:
    place = Path(sys.argv[1])
    module._FOLDED_AT_ONCE = 5
    ledger = Ledger(open_database(place.name, place.parent))

    def said() -> bool:
        print("folded some", flush=True)
        return False

    ledger.fold(1, said)


if __name__ == "__main__":
    main()
