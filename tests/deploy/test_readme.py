"""What deploy/README.md reckons and has one copy. Its commands are run by test_readme_commands.py."""

import math
import re

import pytest

from server.settings import Settings
from tests.process import ROOT

README = (ROOT / "deploy" / "README.md").read_text()
PROSE = README.replace("\n", " ")


def figure(name: str) -> int:
    """What the first table says."""
    (found,) = re.findall(rf"^\| {name} \| ([0-9,]+)", README, re.MULTILINE)
    return int(found.replace(",", ""))


RATE = figure("tokens a second")
OURS_US, NGINX_US = (figure(f"{name}'s CPU a token") for name in ("Trickle", "nginx"))
OURS = 5  # of 8 cores
PLACES = Settings().max_streams


def test_a_core_and_a_machine_carry_what_the_figures_say() -> None:
    ours, nginx = (1e6 / RATE / us for us in (OURS_US, NGINX_US))  # streams on a whole core
    for told in (
        f"0.5 s ÷ ({RATE} × {OURS_US} µs) = {ours / 2:,.0f} streams",
        f"and {nginx / 2:,.0f} of nginx",
        f"So the {PLACES} streams that one process lets in keep about half a core busy",
        f"{OURS} Trickle processes and leaves {8 - OURS} cores to nginx: {OURS * PLACES:,} viewers",
        f"| {ours:,.0f} streams at 50 ms a token, {ours / 5:,.0f} at 10 ms |",
        f"| {1e9 / (RATE * figure('bytes a token') * 8):,.0f} streams on 1 Gbit/s",
    ):
        assert told in PROSE
    assert (8 - OURS) * nginx / 2 >= OURS * PLACES
    assert ours / 2 == pytest.approx(PLACES, rel=0.1)


@pytest.mark.parametrize("viewers", [500, 10_000, 1_000_000])
def test_so_many_viewers_take_so_many_machines(viewers: int) -> None:
    out = viewers * RATE * figure("bytes a token") * 8 / 1e6
    processes, machines = math.ceil(viewers / PLACES), math.ceil(viewers / (OURS * PLACES))
    assert f"| {viewers:,} | {processes:,} | {machines:,} | {out:,.0f} Mbit/s |" in README


def test_what_is_copied_goes_where_it_is_looked_for() -> None:
    copied = dict(re.findall(r"^sudo cp deploy/(\S+) /etc/nginx/(\S+)$", README, re.MULTILINE))
    assert copied == {"nginx.conf": "conf.d/trickle.conf", "nginx-proxy.conf": "snippets/trickle.conf"}
    conf = (ROOT / "deploy" / "nginx.conf").read_text()
    assert f"include {copied['nginx-proxy.conf']};" in conf
    (certificate,) = re.findall(r"^sudo cp (\S+) (\S+) /etc/nginx/$", README, re.MULTILINE)
    assert all(f" /etc/nginx/{name};" in conf for name in certificate)
