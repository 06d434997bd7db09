"""Events as bytes: whatever the text and wherever the bytes are cut, a client reads the same events."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from urllib.parse import quote

import httpx
import pytest
from httpx_sse import EventSource
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette

from server.latency.run import Run
from server.latency.schedule import Step, plan
from server.latency.spec import LaneSpec
from server.web import events
from tests.asgi import EPOCH_US, ask
from tests.sse import Event, Parser, parse

# What could end a line or an event, begin a field, or fall apart.
NASTY = [
    *("\r", "\n", "\r\n", "\n\n", "\r\n\r\n", "\0", "\u0085", "\u2028", "\u2029", "\ufeff", "\x0b\x0c", "\x7f"),
    *("data: x", "\ndata: x", "\n\nevent: done\ndata: {}\n\n", "event: done", "\nid: 9-9\n\n", ": x", "retry: 0"),
    *('"', "\\", '\\"', "\\n", "\\u000a", '","lane":3,"x":"', "</script>", "<img src=x onerror=…>", "{{7*7}}"),
    *("é", "e\u0301", "𝄞", "👩🏽‍👩‍👧‍👦", "\ud83d", "\udc69", "\udc69\ud83d", "\U0010ffff", "\uffff", "\u202e"),
]  # fmt: skip
ANY_CHARACTER = st.characters(exclude_categories=())  # lone surrogates too
ANY_TEXT = st.text(ANY_CHARACTER) | st.lists(st.sampled_from(NASTY)).map("".join)


def stream_of(texts: list[str]) -> bytes:
    """A whole stream, one token for each text."""
    run = Run((LaneSpec(tokens=len(texts)),), plan([LaneSpec(tokens=len(texts))]), (tuple(texts),))
    last = len(texts)
    return b"".join(
        [
            events.start(run, EPOCH_US, 0, retry_ms=2_000),
            *(
                events.token(Step(0, i, 10_000, False), text, EPOCH_US, i + 1, 10_000)
                for i, text in enumerate(texts)
            ),
            events.end(Step(0, last, 10_000, True), run.specs[0]),
            events.done(EPOCH_US, 10_000),
        ]
    )


def in_utf_16(text: str) -> str:
    """Two surrogates side by side are the character that they make, in JSON as in JavaScript."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def check(found: list[Event], texts: list[str]) -> None:
    """Check that there are exactly the events that there should be, with the texts as they were."""
    assert [event.name for event in found] == ["start", *["token"] * len(texts), "finish", "done"]
    assert [event.json["text"] for event in found if event.name == "token"] == [in_utf_16(text) for text in texts]
    count = len(texts)
    assert [event.last_id for event in found] == [
        *(f"{number}-{EPOCH_US}" for number in range(count + 1)),
        f"{count}-{EPOCH_US}",  # finish brings no id
        f"end-{EPOCH_US}",
    ]


def by_httpx_sse(pieces: Iterable[bytes]) -> list[Event]:
    """What httpx-sse makes of it, a client library that others wrote."""
    response = httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=iter(pieces))
    return [Event(event.event, event.data, event.id) for event in EventSource(response).iter_sse()]


def bytes_of(stream: bytes) -> Iterator[bytes]:
    return (stream[place : place + 1] for place in range(len(stream)))


@given(st.lists(ANY_TEXT, min_size=1, max_size=4))
def test_any_text_arrives_as_it_was_in_exactly_one_event(texts: list[str]) -> None:
    stream = stream_of(texts)
    assert stream.isascii()
    assert b"\r" not in stream
    assert b"\0" not in stream
    check(parse(stream), texts)
    check(by_httpx_sse([stream]), texts)


@given(st.lists(ANY_TEXT, min_size=1, max_size=2))
def test_the_same_events_arrive_where_every_byte_comes_alone(texts: list[str]) -> None:
    stream = stream_of(texts)
    parser = Parser()
    check([event for byte in bytes_of(stream) for event in parser.feed(byte)], texts)
    check(by_httpx_sse(bytes_of(stream)), texts)


def test_every_character_of_unicode_arrives_as_it_was() -> None:
    for first in range(0, 0x110000, 4_096):
        text = "".join(map(chr, range(first, first + 4_096)))
        stream = events.token(Step(0, 0, 10_000, False), text, EPOCH_US, 1, 10_000)
        (event,) = by_httpx_sse([stream])
        assert event.json["text"] == in_utf_16(text)
        assert stream.isascii()
        assert stream.count(b"\n") == 4
        assert b"\r" not in stream


def test_the_same_events_arrive_wherever_the_bytes_are_cut_in_two() -> None:
    texts = ["".join(NASTY)]
    stream = stream_of(texts)
    for place in range(len(stream) + 1):
        parser = Parser()
        check(parser.feed(stream[:place]) + parser.feed(stream[place:]), texts)


@given(st.lists(ANY_TEXT, min_size=1, max_size=3), st.data())
def test_a_stream_that_breaks_off_gives_the_events_that_were_whole_and_nothing_else(
    texts: list[str], data: st.DataObject
) -> None:
    stream = stream_of(texts)
    place = data.draw(st.integers(0, len(stream)))
    assert parse(stream[:place]) == parse(stream)[: stream[:place].count(b"\n\n")]


@pytest.mark.parametrize("text", NASTY, ids=ascii)
async def test_the_visitors_own_text_arrives_as_it_was(app: Starlette, text: str) -> None:
    text = text.encode("utf-8", "replace").decode()  # a URL has no lone surrogates
    answer = await ask(app, "/stream?lane=tokens:40,delay_ms:1&say=" + quote(f"a{text}b"))
    assert answer.names == ["start", *["token"] * 40, "finish", "done"]
    assert "".join(token["text"] for token in answer.named("token")).startswith(f"a{text}b")
    check(by_httpx_sse(chunk for _, chunk in answer.chunks), [token["text"] for token in answer.named("token")])


@pytest.mark.parametrize("title", [text for text in NASTY if "," not in text and len(text) <= 40], ids=ascii)
def test_a_title_can_not_end_a_line_either(title: str) -> None:
    title = title.encode("utf-8", "replace").decode()
    spec = LaneSpec(title=title)
    stream = events.start(Run((spec,), plan([spec]), ((),)), EPOCH_US, 0, retry_ms=2_000)
    (event,) = parse(stream)
    assert event.json["lanes"][0]["title"] == title
    assert stream.count(b"\n") == 5


@given(st.integers(0, 600_000_000), st.integers(0, 2 * 10**15))
def test_times_are_milliseconds_with_at_most_three_decimals(due_us: int, sent_us: int) -> None:
    (event,) = parse(events.token(Step(0, 0, due_us, False), "x", EPOCH_US, 1, sent_us))
    assert Decimal(str(event.json["due_ms"])) * 1000 == due_us
    assert Decimal(str(event.json["sent_ms"])) * 1000 == sent_us


def test_the_parser_here_reads_the_examples_of_the_standard() -> None:
    assert parse(b"data: YHOO\ndata: +2\ndata: 10\n\n") == [Event("message", "YHOO\n+2\n10", "")]
    assert parse(
        b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n"
    ) == [
        Event("message", "first event", "1"),
        Event("message", "second event", ""),
        Event("message", " third event", ""),
    ]
    assert parse(b"data\n\ndata\ndata\n\ndata:") == [Event("message", "", ""), Event("message", "\n", "")]
    assert parse(b"data:test\n\ndata: test\n\n") == [Event("message", "test", "")] * 2
    assert parse(b"\xef\xbb\xbfdata: a\r\ndata: b\rdata: c\n\r\nid: 1\0\nevent: x\n\n") == [
        Event("message", "a\nb\nc", "")
    ]
