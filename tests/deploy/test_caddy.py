"""Two servers behind Caddy with the configuration that is shipped: a second example, so only what matters most."""

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.metrics import active_streams
from tests.process import PATIENCE_S, ROOT, Server, serving, wait_until
from tools.proxies import find

SHIPPED = (ROOT / "deploy" / "Caddyfile").read_text()
HANGS = "stream?lane=tokens:2,ttft_ms:0,stall_at:2,stall_ms:60000"  # one token at once, the other in a minute


def caddy(*arguments: str | Path, home: Path) -> subprocess.Popen[str]:
    """Run it; nothing that it keeps is kept."""
    program = find("caddy")
    assert program, "There is no Caddy: `make test` fetches it, or says how to."
    return subprocess.Popen(
        [program, *arguments],
        env=os.environ | {"HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)},
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def behind_caddy(one: Server, two: Server, folder: Path, path: str = "") -> Iterator[httpx.Client]:
    """Put servers behind it, on plain http, because a certificate would come from elsewhere."""
    text = SHIPPED
    for old, new in {
        "trickle.example {": f"{{\n\tadmin off\n}}\nhttp://trickle.example {{\n\tbind unix/{folder}/socket",
        "127.0.0.1:8001": f"{one.host}:{one.port}",
        "127.0.0.1:8002": f"{two.host}:{two.port}",
        "reverse_proxy 127": f"reverse_proxy {path}/* 127" if path else "reverse_proxy 127",
    }.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "Caddyfile").write_text(text)
    with caddy("run", "--config", folder / "Caddyfile", home=folder) as process:
        try:
            transport = httpx.HTTPTransport(uds=str(folder / "socket"))  # no port, which another could take
            base = f"http://trickle.example{path}/"
            wait_until(lambda: listens(folder / "socket"))
            with httpx.Client(base_url=base, transport=transport, timeout=PATIENCE_S) as client:
                yield client
        finally:
            process.terminate()


def listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:  # httpx would leave one open each time that it fails
        return probe.connect_ex(str(path)) == 0


def test_it_is_valid(tmp_path: Path) -> None:
    with caddy("validate", "--config", ROOT / "deploy" / "Caddyfile", home=tmp_path) as process:
        _, told = process.communicate()
    assert process.returncode == 0, told


@pytest.mark.parametrize("path", ["", "/demo"])
def test_a_token_comes_when_it_is_due_and_a_server_that_is_killed_is_replaced(tmp_path: Path, path: str) -> None:
    options = ("serve", "--proxy-headers", *(("--root-path", path) if path else ()))
    with serving(*options) as one, serving(*options) as two, behind_caddy(one, two, tmp_path, path) as client:
        assert client.get("static/js/main.js").status_code == 200
        came = b""
        with client.stream("GET", HANGS) as response:
            pieces = response.iter_raw()
            while b'"i":0' not in came:
                came += next(pieces)
            (dead,) = [server for server in (one, two) if active_streams(server)]
        wait_until(lambda: not active_streams(dead))  # who has left holds nothing
        dead.process.kill()
        assert [client.get("healthz").status_code for _ in range(10)] == [200] * 10
