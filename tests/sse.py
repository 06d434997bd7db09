"""An event-stream parser for tests, written from the standard and not from the server.

It is https://html.spec.whatwg.org/multipage/server-sent-events.html, sections "Parsing an event stream" and
"Interpreting an event stream". Where a stream ends, an event without its blank line is dropped.
"""

import codecs
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Event:
    """One dispatched event; `last_id` is the last event ID then, also where this event brought none itself."""

    name: str
    data: str
    last_id: str

    @property
    def json(self) -> Any:
        return json.loads(self.data)


class Parser:
    """Takes the bytes in pieces of any size. Also keeps what dispatches nothing: comments, and each retry time."""

    def __init__(self) -> None:
        self.last_id = ""
        self.comments: list[str] = []
        self.retries: list[int] = []
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._at_start = True
        self._after_cr = False
        self._line = ""
        self._name = self._data = self._id = ""

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the events that these bytes complete."""
        events = []
        for char in self._decode(chunk):
            first, self._at_start = self._at_start, False
            second_half, self._after_cr = self._after_cr and char == "\n", char == "\r"
            if second_half or (first and char == "\ufeff"):
                continue
            if char not in "\r\n":
                self._line += char
                continue
            line, self._line = self._line, ""
            if line:
                self._field(line)
            elif event := self._dispatch():
                events.append(event)
        return events

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "":
                self.comments.append(value)
            case "event":
                self._name = value
            case "data":
                self._data += value + "\n"
            case "id" if "\0" not in value:
                self._id = value
            case "retry" if value.isascii() and value.isdigit():
                self.retries.append(int(value))

    def _dispatch(self) -> Event | None:
        self.last_id = self._id
        name, data = self._name or "message", self._data
        self._name = self._data = ""
        return Event(name, data.removesuffix("\n"), self.last_id) if data else None


def parse(stream: bytes) -> list[Event]:
    """Return the events of a whole stream."""
    return Parser().feed(stream)
