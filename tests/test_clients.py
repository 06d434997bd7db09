"""Real clients against a real server: they get what is planned, and raise what they raise for OpenAI's own."""

import asyncio
import json
import signal
import socket
import time
from collections.abc import Iterator

import httpx
import httpx_sse
import openai
import pytest

from server.latency.presets import PRESETS
from server.latency.tokens import TEXTS
from tests.chat import CHAT, HELLO
from tests.process import PATIENCE_S, Server, check_gone, serving

KEY = "sk-trickle"
HUNDRED = "trickle:tokens=100,delay_ms=5"
MESSAGES: list[openai.types.chat.ChatCompletionMessageParam] = [{"role": "user", "content": "Hello"}]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("serve", "--api-key", KEY) as server:
        yield server


def base_url(server: Server) -> str:
    return f"http://{server.host}:{server.port}"


def client_of(server: Server, key: str = KEY) -> openai.OpenAI:
    """OpenAI's client, which must neither ask a proxy nor hide an error by trying again."""
    http = openai.DefaultHttpxClient(trust_env=False)
    return openai.OpenAI(base_url=f"{base_url(server)}/v1", api_key=key, max_retries=0, http_client=http)


def async_client_of(server: Server) -> openai.AsyncOpenAI:
    http = openai.DefaultAsyncHttpxClient(trust_env=False)
    return openai.AsyncOpenAI(base_url=f"{base_url(server)}/v1", api_key=KEY, max_retries=0, http_client=http)


@pytest.fixture
def client(server: Server) -> Iterator[openai.OpenAI]:
    with client_of(server) as client:
        yield client


def test_openais_client_streams_a_chat_and_no_token_is_early(client: openai.OpenAI) -> None:
    asked = time.monotonic()
    stream = client.chat.completions.create(
        model=HUNDRED, messages=MESSAGES, stream=True, stream_options={"include_usage": True}
    )
    *chunks, last = [(time.monotonic() - asked, chunk) for chunk in stream]
    assert len(chunks) == 100
    for number, (arrival_s, _) in enumerate(chunks, start=1):
        assert arrival_s * 1000 >= 5 * number
    assert "".join(chunk.choices[0].delta.content or "" for _, chunk in chunks) == TEXTS["loop"]
    assert chunks[0][1].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for _, chunk in chunks] == [None] * 99 + ["stop"]
    assert last[1].choices == []
    assert last[1].usage
    assert last[1].usage.completion_tokens == 100


def test_openais_client_gets_a_whole_chat_and_sets_a_lane_beside_the_model(client: openai.OpenAI) -> None:
    asked = time.monotonic()
    answer = client.chat.completions.create(
        model="trickle", messages=MESSAGES, max_tokens=7, seed=5, extra_body={"ttft_ms": 200, "trickle": True}
    )
    assert time.monotonic() - asked >= 0.26
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage
    assert answer.usage.completion_tokens == 7
    assert answer.model_extra
    assert answer.model_extra["due_ms"] == 260


def test_openais_client_gets_completions_streamed_and_whole(client: openai.OpenAI) -> None:
    whole = client.completions.create(model="trickle:echo", prompt="Hello there")
    assert whole.choices[0].text == "Hello there"
    stream = client.completions.create(model="trickle:echo", prompt="Hello there", stream=True)
    assert [chunk.choices[0].text for chunk in stream] == ["Hello", " there"]


def test_openais_client_lists_the_models(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["trickle", "trickle:echo", *PRESETS]
    assert client.models.retrieve(HUNDRED).id == HUNDRED


def test_openais_client_raises_its_own_errors(server: Server, client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as unknown:
        client.chat.completions.create(model="gpt-4o", messages=MESSAGES, stream=True)
    assert (unknown.value.code, unknown.value.param) == ("model_not_found", "model")
    with pytest.raises(openai.BadRequestError) as bad:
        client.chat.completions.create(model="trickle", messages=MESSAGES, max_tokens=0)
    assert bad.value.param == "max_tokens"
    with pytest.raises(openai.InternalServerError, match="failed after 3 tokens"):
        client.chat.completions.create(model="trickle:fail_at=3", messages=MESSAGES)
    with client_of(server, "wrong") as stranger, pytest.raises(openai.AuthenticationError):
        stranger.models.list()


@pytest.mark.parametrize("lane", ["fail_at=3", "cut_at=3"])
def test_a_broken_stream_is_no_success_to_openais_client_and_no_fault_in_the_log(
    server: Server, client: openai.OpenAI, lane: str
) -> None:
    chunks: list[object] = []
    stream = client.chat.completions.create(model=f"trickle:{lane}", messages=MESSAGES, stream=True)
    with pytest.raises(openai.APIConnectionError):
        chunks.extend(stream)
    assert len(chunks) == 3
    assert server.complaints() == ""


def test_twenty_streams_of_openais_async_client_are_whole_and_none_is_early(server: Server) -> None:
    async def one(client: openai.AsyncOpenAI) -> tuple[str, list[bool]]:
        asked, text, in_time = time.monotonic(), "", list[bool]()
        stream = await client.chat.completions.create(model=HUNDRED, messages=MESSAGES, stream=True)
        async for chunk in stream:
            text += chunk.choices[0].delta.content or ""
            in_time.append((time.monotonic() - asked) * 1000 >= 5 * (len(in_time) + 1))
        return text, in_time

    async def all_of_them() -> None:
        async with async_client_of(server) as client:
            for text, in_time in await asyncio.gather(*(one(client) for _ in range(20))):
                assert text == TEXTS["loop"]
                assert in_time == [True] * 100
            whole = await client.chat.completions.create(model=HUNDRED, messages=MESSAGES)
            assert whole.choices[0].message.content == TEXTS["loop"]

    asyncio.run(all_of_them())


def test_httpx_sse_reads_a_stream_to_its_end(server: Server) -> None:
    body = {"model": "trickle:tokens=3", "messages": HELLO, "stream": True}
    headers = {"Authorization": f"Bearer {KEY}"}
    with (
        httpx.Client(base_url=base_url(server), headers=headers, trust_env=False, timeout=PATIENCE_S) as client,
        httpx_sse.connect_sse(client, "POST", CHAT, json=body) as source,
    ):
        events = list(source.iter_sse())
    assert [event.event for event in events] == ["message"] * 4
    assert [event.id for event in events] == [""] * 4
    assert events[-1].data == "[DONE]"


@pytest.mark.parametrize("lane", ["fail_at=3", "cut_at=3"])
def test_httpx_sees_that_a_broken_stream_is_broken(server: Server, lane: str) -> None:
    body = {"model": f"trickle:{lane}", "messages": HELLO, "stream": True}
    headers = {"Authorization": f"Bearer {KEY}"}
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.post(base_url(server) + CHAT, json=body, headers=headers, trust_env=False, timeout=PATIENCE_S)


@pytest.mark.parametrize("stream", [True, False])
def test_the_connection_ends_with_the_answer_where_the_client_asked_for_that(server: Server, stream: bool) -> None:
    """Else this would wait for the five seconds after which uvicorn closes an idle connection."""
    body = json.dumps({"model": "trickle:tokens=3", "messages": HELLO, "stream": stream}).encode()
    head = f"POST {CHAT} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {KEY}\r\nContent-Length: {len(body)}\r\n"
    with socket.create_connection((server.host, server.port), timeout=PATIENCE_S) as client:
        client.sendall(head.encode() + b"Connection: close\r\n\r\n" + body)
        answer = b""
        while received := client.recv(65_536):
            answer += received
    fields = answer.partition(b"\r\n\r\n")[0].lower().splitlines()
    assert [field for field in fields if field.startswith(b"connection:")] == [b"connection: close"]
    assert answer.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n" if stream else b"}")


def test_a_signal_breaks_a_stream_and_leaves_no_fault_in_the_log() -> None:
    with serving("serve") as server:
        with client_of(server) as client:
            model = "trickle:tokens=2,delay_ms=1,stall_at=2,stall_ms=60000"
            stream = client.chat.completions.create(model=model, messages=MESSAGES, stream=True)
            assert next(stream).choices[0].delta.content == "When"
            server.process.send_signal(signal.SIGTERM)
            with pytest.raises(openai.APIConnectionError):
                next(stream)
        check_gone(server, [signal.SIGTERM])


def test_a_key_is_asked_for_and_never_said(server: Server) -> None:
    answer = httpx.get(f"{base_url(server)}/v1/models", trust_env=False, timeout=PATIENCE_S)
    assert answer.status_code == 401
    assert KEY not in "".join(server.log()) + server.complaints() + answer.text
