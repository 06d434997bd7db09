"""/stream through the whole app, in exact virtual time: what goes out, to the byte and the microsecond."""

import json
import re
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette

from server.latency.schedule import plan
from server.latency.spec import LaneSpec
from server.latency.tokens import TEXTS, split
from server.settings import Settings
from server.web.app import create_app
from server.web.connection import ASKED_AT, BREAK_OFF
from tests.asgi import EPOCH_US, FOREVER_MS, Answer, ask
from tests.specs import runs
from tests.sse import Parser, parse

HUNDRED = "/stream?lane=tokens:100,delay_ms:10"


def url(specs: list[LaneSpec]) -> str:
    return "/stream?" + urlencode([("lane", spec.query()) for spec in specs])


def sent(answer: Answer) -> list[tuple[float, str, int, int]]:
    """When each token or end of a lane was sent, its event's name, its lane, and its i or how many tokens."""
    return [
        (ms, event.name, event.json["lane"], event.json.get("i", event.json.get("tokens")))
        for ms, event in answer.events
        if event.name not in ("start", "done")
    ]


async def test_a_hundred_tokens_are_sent_exactly_when_they_are_due(app: Starlette) -> None:
    answer = await ask(app, HUNDRED)
    ten_ms_each = [10.0 * k for k in range(1, 101)]
    assert [token["due_ms"] for token in answer.named("token")] == ten_ms_each
    assert [token["sent_ms"] for token in answer.named("token")] == ten_ms_each
    assert [ms for ms, event in answer.events if event.name == "token"] == ten_ms_each
    assert answer.names == ["start", *["token"] * 100, "finish", "done"]
    assert answer.named("done") == [{"sent_ms": 1000.0}]
    assert answer.ended_ms == 1000.0


async def test_each_token_says_which_it_is_and_the_text_is_whole(app: Starlette) -> None:
    tokens = (await ask(app, HUNDRED)).named("token")
    assert [(token["lane"], token["i"]) for token in tokens] == [(0, i) for i in range(100)]
    assert tokens[0]["text"] == "When"
    assert "".join(token["text"] for token in tokens) == TEXTS["loop"]


async def test_without_a_lane_the_default_one_is_sent(app: Starlette) -> None:
    assert (await ask(app, "/stream")).body.count(b"event: token\n") == 100


@pytest.mark.parametrize("lane", ["ttft_ms:60000", "tokens:60,delay_ms:10000", "delay_ms:0"])
async def test_headers_and_start_go_out_at_once_however_long_the_first_token_takes(
    app: Starlette, lane: str
) -> None:
    answer = await ask(app, f"/stream?lane={lane}")
    (head_ms, _), (start_ms, chunk), *_ = answer.messages
    assert head_ms == start_ms == 0
    assert chunk["body"].startswith(b"event: start\n")
    assert chunk["more_body"] is True


async def test_the_headers_keep_every_cache_proxy_and_coder_away(app: Starlette) -> None:
    answer = await ask(app, "/stream?lane=tokens:1", headers={"Accept-Encoding": "gzip, deflate, br, zstd"})
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store, no-transform"
    assert answer.headers["x-accel-buffering"] == "no"
    assert "content-encoding" not in answer.headers


async def test_every_event_has_exactly_its_bytes(app: Starlette) -> None:
    answer = await ask(
        app, "/stream?lane=tokens:2,delay_ms:10&lane=tokens:2,delay_ms:2.5,fail_at:1&say=H%C3%AF+yo"
    )
    start, after = answer.body.decode("ascii").split("\n\n", 1)
    # Made of constants, numbers, and the text inside a line of ASCII; each line ended by LF alone.
    assert re.fullmatch(rf"event: start\nid: 0-{EPOCH_US}\nretry: [0-9]{{4}}\ndata: {{[ -~]+}}", start)
    reason = re.escape(json.dumps(answer.named("failed")[0]["reason"]))
    assert re.fullmatch(
        re.escape(
            f"event: token\nid: 1-{EPOCH_US}\n"
            'data: {"lane":1,"i":0,"text":"H\\u00ef","due_ms":2.5,"sent_ms":2.5}\n\n'
            'event: failed\ndata: {"lane":1,"tokens":1,"reason":REASON}\n\n'
            f"event: token\nid: 2-{EPOCH_US}\n"
            'data: {"lane":0,"i":0,"text":"H\\u00ef","due_ms":10.0,"sent_ms":10.0}\n\n'
            f"event: token\nid: 3-{EPOCH_US}\n"
            'data: {"lane":0,"i":1,"text":" yo","due_ms":20.0,"sent_ms":20.0}\n\n'
            'event: finish\ndata: {"lane":0,"tokens":2,"due_ms":20.0,"reason":"stop"}\n\n'
            f'event: done\nid: end-{EPOCH_US}\ndata: {{"sent_ms":20.0}}\n\n'
        ).replace("REASON", reason),
        after,
    )


async def test_start_says_the_settings_as_understood_with_both_totals(app: Starlette) -> None:
    lane = "lane=preset:worked-example,tokens:8,delivery:whole,flush_ms:25,stall_at:2,stall_ms:0.5,title:Mine"
    (start,) = (await ask(app, f"/stream?{lane}&lane=fail_at:3,delay_ms:2.5")).named("start")
    assert start == {
        "started_at": EPOCH_US / 1000,
        "lanes": [
            {
                "title": "Mine",
                "tokens": 8,
                "delay_ms": 10.0,
                "ttft_ms": 10.0,
                "jitter": 0.0,
                "growth_ms": 0.0,
                "stall_at": 2,
                "stall_ms": 0.5,
                "burst": 1,
                "flush_ms": 25.0,
                "delivery": "whole",
                "text": "loop",
                "seed": 1,
                "nt_ms": 80.0,
                "predicted_ms": 100.0,
            },
            {
                "title": "Streamed",
                "tokens": 100,
                "delay_ms": 2.5,
                "ttft_ms": 2.5,
                "jitter": 0.0,
                "growth_ms": 0.0,
                "fail_at": 3,
                "burst": 1,
                "flush_ms": 0.0,
                "delivery": "token",
                "text": "loop",
                "seed": 1,
                "nt_ms": 250.0,
                "predicted_ms": 7.5,
            },
        ],
    }


async def test_retry_comes_once_and_is_2_to_5_seconds_different_for_each_client(app: Starlette) -> None:
    seen = set()
    for _ in range(20):
        parser = Parser()
        parser.feed((await ask(app, "/stream?lane=tokens:3")).body)
        (retry_ms,) = parser.retries
        assert 2_000 <= retry_ms <= 5_000
        seen.add(retry_ms)
    assert len(seen) > 1


async def test_late_tokens_go_out_together_and_the_schedule_does_not_shift(app: Starlette) -> None:
    # Messages are the head, start, then tokens: sending the first token takes the client 55 ms.
    answer = await ask(app, HUNDRED, hold_ms={2: 55})
    assert [(ms, [event.json["i"] for event in parse(chunk)]) for ms, chunk in answer.chunks[1:5]] == [
        (10.0, [0]),
        (65.0, [1, 2, 3, 4, 5]),  # one message, each token its own event
        (70.0, [6]),
        (80.0, [7]),
    ]
    tokens = answer.named("token")
    assert [token["due_ms"] for token in tokens] == [10.0 * k for k in range(1, 101)]
    assert [token["sent_ms"] for token in tokens[:7]] == [10.0, *[65.0] * 5, 70.0]
    assert answer.named("done") == [{"sent_ms": 1000.0}]
    assert answer.ended_ms == 1000.0


async def test_a_client_that_is_slow_to_the_end_gets_all_that_was_due_and_done_says_when(app: Starlette) -> None:
    answer = await ask(app, "/stream?lane=tokens:4,delay_ms:10", hold_ms={2: 500})
    assert sent(answer)[1:] == [(510.0, "token", 0, i) for i in (1, 2, 3)] + [(510.0, "finish", 0, 4)]
    assert answer.named("finish") == [{"lane": 0, "tokens": 4, "due_ms": 40.0, "reason": "stop"}]
    assert answer.named("done") == [{"sent_ms": 510.0}]


async def test_a_client_that_reads_no_more_is_dropped_by_any_server(app: Starlette) -> None:
    """Our own launcher does so after 10 s, without an error (test_protocol.py); this is for other servers."""
    answer = Answer()
    with pytest.RaisesGroup(TimeoutError, flatten_subgroups=True):
        await ask(app, HUNDRED, hold_ms={5: FOREVER_MS}, answer=answer)
    assert answer.names == ["start", *["token"] * 4]
    assert anyio.current_time() == pytest.approx(0.040 + 15)


async def test_where_the_connection_is_watched_a_client_may_read_as_slowly_as_that_allows(app: Starlette) -> None:
    answer = await ask(app, HUNDRED, state={BREAK_OFF: lambda: None}, hold_ms={5: 20_000})
    assert answer.names == ["start", *["token"] * 100, "finish", "done"]


@pytest.mark.parametrize("path", ["/stream", "/plain"])
async def test_what_held_up_the_start_makes_the_first_tokens_late_and_no_other(app: Starlette, path: str) -> None:
    answer = await ask(app, f"{path}?lane=tokens:9,delay_ms:10", state={ASKED_AT: anyio.current_time() - 0.025})
    assert sorted({ms for ms, _ in answer.chunks}) == [0.0, 5.0, 15.0, 25.0, 35.0, 45.0, 55.0, 65.0]


async def test_a_client_that_leaves_ends_its_stream_at_once(app: Starlette) -> None:
    answer = await ask(app, "/stream?lane=tokens:3,ttft_ms:5,stall_at:2,stall_ms:60000", leave_ms=20_000)
    assert answer.names == ["start", "token"]
    assert anyio.current_time() == 20


@given(runs())
async def test_whatever_the_settings_each_token_is_sent_exactly_when_it_is_due(specs: list[LaneSpec]) -> None:
    answer = await ask(create_app(Settings()), url(specs))
    assert sent(answer) == [
        (step.due_us / 1000, "token", step.lane, step.i)
        if not step.is_end
        else (step.due_us / 1000, "finish" if specs[step.lane].fail_at is None else "failed", step.lane, step.i)
        for step in plan(specs).steps()
    ]
    assert all(token["due_ms"] == token["sent_ms"] for token in answer.named("token"))
    start, *tokens = [event.last_id for _, event in answer.events if event.name in ("start", "token")]
    started_us = start.removeprefix("0-")
    assert tokens == [f"{count}-{started_us}" for count in range(1, len(tokens) + 1)]
    assert answer.last_id == f"end-{started_us}"


@given(runs(), st.dictionaries(st.integers(1, 30), st.integers(1, 500)))
async def test_however_slow_the_client_nothing_is_early_dropped_or_out_of_order(
    specs: list[LaneSpec], hold_ms: dict[int, float]
) -> None:
    answer = await ask(create_app(Settings()), url(specs), hold_ms=hold_ms)
    assert [(name, lane, i) for _, name, lane, i in sent(answer) if name == "token"] == [
        ("token", step.lane, step.i) for step in plan(specs).steps() if not step.is_end
    ]
    for ms, event in answer.events:
        if event.name == "token":
            assert event.json["due_ms"] <= event.json["sent_ms"] == ms
    assert answer.names[-1] == "done"


@pytest.mark.parametrize(
    ("lanes", "tokens", "ended_ms"),
    [
        (["tokens:10000,delay_ms:0"] * 4, 40_000, 0),
        (["tokens:10000,delay_ms:1"], 10_000, 10_000),
        (["tokens:10000,delay_ms:0.5,delivery:whole", "tokens:100"], 10_100, 5_000),
    ],
)
async def test_a_long_run_is_all_there(app: Starlette, lanes: list[str], tokens: int, ended_ms: float) -> None:
    answer = await ask(app, "/stream?lane=" + "&lane=".join(lanes))
    assert answer.body.count(b"event: token\n") == tokens
    assert answer.last_id == f"end-{EPOCH_US}"
    assert answer.ended_ms == ended_ms


async def test_five_streams_without_delay_leave_the_health_check_its_turn(app: Starlette) -> None:
    messages = dict.fromkeys(range(5), 0)

    async def stream(number: int) -> None:
        def count() -> None:
            messages[number] += 1

        await ask(app, "/stream?lane=tokens:10000,delay_ms:0", on_send=count)

    async with anyio.create_task_group() as group:
        for number in messages:
            group.start_soon(stream, number)
        while min(messages.values()) < 3:
            await anyio.lowlevel.checkpoint()
        assert (await ask(app, "/healthz")).status == 200
        while_checked = max(messages.values())
    # They have come no further than a few pieces each, of at least twenty.
    assert while_checked < 15
    assert min(messages.values()) > 20


async def test_a_keep_alive_comment_comes_at_least_every_15_s_and_changes_no_tokens_time(app: Starlette) -> None:
    answer = await ask(app, "/stream?lane=tokens:3,ttft_ms:60000,delay_ms:10000,stall_at:3,stall_ms:41500")
    assert [(ms, name) for ms, name, *_ in sent(answer)] == [
        (60_000.0, "token"),
        (70_000.0, "token"),
        (121_500.0, "token"),
        (121_500.0, "finish"),
    ]
    times = [ms for ms, _ in answer.chunks]
    assert max(after - before for before, after in pairwise(times)) <= 15_000
    between = [chunk for _, chunk in answer.chunks if not chunk.startswith(b"event: ")]
    assert len(between) >= 7
    for comment in between:
        assert re.fullmatch(rb"(:[ -~]*\n)+\n", comment)


async def test_the_lanes_of_a_run_are_merged_by_their_due_times(app: Starlette) -> None:
    answer = await ask(
        app,
        "/stream?lane=tokens:3,delay_ms:10&lane=tokens:2,delay_ms:15&lane=tokens:2,delay_ms:5,delivery:whole"
        "&lane=tokens:4,delay_ms:10,fail_at:2",
    )
    assert sent(answer) == [
        *[(10.0, "token", 0, 0), (10.0, "token", 2, 0), (10.0, "token", 2, 1), (10.0, "finish", 2, 2)],
        *[(10.0, "token", 3, 0), (15.0, "token", 1, 0), (20.0, "token", 0, 1), (20.0, "token", 3, 1)],
        *[(20.0, "failed", 3, 2), (30.0, "token", 0, 2), (30.0, "finish", 0, 3)],
        *[(30.0, "token", 1, 1), (30.0, "finish", 1, 2)],
    ]
    assert answer.names[0] == "start"
    assert answer.names[-1] == "done"


@pytest.mark.parametrize(
    ("lane", "names", "failed_ms"),
    [
        ("tokens:5,delay_ms:10,fail_at:2", ["token", "token"], 20.0),
        ("tokens:5,delay_ms:10,fail_at:5", ["token"] * 5, 50.0),
        ("tokens:5,delay_ms:10,fail_at:0,ttft_ms:70", [], 70.0),
        ("tokens:5,delay_ms:10,fail_at:3,delivery:whole", [], 30.0),
        ("tokens:5,delay_ms:10,fail_at:0,delivery:whole", [], 10.0),
    ],
)
async def test_failed_takes_the_place_of_finish(
    app: Starlette, lane: str, names: list[str], failed_ms: float
) -> None:
    answer = await ask(app, f"/stream?lane={lane}")
    assert answer.names == ["start", *names, "failed", "done"]
    assert sent(answer)[-1] == (failed_ms, "failed", 0, len(names))
    (failed,) = answer.named("failed")
    assert set(failed) == {"lane", "tokens", "reason"}
    assert failed["reason"]


def cut_after(answer: Answer) -> tuple[int, int]:
    """The lane and the number (from 1) of the token with which a connection broke."""
    assert answer.ended_ms == answer.events[-1][0]  # at once, with nothing after it
    last: Any = answer.events[-1][1].json
    return last["lane"], last["i"] + 1


async def test_a_connection_is_cut_directly_after_its_token_and_resumed_goes_on_to_the_end(app: Starlette) -> None:
    query = "/stream?lane=tokens:5,delay_ms:10,cut_at:3"
    first = await ask(app, query)
    assert first.names == ["start", "token", "token", "token"]
    assert cut_after(first) == (0, 3)
    assert first.ended_ms == 30
    rest = await ask(app, query, headers={"Last-Event-ID": first.last_id})
    assert rest.names == ["start", "token", "token", "finish", "done"]


async def test_a_connection_that_began_before_its_token_is_cut_there_each_time(app: Starlette) -> None:
    query = "/stream?lane=tokens:5,delay_ms:10,cut_at:3"
    for delivered in range(6):
        answer = await ask(app, query, headers={"Last-Event-ID": f"{delivered}-{EPOCH_US}"})
        if delivered < 3:
            assert cut_after(answer) == (0, 3)
        else:
            assert answer.names[-1] == "done"


async def test_a_cut_after_the_last_token_leaves_finish_for_the_resumed_connection(app: Starlette) -> None:
    query = "/stream?lane=tokens:2,delay_ms:10,cut_at:2"
    first = await ask(app, query)
    assert first.names == ["start", "token", "token"]
    rest = await ask(app, query, headers={"Last-Event-ID": first.last_id})
    assert rest.names == ["start", "finish", "done"]


async def test_a_cut_among_tokens_that_are_due_together_is_exact_too(app: Starlette) -> None:
    query = "/stream?lane=tokens:6,delay_ms:10,delivery:whole,cut_at:4&lane=tokens:1,delay_ms:60"
    first = await ask(app, query)
    assert cut_after(first) == (0, 4)
    assert first.names == ["start", *["token"] * 4]
    rest = await ask(app, query, headers={"Last-Event-ID": first.last_id})
    assert rest.names == ["start", "token", "token", "finish", "token", "finish", "done"]


async def test_a_cut_breaks_the_connection_of_the_whole_run_and_several_break_it_one_by_one(
    app: Starlette,
) -> None:
    query = (
        "/stream?lane=tokens:3,delay_ms:20,cut_at:2&lane=tokens:6,delay_ms:10,cut_at:1&lane=tokens:6,delay_ms:10"
    )
    cuts, last_id, seen = [], "", list[tuple[int, int]]()
    for _ in range(3):
        answer = await ask(app, query, headers={"Last-Event-ID": last_id} if last_id else {})
        seen += [(token["lane"], token["i"]) for token in answer.named("token")]
        last_id = answer.last_id
        if answer.names[-1] == "token":
            cuts.append(cut_after(answer))
    assert cuts == [(1, 1), (0, 2)]
    assert last_id == f"end-{EPOCH_US}"
    assert sorted(seen) == [(0, i) for i in range(3)] + [(lane, i) for lane in (1, 2) for i in range(6)]


@pytest.mark.parametrize("lane", ["tokens:5,fail_at:2,cut_at:3", "tokens:5,fail_at:3,delivery:whole,cut_at:3"])
async def test_a_token_that_is_never_sent_cuts_nothing(app: Starlette, lane: str) -> None:
    assert (await ask(app, f"/stream?lane={lane}")).names[-2:] == ["failed", "done"]


async def test_the_visitors_own_text_is_sent_and_begins_again_after_a_break(app: Starlette) -> None:
    answer = await ask(app, "/stream?lane=tokens:7&say=One,+two.")
    assert [token["text"] for token in answer.named("token")] == [*split("One, two."), "\n\n", "One", ","]
