"""Resuming: wherever the connection is cut, every token arrives exactly once, in order, on the original clock.

A cut leaves a client with the events that were complete, the last id, and a time; `cuts` lists every such state in
which some byte can leave it. The server keeps nothing of a run, so its wall clock is all that a test must set.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.applications import Starlette

from server.latency.pacing import RunClock
from server.latency.run import Run
from server.latency.schedule import plan
from server.latency.spec import LaneSpec
from server.settings import Settings
from server.web.app import create_app
from server.web.events import is_end, read_id
from server.web.problems import BadQuery
from tests.asgi import EPOCH_US, Answer, Wall, ask
from tests.sse import Event, Parser

MINUTE_MS = 60_000
AWAY_MS = 7.0  # how long the client takes to come back: some tokens fall due meanwhile

RUNS = {
    "one lane": "lane=tokens:6,delay_ms:10",
    "jitter and bursts": "lane=tokens:9,delay_ms:10,jitter:0.5,burst:3&lane=tokens:7,delay_ms:5,jitter:1,seed:7",
    "twins, so that all is due in pairs": "lane=tokens:5,delay_ms:10&lane=tokens:5,delay_ms:10",
    "lanes that fail": "lane=tokens:5,delay_ms:10,fail_at:3&lane=fail_at:0,ttft_ms:15&lane=tokens:4,delay_ms:10",
    "whole beside streamed": "lane=tokens:4,delay_ms:10&lane=tokens:4,delay_ms:10,delivery:whole",
    "four lanes that end one by one": "lane=tokens:1,delay_ms:5&lane=tokens:2,delay_ms:10"
    "&lane=tokens:3,delay_ms:10,fail_at:2&lane=tokens:4,delay_ms:10,stall_at:4,stall_ms:30",
    "all at once": "lane=tokens:5,delay_ms:0&lane=tokens:3,delay_ms:0&lane=tokens:5,fail_at:2,delivery:whole",
}
EVERY_RUN = pytest.mark.parametrize("query", RUNS.values(), ids=RUNS.keys())
BY_HEADER_AND_BY_QUERY = pytest.mark.parametrize("by", ["header", "query"])


@dataclass(frozen=True)
class Cut:
    """What a client has when its connection breaks, `at_ms` after the start of the run."""

    got: tuple[Event, ...]
    last_id: str
    at_ms: float


def cuts(answer: Answer, began_ms: float = 0) -> list[Cut]:
    """Every state in which a cut after some byte of this answer leaves the client."""
    parser, got = Parser(), list[Event]()
    states = {Cut((), "", began_ms): None}
    for ms, chunk in answer.chunks:
        for byte in chunk:
            got += parser.feed(bytes([byte]))
            states[Cut(tuple(got), parser.last_id, round(began_ms + ms, 3))] = None
    return list(states)


async def resume(app: Starlette, wall: Wall, query: str, last_id: str, at_ms: float, by: str = "header") -> Answer:
    """Ask for the rest, when the server's wall clock says that the run started `at_ms` ago."""
    wall.set(EPOCH_US + round(at_ms * 1000))
    if by == "header":
        return await ask(app, f"/stream?{query}", headers={"Last-Event-ID": last_id} if last_id else {})
    return await ask(app, f"/stream?{query}" + (f"&last_event_id={last_id}" if last_id else ""))


def tokens(*parts: Iterable[Event]) -> list[tuple[int, int, str, float]]:
    """Lane, i, text and due time of each token that a client got over several connections."""
    data = [event.json for events in parts for event in events if event.name == "token"]
    return [(token["lane"], token["i"], token["text"], token["due_ms"]) for token in data]


def ends(*parts: Iterable[Event]) -> dict[tuple[str, int], Any]:
    """What each lane's end says, by its name and lane; the same end may have come again."""
    found: dict[tuple[str, int], Any] = {}
    for event in (event for events in parts for event in events if event.name in ("finish", "failed")):
        assert found.setdefault((event.name, event.json["lane"]), event.json) == event.json
    return found


def events_of(answer: Answer) -> list[Event]:
    return [event for _, event in answer.events]


def check_rest(rest: Answer, last_id: str, at_ms: float) -> None:
    """Check that a resumed answer is in itself as the plan says: its ids, its order, its times."""
    count = int(last_id.partition("-")[0])
    events = rest.events
    assert events[0][1].name == "start"
    assert events[0][1].last_id == last_id  # so that a second cut right here loses nothing
    assert [event.last_id for _, event in events if event.name == "token"] == [
        f"{number}-{EPOCH_US}" for number in range(count + 1, count + 1 + rest.names.count("token"))
    ]
    for ms, event in events:
        if event.name == "token":
            # The original clock: what fell due meanwhile comes at once, all else when it is due.
            assert event.json["sent_ms"] == max(event.json["due_ms"], round(at_ms, 3))
            assert ms == pytest.approx(event.json["sent_ms"] - at_ms, abs=1e-6)
    for block in rest.body.split(b"\n\n"):
        if block.startswith((b"event: finish", b"event: failed")):
            assert b"\nid:" not in block
    assert events[-1][1].name == "done"
    assert rest.last_id == f"end-{EPOCH_US}"


@BY_HEADER_AND_BY_QUERY
@EVERY_RUN
async def test_cut_after_any_byte_every_token_arrives_once_and_in_order(
    app: Starlette, wall: Wall, query: str, by: str
) -> None:
    whole = await ask(app, f"/stream?{query}")
    for cut in cuts(whole):
        back_ms = cut.at_ms + AWAY_MS
        rest = await resume(app, wall, query, cut.last_id, back_ms, by)
        if not cut.last_id:  # not even `start` was whole: the client begins anew
            assert tokens(events_of(rest)) == tokens(events_of(whole))
        elif cut.last_id.startswith("end-"):
            assert (rest.status, rest.body) == (204, b"")
        else:
            check_rest(rest, cut.last_id, back_ms)
            assert tokens(cut.got, events_of(rest)) == tokens(events_of(whole))
            # Every end is sent again, so none is lost with what was on its way.
            assert ends(events_of(rest)) == ends(events_of(whole)) == ends(cut.got, events_of(rest))


@EVERY_RUN
async def test_cut_twice_the_second_time_after_any_event_too(app: Starlette, wall: Wall, query: str) -> None:
    whole = await ask(app, f"/stream?{query}")
    for first in cuts(whole):
        if not first.last_id or first.last_id.startswith("end-"):
            continue
        back_ms = first.at_ms + AWAY_MS
        resumed = cuts(await resume(app, wall, query, first.last_id, back_ms), back_ms)
        assert first.last_id in [second.last_id for second in resumed]  # the cut right after the resumed `start`
        for second in resumed:
            if not second.last_id.startswith("end-"):
                last_id = second.last_id or first.last_id
                rest = await resume(app, wall, query, last_id, second.at_ms + AWAY_MS)
                check_rest(rest, last_id, second.at_ms + AWAY_MS)
                assert tokens(first.got, second.got, events_of(rest)) == tokens(events_of(whole))
                assert ends(events_of(rest)) == ends(events_of(whole))


@EVERY_RUN
@pytest.mark.parametrize("off_ms", [-MINUTE_MS, MINUTE_MS])
async def test_another_server_whose_clock_is_a_minute_off_loses_nothing(
    app: Starlette, wall: Wall, query: str, off_ms: float
) -> None:
    whole = await ask(app, f"/stream?{query}")
    for cut in cuts(whole):
        if not cut.last_id or cut.last_id.startswith("end-"):
            continue
        last_due_ms = tokens(cut.got)[-1][3] if tokens(cut.got) else 0.0
        another = create_app(Settings(), now_us=wall)
        rest = await resume(another, wall, query, cut.last_id, cut.at_ms + off_ms)
        # A minute ahead all is late; a minute behind, time goes on from the last token that was delivered.
        check_rest(rest, cut.last_id, max(cut.at_ms + off_ms, last_due_ms))
        assert tokens(cut.got, events_of(rest)) == tokens(events_of(whole))
        assert ends(events_of(rest)) == ends(events_of(whole))


@EVERY_RUN
@pytest.mark.parametrize("started", ["0", "1", "9999999999999999"])
async def test_no_start_that_a_client_makes_up_parks_a_stream(app: Starlette, query: str, started: str) -> None:
    whole = await ask(app, f"/stream?{query}")
    for delivered in range(whole.names.count("token") + 1):
        rest = await ask(app, f"/stream?{query}", headers={"Last-Event-ID": f"{delivered}-{started}"})
        assert rest.ended_ms is not None
        assert rest.ended_ms <= (whole.ended_ms or 0)
        assert tokens(events_of(rest)) == tokens(events_of(whole))[delivered:]
        assert rest.last_id == f"end-{started}"


async def test_after_all_tokens_there_are_only_the_ends_and_done_left(app: Starlette) -> None:
    answer = await ask(app, f"/stream?lane=tokens:3&last_event_id=3-{EPOCH_US}")
    assert answer.names == ["start", "finish", "done"]


@BY_HEADER_AND_BY_QUERY
@pytest.mark.parametrize("last_id", ["end-0", f"end-{EPOCH_US}", "end-9999999999999999"])
async def test_after_the_end_there_is_nothing_more(app: Starlette, wall: Wall, last_id: str, by: str) -> None:
    answer = await resume(app, wall, "lane=tokens:3", last_id, 0, by)
    assert answer.status == 204
    assert answer.body == b""
    assert answer.ended_ms == 0


NOT_IDS = [
    *("", " ", "x", "5", "-", "5-", "-5", "--5", "00-1", "01-1", "05-1", "+1-1", "-1-1", "1-+1", "1--1", "1-1-1"),
    *(" 1-1", "1-1 ", "1 -1", "1_0-1", "1.0-1", "1e0-1", "0x1-1", "１-1", "1-１", "nan-1", "1-nan", "1-inf"),
    *("100000-1", "1-12345678901234567", "9" * 5_000 + "-1", "1-" + "9" * 5_000, "1-1\n", "1–1"),
    *("end", "end-", "end--1", "end-x", "END-1", "end-12345678901234567", "end-1-1", "xend-1", "end-1\n"),
    *("4-1", "101-1", "99999-1"),  # the run has three tokens
]  # fmt: skip


@pytest.mark.parametrize("last_id", NOT_IDS, ids=lambda last_id: ascii(last_id)[:20])
async def test_what_is_no_id_of_this_run_is_refused(app: Starlette, last_id: str) -> None:
    for by_header in (True, False):
        query = "" if by_header else "&last_event_id=" + "".join(f"%{byte:02x}" for byte in last_id.encode())
        headers = {"Last-Event-ID": last_id} if by_header else {}
        answer = await ask(app, "/stream?lane=tokens:3" + query, headers=headers)
        assert answer.status == 400
        assert answer.headers["content-type"] == "application/problem+json"
        (error,) = answer.json()["errors"]
        assert error["field"] == "last_event_id"
        if last_id.isascii():  # the bytes of a header have no encoding that is agreed on
            assert error["value"] == last_id[: len(error["value"])]
            assert len(error["value"]) >= min(len(last_id), 50)
        assert "3" in error["range"]


SPEC = LaneSpec(tokens=3)
OF_THREE = Run((SPEC,), plan([SPEC]), (("a", "b", "c"),))
NEARLY_IDS = st.one_of(
    st.builds("{}-{}".format, st.integers(-1, 6) | st.integers(), st.integers(-1, 10**17)),
    st.from_regex(r"(end|[0-9]{0,6})[-–_ ]{0,2}[0-9]{0,18}\n?", fullmatch=True),
)


@given(st.text() | NEARLY_IDS, st.integers(0, 2 * 10**15))
@example("3-9999999999999999", 0)
@example("0-0", 2 * 10**15)
async def test_any_text_is_an_id_of_this_run_or_an_end_or_refused_and_none_parks_a_stream(
    text: str, now_us: int
) -> None:
    if is_end(text):
        assert re.fullmatch(r"end-[0-9]{1,16}", text, re.ASCII)
        return
    try:
        resumed = read_id(text, OF_THREE)
    except BadQuery:
        return
    assert text == f"{resumed.delivered}-{text.partition('-')[2]}"
    assert resumed.delivered in range(4)
    clock = RunClock.resume(resumed.started_at_us, now_us, OF_THREE.schedule, resumed.delivered)
    assert OF_THREE.schedule.last_due_us(resumed.delivered) <= clock.began_us  # so all that is left comes in time


async def test_the_header_wins_over_the_query(app: Starlette) -> None:
    async def start_id(header: str, query: str) -> str:
        headers = {"Last-Event-ID": header}
        answer = await ask(app, f"/stream?lane=tokens:3&last_event_id={query}", headers=headers)
        return answer.events[0][1].last_id if answer.status == 200 else str(answer.status)

    assert await start_id(f"2-{EPOCH_US}", f"1-{EPOCH_US}") == f"2-{EPOCH_US}"
    assert await start_id(f"2-{EPOCH_US}", "nonsense") == f"2-{EPOCH_US}"
    assert await start_id("nonsense", f"2-{EPOCH_US}") == "400"
    assert await start_id("", f"2-{EPOCH_US}") == "400"
    assert await start_id(f"end-{EPOCH_US}", f"2-{EPOCH_US}") == "204"
    assert await start_id(f"2-{EPOCH_US}", f"end-{EPOCH_US}") == f"2-{EPOCH_US}"


async def test_an_id_in_the_query_is_given_once(app: Starlette) -> None:
    answer = await ask(app, "/stream?last_event_id=1-1&last_event_id=1-1")
    assert answer.status == 400
    assert [error["field"] for error in answer.json()["errors"]] == ["last_event_id"]
