"""Clients that start, leave, reset, stop reading and resume in any order, on servers that restart.

However it goes, nothing stays open in any server, and who comes back until the run is over has every token once.
"""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import trio
from anyio.from_thread import start_blocking_portal
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule
from starlette.applications import Starlette
from trio.testing import MockClock, wait_all_tasks_blocked

from server.settings import Settings
from server.web.app import create_app
from tests.asgi import FOREVER_MS, Answer, Wall, ask

RUNS = [
    "lane=tokens:5,delay_ms:10",
    "lane=tokens:3,delay_ms:10,cut_at:2&lane=tokens:4,delay_ms:5,fail_at:2",
    "lane=tokens:2,delay_ms:0,ttft_ms:30,delivery:whole&lane=fail_at:0",
]
PLACES = 3
STEP_S = 0.005
LONG_S = 20  # longer than every run, every wait of the server, and its patience with who reads nothing

MESSAGES = st.integers(0, 8)
WAYS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.builds(lambda ms: {"leave_ms": ms}, st.integers(0, 80)),
    # Reads nothing from this message on: is dropped, or gives up.
    st.builds(lambda message: {"hold_ms": {message: FOREVER_MS}, "leave_ms": 18_000}, MESSAGES),
    st.builds(lambda message: {"resets": message}, MESSAGES),
)


def resets_at(message: int) -> Callable[[], None]:
    """The client resets its connection when this message of the answer is sent."""
    left = iter(range(message))

    def on_send() -> None:
        if next(left, None) is None:
            raise ConnectionResetError

    return on_send


@dataclass
class Client:
    """Somebody who follows one run over several connections."""

    query: str
    answers: list[Answer] = field(default_factory=list)
    connection: Future[None] | None = None
    last_id: str = ""

    @property
    def is_connected(self) -> bool:
        return self.connection is not None and not self.connection.done()

    def tokens(self) -> list[Any]:
        return [
            (token["lane"], token["i"], token["text"])
            for answer in self.answers
            for token in answer.named("token")
        ]

    async def connect(self, app: Starlette, resets: int | None = None, **way: Any) -> None:
        """Ask, and read until there is no more, or until the way ends it."""
        answer = Answer()
        on_send = resets_at(resets) if resets is not None else lambda: None
        try:
            headers = {"Last-Event-ID": self.last_id} if self.last_id else {}
            await ask(app, f"/stream?{self.query}", headers=headers, on_send=on_send, answer=answer, **way)
        except (ExceptionGroup, ConnectionResetError, TimeoutError):
            assert resets is not None or "hold_ms" in way
        if answer.messages and answer.status == 200 and answer.events:
            self.answers.append(answer)
            self.last_id = answer.last_id


class AnyOrder(RuleBasedStateMachine):
    """Time passes only where a rule says so."""

    clients = Bundle("clients")

    @initialize()
    def begin(self) -> None:
        self.everyone: list[Client] = []
        self.apps: list[Starlette] = []
        self.running = ExitStack()
        self.clock = MockClock()
        self.portal = self.running.enter_context(start_blocking_portal("trio", {"clock": self.clock}))
        self.tasks_before = self.portal.call(self.tasks)
        self.restart()

    async def tasks(self) -> int:
        return trio.lowlevel.current_statistics().tasks_living

    @rule()
    def restart(self) -> None:
        """The server stops, and streams with it; those who come from now on find another one."""
        if self.apps:
            self.portal.call(self.apps[-1].state.trickle.stopping.set)
        self.apps.append(create_app(Settings(max_streams=PLACES), now_us=Wall()))

    @rule(target=clients, query=st.sampled_from(RUNS), way=WAYS)
    def start(self, query: str, way: dict[str, Any]) -> Client:
        client = Client(query)
        self.everyone.append(client)
        self.come_back(client, way)
        return client

    @rule(client=clients, way=WAYS)
    def come_back(self, client: Client, way: dict[str, Any]) -> None:
        if not client.is_connected:
            client.connection = self.portal.start_task_soon(lambda: client.connect(self.apps[-1], **way))
            self.portal.call(wait_all_tasks_blocked)

    @rule(steps=st.integers(1, 20))
    def time_passes(self, steps: int) -> None:
        for _ in range(steps):
            self.clock.jump(STEP_S)
            self.portal.call(wait_all_tasks_blocked)
        assert all(0 <= app.state.trickle.admission.active <= PLACES for app in self.apps)

    def long_time_passes(self) -> None:
        for seconds in (STEP_S, 1, LONG_S):
            self.clock.jump(seconds)
            self.portal.call(wait_all_tasks_blocked)

    def teardown(self) -> None:
        with self.running:
            self.long_time_passes()
            for client in self.everyone:
                for _ in range(3):  # a lane of it may be cut once
                    if not client.last_id.startswith("end-"):
                        self.come_back(client, {})
                        self.long_time_passes()
                whole = Client(client.query.replace(",cut_at:2", ""), last_id="0-1")
                self.come_back(whole, {})
                assert client.tokens() == whole.tokens()
            for client in self.everyone:
                assert client.connection is not None
                client.connection.result(0)
            for app in self.apps:
                assert app.state.trickle.admission.active == 0
                assert app.state.trickle.admission._clients == {}
            assert self.portal.call(self.tasks) == self.tasks_before


AnyOrder.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None, derandomize=True)
TestAnyOrder = AnyOrder.TestCase
