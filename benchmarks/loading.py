"""What opening the page costs the server, and how it comes to the browser."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from statistics import median

from playwright.sync_api import Browser, Request

from benchmarks import chromium
from benchmarks.figures import figure
from benchmarks.report import Table
from tests.process import Server, cpu_s

FILES = re.compile(r'(?:href|src)="(static/[^"]+)"')
VERSION = re.compile(r"/[0-9a-f]{16}/")
LOADS, ROUNDS, OPENED = 50, 3, 5
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
SETTLED_MS = 500


@dataclass(frozen=True)
class Loads:
    """What a load costs the server, in ms of CPU, in each round: as a page asks for it, and from the disk."""

    kept: Sequence[float]
    disk: Sequence[float]

    @property
    def ratios(self) -> list[float]:
        return [kept / disk for kept, disk in zip(self.kept, self.disk, strict=True)]


@dataclass(frozen=True)
class Opened:
    """A first load as the browser saw it."""

    requests: int
    bytes: int  # received, without heads
    outside: int  # requests to another host
    painted_ms: float  # first contentful paint
    shift: float  # of the layout


def opened(browser: Browser, url: str, slower: int = 1) -> list[Opened]:
    """Open the page a few times, each time as somebody who was never there."""
    return [_opened(browser, url, slower) for _ in range(OPENED)]


def _opened(browser: Browser, url: str, slower: int) -> Opened:
    asked: list[Request] = []
    with chromium.page(browser, url, slower) as page:
        page.on("request", lambda request: asked.append(request))  # Playwright can't hang on to a builtin
        page.goto("/", wait_until="networkidle")
        page.wait_for_timeout(SETTLED_MS)
        outside = [each for each in asked if not each.url.startswith((f"{url}/", "data:", "blob:"))]
        received = sum(each.sizes()["responseBodySize"] for each in asked)
        painted_ms, shift = page.evaluate(PAINTED), page.evaluate("window.shift")
    return Opened(len(asked), received, len(outside), painted_ms, shift)


def loads(server: Server, quick: bool) -> Loads:
    """Load the page again and again with a client that does nothing else, in turn with the files from the disk."""
    connection = HTTPConnection(server.host, server.port)
    page = _get(connection, "/").decode()
    kept = ["/", *(f"/{path}" for path in dict.fromkeys(FILES.findall(page)))]
    disk = [VERSION.sub("/", path) for path in kept]
    times = 10 if quick else LOADS
    rounds = [(_cost_ms(server, connection, kept, times), _cost_ms(server, connection, disk, times))
              for _ in range(ROUNDS)]
    connection.close()
    return Loads(*zip(*rounds, strict=True))


def _cost_ms(server: Server, connection: HTTPConnection, paths: Sequence[str], times: int) -> float:
    before = cpu_s(server)
    for _ in range(times):
        for path in paths:
            _get(connection, path)
    return (cpu_s(server) - before) / times * 1000


def _get(connection: HTTPConnection, path: str) -> bytes:
    connection.request("GET", path, headers={"Accept-Encoding": "gzip"} if path != "/" else {})
    return connection.getresponse().read()


def table(loads: Loads, opened: Sequence[Opened], slower: Sequence[Opened]) -> Table:
    """Say what a load is and costs."""
    first = opened[0]
    rows = [
        ("requests", str(first.requests)),
        ("received, kB, without heads", figure(first.bytes / 1000, 1)),
        ("first contentful paint, ms, median", figure(painted_ms(opened), 0)),
        ("the same on a CPU ÷ 4", figure(painted_ms(slower), 0)),
        ("layout shift, worst", figure(worst_shift(opened), 3)),
        ("server's CPU for a load, ms", figure(median(loads.kept), 1)),
        ("the same with its files from the disk", figure(median(loads.disk), 1)),
    ]
    return Table("A first load of `/`, over loopback:", ("a first load", "measured"), rows)


def painted_ms(opened: Sequence[Opened]) -> float:
    return median(each.painted_ms for each in opened)


def worst_shift(opened: Sequence[Opened]) -> float:
    return max(each.shift for each in opened)
