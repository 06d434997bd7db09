"""The log of streams: nothing in a line can end it, and no flood of ends is a flood of lines."""

import asyncio
import io
import json
import logging
import re
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server import log

Write = Callable[[float, str], bool]


@pytest.fixture
def written() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def handler(written: io.StringIO) -> Iterator[log.Rationed]:
    handler = log.Rationed()
    handler.setStream(written)
    yield handler
    handler.close()


@pytest.fixture
def write(handler: log.Rationed) -> Write:
    """Logs that a stream ended in some way, at a time."""
    return lambda created, ended: handler.handle(
        logging.makeLogRecord({"msg": f"ended={ended}", "ended": ended, "created": created})
    )


def messages(written: io.StringIO) -> list[str]:
    return [re.sub(r"^time=\S+ pid=\S+ ", "", line) for line in written.getvalue().splitlines()]


def test_a_line_is_names_and_values() -> None:
    assert log.line(path="/stream", lanes=2, late_ms=0.25) == "path=/stream lanes=2 late_ms=0.25"


@given(st.text())
def test_no_value_can_end_its_line_or_look_like_another(value: str) -> None:
    line = log.line(first=value, second=1)
    assert line.isascii()
    assert line.isprintable()
    first = line.removeprefix("first=").removesuffix(" second=1")
    assert json.loads(first) == value if first.startswith('"') else first == value
    assert first.startswith('"') or not re.search(r"[\s=]", first)


def test_each_line_says_when_and_which_worker(write: Write, written: io.StringIO) -> None:
    write(1_764_000_000.9, "left")
    assert re.fullmatch(r"time=2025-11-24T16:00:00Z pid=[0-9]+ ended=left\n", written.getvalue())


def test_a_flood_is_a_few_lines_and_then_one_that_counts_the_others(write: Write, written: io.StringIO) -> None:
    for number in range(1_000):
        write(100 + number / 1_000, "left" if number % 4 else "refused")
    assert messages(written) == ["ended=refused", *["ended=left"] * 3] * 5
    write(110, "finished")
    assert messages(written)[20:] == ["more_streams=980 refused=245 left=735", "ended=finished"]


def test_what_was_left_out_is_told_once_its_period_is_over_though_nothing_follows(
    handler: log.Rationed, write: Write, written: io.StringIO
) -> None:
    for _ in range(25):
        write(100, "left")
    handler.tell(109.9)
    assert len(messages(written)) == 20
    handler.tell(110)
    handler.tell(125)
    assert messages(written)[20:] == ["more_streams=5 left=5"]


def test_after_the_last_line_of_a_server_nothing_is_left_untold(
    handler: log.Rationed, write: Write, written: io.StringIO
) -> None:
    for _ in range(30):
        write(100, "shutdown")
    record = {"msg": "ended=shutdown", "ended": "shutdown", "created": 100.0, "last": True}
    handler.handle(logging.makeLogRecord(record))
    assert messages(written) == ["ended=shutdown"] * 20 + ["more_streams=11 shutdown=11"]


def test_a_steady_trickle_is_written_whole(write: Write, written: io.StringIO) -> None:
    for number in range(100):
        write(100 + number, "finished")
    assert messages(written) == ["ended=finished"] * 100


def test_the_launcher_has_it_told_from_time_to_time(
    handler: log.Rationed, write: Write, written: io.StringIO
) -> None:
    logger = logging.getLogger(log.STREAMS)
    logger.addHandler(handler)
    for _ in range(21):
        write(time.time() - 60, "left")
    asyncio.run(log.tell())
    logger.removeHandler(handler)
    assert messages(written)[20:] == ["more_streams=1 left=1"]


@pytest.mark.parametrize(("on", "level"), [(True, "INFO"), (False, "CRITICAL")])
def test_the_log_can_be_switched_off(on: bool, level: str) -> None:
    config = log.config(on)
    assert config["loggers"][log.STREAMS]["level"] == level
    assert "uvicorn.error" in config["loggers"]
