"""h11's side of a connection, with a short way for what is sent most: the next piece of a stream.

h11 takes each piece through its state machine. One in the middle of a body changes no state, so it is framed here;
everything else stays h11's.
"""

from typing import Any

import h11

_CHUNKED = b"\r\ntransfer-encoding: chunked\r\n"  # a line of its own: a value may say the same, such as CORS's


class Connection(h11.Connection):
    """The server's side; a body's pieces go past the state machine once it has said how they are framed."""

    _chunked = False

    def next_event(self) -> Any:
        """Return what came next, as h11 does, which would take a request with both framings by one of them.

        A proxy in front may have taken it by the other, and what it took for a body would be a request here.
        """
        event = super().next_event()
        if type(event) is h11.Request and {b"transfer-encoding", b"content-length"} <= {*dict(event.headers)}:
            raise h11.RemoteProtocolError("both Transfer-Encoding and Content-Length")
        return event

    def send(self, event: h11.Event) -> bytes | None:  # type: ignore[override] # h11 has overloads
        """Return the bytes for an event, as h11 does."""
        if self._chunked and type(event) is h11.Data and self.our_state is h11.SEND_BODY:
            data = event.data
            return b"%x\r\n%b\r\n" % (len(data), data) if data else b""  # an empty chunk would end the body
        output = super().send(event)
        if type(event) is h11.Response:
            self._chunked = _CHUNKED in (output or b"").lower()
        return output
