"""What a token costs behind nginx as it is shipped, over HTTP/2: CPU of nginx and of Trickle, and bytes.

`python -m benchmarks.proxy`. deploy/README.md reckons with what it prints.
"""

import asyncio
import ssl

import httpx

from tests.nginx import Nginx, behind_nginx
from tests.process import computed_s, family, processes, serving

STREAMS, TOKENS, DELAY_MS = 50, 200, 50  # few, or this client is what takes the machine
QUERY = f"lane=tokens:{TOKENS},delay_ms:{DELAY_MS}"


async def watch(nginx: Nginx, trust: ssl.SSLContext) -> int:
    """Read a run to its end on a connection of its own, and return its bytes."""
    async with (
        httpx.AsyncClient(verify=trust, http2=True, timeout=None, trust_env=False) as client,
        client.stream("GET", f"{nginx.url}/stream?{QUERY}") as response,
    ):
        return sum([len(chunk) async for chunk in response.aiter_raw()])


async def watch_all(nginx: Nginx) -> int:
    """Let all of them watch at once; return the bytes of one."""
    trust = ssl.create_default_context(cafile=str(nginx.folder / "ca.crt"))
    return min(await asyncio.gather(*(watch(nginx, trust) for _ in range(STREAMS))))


def main() -> None:
    """Measure both."""
    with serving() as one, serving() as two, behind_nginx((one, two)) as nginx:
        with nginx.client() as client:
            client.get("/healthz")  # answered by then, all workers are there
        pid = int((nginx.folder / "pid").read_text())
        parts = {"nginx": family(pid), "Trickle": [*processes(one), *processes(two)]}
        before = {name: computed_s(pids) for name, pids in parts.items()}
        length = asyncio.run(watch_all(nginx))
        print(f"{STREAMS} streams of {TOKENS} tokens, one every {DELAY_MS} ms")
        for name, pids in parts.items():
            a_token_us = (computed_s(pids) - before[name]) / (STREAMS * TOKENS) * 1e6
            print(f"{name:<8} {a_token_us:.0f} µs of CPU a token")
        print(f"{'stream':<8} {length / TOKENS:.0f} bytes a token, before HTTP/2, TLS and TCP add theirs")


if __name__ == "__main__":
    main()
