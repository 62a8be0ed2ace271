"""Everything that a command or a page may need, in one object: the engines, the stores, and the ingest of documents."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tearsheet.app.engines import Engines

if TYPE_CHECKING:
    from tearsheet.app.ingest import IngestServices
    from tearsheet.app.showing import Shown


class Services(Engines):
    """Everything that a command may need, built on demand. Use it in a `with` block."""

    @cached_property
    def ingest(self) -> IngestServices:
        """The ingest of documents. Few commands use it, and its imports take longer than all others together."""
        from tearsheet.app.ingest import IngestServices

        return IngestServices(self)

    @cached_property
    def shown(self) -> Shown:
        """Captures as they are shown in a frame."""
        from tearsheet.app.showing import Shown

        shown = Shown(self.settings.pipeline.page_seconds)
        return self._closing(shown, shown.close)
