"""h11's side of a connection, with a short way for what is sent most: the next piece of a stream.

h11 takes each piece through its state machine. One in the middle of a body changes no state, so it is framed here;
everything else stays h11's.
"""

import h11


class Connection(h11.Connection):
    """The server's side; a body's pieces go past the state machine once it has said how they are framed."""

    _chunked = False

    def send(self, event: h11.Event) -> bytes | None:  # type: ignore[override] # h11 has overloads
        """Return the bytes for an event, as h11 does."""
        if self._chunked and type(event) is h11.Data and self.our_state is h11.SEND_BODY:
            data = event.data
            return b"%x\r\n%b\r\n" % (len(data), data) if data else b""  # an empty chunk would end the body
        output = super().send(event)
        if type(event) is h11.Response:
            self._chunked = b"transfer-encoding: chunked\r\n" in (output or b"").lower()
        return output
