"""The log of streams: one line for each at its end, on stderr, and never a flood of them.

Nothing in a line comes from a visitor, and what could end a line is escaped all the same. Who runs the app without
our launcher configures Python's logging as ever: the logger is "trickle.streams".
"""

import json
import logging
import re
import time
from collections import Counter
from typing import Any

from uvicorn.config import LOGGING_CONFIG

STREAMS = "trickle.streams"
_LINES = 20  # in each period, of each worker: an audience that ends together leaves the terminal readable
_PERIOD_S = 10
_PLAIN = re.compile(r"[!#-<>-~]+")  # what can be seen of ASCII, without the quotation mark and =


def line(**values: object) -> str:
    """Return values as `name=value`; what isn't plain is written as JSON, in quotation marks and ASCII."""
    return " ".join(f"{name}={_plain(str(value))}" for name, value in values.items())


def _plain(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(value)


class Rationed(logging.StreamHandler[Any]):
    """Writes only some lines in each period; the others are counted by how they `ended`, and told in one line.

    Time is that of the records, in seconds since the epoch. After the `last` one nothing is left untold.
    """

    def __init__(self) -> None:
        super().__init__()  # to stderr
        form = logging.Formatter("time=%(asctime)s pid=%(process)d %(message)s", "%Y-%m-%dT%H:%M:%SZ")
        form.converter = time.gmtime
        self.setFormatter(form)
        self._period_ends = 0.0
        self._written = 0
        self._left_out: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, or count it."""
        self.tell(record.created)
        if self._written < _LINES:
            self._written += 1
            super().emit(record)
        else:
            self._left_out[getattr(record, "ended", "other")] += 1
        if getattr(record, "last", False):
            self._sum_up(record.created)

    def tell(self, now: float) -> None:
        """Tell what was left out of a period that is over by now, and begin the next one."""
        if now >= self._period_ends:
            self._sum_up(now)
            self._period_ends = now + _PERIOD_S
            self._written = 0

    def _sum_up(self, now: float) -> None:
        if self._left_out:
            message = line(more_streams=self._left_out.total(), **self._left_out)
            super().emit(logging.makeLogRecord({"msg": message, "created": now}))
            self._left_out.clear()


async def tell() -> None:
    """Tell what was left out where no further line does; the launcher has this called every second."""
    for handler in [handler for handler in logging.getLogger(STREAMS).handlers if isinstance(handler, Rationed)]:
        handler.tell(time.time())


def config(streams: bool) -> dict[str, Any]:
    """Return how uvicorn is to set up logging, in each worker: its own loggers as ever, and that of streams."""
    level = "INFO" if streams else "CRITICAL"
    return LOGGING_CONFIG | {
        "handlers": LOGGING_CONFIG["handlers"] | {"streams": {"()": Rationed}},
        "loggers": LOGGING_CONFIG["loggers"]
        | {STREAMS: {"handlers": ["streams"], "level": level, "propagate": False}},
    }
