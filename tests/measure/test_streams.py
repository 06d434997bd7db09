"""What is made of a stream: exact arrivals, the tokens of either dialect, and why an answer is not whole."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from server import recording
from server.measure.answer import Answer, Attempt, Token
from server.measure.load import make
from server.measure.openai_models import Endpoint
from server.measure.openai_stream import OpenAIStream
from server.measure.saving import Place, recording_of
from server.measure.target import RunTarget
from server.measure.trickle_stream import TrickleStream
from tests.measure.script import DONE, SSE, Pieces, Script, chunk, event, now_us

# httpx leaves the generators inside its own to the collector, where a stream isn't read to its end.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'httpx:ResourceWarning")

RUN = httpx.URL("http://test/stream?lane=tokens:2&lane=tokens:1")
ENDPOINT = Endpoint(httpx.URL("http://test/v1"), "some-model")

START = event("start", lanes=[{"title": "One", "tokens": 2}, {"title": "Two"}], started_at=0)
TOKENS = [
    event("token", lane=0, i=0, text="When", due_ms=10.0, sent_ms=10.2),
    event("token", lane=1, i=0, text="Why", due_ms=10.0, sent_ms=10.3),
    event("token", lane=0, i=1, text=" a", due_ms=20.0, sent_ms=20.001),
]
FINISHED = [event("finish", lane=lane, tokens=2 - lane, due_ms=20.0, reason="stop") for lane in (0, 1)]
END = event("done", sent_ms=20.1)
NO_TOKEN = "not a stream: an event 'token' is not one of Trickle's"


async def received_run(*replies: Pieces | httpx.Response) -> Attempt:
    """One attempt at a run of two lanes."""
    attempts: list[Attempt] = []
    await make(TrickleStream(Script(*replies).wire(), RunTarget(RUN)), 1, 1, attempts, lambda: None)
    return attempts[0]


async def received_chat(*replies: Pieces | httpx.Response, key: str = "") -> Answer:
    """One answer of a model."""
    attempts: list[Attempt] = []
    await make(OpenAIStream(Script(*replies).wire(key), ENDPOINT, "Hello"), 1, 1, attempts, lambda: None)
    (answer,) = attempts[0].answers
    return answer


def at_once(*pieces: bytes) -> Pieces:
    return [(0, piece) for piece in pieces]


def failed(answer: Answer | Attempt) -> str:
    assert answer.failure
    return str(answer.failure)


async def test_each_token_of_a_run_has_its_lane_its_arrival_and_its_schedule() -> None:
    together, last, end = TOKENS[0] + TOKENS[1], TOKENS[2], FINISHED[0] + FINISHED[1] + END
    attempt = await received_run([(1, START), (11.5, together), (21, last), (22, end)])
    one, two = attempt.answers
    assert one.tokens == [Token("When", 11_500, 10_000, 10_200), Token(" a", 21_000, 20_000, 20_001)]
    assert two.tokens == [Token("Why", 11_500, 10_000, 10_300)]
    assert [(answer.title, answer.ended) for answer in attempt.answers] == [("One", "done"), ("Two", "done")]


async def test_each_chunk_with_text_is_a_token_with_its_arrival() -> None:
    answer = await received_chat(
        [
            (5, chunk("")),  # a role alone
            (300.25, chunk("When", due_ms=300.0, sent_ms=300.1)),
            (310.125, chunk(" a")),
            (320, chunk(None, "stop")),
            (320, b'data: {"choices": [], "usage": {"completion_tokens": 3}}\n\n' + DONE),
        ]
    )
    assert answer.tokens == [Token("When", 300_250, 300_000, 300_100), Token(" a", 310_125)]
    assert (answer.ended, answer.counted) == ("done", 3)


async def test_a_token_whose_event_comes_in_parts_came_with_its_last() -> None:
    whole = chunk("When", "stop")
    answer = await received_chat([(ms, whole[ms : ms + 1]) for ms in range(len(whole))])
    assert answer.tokens == [Token("When", (len(whole) - 1) * 1_000)]


async def test_comments_ids_and_events_of_other_names_are_no_tokens() -> None:
    nothing = [b": keep-alive\n\n", b"event: ping\nid: 7\n\n", b'data: {"choices": [{"delta": null}]}\n\n']
    answer = await received_chat(at_once(*nothing, b'data: {"choices": null}\n\n', chunk("When", "stop")))
    assert [token.text for token in answer.tokens] == ["When"]
    attempt = await received_run(at_once(START, event("news", what="none"), *TOKENS, *FINISHED, END))
    assert [len(answer.tokens) for answer in attempt.answers] == [2, 1]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_part_of_an_answer(field: str) -> None:
    thought = f'data: {{"choices": [{{"delta": {{"{field}": "Hm"}}}}]}}\n\n'.encode()
    answer = await received_chat(at_once(thought, chunk("When"), DONE))
    assert [token.text for token in answer.tokens] == ["Hm", "When"]


@pytest.mark.parametrize("end", [chunk(None, "length"), DONE, chunk(None, "stop") + DONE])
async def test_an_answer_is_whole_whether_its_end_is_told_by_a_reason_or_a_mark(end: bytes) -> None:
    assert (await received_chat(at_once(chunk("When"), end))).ended == "done"


async def test_a_saved_answer_has_each_arrival_to_the_microsecond(tmp_path: Path) -> None:
    """Microseconds as binary fractions of a second or a millisecond would not all come back."""
    times_ms = [Decimal(i * i * 7 + 15_013) / 1000 for i in range(500)]
    attempts: list[Attempt] = []
    pieces = [(float(ms), chunk(f" {ms}")) for ms in times_ms]
    await make(OpenAIStream(Script([*pieces, (9_000, DONE)]).wire(), ENDPOINT, ""), 1, 1, attempts, lambda: None)
    made = recording_of(attempts, "http://test/v1", "some-model")
    assert made
    Place(tmp_path / "saved.json", replace=False).write(made)
    read = recording.read(tmp_path / "saved.json")
    assert [(token.text, token.arrival_ms) for token in read.tokens] == [(f" {ms}", ms) for ms in times_ms]
    assert (read.source, read.model, read.ended) == ("http://test/v1", "some-model", "done")
    assert read.recorded_at == attempts[0].started_at


@pytest.mark.parametrize(
    ("pieces", "reason"),
    [
        ([START, *TOKENS], "cut: the stream ended before the answer did"),
        ([START, event("interrupted", reason="shutdown")], "cut: the server interrupted it (shutdown)"),
        ([START, b"event: token\ndata: {\n\n"], NO_TOKEN),
        ([START, event("token", lane=2, text="a", due_ms=1, sent_ms=1)], NO_TOKEN),
        ([START, event("token", lane=-1, text="a", due_ms=1, sent_ms=1)], NO_TOKEN),
        ([START, event("token", lane=0, text="", due_ms=1, sent_ms=1)], NO_TOKEN),
        ([START, event("token", lane=0, text="a", due_ms=float("nan"), sent_ms=1)], NO_TOKEN),
        ([START, event("token", lane=0, text="a", due_ms=1e308, sent_ms=1)], NO_TOKEN),
        ([event("start", lanes=3)], NO_TOKEN.replace("token", "start")),
        ([START, event("finish", lane=9, reason="stop")], NO_TOKEN.replace("token", "finish")),
    ],
)
async def test_a_run_that_does_not_come_to_its_end_says_why(pieces: Sequence[bytes], reason: str) -> None:
    attempt = await received_run(at_once(*pieces))
    assert failed(attempt) == reason
    assert attempt.answers[0].failure == attempt.answers[1].failure


async def test_of_a_run_in_which_one_lane_fails_the_other_is_whole() -> None:
    failing = event("failed", lane=1, tokens=0, reason="the model failed after 0 tokens")
    attempt = await received_run(at_once(START, failing, TOKENS[0], TOKENS[2], FINISHED[0], END))
    assert [answer.ended for answer in attempt.answers] == ["done", "failed"]
    assert failed(attempt) == "failed: the model failed after 0 tokens"


@pytest.mark.parametrize(
    ("pieces", "tokens", "reason"),
    [
        ([chunk("When")], 1, "cut: the stream ended before the answer did"),
        ([chunk("When"), b"data: {\n\n"], 1, "not a stream: a chunk is not one of OpenAI's: {"),
        ([b'data: {"choices": 3}\n\n'], 0, 'not a stream: a chunk is not one of OpenAI\'s: {"choices": 3}'),
        ([chunk("When"), b'data: {"error": {"message": "out of memory"}}\n\n'], 1, "failed: out of memory"),
        ([b'data: {"error": {"code": 7}}\n\n'], 0, 'failed: {"code": 7}'),
        ([chunk(None, "stop"), DONE], 0, "failed: the answer ended without any text"),
        ([DONE], 0, "failed: the answer ended without any text"),
        ([], 0, "cut: the stream ended before the answer did"),
    ],
)
async def test_a_chat_that_does_not_come_to_its_end_says_why(
    pieces: Sequence[bytes], tokens: int, reason: str
) -> None:
    answer = await received_chat(at_once(*pieces))
    assert failed(answer) == reason
    assert len(answer.tokens) == tokens


@pytest.mark.parametrize(
    "beyond", [b'{"due_ms": 1e308}', b'{"sent_ms": -1}', b'{"usage": {"completion_tokens": 1%s}}' % (b"0" * 400)]
)
async def test_numbers_that_are_no_times_and_no_counts_lose_nothing_that_came(beyond: bytes) -> None:
    answer = await received_chat(at_once(chunk("When"), b"data: " + beyond + b"\n\n"))
    assert failed(answer).startswith("not a stream: a chunk is not one of OpenAI's: ")
    assert len(answer.tokens) == 1


async def test_what_comes_after_the_end_is_not_read() -> None:
    answer = await received_chat(at_once(chunk("When"), DONE, chunk(" never")))
    assert [token.text for token in answer.tokens] == ["When"]


def response(status: int, content: bytes = b"", kind: str = "application/json", **headers: str) -> httpx.Response:
    return httpx.Response(status, headers={"Content-Type": kind} | headers, content=content)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (response(401, b'{"error": {"message": "no such key"}}'), "refused: status 401: no such key"),
        (response(422, b'{"detail": [{"msg": "too long"}]}'), 'refused: status 422: [{"msg": "too long"}]'),
        (response(503, b'{"title": "Full", "detail": "no place"}'), "refused: status 503: no place"),
        (response(404, b"<h1>Gone</h1>", "text/html"), "refused: status 404: Not Found"),
        (response(500, b"Oh\x1b no", "text/plain"), "refused: status 500: Oh\\x1b no"),
        (response(599, b"", "text/plain"), "refused: status 599"),
        (response(307, location="http://elsewhere/v1"), "refused: status 307: it redirects to http://elsewhere/v1"),
        (response(400, b"[" * 100_000), "refused: status 400: Bad Request"),
        (response(500, b"a" * 2**21, "text/plain"), f"refused: status 500: {'a' * 488}…"),
        (response(200, b"{}"), "not a stream: the server answers application/json, not text/event-stream"),
        (httpx.Response(200), "not a stream: the server answers something without a type, not text/event-stream"),
        (response(204), "refused: status 204: No Content"),
    ],
)
async def test_an_answer_that_is_no_stream_says_what_it_is(reply: httpx.Response, reason: str) -> None:
    assert failed(await received_run(reply)) == reason


async def test_a_body_that_cannot_be_unpacked_is_no_stream() -> None:
    headers = {"Content-Type": SSE, "Content-Encoding": "gzip"}
    reply = httpx.Response(200, headers=headers, stream=httpx.ByteStream(chunk("When")))
    assert failed(await received_chat(reply)).startswith("not a stream: Error -3 while decompressing")


async def test_a_key_is_sent_and_not_shown() -> None:
    script = Script(response(401, b'{"error": {"message": "sk-secret is no good key"}}'))
    attempts: list[Attempt] = []
    await make(OpenAIStream(script.wire("sk-secret"), ENDPOINT, "Hello"), 1, 1, attempts, lambda: None)
    assert script.requests[0].headers["Authorization"] == "Bearer sk-secret"
    assert failed(attempts[0]) == "refused: status 401: … is no good key"


async def test_a_server_that_knows_no_counts_is_asked_without_them_from_then_on() -> None:
    script = Script(response(400, b'{"detail": "stream_options?"}'), at_once(chunk("When"), DONE))
    attempts: list[Attempt] = []
    await make(OpenAIStream(script.wire(), ENDPOINT, "Hello"), 2, 1, attempts, lambda: None)
    assert [attempt.answers[0].ended for attempt in attempts] == ["done", "done"]
    assert [body.pop("stream_options", None) for body in script.bodies] == [{"include_usage": True}, None, None]


async def test_a_bad_request_that_stays_one_is_told() -> None:
    replies = [response(400, told) for told in (b'{"detail": "stream_options?"}', b'{"detail": "no"}')]
    answer = await received_chat(*replies)
    assert failed(answer) == "refused: status 400: no"


@pytest.mark.parametrize("is_trickle", [False, True])
async def test_only_trickle_is_asked_for_its_schedule(is_trickle: bool) -> None:
    script = Script(at_once(chunk("When"), DONE))
    endpoint = Endpoint(ENDPOINT.base, "some-model", is_trickle)
    await make(OpenAIStream(script.wire(), endpoint, "Hello"), 1, 1, [], lambda: None)
    assert str(script.requests[0].url) == "http://test/v1/chat/completions"
    assert script.bodies == [
        {
            "model": "some-model",
            "messages": [{"role": "user", "content": "Hello"}],
            "stream": True,
            "stream_options": {"include_usage": True},
            **({"trickle": True} if is_trickle else {}),
        }
    ]


async def test_so_many_requests_are_made_so_many_at_a_time_and_each_end_is_told() -> None:
    attempts: list[Attempt] = []
    script = Script([(100, chunk("When") + DONE)])
    ends_us: list[int] = []
    await make(OpenAIStream(script.wire(), ENDPOINT, "Hello"), 7, 3, attempts, lambda: ends_us.append(now_us()))
    assert script.asked_us == [0, 0, 0, 100_000, 100_000, 100_000, 200_000]
    assert ends_us == [100_000, 100_000, 100_000, 200_000, 200_000, 200_000, 300_000]
    assert [attempt.answers[0].tokens[0].arrival_us for attempt in attempts] == [100_000] * 7
