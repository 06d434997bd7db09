"""The container's files agree with one another and with the server. No engine runs them here."""

import json
import re
import subprocess
import sys

import pytest

from server.settings import Settings
from tests.process import PATIENCE_S, ROOT, serving

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text().replace("\\\n", "")
COMPOSE = (DEPLOY / "compose.yaml").read_text()


def arguments(instruction: str) -> list[str]:
    """What the last such instruction runs. It is JSON, or a shell would run it, which keeps signals to itself."""
    found: list[str] = json.loads(re.findall(rf"^{instruction} .*?(\[.*\])$", DOCKERFILE, re.MULTILINE)[-1])
    return found


def test_what_is_copied_is_there_and_is_all_that_an_engine_is_shown() -> None:
    copied = re.findall(r"^COPY (?!--)(.*) \S+$", DOCKERFILE, re.MULTILINE)
    names = sorted(name for line in copied for name in line.split())
    assert sorted(re.findall("^!(.*)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)) == names
    assert all((ROOT / name).exists() for name in names)


def test_it_serves_and_not_as_root() -> None:
    assert arguments("ENTRYPOINT") + arguments("CMD") == ["trickle", "serve"]
    assert re.findall("^USER ([0-9]+):([0-9]+)$", DOCKERFILE, re.MULTILINE) == [("10001", "10001")]


@pytest.mark.parametrize("text", [DOCKERFILE, COMPOSE], ids=["Dockerfile", "compose.yaml"])
def test_what_it_sets_are_settings(text: str) -> None:
    found = re.findall(r'TRICKLE_([A-Z_]+)(?:=|: )"?([^"\s]+)', text)
    assert Settings.model_validate({name.lower(): value for name, value in found}) != Settings()


def test_it_is_healthy_while_the_server_answers() -> None:
    (_, *how) = arguments("HEALTHCHECK")
    with serving() as server:
        ours = [argument.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}") for argument in how]
        assert ours != how
        for running in (True, False):
            if not running:
                server.process.kill()
                server.process.wait()
            asked = subprocess.run([sys.executable, *ours], timeout=PATIENCE_S, capture_output=True, check=False)
            assert (asked.returncode == 0) is running


def test_what_is_mounted_is_there() -> None:
    mounted = re.findall(r"- \./(\S+):/etc/nginx/\S+:ro$", COMPOSE, re.MULTILINE)
    assert sorted(mounted) == ["compose-nginx.conf", "nginx-proxy.conf"]
    assert all((DEPLOY / name).is_file() for name in mounted)


def test_nginx_treats_two_containers_as_two_processes() -> None:
    """What is tried with two processes in test_nginx.py holds for the containers too."""
    ours, theirs = (
        re.sub(" *#.*| {2,}", "", re.findall("^upstream .*?^}", (DEPLOY / name).read_text(), re.M | re.S)[0])
        for name in ("nginx.conf", "compose-nginx.conf")
    )
    for process, container in (("127.0.0.1:8001", "one:8000"), ("127.0.0.1:8002", "two:8000")):
        assert process in ours
        assert f"  {container.partition(':')[0]}:" in COMPOSE
        ours = ours.replace(process, container)
    assert ours == theirs
