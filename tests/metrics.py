"""Reads what /metrics answers."""

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.process import Server


def read(text: str) -> dict[str, float]:
    """Each sample by its name and labels, such as `trickle_refused_total{why=full}`."""
    return {
        sample.name + "".join(f"{{{name}={value}}}" for name, value in sample.labels.items()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def told(server: Server) -> dict[str, float]:
    """What a running server answers now."""
    return read(server.get("/metrics").read().decode())


def active_streams(server: Server) -> int:
    """How many streams a server has open; asked on a connection of its own, so as often as one likes."""
    told = httpx.get(f"http://{server.host}:{server.port}/metrics", trust_env=False).text
    return int(read(told)["trickle_active_streams"])
