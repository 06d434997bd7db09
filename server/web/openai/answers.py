"""What is answered: a run of one lane, bounded as the request says, and why it ends where it does."""

from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request

from ...latency.run import Run
from ...latency.spec import LaneSpec
from ...latency.texts import texts_of
from ...latency.tokens import split
from ..query import Query
from ..runs import planned
from ..state import state_of
from .models import Model, read_model
from .requests import Asked, lane_settings

_MAX_ECHO = 4_000  # characters of what is echoed; a megabyte would hold up all streams while it is taken apart


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent and when, and its `finish_reason`: "stop", or "length" where the request allowed no more."""

    run: Run
    finish_reason: str

    @property
    def texts(self) -> tuple[str, ...]:
        """Its tokens; a single empty one where a stop sequence leaves none."""
        return self.run.texts[0]

    @property
    def tokens(self) -> int:
        """How many tokens it has."""
        return sum(1 for text in self.texts if text)


async def planned_answer(request: Request, body: dict[str, Any], asked: Asked) -> Answer:
    """Plan what a request asks for. Raises ApiError, and BadQuery for a bad lane."""
    offered = (await state_of(request).library.current()).offered
    model = read_model(asked.model, offered, lane_settings(body, asked))
    say = asked.told[:_MAX_ECHO] if model.echoes else ""
    spec = _long_as(say, model) if say else model.spec
    most = min(asked.most_tokens or spec.tokens, spec.tokens)
    texts, stopped = _until(asked.stop, texts_of(spec.with_tokens(most), say, offered))
    query = Query((spec.with_tokens(len(texts)),), say, offered)
    run = replace(await planned(request, query), texts=(texts,))
    return Answer(run, "length" if most < spec.tokens and not stopped else "stop")


def _long_as(say: str, model: Model) -> LaneSpec:
    """Return an echo's lane, which is as long as what it echoes unless it says how long it is."""
    own_length = "tokens" in model.spec.model_fields_set
    return model.spec if own_length else model.spec.with_tokens(len(split(say)))


def _until(stops: tuple[str, ...], texts: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """Return the tokens before the first of the stop sequences, and whether there is one; at least one token."""
    whole = "".join(texts)
    places = [place for stop in stops if (place := whole.find(stop)) >= 0]
    if not places:
        return texts, False
    left, kept = min(places), list[str]()
    for text in texts:
        if left <= 0:
            break
        kept.append(text[:left])
        left -= len(text)
    return tuple(kept) or ("",), True
