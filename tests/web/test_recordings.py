"""Recordings through the whole app: played in exact virtual time, offered everywhere, and read anew when saved."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from server.settings import Settings
from server.web.app import create_app
from tests.asgi import Answer, Wall, ask
from tests.chat import PATHS, chunks, error_of, finish_of, post, text_of
from tests.recordings import recording, save
from tests.web.test_scenes import Page

LLAMA = recording(["12.345", "12.345", "80.001", "1000.7", 1001])
TIMES = [12.345, 12.345, 80.001, 1000.7, 1001.0]
TEXT = " 0 1 2 3 4"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The server's folder, with a whole answer and one that was cut."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    save(folder, "llama.json", LLAMA)
    save(folder, "cut.json", recording([10, 20], ended="cut"))
    return folder


@pytest.fixture
def app(folder: Path, wall: Wall) -> Starlette:
    """A server that offers the folder."""
    return create_app(Settings(recordings=folder), now_us=wall)


def errors(answer: Answer) -> list[str]:
    assert answer.status == 400, answer.body
    return [error["detail"] for error in answer.json()["errors"]]


async def test_each_token_is_sent_exactly_when_it_once_came(app: Starlette) -> None:
    answer = await ask(app, "/stream?lane=recording:llama")
    assert [ms for ms, event in answer.events if event.name == "token"] == TIMES
    tokens = answer.named("token")
    assert [token["due_ms"] for token in tokens] == [token["sent_ms"] for token in tokens] == TIMES
    assert "".join(token["text"] for token in tokens) == TEXT
    assert answer.names[-2:] == ["finish", "done"]


async def test_it_runs_beside_the_mock_on_one_timeline(app: Starlette) -> None:
    alone = await ask(app, "/stream?lane=recording:llama")
    beside = await ask(app, "/stream?lane=tokens:5,delay_ms:200&lane=recording:llama&say=My+own+text.")
    sent = [token for token in beside.named("token") if token["lane"] == 1]
    assert [{**token, "lane": 0} for token in sent] == alone.named("token")


async def test_the_plan_says_what_is_understood_and_is_not_kept_as_the_file_may_change(app: Starlette) -> None:
    answer = await ask(app, "/plan?lane=recording:llama")
    (lane,) = answer.json()["lanes"]
    assert lane == {
        "recording": "llama",
        "tokens": 5,
        "delay_ms": 247.164,
        "ttft_ms": 12.345,
        "flush_ms": 0.0,
        "delivery": "token",
        "title": "llama3",
        "nt_ms": 1235.82,
        "predicted_ms": 1001.0,
        "due_ms": TIMES,
    }
    assert "no-store" in answer.headers["cache-control"]


async def test_whole_and_plain_answers_of_it(app: Starlette) -> None:
    answer = await ask(app, "/answer?lane=recording:llama")
    assert (answer.json()["text"], answer.ended_ms) == (TEXT, 1001.0)
    plain = await ask(app, "/plain?lane=recording:llama")
    assert ([ms for ms, _ in plain.chunks[:3]], plain.body.decode()) == ([12.345, 80.001, 1000.7], TEXT + "\n")


async def test_it_is_resumed_where_it_was_cut(app: Starlette, wall: Wall) -> None:
    cut = await ask(app, "/stream?lane=recording:llama,cut_at:3")
    assert [token["i"] for token in cut.named("token")] == [0, 1, 2]
    rest = await ask(app, "/stream?lane=recording:llama,cut_at:3", headers={"Last-Event-ID": cut.last_id})
    assert [(token["i"], token["due_ms"]) for token in rest.named("token")] == [(3, 1000.7), (4, 1001.0)]


async def test_a_run_that_is_resumed_tells_that_its_recording_was_replaced(app: Starlette, folder: Path) -> None:
    """The name says which recording, not what is in it; so a client can compare what it is told at each start."""
    cut = await ask(app, "/stream?lane=recording:llama,cut_at:3")
    headers = {"Last-Event-ID": cut.last_id}
    save(folder, "llama.json", recording([1, 2, 3, 40]))
    rest = await ask(app, "/stream?lane=recording:llama,cut_at:3", headers=headers)
    assert rest.named("start")[0]["lanes"] != cut.named("start")[0]["lanes"]
    assert [(token["i"], token["due_ms"]) for token in rest.named("token")] == [(3, 40.0)]
    save(folder, "llama.json", recording([1, 2]))
    assert (await ask(app, "/stream?lane=recording:llama", headers=headers)).status == 400


async def test_no_name_leads_out_of_the_folder(app: Starlette, folder: Path) -> None:
    save(folder.parent, "secret.json", recording([1]))
    for name in ("../secret", "..%2Fsecret", str(folder.parent / "secret"), "llama.json", "LLAMA", "llama%00"):
        assert errors(await ask(app, f"/plan?lane=recording:{name}")) != []


async def test_a_link_is_followed_to_where_the_presenter_keeps_the_file(app: Starlette, folder: Path) -> None:
    (folder / "linked.json").symlink_to(save(folder.parent, "elsewhere.json", recording([5])))
    assert await due(app, "linked") == [5.0]


async def test_one_that_was_cut_fails_there_and_says_so(app: Starlette) -> None:
    answer = await ask(app, "/stream?lane=recording:cut")
    assert answer.names == ["start", "token", "token", "failed", "done"]
    why = "the connection was cut after 2 tokens"
    assert answer.named("failed") == [{"lane": 0, "tokens": 2, "reason": why}]
    assert (await ask(app, "/plain?lane=recording:cut")).body == f" 0 1\n[{why}]\n".encode()
    whole = await ask(app, "/answer?lane=recording:cut")
    assert (whole.status, whole.json()["detail"]) == (502, "The connection was cut after 2 tokens.")


async def test_an_unknown_one_is_told_with_those_there_are(app: Starlette) -> None:
    sentence = 'lane 1: recording must be one of cut, llama, but was "x"'
    for path in ("stream", "plan", "answer", "plain"):
        assert errors(await ask(app, f"/{path}?lane=recording:x")) == [sentence]


async def test_one_that_is_too_long_is_refused_as_any_other_run(folder: Path) -> None:
    app = create_app(Settings(recordings=folder, max_run_s=1))
    assert errors(await ask(app, "/plan?lane=recording:llama")) == [
        'lane 1: predicted_ms must be at most 1,000, but was "1,001.0"'
    ]


# /v1


@pytest.mark.parametrize("path", PATHS)
async def test_it_is_a_model(app: Starlette, path: str) -> None:
    answer = await post(app, path, model="trickle:recording=llama", stream=True, trickle=True, seed=-1)
    sent = chunks(answer)
    assert [ms for ms, _ in sent] == TIMES
    assert [chunk["due_ms"] for _, chunk in sent] == [chunk["sent_ms"] for _, chunk in sent] == TIMES
    assert (text_of(answer), finish_of(answer)) == (TEXT, "stop")
    whole = await post(app, path, model="trickle", recording="llama")
    assert (text_of(whole), finish_of(whole), whole.ended_ms) == (TEXT, "stop", 1001.0)


async def test_fewer_of_its_tokens_may_be_asked_for(app: Starlette) -> None:
    for limit, text, finish in ((2, " 0 1", "length"), (100, TEXT, "stop")):
        answer = await post(app, model="trickle:recording=llama", stream=True, max_tokens=limit)
        assert (text_of(answer), finish_of(answer)) == (text, finish)
    answer = await post(app, model="trickle:recording=llama", stream=True, stop=" 3")
    assert (text_of(answer), finish_of(answer), answer.ended_ms) == (" 0 1 2", "stop", 80.001)


async def test_one_that_was_cut_breaks_the_connection(app: Starlette) -> None:
    answer = await post(app, model="trickle:recording=cut", stream=True)
    assert (text_of(answer), finish_of(answer), answer.ended_ms) == (" 0 1", None, None)
    assert error_of(await post(app, model="trickle:recording=cut"), 502)


async def test_the_models_name_it(app: Starlette) -> None:
    listed = (await ask(app, "/v1/models")).json()["data"]
    assert [model["id"] for model in listed[-2:]] == ["trickle:recording=cut", "trickle:recording=llama"]
    model = (await ask(app, "/v1/models/trickle:recording=llama")).json()
    assert model == listed[-1]
    assert model["lane"] == "recording:llama"


async def test_an_echo_is_none(app: Starlette) -> None:
    error = error_of(await post(app, model="trickle:echo,recording=llama"))
    assert error["message"] == 'recording must be left out beside echo, but was "llama"'


# The page, and what changes while the server runs


async def page(app: Starlette, url: str = "/") -> Page:
    return Page((await ask(app, url)).body.decode())


def menu(of: Page) -> dict[str, str]:
    """The recordings of the settings' menu, each with what is said of it."""
    options = [attributes for tag, attributes in of.tags if tag == "option"]
    return {o["value"]: o["title"] for o in options if o["value"].startswith("lane=recording:")}


async def test_the_page_offers_them_with_where_they_come_from(app: Starlette) -> None:
    told = menu(await page(app))
    assert list(told) == ["lane=recording:cut", "lane=recording:llama"]
    where = "llama3, recorded from http://127.0.0.1:11434/v1 at 2026-11-30T21:00:00Z"
    assert told["lane=recording:llama"].startswith(f"{where}: 5 tokens. ")
    assert told["lane=recording:cut"].startswith(f"{where}: 2 tokens, then the connection was cut. ")


async def test_the_page_opens_with_one_as_it_is_written(app: Starlette) -> None:
    assert (await page(app, "/?lane=recording:llama,delivery:whole")).body["data-query"] == (
        "lane=recording%3Allama%2Cdelivery%3Awhole"
    )


async def test_without_recordings_there_is_no_menu_of_them() -> None:
    assert menu(await page(create_app(Settings()))) == {}


async def test_what_a_file_says_of_itself_is_shown_as_text(app: Starlette, folder: Path) -> None:
    save(folder, "html.json", recording([1], model='"><script>alert(1)</script>', source="<b>"))
    assert '"><script>alert(1)</script>, recorded from <b> at' in menu(await page(app))["lane=recording:html"]


async def due(app: Starlette, name: str) -> list[float] | None:
    """When a recording's tokens are due; None where there is no such recording."""
    answer = await ask(app, f"/plan?lane=recording:{name}")
    return answer.json()["lanes"][0]["due_ms"] if answer.status == 200 else None


async def test_one_that_is_added_changed_or_removed_meanwhile_is_picked_up(app: Starlette, folder: Path) -> None:
    assert await due(app, "new") is None
    path = save(folder, "new.json", recording([1, 2]))
    assert await due(app, "new") == [1.0, 2.0]
    save(folder, "new.json", recording([1, 3]))
    assert await due(app, "new") == [1.0, 3.0]
    path.unlink()
    assert await due(app, "new") is None
    assert await due(app, "llama") == TIMES


async def test_of_one_that_goes_wrong_the_last_good_version_stays_and_the_page_says_why(
    app: Starlette, folder: Path
) -> None:
    good = LLAMA.json_text()
    save(folder, "llama.json", good.replace("80.001", "-80.001"))
    assert await due(app, "llama") == TIMES
    shown = (await ask(app, "/")).body.decode()
    assert "llama.json has problems, so its last good version is shown." in shown
    assert "tokens[2].arrival_ms must be a number from 0 to 3,600,000" in shown
    save(folder, "llama.json", good.replace("80.001", "81"))
    assert await due(app, "llama") == [12.345, 12.345, 81.0, 1000.7, 1001.0]
    assert "has problems" not in (await ask(app, "/")).body.decode()


async def test_one_that_is_half_written_is_not_offered_until_it_is_whole(app: Starlette, folder: Path) -> None:
    text = recording([1, 2]).json_text()
    save(folder, "new.json", text[: len(text) // 2])
    assert await due(app, "new") is None
    assert "new.json has problems." in (await ask(app, "/")).body.decode()
    save(folder, "new.json", text)
    assert await due(app, "new") == [1.0, 2.0]


async def test_a_folder_that_is_gone_is_told_and_what_was_in_it_stays(app: Starlette, folder: Path) -> None:
    moved = folder.rename(folder.with_name("moved"))  # noqa: ASYNC240 (nothing waits for it)
    assert await due(app, "llama") == TIMES
    assert "No such file or directory" in (await ask(app, "/")).body.decode()
    moved.rename(folder)
    assert await due(app, "llama") == TIMES
    assert "has problems" not in (await ask(app, "/")).body.decode()


async def test_a_scene_may_play_one(tmp_path: Path, folder: Path) -> None:
    scene = '[[scenes]]\nslug = "real"\ntitle = "Real"\nlanes = ["recording:llama", "tokens:5"]\n'
    deck = save(tmp_path, "deck.toml", f'title = "Mine"\n{scene}')
    app = create_app(Settings(deck=(deck,), recordings=folder))
    assert (await page(app, "/scenes/real")).body["data-query"].startswith("lane=recording%3Allama&lane=")
    (folder / "llama.json").rename(folder / "alpaca.json")
    held: dict[str, Any] = json.loads((await ask(app, "/scenes.json")).body)["decks"][0]
    assert [error["detail"] for error in held["errors"]] == [
        'scene 1 (real): lane 1: recording must be one of alpaca, cut, but was "llama"'
    ]
    assert len(held["scenes"]) == 1  # the last good version
