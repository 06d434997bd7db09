"""What goes over the wire on /v1, to the byte and the microsecond: each point broke or misled a client in use."""

import json
import re
from typing import Any

import anyio
import pytest
from hypothesis import given
from starlette.applications import Starlette

from server.latency.schedule import plan
from server.latency.spec import LaneSpec
from server.latency.tokens import TEXTS, split
from server.settings import Settings
from server.web.app import create_app
from server.web.openai import chunks as chunks_of
from server.web.openai.breaking import Breaking
from server.web.openai.chunks import Writer
from tests.asgi import EPOCH_US, Answer, ask
from tests.chat import CHAT, HELLO, PATHS, TEXT, chunks, finish_of, post, said, text_of
from tests.specs import lanes

ON_BOTH = pytest.mark.parametrize("path", PATHS)
HUNDRED = "trickle:tokens=100,delay_ms=10"
END = b"data: [DONE]\n\n"


@ON_BOTH
async def test_a_hundred_tokens_are_sent_exactly_when_they_are_due(app: Starlette, path: str) -> None:
    answer = await post(app, path, model=HUNDRED, stream=True)
    assert [ms for ms, _ in chunks(answer)] == [10.0 * k for k in range(1, 101)]
    assert text_of(answer) == TEXTS["loop"]
    assert answer.ended_ms == 1000.0


@ON_BOTH
async def test_lines_end_by_lf_alone_and_begin_with_data_colon_and_one_space(app: Starlette, path: str) -> None:
    answer = await post(app, path, model="trickle:tokens=20", stream=True, stream_options={"include_usage": True})
    assert re.fullmatch(rb"(data: \S[ -~]*\n\n)+", answer.body)  # no event:, no id:, no comment, no CR


async def test_no_comment_keeps_a_long_wait_alive(app: Starlette) -> None:
    answer = await post(app, model="trickle:tokens=1,ttft_ms=60000", stream=True)
    assert [ms for ms, _ in answer.chunks] == [60_000.0, 60_000.0]


@ON_BOTH
async def test_headers_go_out_at_once_and_no_data_before_the_first_token(app: Starlette, path: str) -> None:
    answer = await post(app, path, model="trickle:tokens=3,ttft_ms=500", stream=True)
    assert answer.messages[0][0] == 0
    assert answer.messages[1][0] == 500
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store, no-transform"
    assert "connection" not in answer.headers


async def test_the_role_rides_in_the_first_chunk_and_the_reason_of_the_end_in_the_last(app: Starlette) -> None:
    answer = await post(app, model="trickle:tokens=3", stream=True)
    assert [chunk["choices"] for _, chunk in chunks(answer)] == [
        [
            {
                "index": 0,
                "delta": {"role": "assistant", "content": "When"},
                "logprobs": None,
                "finish_reason": None,
            }
        ],
        [{"index": 0, "delta": {"content": " a"}, "logprobs": None, "finish_reason": None}],
        [{"index": 0, "delta": {"content": " model"}, "logprobs": None, "finish_reason": "stop"}],
    ]


async def test_a_completion_has_texts_and_no_role(app: Starlette) -> None:
    answer = await post(app, TEXT, model="trickle:tokens=2", stream=True)
    assert [chunk["choices"] for _, chunk in chunks(answer)] == [
        [{"index": 0, "text": "When", "logprobs": None, "finish_reason": None}],
        [{"index": 0, "text": " a", "logprobs": None, "finish_reason": "stop"}],
    ]


@pytest.mark.parametrize(
    ("path", "prefix", "kind"), [(CHAT, "chatcmpl-", "chat.completion.chunk"), (TEXT, "cmpl-", "text_completion")]
)
async def test_all_chunks_have_one_id_one_time_and_the_model_that_was_asked_for(
    app: Starlette, path: str, prefix: str, kind: str
) -> None:
    answers = [await post(app, path, model=HUNDRED, stream=True) for _ in range(2)]
    ids = []
    for answer in answers:
        ((id_, created, model, object_),) = {
            (chunk["id"], chunk["created"], chunk["model"], chunk["object"]) for _, chunk in chunks(answer)
        }
        assert id_.startswith(prefix)
        assert EPOCH_US // 1_000_000 <= created <= EPOCH_US // 1_000_000 + 1
        assert (model, object_) == (HUNDRED, kind)
        ids.append(id_)
    assert ids[0] != ids[1]


async def test_a_chunk_has_one_token_and_those_that_are_due_together_leave_together(app: Starlette) -> None:
    answer = await post(app, model="trickle:tokens=7,burst=3", stream=True)
    assert [said(chunk) for _, chunk in chunks(answer)] == list(split(TEXTS["loop"])[:7])
    assert [(ms, body.count(b"data: ")) for ms, body in answer.chunks] == [(10, 1), (40, 3), (70, 3), (70, 1)]


@pytest.mark.parametrize("options", [None, {}, {"include_usage": None}, {"include_usage": False}])
async def test_counts_come_only_where_they_are_asked_for(app: Starlette, options: dict[str, Any] | None) -> None:
    answer = await post(app, model="trickle:tokens=3", stream=True, stream_options=options)
    assert all("usage" not in chunk for _, chunk in chunks(answer))


@ON_BOTH
async def test_counts_that_are_asked_for_come_in_one_chunk_after_the_last_token(app: Starlette, path: str) -> None:
    model = "trickle:tokens=17"
    answer = await post(app, path, model=model, stream=True, stream_options={"include_usage": True})
    *tokens, (_, last) = chunks(answer)
    assert last["choices"] == []
    assert last["usage"]["completion_tokens"] == len(tokens) == 17
    assert last["usage"]["total_tokens"] == last["usage"]["prompt_tokens"] + 17
    assert all(chunk["usage"] is None for _, chunk in tokens)


@ON_BOTH
async def test_a_stream_has_exactly_one_end(app: Starlette, path: str) -> None:
    for options in (None, {"include_usage": True}):
        answer = await post(app, path, stream=True, stream_options=options)
        assert answer.body.count(b"[DONE]") == 1
        assert answer.body.endswith(END)


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream", "text/html;q=0.1", None])
@pytest.mark.parametrize("stream", [True, False])
async def test_what_a_client_accepts_changes_nothing(app: Starlette, accept: str | None, stream: bool) -> None:
    answer = await post(app, how={"headers": {"Accept": accept}}, stream=stream)
    kind = "text/event-stream; charset=utf-8" if stream else "application/json"
    assert answer.headers["content-type"] == kind


@pytest.mark.parametrize("path", PATHS)
async def test_a_whole_answer_comes_when_its_last_token_is_due(app: Starlette, path: str) -> None:
    answer = await post(app, path, model=HUNDRED)
    assert [ms for ms, _ in answer.messages] == [1000.0, 1000.0]
    assert text_of(answer) == TEXTS["loop"]
    assert answer.json()["usage"]["completion_tokens"] == 100


async def test_a_whole_chat_has_all_that_clients_read(app: Starlette) -> None:
    content = (await post(app, model="trickle:tokens=2")).json()
    assert content.pop("id").startswith("chatcmpl-")
    assert content == {
        "object": "chat.completion",
        "created": EPOCH_US // 1_000_000,
        "model": "trickle:tokens=2",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "When a", "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4},
    }


async def test_a_whole_completion_has_all_that_clients_read(app: Starlette) -> None:
    content = (await post(app, TEXT, model="trickle:tokens=2", prompt=[1, 2, 3], stream=False)).json()
    assert content["object"] == "text_completion"
    assert content["choices"] == [{"index": 0, "text": "When a", "logprobs": None, "finish_reason": "stop"}]
    assert content["usage"] == {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


# The truth about times


@ON_BOTH
async def test_where_it_is_asked_for_each_chunk_says_when_it_was_due_and_sent(app: Starlette, path: str) -> None:
    answer = await post(app, path, {"hold_ms": {1: 25}}, model="trickle:tokens=4", stream=True, trickle=True)
    assert [(chunk["due_ms"], chunk["sent_ms"]) for _, chunk in chunks(answer)] == [
        (10.0, 10.0),
        (20.0, 35.0),
        (30.0, 35.0),
        (40.0, 40.0),
    ]


async def test_a_whole_answer_says_it_of_its_end(app: Starlette) -> None:
    content = (await post(app, model="trickle:tokens=4", trickle=True)).json()
    assert (content["due_ms"], content["sent_ms"]) == (40.0, 40.0)


@pytest.mark.parametrize("truth", [None, False])
async def test_else_nothing_is_said_that_openai_would_not_say(app: Starlette, truth: bool | None) -> None:
    for stream in (True, False):
        assert b"_ms" not in (await post(app, model="slow-start", trickle=truth, stream=stream)).body


@given(lanes())
async def test_the_plan_of_a_models_lane_says_when_each_of_its_tokens_is_sent(spec: LaneSpec) -> None:
    app, model = create_app(Settings()), f"trickle:{spec.query().replace(':', '=')}"
    (lane,) = (await ask(app, f"/plan?lane={spec.query()}")).json()["lanes"]
    answer = await post(app, model=model, stream=True, trickle=True)
    assert [(ms, chunk["due_ms"]) for ms, chunk in chunks(answer)] == [(ms, ms) for ms in lane["due_ms"]]
    assert lane["due_ms"] == [due / 1000 for due in plan([spec]).lanes[0].due_us]


# Errors after the first byte: the connection breaks


def check_broken(answer: Answer) -> None:
    """Check that nothing makes a client believe that this was all."""
    assert answer.ended_ms is None
    assert b"[DONE]" not in answer.body
    assert b"usage" not in answer.body
    assert finish_of(answer) is None


BROKEN = {
    "failed": ("tokens=5,fail_at=3", 3),
    "failed at its end": ("tokens=5,fail_at=5", 5),
    "failed before its beginning": ("tokens=5,fail_at=0", 0),
    "cut": ("tokens=5,cut_at=2", 2),
    "cut at its end": ("tokens=5,cut_at=5", 5),
    "cut within what is due together": ("tokens=9,delivery=whole,cut_at=4", 4),
}


@ON_BOTH
@pytest.mark.parametrize(("lane", "tokens"), BROKEN.values(), ids=BROKEN)
async def test_a_model_that_fails_or_a_cut_breaks_the_connection(
    app: Starlette, path: str, lane: str, tokens: int
) -> None:
    answer = await post(app, path, model=f"trickle:{lane}", stream=True)
    assert len(chunks(answer)) == tokens
    check_broken(answer)


@pytest.mark.parametrize("lane", ["tokens=9,fail_at=3", "tokens=9,cut_at=3"])
async def test_a_whole_answer_that_breaks_is_an_error_before_the_first_byte(app: Starlette, lane: str) -> None:
    answer = await post(app, model=f"trickle:{lane}")
    assert answer.status == 502
    assert answer.json()["error"]["type"] == "server_error"
    assert answer.ended_ms == 30


@pytest.mark.parametrize("stop_ms", [5, 25, 20_000])
async def test_the_end_of_the_server_breaks_a_stream(app: Starlette, stop_ms: float) -> None:
    model = "trickle:tokens=3,stall_at=3,stall_ms=60000"
    check_broken(await post(app, how={"stop_ms": stop_ms}, model=model, stream=True))
    assert anyio.current_time() <= stop_ms / 1000 + 0.5


async def test_the_end_of_the_server_is_an_error_of_a_whole_answer(app: Starlette) -> None:
    answer = await post(app, how={"stop_ms": 20_000}, model="trickle:ttft_ms=60000")
    assert answer.status == 503
    assert answer.json()["error"]["type"] == "server_error"
    assert int(answer.headers["retry-after"]) >= 0


@pytest.mark.parametrize("stream", [True, False])
async def test_a_client_that_leaves_stops_its_answer_at_once(app: Starlette, stream: bool) -> None:
    await post(app, how={"leave_ms": 20_000}, model="trickle:ttft_ms=60000", stream=stream)
    assert anyio.current_time() == 20
    assert app.state.trickle.admission.active == 0


async def test_where_the_server_can_break_a_connection_it_is_asked_to_and_waited_for() -> None:
    """Ours can (test_clients.py shows it); a response that just returned would be a fault in uvicorn's log."""
    asked, opened = list[str](), type("Opened", (), {"ended": "cut"})

    async def response(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start"})
        await send({"type": "http.response.body", "body": b"x", "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def send(message: Any) -> None:
        asked.append(message["type"])

    breaking: Any = Breaking(response, opened)  # type: ignore[arg-type]
    scope = {"type": "http", "state": {"break_off": lambda: asked.append("break off")}}
    with anyio.move_on_after(60) as waited:
        await breaking(scope, None, send)
    assert waited.cancelled_caught
    assert asked == ["http.response.start", "http.response.body", "break off"]


@pytest.mark.parametrize("char", ["\n", "\r\n", "\u2028", "\x85", "\x00", "👩‍💻", 'data: "x"\n\ndata: [DONE]'])
async def test_what_is_echoed_can_break_no_line(app: Starlette, char: str) -> None:
    told = f"one{char}two"
    messages = [{"role": "user", "content": told}]
    answer = await post(app, model="trickle:echo", messages=messages, stream=True)
    assert re.fullmatch(rb"(data: \S[ -~]*\n\n)+", answer.body)
    assert text_of(answer) == told
    assert answer.events[-1][1].data == "[DONE]"
    assert text_of(await post(app, model="trickle:echo", messages=messages)) == told


def test_the_name_of_a_model_can_break_no_line() -> None:
    writer = Writer(chunks_of.CHAT, model='"\n\ndata: x', created=0)
    assert writer.token("x", 0, 0).count(b"\n") == 2


async def test_parameters_that_mean_nothing_here_are_let_through(app: Starlette) -> None:
    plain = await post(app, stream=True)
    full = await post(
        app,
        stream=True,
        ignore_eos=True,
        min_tokens=5,
        temperature=0.5,
        n=1,
        user=None,
        tools=[{"type": "function"}],
        messages=[{"role": "system", "content": "Be kind.", "name": "x"}, *HELLO],
    )
    assert [json.dumps(chunk["choices"]) for _, chunk in chunks(plain)] == [
        json.dumps(chunk["choices"]) for _, chunk in chunks(full)
    ]
