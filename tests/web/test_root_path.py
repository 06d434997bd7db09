"""Below a path of its own, whether a proxy passes that on or takes it off: every address is right."""

import logging
import re

import pytest
from starlette.applications import Starlette

from server.log import STREAMS
from server.settings import Settings
from server.web.app import create_app
from tests.asgi import ask

OTHER = "https://other.example"
PATHS = [
    *("/", "/scenes/the-loop", "/scenes.json", "/speaker", "/join.svg", "/plan?lane=tokens:2"),
    *("/stream?lane=tokens:2", "/answer?lane=tokens:2", "/plain?lane=tokens:2"),
    *("/v1/models", "/v1/models/trickle", "/healthz", "/metrics"),
]


@pytest.fixture
def below() -> Starlette:
    """The whole app below a path."""
    return create_app(Settings(root_path="/demo"))


@pytest.mark.parametrize("path", PATHS)
async def test_with_the_path_and_without_it_the_answer_is_the_same(below: Starlette, path: str) -> None:
    passed_on, taken_off = await ask(below, f"/demo{path}"), await ask(below, path)
    assert passed_on.status == taken_off.status == 200
    if "stream" not in path and "answer" not in path:  # which tell the time
        assert passed_on.body == taken_off.body


@pytest.mark.parametrize("path", ["/demo/static/js/main.js", "/static/js/main.js"])
async def test_static_files_are_there_too(below: Starlette, path: str) -> None:
    assert (await ask(below, path)).headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize("path", ["/nowhere", "/demo/nowhere", "/demonstration", "/demo/demo/", "/demo/static/x"])
async def test_what_is_not_there_is_not_found(below: Starlette, path: str) -> None:
    assert (await ask(below, path)).status == 404


@pytest.mark.parametrize("query", ["", "?lane=tokens:2&say=a+b%20%22%0A"])
async def test_the_path_without_its_slash_leads_to_the_page_and_its_query(below: Starlette, query: str) -> None:
    answer = await ask(below, f"/demo{query}")
    assert answer.status == 307
    assert answer.headers["location"] == f"/demo/{query}"
    assert "content-security-policy" in answer.headers


@pytest.mark.parametrize("path", ["/", "/scenes/the-loop", "/speaker"])
async def test_no_address_on_a_page_leads_out_of_the_path(below: Starlette, path: str) -> None:
    page = (await ask(below, f"/demo{path}")).body.decode()
    addresses = re.findall(r'(?:href|src|action)="([^"]*)"', page)
    assert len(addresses) >= 4
    assert [address for address in addresses if re.match(r"/|[a-z]+:", address)] == []


async def test_the_address_for_the_audience_has_the_path(below: Starlette) -> None:
    for path in ("/demo/", "/", "/demo/scenes/the-loop"):
        assert 'class="address">http://test/demo/<' in (await ask(below, path)).body.decode()
    elsewhere = await ask(create_app(), "/join.svg")
    assert (await ask(below, "/demo/join.svg")).body != elsewhere.body


@pytest.mark.parametrize("path", ["/demo/stream", "/stream"])
async def test_a_page_of_another_origin_gets_no_stream_there_either(below: Starlette, path: str) -> None:
    assert (await ask(below, path, headers={"Origin": OTHER})).status == 403


@pytest.mark.parametrize("path", ["/demo/stream", "/stream"])
async def test_the_log_has_the_routes_own_path(
    below: Starlette, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, STREAMS)
    await ask(below, f"{path}?lane=tokens:1")
    await ask(below, path, headers={"Origin": OTHER})
    assert [record.message.split()[0] for record in caplog.records] == ["path=/stream"] * 2
