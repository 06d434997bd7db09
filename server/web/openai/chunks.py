"""Chunks and whole answers → bytes on the wire: what clients break or misreport without is exact here.

A chunk is one line, exactly `data: ` and ASCII JSON, and nothing else is ever on the wire. Clients take the first
one for the first token, so none comes before that: the role rides in it, and the reason of the end in the last.
"""

import json
import uuid
from dataclasses import dataclass
from typing import Any

from ..events import quoted

DONE = b"data: [DONE]\n\n"
_COMPACT = (",", ":")


@dataclass(frozen=True, slots=True)
class Kind:
    """What an endpoint calls things."""

    prefix: str
    chunk: str
    whole: str


CHAT = Kind("chatcmpl-", "chat.completion.chunk", "chat.completion")
TEXT = Kind("cmpl-", "text_completion", "text_completion")


class Writer:
    """Writes one answer; all its chunks have one id and one time (s since the epoch)."""

    def __init__(self, kind: Kind, model: str, created: int, *, usage: bool = False, truth: bool = False) -> None:
        self._kind, self._usage, self._truth = kind, usage, truth
        self._common = {"id": kind.prefix + uuid.uuid4().hex, "created": created, "model": model}
        self._head = json.dumps({**self._common, "object": kind.chunk}, separators=_COMPACT)[:-1]

    def token(
        self, text: str, due_us: int, sent_us: int, *, first: bool = False, finish: str | None = None
    ) -> bytes:
        """One token. By hand, as in events.py: a dictionary through json costs several times as much."""
        if self._kind is CHAT:
            role = '"role":"assistant",' if first else ""
            said = f'"delta":{{{role}"content":{quoted(text)}}}'
        else:
            said = f'"text":{quoted(text)}'
        reason = f'"{finish}"' if finish else "null"
        usage = ',"usage":null' if self._usage else ""  # as OpenAI has it where the counts come at the end
        truth = f',"due_ms":{due_us / 1000},"sent_ms":{sent_us / 1000}' if self._truth else ""
        choice = f'{{"index":0,{said},"logprobs":null,"finish_reason":{reason}}}'
        return f'data: {self._head},"choices":[{choice}]{usage}{truth}}}\n\n'.encode("ascii")

    def end(self, usage: dict[str, int]) -> bytes:
        """What follows the last token: the counts if they are asked for, and the end."""
        if not self._usage:
            return DONE
        counts = json.dumps(usage, separators=_COMPACT)
        return f'data: {self._head},"choices":[],"usage":{counts}}}\n\n'.encode("ascii") + DONE

    def whole(self, text: str, finish: str, usage: dict[str, int], due_us: int, sent_us: int) -> bytes:
        """The answer in one piece."""
        message = {"role": "assistant", "content": text, "refusal": None}
        said: dict[str, Any] = {"message": message} if self._kind is CHAT else {"text": text}
        choice = {"index": 0, **said, "logprobs": None, "finish_reason": finish}
        content = {**self._common, "object": self._kind.whole, "choices": [choice], "usage": usage}
        truth = {"due_ms": due_us / 1000, "sent_ms": sent_us / 1000} if self._truth else {}
        return json.dumps(content | truth).encode("ascii")
