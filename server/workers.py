"""Several workers: processes that uvicorn starts, ends, and replaces where one dies; and where they count."""

import functools
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

import uvicorn
from prometheus_client.multiprocess import mark_process_dead
from uvicorn.supervisors import Multiprocess

from .web.metrics import FOLDER


class Workers(Multiprocess):
    """uvicorn's workers, who leave Ctrl-C to the process that started them: it would break off their start."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        config.app = functools.partial(_made_in_a_worker, config.app)
        super().__init__(config, sockets)
        self._known: set[int | None] = set()

    def run(self) -> None:
        """Serve until a signal comes. What the workers count is in a folder that lasts as long as they do."""
        with tempfile.TemporaryDirectory(prefix="trickle-") as folder:
            os.environ[FOLDER] = folder  # inherited by each worker
            super().run()
            del os.environ[FOLDER]

    def init_processes(self) -> None:
        """Start them."""
        with _held_back_ctrl_c():
            super().init_processes()

    def keep_subprocess_alive(self) -> None:
        """Replace those that died, twice a second; what was open in one that is gone is open no more.

        uvicorn would also kill those that take more than 5 s to start, as on a busy machine.
        """
        known = self._known | self._pids()
        if not all(process.process.is_alive() for process in self.processes):
            with _held_back_ctrl_c():
                super().keep_subprocess_alive()
        self._known = self._pids()
        for pid in known - self._known:
            mark_process_dead(pid, os.environ[FOLDER])

    def _pids(self) -> set[int | None]:
        return {process.process.pid for process in self.processes}


def no_room_to_count() -> str:
    """Return why workers could not count, "" if they can; a read-only container may have no /tmp."""
    try:
        tempfile.gettempdir()
    except FileNotFoundError as exc:
        return str(exc.strerror)
    return ""


def _made_in_a_worker(make: Any) -> Any:  # uvicorn has several types for both
    """Make the app in a process that ends with the one that started it."""
    threading.Thread(target=_end_with_its_parent, daemon=True).start()
    return make()


def _end_with_its_parent() -> None:
    """Stop in good order when the process that started this one is gone, killed perhaps."""
    parent = multiprocessing.parent_process()
    assert parent
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def _held_back_ctrl_c() -> Iterator[None]:
    """Let none through while a process is started, which inherits that for good: its parent tells it to stop."""
    resource_tracker.ensure_running()  # else it is started with the first of them, and lets Ctrl-C through again
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    yield
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
