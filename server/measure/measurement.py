"""A measurement: from what somebody asks for to what was received. It keeps what there is when it is stopped."""

from collections.abc import Callable
from dataclasses import dataclass

import httpx

from .answer import Attempt
from .failure import Failure
from .load import Source, make
from .openai_models import find_endpoint
from .openai_stream import OpenAIStream
from .target import RunTarget, read_target
from .trickle_stream import TrickleStream
from .wire import Wire, now_us, open_client

PROMPT = "Explain in about 200 words why the sky is blue."


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked for."""

    url: str
    model: str | None
    prompt: str | None
    requests: int
    concurrency: int
    warmup: int
    timeout_s: float
    key: str


class Measurement:
    """One measurement: its model and prompt where it has them, every attempt so far, and how long they took."""

    def __init__(self, options: Options) -> None:
        """Raises Failure where an option is wrong."""
        self.options = options
        self.model, self.prompt = options.model, options.prompt
        self.attempts: list[Attempt] = []  # those that warmed up are not among them
        self.duration_us = 0
        self._target = read_target(options.url)
        if isinstance(self._target, RunTarget) and (self.model is not None or self.prompt is not None):
            reason = "--model and --prompt are for an OpenAI-compatible server; a /stream says all in its URL"
            raise Failure("bad option", reason)
        if not (options.key.isascii() and options.key.isprintable()):
            raise Failure("bad option", "OPENAI_API_KEY must be plain ASCII, on one line")

    @property
    def source(self) -> str:
        """The URL that is measured, without what nobody else may see."""
        return self._target.shown

    @property
    def first_failure(self) -> Failure | None:
        """What went wrong in the first request in which something did."""
        return next((attempt.failure for attempt in self.attempts if attempt.failure), None)

    async def run(self, on_end: Callable[[], None]) -> None:
        """Measure, and tell the end of each request. Raises Failure where no request can be made."""
        async with open_client(self.options.timeout_s) as client:
            source = await self._open(client)
            await self._warm_up(source)
            began_us = now_us()
            try:
                await make(source, self.options.requests, self.options.concurrency, self.attempts, on_end)
            finally:
                self.duration_us = now_us() - began_us

    async def _open(self, client: httpx.AsyncClient) -> Source:
        if isinstance(self._target, RunTarget):
            return TrickleStream(Wire(client), self._target)
        wire = Wire(client, self.options.key)
        endpoint = await find_endpoint(wire, self._target, self.options.model)
        self.model = endpoint.model
        self.prompt = PROMPT if self.options.prompt is None else self.options.prompt
        return OpenAIStream(wire, endpoint, self.prompt)

    async def _warm_up(self, source: Source) -> None:
        attempts: list[Attempt] = []
        await make(source, self.options.warmup, self.options.concurrency, attempts, lambda: None)
        for attempt in attempts:
            if failure := attempt.failure:
                raise Failure(failure.kind, f"{failure.reason} (while warming up)")
