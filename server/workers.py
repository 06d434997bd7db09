"""Several workers: processes that uvicorn starts, ends, and replaces where one dies; and where they count."""

import os
import signal
import socket
import tempfile

import uvicorn
from prometheus_client.multiprocess import mark_process_dead
from uvicorn.supervisors import Multiprocess

from .web.metrics import FOLDER


class Workers(Multiprocess):
    """uvicorn's workers, who ignore Ctrl-C until they know how to stop in good order."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self._known: set[int | None] = set()

    def run(self) -> None:
        """Serve until a signal comes. What the workers count is in a folder that lasts as long as they do."""
        with tempfile.TemporaryDirectory(prefix="trickle-") as folder:
            os.environ[FOLDER] = folder  # inherited by each worker
            super().run()
            del os.environ[FOLDER]

    def init_processes(self) -> None:
        """Start them; a process inherits what its parent ignores."""
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        super().init_processes()
        signal.signal(signal.SIGINT, handler)

    def keep_subprocess_alive(self) -> None:
        """Replace those that died, twice a second; what was open in one that is gone is open no more."""
        known = self._known | self._pids()
        super().keep_subprocess_alive()
        self._known = self._pids()
        for pid in known - self._known:
            mark_process_dead(pid, os.environ[FOLDER])

    def _pids(self) -> set[int | None]:
        return {process.process.pid for process in self.processes}
