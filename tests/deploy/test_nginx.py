"""Two servers behind nginx with the configuration that is shipped: what reaches a client, and what does not."""

import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from server.latency.tokens import TEXTS, tokens_of
from server.settings import Settings
from server.web.streams import _KEEP_ALIVE_S
from tests.metrics import active_streams
from tests.nginx import BELOW_DEMO, DEPLOY, Nginx, behind_nginx
from tests.process import Server, serving, wait_until
from tests.sse import Event, Parser

HANGS = "tokens:2,ttft_ms:0,stall_at:2,stall_ms:60000"  # one token at once, the other in a minute
HANGING = {"model": f"trickle:{HANGS}", "stream": True}
SILENT = "/answer?lane=tokens:2,ttft_ms:60000,delay_ms:5000"  # for longer than nginx waits if it isn't told to
TAKEN_OFF = {
    "/demo/ {\n    proxy_pass http://trickle;": "/demo/ {\n    proxy_pass http://trickle/;",
    "/demo/stream {\n    proxy_pass http://trickle;": "/demo/stream {\n    proxy_pass http://trickle/stream;",
}
SECRET = "nobodys-business"

Pair = tuple[Server, Server]


@contextmanager
def pair(*options: str) -> Iterator[Pair]:
    command = ("serve", "--proxy-headers", *options)
    with serving(*command) as one, serving(*command) as two:
        yield one, two


@pytest.fixture(scope="module")
def servers() -> Iterator[Pair]:
    with pair() as servers:
        yield servers
        assert [server.complaints() for server in servers] == ["", ""]


@pytest.fixture(scope="module")
def nginx(servers: Pair) -> Iterator[Nginx]:
    with behind_nginx(servers) as nginx:
        yield nginx


@pytest.fixture(scope="module")
def silent(nginx: Nginx) -> Iterator[Future[httpx.Response]]:
    """An answer that says nothing for more than a minute. It is asked for first, so that nobody waits for it."""
    with nginx.client() as client, ThreadPoolExecutor(1) as pool:
        yield pool.submit(client.get, SILENT)


@pytest.fixture
def client(nginx: Nginx) -> Iterator[httpx.Client]:
    with nginx.client() as client:
        yield client


def logs(nginx: Nginx) -> str:
    return "".join(file.read_text() for file in nginx.folder.glob("*.log"))


def events(client: httpx.Client, query: str, last_id: str = "") -> Iterator[Event]:
    """Each event of a stream as it comes."""
    parser, headers = Parser(), {"Last-Event-ID": last_id} if last_id else {}
    with client.stream("GET", f"stream?{query}", headers=headers) as response:
        assert response.status_code == 200
        for chunk in response.iter_raw():
            yield from parser.feed(chunk)


@pytest.mark.usefixtures("silent")
def test_a_browsers_plain_http_is_led_to_https(nginx: Nginx) -> None:
    answer = httpx.get(f"http://127.0.0.1:{nginx.http_port}/scenes/the-loop?bare=1", trust_env=False)
    assert answer.status_code == 301
    assert answer.headers["location"] == "https://127.0.0.1/scenes/the-loop?bare=1"


def test_over_http_2_a_run_is_whole(client: httpx.Client) -> None:
    assert client.get("/healthz").http_version == "HTTP/2"
    came = list(events(client, "lane=tokens:3,delay_ms:3&lane=tokens:3,delay_ms:3,fail_at:1"))
    assert [event.name for event in came] == [
        *("start", "token", "token", "failed", "token", "token", "finish", "done")
    ]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", f"/stream?lane={HANGS}", None),
        ("GET", f"/plain?lane={HANGS}", None),
        ("POST", "/v1/chat/completions", {**HANGING, "messages": [{"role": "user", "content": ""}]}),
        ("POST", "/v1/completions", {**HANGING, "prompt": ""}),
    ],
    ids=["stream", "plain", "chat", "text"],
)
def test_a_token_is_here_before_the_next_one_is_due_and_who_leaves_holds_nothing(
    nginx: Nginx, servers: Pair, method: str, path: str, body: object
) -> None:
    first = tokens_of(TEXTS["loop"], 1)[0].encode()
    came, others = b"", sum(map(active_streams, servers))
    with nginx.client() as client, client.stream(method, path, json=body) as response:
        assert response.status_code == 200
        assert "content-encoding" not in response.headers  # though it was welcome
        pieces = response.iter_raw()
        while first not in came:
            came += next(pieces)
        assert sum(map(active_streams, servers)) == others + 1
    wait_until(lambda: sum(map(active_streams, servers)) == others)


def test_what_is_no_stream_is_compressed(client: httpx.Client) -> None:
    page = client.get("/")
    files = re.findall(r'(?:href|src)="(static/[^"]+\.(?:css|js))"', page.text)
    assert len(files) >= 2
    for answer in (page, *(client.get(f"/{file}") for file in files)):
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.headers["vary"] == "Accept-Encoding"


def test_the_page_knows_the_address_by_which_it_was_asked(client: httpx.Client, nginx: Nginx) -> None:
    assert f'class="address">{nginx.url}/<' in client.get("/").text


def test_a_client_has_an_address_of_its_own_and_can_not_choose_it() -> None:
    """Two servers let in one stream of each address, so two of each address have a place."""
    with (
        pair("--max-streams-per-client", "1") as servers,
        behind_nginx(servers) as nginx,
        nginx.client("127.0.0.2") as here,
        nginx.client("127.0.0.3") as there,
        ExitStack() as streams,
    ):
        for client in (here, here, there, there):
            answer = streams.enter_context(client.stream("GET", f"/stream?lane={HANGS}"))
            assert answer.status_code == 200
        assert list(map(active_streams, servers)) == [2, 2]  # who has fewest gets the next one
        for forged in ({}, {"X-Forwarded-For": "192.0.2.7"}):
            assert here.get(f"/stream?lane={HANGS}", headers=forged).status_code == 429


@pytest.mark.parametrize(
    ("root_path", "changes"),
    [
        ("", {}),
        ("/demo", BELOW_DEMO),
        ("/demo", BELOW_DEMO | TAKEN_OFF),
    ],
    ids=["none", "passed on", "taken off"],
)
def test_below_a_path_all_is_there_and_nothing_else(root_path: str, changes: dict[str, str]) -> None:
    options = ["--root-path", root_path] if root_path else []
    with (
        pair(*options) as servers,
        behind_nginx(servers, changes) as nginx,
        nginx.client(base=f"{root_path}/") as client,
    ):
        page = client.get("scenes/the-loop")
        assert f'class="address">{nginx.url}{root_path}/<' in page.text
        assert client.get("static/js/main.js").headers["content-type"].startswith("text/javascript")
        assert [event.name for event in events(client, "lane=tokens:1")][-1] == "done"
        for path in ("", "scenes.json", "speaker", "join.svg", "plan", "plain?lane=tokens:1", "v1/models"):
            assert client.get(path).status_code == 200
        if root_path:
            assert client.get(f"{nginx.url}/healthz").status_code == 404
            assert client.get(nginx.url + root_path).headers["location"] == f"{nginx.url}{root_path}/"


def test_a_server_that_is_killed_is_replaced_by_the_other_and_no_token_is_lost_or_doubled() -> None:
    query = f"lane=tokens:60,delay_ms:50&say={SECRET}"
    with pair() as servers, behind_nginx(servers) as nginx, nginx.client() as client:
        stream = events(client, query)
        came = [next(stream) for _ in range(10)]
        (dead,) = [server for server in servers if active_streams(server)]
        dead.process.kill()
        with pytest.raises(httpx.RemoteProtocolError):
            came.extend(stream)
        came += events(client, query, came[-1].last_id)
        tokens = [event.json for event in came if event.name == "token"]
        assert [token["i"] for token in tokens] == list(range(60))
        assert "".join(token["text"] for token in tokens).startswith(SECRET)
        assert all(token["sent_ms"] >= token["due_ms"] for token in tokens)
        assert [event.name for event in came].count("start") == 2
        assert [event.name for event in came][-2:] == ["finish", "done"]
        assert [client.get("/healthz").status_code for _ in range(20)] == [200] * 20
        assert client.post("/v1/completions", json={"model": "trickle:tokens=1"}).status_code == 200
        wait_until(lambda: logs(nginx).count('"GET /stream HTTP/2.0" 200') == 2)  # it writes after it has answered
        assert SECRET not in logs(nginx)


def test_an_nginx_without_connections_says_so_and_nobodys_words(servers: Pair) -> None:
    with (
        behind_nginx(servers, {"worker_connections 768": "worker_connections 12"}) as nginx,
        ExitStack() as streams,
    ):
        statuses = [200]
        while statuses[-1] == 200:
            assert len(statuses) < 24
            client = streams.enter_context(nginx.client())
            answer = streams.enter_context(client.stream("GET", f"/stream?lane={HANGS}&say={SECRET}"))
            statuses.append(answer.status_code)
        assert statuses[-1] == 500
        wait_until(lambda: '"GET /stream HTTP/2.0" 500' in logs(nginx))  # it writes after it has answered
        assert SECRET not in logs(nginx)


def test_an_answer_may_be_silent_for_as_long_as_the_longest_run() -> None:
    conf = (DEPLOY / "nginx-proxy.conf").read_text()
    time_outs = [int(seconds) for seconds in re.findall(r"proxy_read_timeout ([0-9]+)s;", conf)]
    assert time_outs[0] > Settings().max_run_s
    assert time_outs[1] >= 3 * _KEEP_ALIVE_S


def test_it_is_that_time_out_which_ends_a_silent_answer(servers: Pair) -> None:
    with behind_nginx(servers, {"660s": "1s"}) as nginx, nginx.client() as client:
        assert client.get("/answer?lane=tokens:1,ttft_ms:20000").status_code == 504


def test_an_answer_that_was_silent_for_more_than_a_minute_is_whole(silent: Future[httpx.Response]) -> None:
    answer = silent.result()
    assert answer.status_code == 200
    assert answer.json()["text"] == "".join(tokens_of(TEXTS["loop"], 2))
    assert answer.json()["sent_ms"] >= 65_000
