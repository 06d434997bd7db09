"""Real servers behind a proxy that breaks, delays and slices: every token arrives once, whatever happens.

That a resumed stream keeps the original clock to the microsecond is shown in virtual time (web/test_resume.py).
Here the clocks are real, so of times there is only one side: no token is early.
"""

import math
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import count, product

import httpx
import pytest
from httpx_sse import connect_sse

from tests.faults import Address, Proxy, Way, faulty
from tests.metrics import read
from tests.process import PATIENCE_S, Server, serving
from tests.sse import Event, Parser

AHEAD, BEHIND = "60", "-60"  # seconds
SHORT = "lane=tokens:2,delay_ms:1"
RUN = "lane=tokens:3,delay_ms:3&lane=tokens:3,delay_ms:3,fail_at:1"
# Before which of its bytes a connection breaks: its head, and each kind of event.
PLACES = [b"HTTP/1.1", b"event: start", b"event: token", b'"i":1', b"event: f", b"event: finish", b"event: done"]


@dataclass
class Followed:
    """What a client got that came back until the run was over."""

    events: list[Event] = field(default_factory=list)
    arrivals: list[float] = field(default_factory=list)  # seconds since it first asked, of each event
    ids: list[str] = field(default_factory=list)  # with which it came back; "" where it had none yet

    def named(self, *names: str) -> list[Event]:
        return [event for event in self.events if event.name in names]

    @property
    def is_over(self) -> bool:
        return bool(self.named("done"))


def follow(proxy: Proxy, query: str, patience_s: float = PATIENCE_S) -> Followed:
    """Read a run as the page does: each time the connection ends before `done`, go on after the last id."""
    followed, last_id, asked = Followed(), "", time.monotonic()
    while not followed.is_over:
        assert len(followed.ids) < 10
        followed.ids.append(last_id)
        parser = Parser()
        connection = HTTPConnection(proxy.host, proxy.port, timeout=patience_s)
        try:
            connection.request("GET", f"/stream?{query}", headers={"Last-Event-ID": last_id} if last_id else {})
            response = connection.getresponse()
            if response.status == 204:
                break
            assert response.status == 200
            while chunk := response.read1():
                for event in parser.feed(chunk):
                    followed.events.append(event)
                    followed.arrivals.append(time.monotonic() - asked)
        except (HTTPException, OSError):
            pass  # that is what a broken connection is like
        finally:
            connection.close()
        last_id = parser.last_id or last_id
    return followed


def check(followed: Followed, expected: Followed, *, same_clock: bool = True) -> None:
    """Check that everything came once, in order, and none of it early; ends may come again."""
    tokens = followed.named("token")
    assert [told(event) for event in tokens] == [told(event) for event in expected.named("token")]
    assert {event.data for event in followed.named("finish", "failed")} == {
        event.data for event in expected.named("finish", "failed")
    }
    began = {event.last_id.partition("-")[2] for event in followed.events}
    assert len(began) == 1 or followed.ids.count("") > 1  # without any id yet, a run begins anew
    for event, arrival in zip(followed.events, followed.arrivals, strict=True):
        if event.name == "token":
            assert event.json["sent_ms"] >= event.json["due_ms"]
            assert arrival * 1_000 >= event.json["due_ms"] or not same_clock


def told(token: Event) -> tuple[int, int, str, float]:
    return token.json["lane"], token.json["i"], token.json["text"], token.json["due_ms"]


def address(server: Server) -> Address:
    return server.host, server.port


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, Address]]:
    """Three processes: a clock that is right, and two a minute off. In the end nothing is open in them."""
    with ExitStack() as running:
        started = {"0": running.enter_context(serving("serve"))}
        for off_s in (AHEAD, BEHIND):
            command = (sys.executable, "-m", "tests.other_clock", off_s)
            started[off_s] = running.enter_context(serving(command=command))
        yield {off_s: address(server) for off_s, server in started.items()}
        for server in started.values():
            patient_until = time.monotonic() + PATIENCE_S
            while active := read(server.get("/metrics").read().decode())["trickle_active_streams"]:
                assert time.monotonic() < patient_until, f"{active} streams are still open"
            assert server.complaints() == ""


@pytest.fixture
def proxy(servers: dict[str, Address]) -> Iterator[Proxy]:
    """In front of the server whose clock is right."""
    with faulty(servers["0"]) as proxy:
        yield proxy


def test_through_a_proxy_that_does_nothing_a_run_is_whole(proxy: Proxy) -> None:
    followed = follow(proxy, RUN)
    assert [event.name for event in followed.events] == [
        *("start", "token", "token", "failed", "token", "token", "finish", "done")
    ]
    assert followed.ids == [""]


def test_an_answer_cut_after_any_byte_is_whole_in_the_end(proxy: Proxy) -> None:
    expected = follow(proxy, SHORT)
    for cut in count():
        proxy.script(answer=Way(cut=cut, reset=cut % 2 == 1))
        followed = follow(proxy, SHORT)
        check(followed, expected)
        if len(followed.ids) == 1:
            break  # the answer has fewer bytes
    assert cut > 500  # it was cut indeed


def test_a_request_cut_after_any_byte_is_asked_again(proxy: Proxy) -> None:
    expected = follow(proxy, SHORT)
    for cut in count():
        proxy.script(request=Way(cut=cut, reset=cut % 2 == 1))
        followed = follow(proxy, SHORT)
        check(followed, expected)
        if len(followed.ids) == 1:
            break
    assert cut > 50


CLOCKS = {
    "one clock": ["0"],
    "the second a minute ahead": ["0", AHEAD],
    "the second a minute behind": ["0", BEHIND],
    "the first a minute ahead": [AHEAD, "0"],
    "the first a minute behind": [BEHIND, "0"],
}


@pytest.mark.parametrize("clocks", CLOCKS.values(), ids=CLOCKS.keys())
def test_cut_twice_at_any_event_and_resumed_on_another_server(
    servers: dict[str, Address], clocks: list[str]
) -> None:
    with faulty(*(servers[off_s] for off_s in clocks)) as proxy:
        expected = follow(proxy, RUN)
        for first, second in product(PLACES, repeat=2):
            proxy.script(answer=Way(cut=first))
            proxy.script(answer=Way(cut=second, reset=True))
            followed = follow(proxy, RUN)
            check(followed, expected, same_clock=len(clocks) == 1)
            assert 2 <= len(followed.ids) <= 3


def test_cut_right_after_each_start_nothing_is_lost_or_begins_anew(proxy: Proxy) -> None:
    expected = follow(proxy, RUN)
    proxy.script(answer=Way(cut=b'"i":1'))
    for _ in range(5):
        proxy.script(answer=Way(cut=b"event: token"))
    followed = follow(proxy, RUN)
    check(followed, expected)
    assert len(followed.ids) == 7
    assert len(set(followed.ids[1:])) == 1
    assert [event.last_id for event in followed.named("start")][1:] == followed.ids[1:]


@pytest.mark.parametrize(
    "way",
    [
        Way(pieces_of=1),
        Way(bytes_per_s=20_000),
        Way(bytes_per_s=20_000, pieces_of=7, cut=b"event: f"),
        Way(delay_s=0.05),
        Way(hold=1_000),
        Way(hold=1_000, cut=b"event: done", reset=True),
    ],
    ids=["single bytes", "slow", "slow, sliced and cut", "late", "held back", "held back and cut"],
)
def test_however_slowly_or_sliced_it_comes_a_run_is_whole(proxy: Proxy, way: Way) -> None:
    expected = follow(proxy, RUN)
    proxy.script(answer=way)
    check(follow(proxy, RUN), expected)


def test_a_request_in_single_bytes_is_understood(proxy: Proxy) -> None:
    expected = follow(proxy, RUN)
    proxy.script(request=Way(pieces_of=1))
    check(follow(proxy, RUN), expected)


def test_a_client_that_gives_up_on_a_dead_connection_goes_on_where_it_was(proxy: Proxy) -> None:
    expected = follow(proxy, RUN)
    proxy.script(answer=Way(after=b'"i":0', swallow=True))
    followed = follow(proxy, RUN, patience_s=1)
    check(followed, expected)
    assert len(followed.ids) == 2


def test_a_client_that_asks_again_after_the_end_is_told_that_there_is_nothing_more(proxy: Proxy) -> None:
    proxy.script(answer=Way(cut=b"\r\n0\r\n\r\n"))  # before the end of the body, when all events are here
    followed = follow(proxy, RUN)
    assert followed.ids == [""]
    connection = HTTPConnection(proxy.host, proxy.port, timeout=PATIENCE_S)
    connection.request("GET", f"/stream?{RUN}", headers={"Last-Event-ID": followed.events[-1].last_id})
    assert connection.getresponse().status == 204
    connection.close()


@pytest.mark.parametrize("cut", PLACES[2:], ids=bytes.decode)
def test_httpx_sse_resumes_a_run_too(proxy: Proxy, cut: bytes) -> None:
    expected = follow(proxy, RUN)
    proxy.script(answer=Way(cut=cut))
    followed, url = Followed(), f"http://{proxy.host}:{proxy.port}/stream?{RUN}"
    with httpx.Client(trust_env=False) as client:
        while not followed.is_over:
            last_id = followed.events[-1].last_id if followed.events else ""
            followed.ids.append(last_id)
            headers = {"Last-Event-ID": last_id} if last_id else {}
            with suppress(httpx.TransportError), connect_sse(client, "GET", url, headers=headers) as source:
                for event in source.iter_sse():
                    followed.events.append(Event(event.event, event.data, event.id))
    followed.arrivals = [math.inf] * len(followed.events)
    check(followed, expected)
    assert len(followed.ids) <= 2
