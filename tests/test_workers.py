"""Several workers: they count together, and what one of them counted outlives it."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from server import launch
from server.settings import Settings
from server.workers import Workers
from tests.metrics import told
from tests.process import PATIENCE_S, Server, events_of, processes, serving, wait_until

FINISHED = "trickle_streams_ended_total{how=finished}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the server puts its temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    with serving("serve", "--workers", "2") as server:
        yield server


def workers(folder: Path) -> set[int]:
    """The processes that have counted."""
    return {int(path.stem.removeprefix("counter_")) for path in folder.glob("trickle-*/counter_*.db")}


def wait_until_there_are(count: int, folder: Path, server: Server) -> None:
    """Ask until so many workers have counted."""
    wait_until(lambda: told(server) != {} and len(workers(folder)) == count)


def test_workers_end_when_the_process_that_started_them_is_killed(server: Server, folder: Path) -> None:
    wait_until_there_are(2, folder, server)
    server.process.kill()
    wait_until(lambda: not any(_runs(pid) for pid in workers(folder)))


def _runs(pid: int) -> bool:
    """Tell whether a process runs; one that nobody has waited for yet stays listed without a command."""
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    return False


def test_whichever_worker_is_asked_tells_the_counts_of_all(server: Server, folder: Path) -> None:
    wait_until_there_are(2, folder, server)
    for _ in range(10):
        list(events_of(server.get("/stream?lane=tokens:3,delay_ms:1")))
    wait_until(lambda: told(server)[FINISHED] == 10)  # the last byte is out a moment before the count
    for _ in range(10):
        assert told(server)["trickle_tokens_sent_total"] == 30
        assert told(server)["trickle_lateness_seconds_count"] == 10
    opened = [server.get("/stream?lane=ttft_ms:60000") for _ in range(4)]
    assert {response.status for response in opened} == {200}
    assert told(server)["trickle_active_streams"] == 4


def test_no_count_goes_back_where_a_worker_dies_and_nothing_stays_open(server: Server, folder: Path) -> None:
    wait_until_there_are(2, folder, server)
    for _ in range(5):
        list(events_of(server.get("/stream?lane=tokens:3,delay_ms:1")))
    wait_until(lambda: told(server)[FINISHED] == 5)
    opened = [server.get("/stream?lane=ttft_ms:60000") for _ in range(3)]
    assert len(opened) == told(server)["trickle_active_streams"]
    for pid in workers(folder):
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: told(server)["trickle_active_streams"] == 0)
    assert told(server)[FINISHED] == 5
    assert told(server)["trickle_tokens_sent_total"] == 15
    list(events_of(server.get("/stream?lane=tokens:3,delay_ms:1")))
    wait_until(lambda: told(server)[FINISHED] == 6)
    server.process.terminate()
    assert server.process.wait(PATIENCE_S) in (0, -signal.SIGTERM)


def has_begun(process: Path) -> bool:
    """Whether it would hear of Ctrl-C, as one does that runs Python and no longer what it was forked from."""
    status = dict(line.split(":\t") for line in (process / "status").read_text().splitlines() if ":\t" in line)
    heard_or_held_back = int(status["SigCgt"], 16) | int(status["SigBlk"], 16)
    is_itself = "spawn_main" in (process / "cmdline").read_text()
    return is_itself and bool(heard_or_held_back >> (signal.SIGINT - 1) & 1)


def test_ctrl_c_while_a_worker_is_being_replaced_ends_all_without_a_word(folder: Path) -> None:
    in_a_group = ("setsid", sys.executable, "-m", "server")
    with serving("serve", "--workers", "2", command=in_a_group) as server:
        wait_until_there_are(2, folder, server)
        before = processes(server)
        os.kill(next(iter(workers(folder))), signal.SIGKILL)
        wait_until(lambda: any(has_begun(process) for process in set(processes(server)) - set(before)))
        os.killpg(server.process.pid, signal.SIGINT)
        assert server.process.wait(PATIENCE_S) in (0, -signal.SIGINT)
        assert server.complaints() == ""


def test_a_worker_that_takes_long_to_start_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # this process's own stay as they are
    workers = Workers(launch.uvicorn_config(Settings()), [])
    process = SimpleNamespace(is_alive=lambda: True, pid=1)
    slow: Any = SimpleNamespace(process=process, is_alive=lambda timeout: False)
    workers.processes = [slow]
    workers.keep_subprocess_alive()
    assert workers.processes == [slow]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_of_the_counts_when_the_server_ends(
    server: Server, folder: Path, number: signal.Signals
) -> None:
    assert told(server)[FINISHED] == 0
    assert len(list(folder.iterdir())) == 1
    server.process.send_signal(number)
    assert server.process.wait(PATIENCE_S) in (0, -number)
    assert list(folder.iterdir()) == []
    assert server.complaints() == ""
