"""start · token · finish · failed · interrupted · done → bytes on the wire, and the id that resumes a run.

Every event is made here from constant names and one line of ASCII-escaped JSON, so that no text of a visitor
can end a line or begin a field. Bytes, because the library passes them on as they are.
"""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..latency.run import Run
from ..latency.schedule import Step
from ..latency.spec import LaneSpec
from ..problem import Problem
from .problems import BadQuery

_ID = re.compile(r"(0|[1-9][0-9]{0,4})-([0-9]{1,16})")
_END_ID = re.compile(r"end-[0-9]{1,16}")


@dataclass(frozen=True, slots=True)
class ResumeId:
    """How many tokens of the run have arrived, and when it started (µs since the epoch)."""

    delivered: int
    started_at_us: int


def is_end(text: str) -> bool:
    """Tell whether an id says that the run it belongs to was over."""
    return _END_ID.fullmatch(text) is not None


def read_id(text: str, run: Run) -> ResumeId:
    """Read an id of this run. Raises BadQuery where it isn't one, or counts more tokens than the run has."""
    match = _ID.fullmatch(text)
    if match is None or int(match[1]) > run.schedule.tokens:
        expected = f"an id that this run's stream sent (0 to {run.schedule.tokens:,} tokens, then - and its start)"
        raise BadQuery([Problem("last_event_id", text, expected)])
    return ResumeId(int(match[1]), int(match[2]))


def start(run: Run, started_at_us: int, delivered: int, retry_ms: int) -> bytes:
    """The first event of every connection. Its id counts what has arrived, so that a second cut loses nothing."""
    data = {"lanes": described(run), "started_at": started_at_us / 1000}
    return _event("start", data, f"id: {delivered}-{started_at_us}\nretry: {retry_ms}\n")


def described(run: Run) -> list[dict[str, Any]]:
    """Return each lane's settings as understood, with n × t and the predicted end."""
    return [
        spec.wire() | {"nt_ms": float(spec.tokens * spec.delay_ms), "predicted_ms": lane.end_us / 1000}
        for spec, lane in zip(run.specs, run.schedule.lanes, strict=True)
    ]


def token(step: Step, text: str, started_at_us: int, delivered: int, sent_us: int) -> bytes:
    """One token; `delivered` counts it in. By hand: a dictionary through json costs several times as much."""
    return (
        f'event: token\nid: {delivered}-{started_at_us}\ndata: {{"lane":{step.lane},"i":{step.i},'
        f'"text":{quoted(text)},"due_ms":{step.due_us / 1000},"sent_ms":{sent_us / 1000}}}\n\n'
    ).encode("ascii")


def end(step: Step, spec: LaneSpec) -> bytes:
    """The end of a lane. Without an id: a resumed connection sends it again, and the page keeps the first."""
    if spec.fail_at is not None:
        reason = spec.failure(spec.fail_at)
        return _event("failed", {"lane": step.lane, "tokens": step.i, "reason": reason})
    due_ms = step.due_us / 1000
    return _event("finish", {"lane": step.lane, "tokens": step.i, "due_ms": due_ms, "reason": "stop"})


def interrupted(reason: str) -> bytes:
    """Why the connection closes before the run is over: it can be resumed."""
    return _event("interrupted", {"reason": reason})


def done(started_at_us: int, sent_us: int) -> bytes:
    """The end of the run; a client that comes back with this id is told so."""
    return _event("done", {"sent_ms": sent_us / 1000}, f"id: end-{started_at_us}\n")


def _event(name: str, data: dict[str, Any], fields: str = "") -> bytes:
    return f"event: {name}\n{fields}data: {json.dumps(data, separators=(',', ':'))}\n\n".encode("ascii")


@lru_cache(maxsize=4096)
def quoted(text: str) -> str:
    """Return a text as ASCII JSON; tokens come again and again."""
    return json.dumps(text)
