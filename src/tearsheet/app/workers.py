"""`tearsheet worker`: some stages of a pipeline, or of the ingest, until stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from tearsheet.app.pipelines import Collector
from tearsheet.app.services import Services
from tearsheet.ingest import WORKERS
from tearsheet.pipeline import pipeline_named


def prepare_work(services: Services, stages: Sequence[str], pipeline: str) -> Callable[[], None]:
    """A function that works on some stages until stopped; not called yet, so that an unknown name is reported first.

    Raises NotFoundError for an unknown stage or pipeline, UsageError for a queuer that needs files.
    """
    if set(stages) <= set(WORKERS):
        return partial(services.ingest.run_workers, stages)
    return Collector(services, stages, pipeline=pipeline_named(pipeline, services.settings.pipelines)).run
