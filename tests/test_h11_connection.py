"""The short way of a stream's pieces past h11's state machine: the bytes are h11's, and so are its refusals."""

import h11
import pytest

from server.h11_connection import Connection

CHUNKED = [h11.Response(status_code=200, headers=[("X", "y")])]
LENGTH = h11.Response(status_code=200, headers=[("Content-Length", "3")])
SIZED = [LENGTH, h11.Data(data=b"abc"), h11.EndOfMessage()]
PIECES = [h11.Data(data=data) for data in (b"a", b"", b"x" * 4_096, "\u00e9\r\n".encode(), b"0\r\n\r\n")]
BOASTING = [
    h11.Response(status_code=200, headers=[("X", "transfer-encoding: chunked"), ("Content-Length", "3")]),
    *SIZED[1:],
]
STREAM = [*CHUNKED, *PIECES, h11.EndOfMessage()]
EMPTY = [*CHUNKED, h11.Data(data=b""), h11.EndOfMessage()]
CONTINUE = h11.InformationalResponse(status_code=100, headers=[])


def asked(connection: h11.Connection, request: bytes = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") -> h11.Connection:
    """A connection on which a request is here as a whole."""
    connection.receive_data(request)
    while connection.next_event() is not h11.NEED_DATA and connection.their_state is not h11.DONE:
        if connection.they_are_waiting_for_100_continue:
            break
    return connection


def both(request: bytes = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") -> list[h11.Connection]:
    return [asked(kind(h11.SERVER), request) for kind in (Connection, h11.Connection)]


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", STREAM),
        (b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", STREAM),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", EMPTY),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", SIZED),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", BOASTING),
        (b"GET / HTTP/1.0\r\n\r\n", STREAM),
        (b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", EMPTY),
        (b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n", [CONTINUE, *STREAM]),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", [h11.Response(status_code=204, headers=[]), h11.EndOfMessage()]),
    ],
)
def test_it_sends_what_h11_sends(request_: bytes, answer: list[h11.Event]) -> None:
    ours, theirs = both(request_)
    assert [ours.send(event) or b"" for event in answer] == [theirs.send(event) or b"" for event in answer]
    assert ours.our_state is theirs.our_state


@pytest.mark.parametrize("answers", [(STREAM, SIZED, STREAM), (SIZED, STREAM, EMPTY, SIZED)])
def test_each_answer_on_a_connection_is_framed_by_its_own_head(answers: tuple[list[h11.Event], ...]) -> None:
    ours, theirs = both()
    for number, answer in enumerate(answers):
        if number:
            for connection in (ours, theirs):
                connection.start_next_cycle()
                asked(connection)
        assert [ours.send(event) or b"" for event in answer] == [theirs.send(event) or b"" for event in answer]


@pytest.mark.parametrize("before", [[], STREAM, SIZED, SIZED[:2]])
def test_a_piece_where_none_may_be_is_refused_as_ever(before: list[h11.Event]) -> None:
    for connection in both():
        for event in before:
            connection.send(event)
        with pytest.raises(h11.LocalProtocolError):
            connection.send(h11.Data(data=b"more"))


def test_a_piece_after_the_client_broke_the_rules_is_refused_as_ever() -> None:
    for connection in both():
        connection.send(CHUNKED[0])
        connection.send_failed()
        with pytest.raises(h11.LocalProtocolError):
            connection.send(h11.Data(data=b"more"))
