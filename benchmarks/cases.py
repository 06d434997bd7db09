"""Cases: so many streams on each of several servers in turn, and what became of them."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain

from benchmarks.figures import percentile
from benchmarks.load import Client, Load, Received, at_once
from benchmarks.servers import NAMES, started
from tests.process import Server, cpu_s


@dataclass(frozen=True)
class Case:
    """So many streams, asked for at once or over some seconds."""

    streams: int
    delay_ms: int
    rounds: int
    servers: Sequence[str] = NAMES
    over_s: float = 0  # 0: all at once
    workers: int = 1
    tokens: int = 100

    @property
    def name(self) -> str:
        over = f" over {self.over_s:g} s" if self.over_s else ""
        return f"{self.streams:,}{over}" + (f", {self.workers} workers" if self.workers > 1 else "")


@dataclass(frozen=True)
class Run:
    """One load on one server, and how long the server computed meanwhile."""

    load: Load
    cpu_s: float

    @property
    def server_share(self) -> float:
        return self.cpu_s / self.load.took_s


@dataclass(frozen=True)
class Summary:
    """What became of all streams of some runs; times in ms, the others ratios."""

    e2e_p50: float  # from request to last token, over the plan
    e2e_p99: float
    late_p50: float  # arrival − due, since the request
    late_p99: float
    late_max: float
    sent_late_p50: float  # sent − due, by the server's clock
    first_late_p50: float
    drift_p50: float  # of the time from first to last token, over the plan, − 1
    early: int
    lost: int


def summary(received: Sequence[Received]) -> Summary:
    """Sum streams up; one that got no token counts only for those it lost."""
    some = [each for each in received if each.due]
    e2e = [each.arrived[-1] / each.due[-1] for each in some]
    late = list(chain.from_iterable(each.late for each in some))
    many = [each for each in some if each.due[-1] > each.due[0]]
    drift = [(each.arrived[-1] - each.arrived[0]) / (each.due[-1] - each.due[0]) - 1 for each in many]
    return Summary(
        e2e_p50=percentile(e2e, 50),
        e2e_p99=percentile(e2e, 99),
        late_p50=percentile(late, 50),
        late_p99=percentile(late, 99),
        late_max=percentile(late, 100),
        sent_late_p50=percentile(chain.from_iterable(each.sent_late for each in some), 50),
        first_late_p50=percentile((each.late[0] for each in some), 50),
        drift_p50=percentile(drift, 50),
        early=sum(each.early for each in received),
        lost=sum(each.lost for each in received),
    )


def run(client: Client, server: Server, case: Case) -> Run:
    """Load a server with a case, once."""
    before = cpu_s(server)
    load = client.load(server, at_once(case.streams, case.tokens, case.delay_ms, case.over_s))
    return Run(load, cpu_s(server) - before)


Runs = Mapping[Case, Mapping[str, Sequence[Run]]]


def measured(cases: Sequence[Case]) -> Runs:
    """Run all cases; of each, the servers take turns, so that what else the machine does hits all of them."""
    with Client() as client:
        runs: dict[Case, dict[str, list[Run]]] = {}
        for workers in sorted({case.workers for case in cases}):
            here = [case for case in cases if case.workers == workers]
            with ExitStack() as stack:
                names = dict.fromkeys(chain.from_iterable(case.servers for case in here))
                servers = {name: stack.enter_context(started(name, workers)) for name in names}
                for server in servers.values():  # what is made once for all streams
                    run(client, server, Case(10 * workers, 1, 1))
                for case in here:
                    runs[case] = _in_turn(client, servers, case)
        return runs


def _in_turn(client: Client, servers: Mapping[str, Server], case: Case) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {name: [] for name in case.servers}
    for number in range(case.rounds):
        first = number % len(case.servers)
        for name in (*case.servers[first:], *case.servers[:first]):
            runs[name].append(run(client, servers[name], case))
    return runs
