"""One line in the log for each stream at its end: how much of it was sent, how late, and how it ended."""

import logging
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import anyio
import pytest
from starlette.applications import Starlette

from server.log import STREAMS as NAME
from server.settings import Settings
from server.web import events
from server.web.app import create_app
from tests.asgi import EPOCH_US, FOREVER_MS, Wall, ask


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    """What has been logged about streams."""
    logger, said = logging.getLogger(NAME), list[str]()
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    caplog.set_level(logging.INFO, NAME)
    yield said
    logger.removeHandler(handler)


WAYS: dict[str, tuple[str, dict[str, Any], str]] = {
    "finished": ("tokens:5", {}, "tokens=5 duration_ms=50 late_ms=0.0 ended=finished"),
    "failed": ("tokens:5,fail_at:3", {}, "tokens=3 duration_ms=30 late_ms=0.0 ended=failed"),
    "cut": ("tokens:5,cut_at:3", {}, "tokens=3 duration_ms=30 late_ms=0.0 ended=cut"),
    "cut within a burst": ("tokens:9,burst:9,cut_at:3", {}, "tokens=3 duration_ms=90 late_ms=0.0 ended=cut"),
    "left": ("tokens:5", {"leave_ms": 25}, "tokens=2 duration_ms=25 late_ms=0.0 ended=left"),
    "left at once": ("tokens:5", {"leave_ms": 0}, "tokens=0 duration_ms=0 late_ms=0.0 ended=left"),
    "shutdown": ("tokens:5", {"stop_ms": 25}, "tokens=2 duration_ms=30 late_ms=0.0 ended=shutdown"),
    "late": ("tokens:5", {"hold_ms": {1: 33}}, "tokens=5 duration_ms=50 late_ms=23.0 ended=finished"),
}
SHORT = "?lane=tokens:2,delay_ms:10"


@pytest.mark.parametrize(("lane", "way", "told"), WAYS.values(), ids=WAYS.keys())
async def test_a_streams_line_says_how_it_went(
    app: Starlette, lines: list[str], lane: str, way: dict[str, Any], told: str
) -> None:
    await ask(app, f"/stream?lane={lane}", **way)
    assert lines == [f"path=/stream lanes=1 {told}"]


@pytest.mark.parametrize("way", [name for name in WAYS if name != "shutdown"])
async def test_plain_text_tells_the_same(app: Starlette, lines: list[str], way: str) -> None:
    lane, how, told = WAYS[way]
    await ask(app, f"/plain?lane={lane}", **how)
    assert lines == [f"path=/plain lanes=1 {told}"]


@pytest.mark.parametrize(
    ("lane", "way", "told"),
    [
        ("tokens:5", {}, "tokens=5 duration_ms=50 late_ms=0.0 ended=finished"),
        ("tokens:5,fail_at:3", {}, "tokens=0 duration_ms=30 late_ms=0.0 ended=failed"),
        ("tokens:5,cut_at:3", {}, "tokens=0 duration_ms=30 late_ms=0.0 ended=cut"),
        ("tokens:5", {"leave_ms": 25}, "tokens=0 duration_ms=25 late_ms=0.0 ended=left"),
        ("tokens:5", {"stop_ms": 25}, "tokens=0 duration_ms=30 late_ms=0.0 ended=shutdown"),
    ],
)
async def test_of_a_whole_answer_all_is_sent_or_nothing(
    app: Starlette, lines: list[str], lane: str, way: dict[str, Any], told: str
) -> None:
    await ask(app, f"/answer?lane={lane}", **way)
    assert lines == [f"path=/answer lanes=1 {told}"]


async def test_a_run_fails_where_one_of_its_lanes_does(app: Starlette, lines: list[str]) -> None:
    await ask(app, "/stream?lane=tokens:5&lane=tokens:5,fail_at:1&lane=tokens:5")
    assert lines == ["path=/stream lanes=3 tokens=11 duration_ms=50 late_ms=0.0 ended=failed"]


async def test_a_resumed_stream_tells_of_its_own_tokens_and_is_not_late_for_what_fell_due_before(
    app: Starlette, wall: Wall, lines: list[str]
) -> None:
    wall.set(EPOCH_US + 35_000)
    await ask(app, "/stream?lane=tokens:5", headers={"Last-Event-ID": f"1-{EPOCH_US}"})
    assert lines == ["path=/stream lanes=1 tokens=4 duration_ms=15 late_ms=0.0 ended=finished"]


@pytest.mark.parametrize("path", ["/stream", "/plain"])
async def test_a_client_that_reads_no_more_has_stalled(app: Starlette, lines: list[str], path: str) -> None:
    with pytest.RaisesGroup(TimeoutError, flatten_subgroups=True):
        await ask(app, path + SHORT, hold_ms={2: FOREVER_MS})
    (line,) = lines
    assert line.endswith("ended=stalled")


async def test_a_fault_of_the_server_is_an_error_in_the_log_too(
    app: Starlette, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "token", lambda *args: 1 / 0)
    with pytest.RaisesGroup(ZeroDivisionError, flatten_subgroups=True):
        await ask(app, "/stream" + SHORT)
    assert lines == ["path=/stream lanes=1 tokens=0 duration_ms=10 late_ms=0.0 ended=error"]


async def test_a_stream_that_is_cancelled_with_the_server_ended_with_it(app: Starlette, lines: list[str]) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(ask, app, "/answer?lane=ttft_ms:60000")
        await anyio.sleep(1)
        app.state.trickle.stopping.set()
        group.cancel_scope.cancel()
    assert [line.split()[-1] for line in lines] == ["ended=shutdown"]


async def test_a_refusal_says_why(lines: list[str]) -> None:
    app = create_app(Settings(max_streams=1))
    async with anyio.create_task_group() as group:
        group.start_soon(ask, app, "/plain?lane=ttft_ms:100")
        await anyio.sleep(0.05)
        await ask(app, "/stream")
        await ask(app, "/stream", method="HEAD")
        await ask(app, "/answer", headers={"Origin": "https://other.example"})
    assert lines[:2] == ["path=/stream ended=refused reason=full", "path=/answer ended=refused reason=origin"]
    assert len(lines) == 3


@pytest.mark.parametrize(
    "url", ["/", "/plan", "/healthz", "/stream?lane=x", "/stream?last_event_id=end-1", "/%0A"]
)
async def test_what_is_no_stream_is_not_logged(app: Starlette, lines: list[str], url: str) -> None:
    await ask(app, url)
    await ask(app, "/stream" + SHORT, method="HEAD")
    assert lines == []


async def test_nothing_that_a_visitor_wrote_is_in_the_log(app: Starlette, lines: list[str]) -> None:
    marker = "sEcReT\r\n\x1b[31m\u2028\x85"
    for path in ("/stream", "/answer", "/plain"):
        url = f"{path}?lane=tokens:2,title:{quote(marker)}&say={quote(marker)}"
        await ask(app, url, headers={"User-Agent": "sEcReT", "X-Forwarded-For": "sEcReT", "Referer": "sEcReT"})
        await ask(app, f"{path}?{quote(marker)}={quote(marker)}")
    assert len(lines) == 3
    for line in lines:
        assert re.fullmatch(r"[ -~]+", line)
        assert "sEcReT" not in line
