"""Parameters of a request: those that mean something here, the types they must have, and the body they come in."""

from typing import Any

import anyio
import pytest
from starlette.applications import Starlette

from server.latency.tokens import TEXTS, split
from tests.asgi import Answer, ask
from tests.chat import CHAT, HELLO, PATHS, TEXT, chunks, error_of, finish_of, post, text_of

ON_BOTH = pytest.mark.parametrize("path", PATHS)
STREAMED_OR_WHOLE = pytest.mark.parametrize("stream", [True, False])
TOKENS = split(TEXTS["loop"])


async def post_raw(app: Starlette, body: bytes, **how: Any) -> Answer:
    """Post any bytes."""
    return await ask(app, CHAT, method="POST", body=body, **how)


# How long the answer is


@ON_BOTH
@STREAMED_OR_WHOLE
@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
async def test_an_answer_has_no_more_tokens_than_are_allowed(
    app: Starlette, path: str, stream: bool, name: str
) -> None:
    most: dict[str, Any] = {name: 7}
    answer = await post(app, path, stream=stream, **most)
    assert text_of(answer) == "".join(TOKENS[:7])
    assert finish_of(answer) == "length"
    assert answer.ended_ms == 70


@pytest.mark.parametrize("most", [100, 101, 10**12, None])
async def test_an_answer_that_is_not_longer_ends_by_itself(app: Starlette, most: int | None) -> None:
    answer = await post(app, max_tokens=most)
    assert (text_of(answer), finish_of(answer)) == (TEXTS["loop"], "stop")


async def test_the_newer_name_goes_before_the_older(app: Starlette) -> None:
    assert len(chunks(await post(app, stream=True, max_completion_tokens=3, max_tokens=5))) == 3


@pytest.mark.parametrize(
    ("lane", "most", "sent", "finish"),
    [
        ("tokens=9,fail_at=5", 4, 4, "length"),
        ("tokens=9,fail_at=5", 5, 5, "length"),  # over before the model can fail
        ("tokens=9,fail_at=5", 6, 5, None),
        ("tokens=9,fail_at=9", 9, 9, None),
        ("tokens=9,cut_at=5", 4, 4, "length"),
        ("tokens=9,cut_at=5", 5, 5, None),
        ("tokens=9,stall_at=5,stall_ms=500", 4, 4, "length"),
    ],
)
async def test_what_would_happen_after_the_last_token_does_not(
    app: Starlette, lane: str, most: int, sent: int, finish: str | None
) -> None:
    answer = await post(app, model=f"trickle:{lane}", max_tokens=most, stream=True)
    assert (len(chunks(answer)), finish_of(answer)) == (sent, finish)
    assert (answer.ended_ms is None) == (finish is None)


# Where it stops


@ON_BOTH
@STREAMED_OR_WHOLE
@pytest.mark.parametrize(
    ("stop", "text"),
    [
        (" answers", "When a model"),
        ("answers", "When a model "),
        ("odel answers, it", "When a m"),
        (["nowhere", "model", "answers"], "When a "),
        (["it", "model"], "When a "),
        ("", TEXTS["loop"]),
        ([], TEXTS["loop"]),
        (["nowhere", ""], TEXTS["loop"]),
        ("tokens.", TEXTS["loop"].removesuffix("tokens.")),
    ],
)
async def test_an_answer_ends_before_the_first_stop_sequence(
    app: Starlette, path: str, stream: bool, stop: object, text: str
) -> None:
    answer = await post(app, path, stream=stream, stop=stop)
    assert (text_of(answer), finish_of(answer)) == (text, "stop")


async def test_the_tokens_before_a_stop_sequence_come_as_planned(app: Starlette) -> None:
    answer = await post(app, stop="answers", stream=True, stream_options={"include_usage": True})
    assert [ms for ms, _ in chunks(answer)] == [10.0, 20.0, 30.0, 40.0, 40.0]
    assert chunks(answer)[-1][1]["usage"]["completion_tokens"] == 4


@pytest.mark.parametrize(("most", "text", "finish"), [(4, "When a model", "stop"), (3, "When a model", "length")])
async def test_a_stop_sequence_that_is_not_reached_stops_nothing(
    app: Starlette, most: int, text: str, finish: str
) -> None:
    answer = await post(app, stop=" answers", max_tokens=most)
    assert (text_of(answer), finish_of(answer)) == (text, finish)


async def test_a_stop_sequence_may_cut_the_last_token(app: Starlette) -> None:
    answer = await post(app, stop="swers", max_tokens=4)
    assert (text_of(answer), finish_of(answer)) == ("When a model an", "stop")


@STREAMED_OR_WHOLE
async def test_an_answer_that_stops_before_its_first_token_is_empty(app: Starlette, stream: bool) -> None:
    answer = await post(app, stop="When", stream=stream, stream_options={"include_usage": True})
    assert (text_of(answer), finish_of(answer), answer.ended_ms) == ("", "stop", 10)
    usage = chunks(answer)[-1][1]["usage"] if stream else answer.json()["usage"]
    assert usage["completion_tokens"] == 0


# What else there is


async def test_the_seed_is_that_of_the_jitter(app: Starlette) -> None:
    async def times(**parameters: Any) -> list[float]:
        return [ms for ms, _ in chunks(await post(app, model="jitter", stream=True, **parameters))]

    assert await times(seed=1) == await times() != await times(seed=2)
    assert await times(seed=2) == await times(seed=2 + 2**32)
    assert await times(seed=-1) == await times(seed=2**32 - 1)  # OpenAI's have a sign


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("one two", "one two"),
        ([{"type": "text", "text": "one "}, {"type": "text", "text": "two"}], "one two"),
        ([{"type": "image_url", "image_url": {"url": "data:"}}, {"type": "text", "text": "one two"}], "one two"),
    ],
)
async def test_content_may_be_a_list_of_parts(app: Starlette, content: object, text: str) -> None:
    messages = [{"role": "user", "content": content}]
    assert text_of(await post(app, model="trickle:echo", messages=messages)) == text


async def test_a_message_that_calls_a_tool_has_no_content(app: Starlette) -> None:
    calling = [{"role": "assistant", "content": None, "tool_calls": [{}]}, {"role": "assistant"}]
    assert (await post(app, messages=[*HELLO, *calling])).status == 200


@pytest.mark.parametrize(
    ("prompt", "tokens"),
    [
        ("", 0),
        (None, 0),
        ("four", 1),
        ("fives", 2),
        (["fours"], 2),
        ([1, 2, 3], 3),
        ([[1, 2]], 2),
        ([], 0),
        ("x" * 400, 100),
    ],
)
async def test_a_prompt_may_be_empty_a_text_or_tokens(app: Starlette, prompt: object, tokens: int) -> None:
    assert (await post(app, TEXT, prompt=prompt)).json()["usage"]["prompt_tokens"] == tokens


async def test_a_completion_needs_no_prompt(app: Starlette) -> None:
    assert (await post(app, TEXT)).json()["usage"]["prompt_tokens"] == 0


def each(name: str, *values: Any, place: str = "") -> list[tuple[str, Any, str]]:
    """Wrong values of a parameter, and the place that is named."""
    return [(name, value, place or name) for value in values]


def with_content(*contents: Any) -> list[Any]:
    return [[{"role": "user", "content": content}] for content in contents]


@pytest.mark.parametrize(
    ("name", "value", "param"),
    [
        *each("model", None, 5, "x" * 501, ["trickle"]),
        *each("messages", None, "hello", [], {}, [HELLO[0]] * 10_001),
        *each("messages", ["hello"], place="messages[0]"),
        *each("messages", [*HELLO, {"content": "x"}], place="messages[1].role"),
        *each("messages", *with_content(5, {}, ["x"], [{"text": 5}], [None], True), place="messages[0].content"),
        *each("stream", "true", 1, []),
        *each("stream_options", True, "x", []),
        *each("stream_options", {"include_usage": "yes"}, place="stream_options.include_usage"),
        *each("max_tokens", 0, -1, "5", 1.5, True),
        *each("max_completion_tokens", 0, -1, "5", 1.5, True),
        *each("stop", 5, {"a": 1}, [5], ["a"] * 5, True),
        *each("seed", "1", 1.5, True, []),
        *each("n", 0, 2, "1"),
        *each("trickle", "yes"),
    ],
)
@STREAMED_OR_WHOLE
async def test_a_wrong_type_is_a_400_that_names_its_place_before_any_event(
    app: Starlette, name: str, value: Any, param: str, stream: bool
) -> None:
    parameters: dict[str, Any] = {"stream": stream, name: value}
    error = error_of(await post(app, **parameters))
    assert (error["type"], error["param"]) == ("invalid_request_error", param)
    assert param in error["message"]


@pytest.mark.parametrize("prompt", [5, {}, True, ["a", "b"], [[1], [2]], [1, "x"], [1.5], [True]])
async def test_a_prompt_of_another_type_is_a_400(app: Starlette, prompt: object) -> None:
    assert error_of(await post(app, TEXT, prompt=prompt))["param"] == "prompt"


async def test_of_thousands_of_mistakes_a_few_are_told(app: Starlette) -> None:
    error = error_of(await post(app, messages=[{}] * 9_000))
    assert error["param"] == "messages[0].role"
    assert len(error["message"]) < 500


# The body


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"null", b"[]", b'"x"', b"5", b"\xff\xfe", b'{"a":NaN}', b'{"a":-Infinity}', b"{'a': 1}"),
        *(b'{"a":' + b"9" * 5_000 + b"}", b"[" * 100_000, b'{"a":' * 100_000),
    ],
)
async def test_what_is_no_json_object_is_a_400(app: Starlette, body: bytes) -> None:
    error_of(await post_raw(app, body))


async def test_half_an_emoji_breaks_nothing(app: Starlette) -> None:
    assert error_of(await post(app, model="\ud83d"))["param"] == "model"
    for stream in (True, False):
        answer = await post(app, TEXT, model="trickle:echo", prompt="\ud83d", stream=stream)
        assert (text_of(answer), finish_of(answer)) == ("\ud83d", "stop")


@pytest.mark.parametrize(("size", "status"), [(1_000_000, 200), (1_000_001, 413), (20_000_000, 413)])
async def test_a_body_may_have_a_megabyte(app: Starlette, size: int, status: int) -> None:
    head, tail = b'{"model":"trickle","messages":[{"role":"user","content":"', b'"}]}'
    answer = await post_raw(app, head + b"x" * (size - len(head) - len(tail)) + tail)
    assert answer.status == status
    if status != 200:
        assert "1,000,000" in error_of(answer, status)["message"]


async def test_a_body_that_never_ends_is_refused_after_10_s_and_takes_no_place(app: Starlette) -> None:
    taken = []
    how = {"on_send": lambda: taken.append(app.state.trickle.admission.active)}
    error_of(await post_raw(app, b"", body_ends=False, **how), 408)
    assert anyio.current_time() == 10
    assert set(taken) == {0}


async def test_a_client_that_leaves_with_half_its_body_is_not_waited_for(app: Starlette) -> None:
    await post_raw(app, b"{", body_ends=False, leave_ms=5_000)
    assert anyio.current_time() == 5
