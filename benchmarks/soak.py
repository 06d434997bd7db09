"""Holds many streams for minutes, and says what became of the server and of every token.

`make soak` runs it (DURATION=600 seconds, STREAMS=200). It ends with status 1 where a token was lost, repeated or
early; all else are figures to look at, because machines are shared.
"""

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import chain
from urllib.request import urlopen

import click

from tests.metrics import told
from tests.process import Server, descriptors, memory, serving, threads

CLIENTS = 2  # processes, each with its share of the streams
SHORTEST_DELAY_MS = 50
MOST_TOKENS = 10_000
APART_S = 1  # over which the streams begin, or all tokens of all of them would fall due together
SAMPLES = 60
WARM_UP = 1 / 3  # of the samples: until then memory grows with what the server keeps for all streams


@dataclass
class Received:
    """What one stream's client got; times in ms."""

    expected: int
    numbers: list[int] = field(default_factory=list)
    sent_late: list[float] = field(default_factory=list)  # by the server's clock: sent − due
    arrived_late: list[float] = field(default_factory=list)  # by the client's, since it asked: arrival − due
    ended: bool = False  # with `done`

    @property
    def lost(self) -> int:
        return self.expected - len(set(self.numbers))

    @property
    def repeated(self) -> int:
        return len(self.numbers) - len(set(self.numbers))

    @property
    def early(self) -> int:
        return sum(late < 0 for late in chain(self.sent_late, self.arrived_late))


@dataclass(frozen=True)
class Sample:
    """What the server took at one moment."""

    at_s: float
    bytes: int
    descriptors: int
    threads: int
    tasks: int


async def receive(address: tuple[str, int], tokens: int, delay_ms: int, after_s: float) -> Received:
    """Read one stream to its end. HTTP/1.0, so that the body comes without chunks."""
    received = Received(tokens)
    await asyncio.sleep(after_s)
    reader, writer = await asyncio.open_connection(*address)
    asked = time.monotonic()
    writer.write(f"GET /stream?lane=tokens:{tokens},delay_ms:{delay_ms} HTTP/1.0\r\n\r\n".encode())
    while line := await reader.readline():
        if line.startswith(b'data: {"lane":0,"i":'):
            arrived_ms = (time.monotonic() - asked) * 1000
            token = json.loads(line[6:])
            received.numbers.append(token["i"])
            received.sent_late.append(token["sent_ms"] - token["due_ms"])
            received.arrived_late.append(arrived_ms - token["due_ms"])
        received.ended |= line == b"event: done\n"
    writer.close()
    return received


def client(address: tuple[str, int], streams: int, tokens: int, delay_ms: int) -> list[Received]:
    """Read so many streams at once; runs in a process of its own."""

    async def all_of_them() -> list[Received]:
        apart = (APART_S * number / streams for number in range(streams))
        return await asyncio.gather(*(receive(address, tokens, delay_ms, after_s) for after_s in apart))

    return asyncio.run(all_of_them())


def sampled(server: Server, clients: Sequence[Future[list[Received]]], every_s: float) -> Iterator[Sample]:
    """Look at the server again and again until all clients are done."""
    began = time.monotonic()
    while wait(clients, every_s).not_done:
        yield sample(server, time.monotonic() - began)


def sample(server: Server, at_s: float) -> Sample:
    """Look at the server."""
    with urlopen(f"http://{server.host}:{server.port}/tasks") as answer:  # and leaves no socket open
        tasks = int(answer.read())
    return Sample(at_s, memory(server), descriptors(server), threads(server), tasks)


def report(
    received: Sequence[Received], samples: Sequence[Sample], rest: Sample, counts: dict[str, float]
) -> bool:
    """Print the figures; return whether every token arrived once, and none early."""
    whole = all(each.ended and not each.lost + each.repeated + each.early for each in received)
    print(f"tokens         {sum(len(each.numbers) for each in received):,} on {len(received)} streams")
    print(f"  lost         {sum(each.lost for each in received)}")
    print(f"  repeated     {sum(each.repeated for each in received)}")
    print(f"  early        {sum(each.early for each in received)}")
    for name, late in (
        ("sent", [ms for each in received for ms in each.sent_late]),
        ("arrived", [ms for each in received for ms in each.arrived_late]),
    ):
        hundredths = statistics.quantiles(late, n=100, method="inclusive")
        p50, p99, worst = hundredths[49], hundredths[98], max(late)
        print(f"{name + ' late':<14} p50 {p50:.1f} ms, p99 {p99:.1f} ms, at most {worst:.1f} ms")
    steady = samples[int(len(samples) * WARM_UP) :]
    slope = statistics.linear_regression([s.at_s for s in steady], [s.bytes for s in steady]).slope
    most = max(s.bytes for s in steady) / 2**20
    print(f"memory         at most {most:.1f} MB, slope {slope * 60 / 1024:+.0f} kB a minute")
    print(f"descriptors    {max(s.descriptors for s in steady)}, afterwards {rest.descriptors}")
    print(f"threads        {max(s.threads for s in steady)}, afterwards {rest.threads}")
    print(f"asyncio tasks  {max(s.tasks for s in steady)}, afterwards {rest.tasks} (of one process)")
    active, sockets = counts["trickle_active_streams"], counts["trickle_open_sockets"]
    print(f"still open     {active:.0f} streams, {sockets - 1:.0f} sockets")
    return whole


@click.command(context_settings={"show_default": True})
@click.option("--duration", type=click.IntRange(2, 3600), default=600, help="in seconds")
@click.option("--streams", type=click.IntRange(1, 10_000), default=200)
@click.option("--workers", type=click.IntRange(1, 64), default=1)
@click.pass_context
def main(ctx: click.Context, duration: int, streams: int, workers: int) -> None:
    """Hold STREAMS streams for DURATION seconds."""
    delay_ms = max(SHORTEST_DELAY_MS, -(-duration * 1000 // MOST_TOKENS))
    tokens = duration * 1000 // delay_ms
    print(f"{streams} streams of {tokens:,} tokens, one every {delay_ms} ms, for {duration} s")
    command = (sys.executable, "-m", "benchmarks.watched", str(workers), str(streams))
    with serving(command=command) as server, ProcessPoolExecutor(CLIENTS) as pool:
        shares = [len(range(number, streams, CLIENTS)) for number in range(CLIENTS)]
        address = (server.host, server.port)
        clients = [pool.submit(client, address, share, tokens, delay_ms) for share in shares]
        samples = list(sampled(server, clients, duration / SAMPLES))
        received = list(chain.from_iterable(each.result() for each in clients))
        counts = told(server)
        rest = sample(server, duration)
        whole = report(received, samples, rest, counts)
    ctx.exit(0 if whole else 1)


if __name__ == "__main__":
    main()
