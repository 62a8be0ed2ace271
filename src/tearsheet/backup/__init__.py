"""Backups of a data folder: made while the program runs, each of one moment, and brought back into an empty folder.

Why a restored folder is as good as one whose program was killed at the backup's moment, which everything here is made for:

1. *What remembers that something was passed on* is copied before the moment: the positions of remote rss-fetchers, the offsets of
   readers of the event log. What was passed on since then is passed on again, under the same ids.
2. *Every SQLite file* (database, queues, stories of the index, trackers of input files) is copied as it was at the moment, all of
   them at the same one (`engines/snapshots.py`). At any moment a story is in a queue, or was settled; and it is settled only
   once whatever comes next has it. The pages of queued stories are held on to at the moment.
3. *What receives* is copied after the moment: finished WARC files, the page store, blobs, the event log. So whatever was settled
   before the moment is there. What came later is there too, and known to nobody; its story is still in a queue, and is
   recognised when it is delivered again. An unfinished WARC file is left out: its stories are still in their queue.

So a story is in the queue, or in the index and the archive, or in both, and never in neither; the stages make one of two.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
