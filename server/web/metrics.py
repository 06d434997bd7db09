"""Metrics: what /metrics tells Prometheus of the streams of this server, of all its workers together.

Counts and times only, nothing that comes from a visitor; each is touched once a stream, never for a token. With
several workers the launcher names a folder (see workers.py) in which each keeps its counts; the client adds them
up, those of workers that are gone too, so that no counter ever goes back.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # the client's own name for the variable that names the folder
ENDED = ("finished", "failed", "cut", "left", "stalled", "shutdown", "error")
REFUSED = ("full", "client", "origin", "host", "bodies")
_SUM: dict[str, Any] = {"multiprocess_mode": "livesum"}  # of the workers that are alive
_LATE_S = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5)

disable_created_metrics()  # a second series for each, of when it began, and none with several workers


class _AllWorkers(Collector):
    """What every worker has counted. Of one that is just starting there may be a file, but nothing in it yet."""

    def collect(self) -> Iterable[Metric]:
        """Read the files that have been begun; on any other the client would fail, and with it the scrape."""
        files = [str(file) for file in Path(os.environ[FOLDER]).glob("*.db") if _has_begun(file)]
        return cast(Iterable[Metric], MultiProcessCollector.merge(files))


def _has_begun(file: Path) -> bool:
    with suppress(FileNotFoundError):  # those of a worker that died go at any time
        return file.stat().st_size > 0
    return False


class Metrics:
    """The counts of one app, in a registry of its own: two apps in one process, as in tests, share nothing."""

    def __init__(self) -> None:
        self._told = CollectorRegistry()
        # Where the collector reads what every worker has counted, this one's own must not be told a second time.
        own = self._told
        if FOLDER in os.environ:
            self._told.register(_AllWorkers())
            own = CollectorRegistry()
        self.active = Gauge("trickle_active_streams", "Streams that are open", registry=own, **_SUM)
        self.sockets = Gauge("trickle_open_sockets", "Connections that are open", registry=own, **_SUM)
        self.tokens = Counter("trickle_tokens_sent", "Tokens sent by streams that have ended", registry=own)
        self.late = Histogram(
            "trickle_lateness_seconds",
            "How late the latest token of each stream was",
            registry=own,
            buckets=_LATE_S,
        )
        ended = Counter("trickle_streams_ended", "Streams that have ended, by how", ["how"], registry=own)
        refused = Counter("trickle_refused", "Requests that were refused, by why", ["why"], registry=own)
        self.ended = {how: ended.labels(how) for how in ENDED}  # all of them, so that each is told from the start
        self.refused = {why: refused.labels(why) for why in REFUSED}

    def text(self) -> bytes:
        """Return all in Prometheus' text format."""
        return generate_latest(self._told)


def metrics(request: Request) -> Response:
    """Answer a scrape; not async, so that reading the files of many workers holds no stream up."""
    metrics: Metrics = request.app.state.trickle.metrics
    return Response(
        metrics.text(), headers={"Cache-Control": "no-store", "Content-Type": CONTENT_TYPE_PLAIN_0_0_4}
    )
