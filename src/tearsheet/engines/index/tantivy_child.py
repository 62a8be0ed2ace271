"""The process that answers expensive questions to the embedded index: `python -m … FOLDER DESCRIPTOR`; see `killable`.

It ends when its connection does, so it never outlives its parent.
"""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection
from pathlib import Path

from tearsheet.engines.index.story_store import StoryStore
from tearsheet.engines.index.tantivy_answers import READY, pack_answer
from tearsheet.engines.index.tantivy_reader import WordReader
from tearsheet.engines.index.tantivy_words import open_words
from tearsheet.errors import TearsheetError

if sys.platform != "win32":
    import resource

_MAX_MEMORY = 2 * 1024**3
"""Without the files of the index, which are mapped."""


def main() -> None:
    """Answer questions until there are no more."""
    folder, connection = Path(sys.argv[1]), Connection(int(sys.argv[2]))
    resource.setrlimit(resource.RLIMIT_DATA, (_MAX_MEMORY, _MAX_MEMORY))
    reader = WordReader(folder, open_words(folder), StoryStore(folder / "stories.db"))
    connection.send_bytes(READY)
    while True:
        try:
            question, query, arguments = connection.recv()
        except EOFError:
            return
        try:
            reader.reload()  # the parent may have committed since
            answer = question(reader, query, *arguments)
        except TearsheetError as error:
            answer = error
        connection.send_bytes(pack_answer(answer))


if __name__ == "__main__":
    main()
