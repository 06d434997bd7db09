"""/v1: parse → build → respond, in OpenAI's dialect."""

import hmac
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from ...latency.pacing import RunClock
from .. import one_lane
from ..open_stream import OpenStream, open_stream
from ..runs import started
from ..sending import HEADERS, streamed
from ..state import state_of
from .answers import Answer, planned_answer
from .body import read_body
from .breaking import Breaking
from .chunks import CHAT, TEXT, Kind, Writer
from .errors import ApiError
from .models import described, listed, read_model
from .requests import Asked, ChatAsked, TextAsked, read_asked

_Endpoint = Callable[[Request], Awaitable[ASGIApp]]
_NO_STORE = {"Cache-Control": "no-store"}


def _for_who_has_the_key(endpoint: _Endpoint) -> _Endpoint:
    """Ask for the key where the server has one, before anything is read; else any key will do, or none."""

    async def guarded(request: Request) -> ASGIApp:
        key = state_of(request).settings.api_key.get_secret_value()
        if key and not _has(request, key):
            detail = "This server wants its API key: Authorization: Bearer KEY."
            raise ApiError(401, detail, code="invalid_api_key", headers={"WWW-Authenticate": "Bearer"})
        return await endpoint(request)

    return guarded


def _has(request: Request, key: str) -> bool:
    """Compare in a time that tells nothing of how much of a key is right."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode("latin-1"), key.encode())


@_for_who_has_the_key
async def models(request: Request) -> Response:
    """List the models that have a name; a lane can be one too, but there are too many of these."""
    offered = (await state_of(request).library.current()).offered
    data = [described(name, read_model(name, offered)) for name in listed(offered)]
    return JSONResponse({"object": "list", "data": data}, headers=_NO_STORE)


@_for_who_has_the_key
async def model(request: Request) -> Response:
    """Tell of one model."""
    name = request.path_params["name"]
    shelf = await state_of(request).library.current()
    return JSONResponse(described(name, read_model(name, shelf.offered)), headers=_NO_STORE)


@_for_who_has_the_key
async def chat(request: Request) -> ASGIApp:
    """Go on with a chat."""
    return await _answer(request, ChatAsked, CHAT)


@_for_who_has_the_key
async def text(request: Request) -> ASGIApp:
    """Go on with a text."""
    return await _answer(request, TextAsked, TEXT)


async def _answer(request: Request, parameters: type[Asked], kind: Kind) -> ASGIApp:
    """Answer at once with a stream, or with the whole when its last token is due; whatever Accept says."""
    streams, answer, writer, usage = await _understood(request, parameters, kind)
    opened = open_stream(request, lanes=1)
    if streams:
        chunks = _chunks(answer, writer, usage, opened, started(request), state_of(request).stopping)
        return Breaking(streamed(request, chunks), opened)
    sent_us = await one_lane.whole(request, answer.run, opened)
    due_us = answer.run.schedule.lanes[0].end_us
    whole = writer.whole("".join(answer.texts), answer.finish_reason, usage, due_us, sent_us)
    return Response(whole, headers=HEADERS, media_type="application/json")


async def _understood(
    request: Request, parameters: type[Asked], kind: Kind
) -> tuple[bool, Answer, Writer, dict[str, int]]:
    """Return whether a stream is asked for, what is answered, who writes it, and its counts.

    What was sent is let go with this: taken apart, a megabyte may be twenty, and an answer may take ten minutes.
    """
    body = await read_body(request)
    asked = read_asked(body, parameters)
    answer = await planned_answer(request, body, asked)
    created = state_of(request).now_us() // 1_000_000
    writer = Writer(kind, asked.model, created, usage=asked.includes_usage, truth=bool(asked.trickle))
    return bool(asked.stream), answer, writer, _usage(asked, answer)


async def _chunks(
    answer: Answer,
    writer: Writer,
    usage: dict[str, int],
    opened: OpenStream,
    clock: RunClock,
    stop: anyio.Event,
) -> AsyncGenerator[bytes, None]:
    """Yield a chunk for each token, those that are due together in one piece; and the end, if it comes to that."""
    spec, lane = answer.run.specs[0], answer.run.schedule.lanes[0]
    last = None if lane.fails or spec.cut_at == spec.tokens else spec.tokens - 1
    async with aclosing(one_lane.tokens(answer.run, opened, clock, stop)) as paced:
        async for steps, sent_us in paced:
            yield b"".join(
                writer.token(
                    answer.texts[step.i],
                    step.due_us,
                    sent_us,
                    first=step.i == 0,
                    finish=answer.finish_reason if step.i == last else None,
                )
                for step in steps
            )
    if opened.ended == "finished":
        yield writer.end(usage)


def _usage(asked: Asked, answer: Answer) -> dict[str, int]:
    """Return the counts; those of the answer are of the tokens that are sent."""
    prompt, completion = asked.prompt_tokens, answer.tokens
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


STREAMS = {"/v1/chat/completions": chat, "/v1/completions": text}
ROUTES = (
    Route("/v1/models", models),
    Route("/v1/models/{name}", model),
    *(Route(path, endpoint, methods=["POST"]) for path, endpoint in STREAMS.items()),
)
