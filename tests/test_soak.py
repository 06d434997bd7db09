"""`make soak` in small, so that it works when somebody wants its figures."""

import subprocess
import sys

from tests.process import PATIENCE_S, ROOT


def test_it_counts_every_token_and_says_how_the_server_was() -> None:
    command = [sys.executable, "-m", "benchmarks.soak", "--duration", "2", "--streams", "5", "--workers", "2"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    figures = dict(line.split(maxsplit=1) for line in ended.stdout.splitlines()[1:] if not line.startswith("s"))
    assert figures["tokens"] == "200 on 5 streams"
    assert [figures[name] for name in ("lost", "repeated", "early")] == ["0", "0", "0"]
    assert "still open     0 streams, 0 sockets" in ended.stdout
    assert "asyncio tasks" in ended.stdout
