"""/scenes.json and /scenes/SLUG: every deck as the page needs it, and the page at a scene."""

import os
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qsl, quote, urljoin, urlsplit

import pytest
from starlette.applications import Starlette

from server.latency.spec import SETTINGS
from server.scenes.library import built_in
from server.settings import Settings
from server.web.app import create_app
from tests.asgi import ask

TALK = built_in()
EVERY_SLUG = pytest.mark.parametrize("slug", [scene.slug for scene in TALK.scenes])

DECK = """
title = "Mine"
[texts]
hello = "Hello, you."
[[scenes]]
slug = "mine"
title = "My <b>scene</b>"
text = "Some *text*, <script>alert(1)</script> and ![x](https://a.example/x.png)."
lanes = ["tokens:3,delay_ms:20,text:hello,title:A & B"]
pictures = ["loop", "path"]
ask = '"><script>alert(1)</script>'
observe = "{1.whole}"
minutes = 1.5
notes = "- say *hello*"
[[scenes]]
use = "the-loop"
"""


PARTS = ("title", "text", "ask", "observe")


class Page(HTMLParser):
    """Notes every tag with its attributes, and the text of each part of each scene."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.scenes: list[dict[str, str]] = []
        self._part = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.tags.append((tag, attributes))
        if tag in ("section", "figure"):
            self._part = ""
        if tag == "section" and attributes.get("class") == "scene":
            self.scenes.append(attributes)
        if self.scenes and "data-part" in attributes:
            part = attributes["data-part"]
            self._part = part if part in PARTS and part not in self.scenes[-1] else ""  # pictures have parts too
            self.scenes[-1].setdefault(part, "")

    def handle_data(self, data: str) -> None:
        if self._part:
            self.scenes[-1][self._part] += data

    @property
    def body(self) -> dict[str, str]:
        (attributes,) = [attributes for tag, attributes in self.tags if tag == "body"]
        return attributes

    @property
    def base(self) -> str:
        """What relative links count from, "" for the page itself."""
        return next((attributes["href"] for tag, attributes in self.tags if tag == "base"), "")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A deck of one's own."""
    path = tmp_path / "mine.toml"
    path.write_text(DECK)
    return path


@pytest.fixture
def own(path: Path) -> Starlette:
    """The app with that deck."""
    return create_app(Settings(deck=(path,)))


def save(path: Path, content: str) -> None:
    """Save it, at another time even where clocks are coarse."""
    later = path.stat().st_mtime_ns + 1_000_000_000
    path.write_text(content)
    os.utime(path, ns=(later, later))


async def page(app: Starlette, url: str) -> Page:
    answer = await ask(app, url)
    assert answer.status in (200, 400)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return Page(answer.body.decode())


# /scenes.json


async def test_every_scene_is_there_as_the_page_needs_it(own: Starlette) -> None:
    answer = await ask(own, "/scenes.json")
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    mine, talk = answer.json()["decks"]
    assert (mine["file"], mine["title"], mine["errors"]) == ("mine.toml", "Mine", [])
    assert mine["scenes"][0] == {
        "slug": "mine",
        "title": "My <b>scene</b>",
        "html": "<p>Some <em>text</em>, &lt;script&gt;alert(1)&lt;/script&gt; and !x (https://a.example/x.png).</p>\n",
        "query": "lane=tokens:3,delay_ms:20,text:hello,title:A+%26+B",
        "pictures": ["loop", "path"],
        "ask": '"><script>alert(1)</script>',
        "observe": "{1.whole}",
        "minutes": 1.5,
        "notes": "- say *hello*",
    }
    assert (talk["file"], talk["title"], talk["errors"]) == ("talk.toml", TALK.title, [])
    assert [scene["slug"] for scene in talk["scenes"]] == [scene.slug for scene in TALK.scenes]
    (the_loop,) = [scene for scene in talk["scenes"] if scene["slug"] == "the-loop"]
    assert mine["scenes"][1] == the_loop


@EVERY_SLUG
async def test_the_query_of_a_scene_is_ready_for_the_stream(app: Starlette, slug: str) -> None:
    (talk,) = (await ask(app, "/scenes.json")).json()["decks"]
    (query,) = [scene["query"] for scene in talk["scenes"] if scene["slug"] == slug]
    plan, stream = await ask(app, f"/plan?{query}"), await ask(app, f"/stream?{query}")
    assert plan.status == 200
    assert stream.names[-1] == "done"
    assert len(stream.named("finish")) == len(plan.json()["lanes"])


@pytest.mark.parametrize("written", ["{}", "W/{}", '"other", {}', '"other",W/{}'])
async def test_who_has_the_scenes_already_is_only_told_so(app: Starlette, written: str) -> None:
    first = await ask(app, "/scenes.json")
    assert first.headers["cache-control"] == "no-cache"
    etag = first.headers["etag"]
    again = await ask(app, "/scenes.json", headers={"If-None-Match": written.format(etag)})
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == etag
    other = await ask(app, "/scenes.json", headers={"If-None-Match": '"other"'})
    assert (other.status, other.body) == (200, first.body)


async def test_what_is_wrong_with_a_saved_deck_is_data_and_its_last_good_version_stays(
    own: Starlette, path: Path
) -> None:
    first = await ask(own, "/scenes.json")
    save(path, DECK.replace("tokens:3", "tokens:0"))
    second = await ask(own, "/scenes.json", headers={"If-None-Match": first.headers["etag"]})
    assert second.status == 200
    mine, _ = second.json()["decks"]
    assert mine["scenes"] == first.json()["decks"][0]["scenes"]
    assert mine["errors"] == [
        {
            "file": "mine.toml",
            "scene": 0,
            "slug": "mine",
            "lane": 0,
            "field": "tokens",
            "value": "0",
            "range": "a whole number from 1 to 10,000",
            "reason": "",
            "detail": 'scene 1 (mine): lane 1: tokens must be a whole number from 1 to 10,000, but was "0"',
        }
    ]
    save(path, DECK.replace("1.5", "2"))
    third = (await ask(own, "/scenes.json")).json()["decks"][0]
    assert (third["errors"], third["scenes"][0]["minutes"]) == ([], 2)


async def test_nobody_is_told_where_on_the_server_a_deck_is(path: Path) -> None:
    save(path, "titel")
    app = create_app(Settings(deck=(path, path.parent / "missing.toml", path.parent)))
    answer = await ask(app, "/scenes.json")
    assert [deck["title"] for deck in answer.json()["decks"][:2]] == ["mine.toml", "missing.toml"]
    for url in ("/scenes.json", "/"):
        assert str(path.parent) not in (await ask(app, url)).body.decode()


# /scenes/SLUG


@EVERY_SLUG
async def test_a_scene_has_an_address_that_opens_the_page_with_its_lanes(app: Starlette, slug: str) -> None:
    body = (await page(app, f"/scenes/{slug}")).body
    assert body["data-scene"] == slug
    (scene,) = [scene for scene in TALK.scenes if scene.slug == slug]
    plans = [await ask(app, f"/plan?{query}") for query in (body["data-query"], scene.query)]
    assert plans[0].status == 200
    assert plans[0].body == plans[1].body


async def test_the_page_itself_is_at_no_scene(app: Starlette) -> None:
    opened = await page(app, "/")
    assert "data-scene" not in opened.body
    assert opened.base == "./"


async def test_a_scene_that_runs_nothing_opens_with_the_pair(path: Path) -> None:
    save(path, 'title = "x"\n[[scenes]]\nslug = "mine"\ntitle = "Mine"\n')
    app = create_app(Settings(deck=(path,)))
    assert (await page(app, "/scenes/mine")).body["data-query"] == (await page(app, "/")).body["data-query"]


async def test_a_query_at_a_scene_takes_the_place_of_its_lanes(app: Starlette) -> None:
    body = (await page(app, "/scenes/the-loop?lane=tokens:7&utm_source=mail")).body
    assert body["data-scene"] == "the-loop"
    assert dict(parse_qsl(body["data-query"]))["lane"] == "tokens:7,delay_ms:10"


async def test_a_wrong_query_at_a_scene_is_told_and_the_scene_opens_with_its_lanes(app: Starlette) -> None:
    answer = await ask(app, "/scenes/the-loop?lane=tokens:0")
    assert answer.status == 400
    body = Page(answer.body.decode()).body
    assert dict(parse_qsl(body["data-query"]))["lane"] == "tokens:12,delay_ms:500"


@pytest.mark.parametrize(
    ("slug", "shown"), [("nowhere",) * 2, ("The-Loop",) * 2, ("x" * 5_000, "x" * 100 + "…"), ("<b>", "&lt;b&gt;")]
)
async def test_of_an_unknown_scene_the_page_says_so_and_opens_with_the_defaults(
    app: Starlette, slug: str, shown: str
) -> None:
    answer = await ask(app, f"/scenes/{slug}")
    assert answer.status == 404
    page = answer.body.decode()
    assert f"<li>the scene must be one that Talk lists, but was &#34;{shown}&#34;</li>" in page
    assert '<base href="../">' in page
    body = Page(page).body
    assert "data-scene" not in body
    assert body["data-query"] == Page((await ask(app, "/")).body.decode()).body["data-query"]


@pytest.mark.parametrize("slug", ["the-loop/", "the-loop/x", ""])
async def test_what_can_be_no_scene_is_not_found(app: Starlette, slug: str) -> None:
    answer = await ask(app, f"/scenes/{slug}")
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert len(answer.body) < 500


async def test_a_scene_of_ones_own_has_an_address_and_comes_before_a_built_in_one(path: Path) -> None:
    save(path, DECK + 'title = "Slowly"\nlanes = ["tokens:4"]')
    app = create_app(Settings(deck=(path,)))
    assert (await page(app, "/scenes/mine")).body["data-scene"] == "mine"
    assert "tokens%3A4" in (await page(app, "/scenes/the-loop")).body["data-query"]


@pytest.mark.parametrize("url", ["/", "/scenes/the-loop"])
@pytest.mark.parametrize("mounted", ["", "/demo", "/a/b"])
async def test_every_link_of_the_page_leads_to_something_wherever_it_is_mounted(
    app: Starlette, url: str, mounted: str
) -> None:
    """A reverse proxy that serves it below a path of its own need not tell the server."""
    opened = await page(app, url)
    base = urljoin(f"http://test{mounted}{url}", opened.base)
    links = [attributes.get("href") or attributes.get("src") for tag, attributes in opened.tags if tag != "base"]
    found = [urlsplit(urljoin(base, link)) for link in links if link]
    assert len(found) > 10
    for link in found:
        assert link.path.startswith(f"{mounted}/")
        path = link.path.removeprefix(mounted)
        assert path == "/" or (await ask(app, path)).status == 200


# The scenes in the page.


async def test_every_scene_is_in_the_page_with_all_that_is_said(own: Starlette) -> None:
    for url in ("/", "/scenes/mine"):
        scenes = (await page(own, url)).scenes
        assert [(scene["data-deck"], scene["data-slug"]) for scene in scenes] == [
            *[("0", "mine"), ("0", "the-loop")],
            *[("1", scene.slug) for scene in TALK.scenes],
        ]
    mine = {name: " ".join(value.split()) for name, value in scenes[0].items()}
    assert mine["data-query"] == "lane=tokens:3,delay_ms:20,text:hello,title:A+%26+B"
    assert (mine["data-pictures"], mine["data-minutes"]) == ("loop path", "1.5")
    assert mine["title"] == "My <b>scene</b>"
    assert mine["text"] == "Some text, <script>alert(1)</script> and !x (https://a.example/x.png)."
    assert mine["ask"] == '"><script>alert(1)</script>'
    assert mine["observe"] == "{1.whole}"


async def test_the_page_has_no_notes_which_are_for_the_speakers_window(own: Starlette) -> None:
    assert b"say <em>hello</em>" not in (await ask(own, "/")).body
    assert b"say <em>hello</em>" in (await ask(own, "/speaker")).body


async def test_nothing_in_a_scene_can_run_or_be_fetched_from_elsewhere(own: Starlette) -> None:
    opened = await page(own, "/")
    assert [tag for tag, _ in opened.tags if tag in ("iframe", "style", "object")] == []
    assert [attributes["id"] for tag, attributes in opened.tags if tag == "img"] == ["card", "qr"]  # not in scenes
    for tag, attributes in opened.tags:
        assert not re.match(r"\w*:|//", attributes.get("src", "") + attributes.get("href", ""))
        assert not any(name.startswith("on") for name in attributes)
        assert tag != "script" or re.match("static/[0-9a-f]{16}/js/", attributes["src"])


# The texts of a deck.


async def test_a_lane_of_any_url_may_name_a_text_of_a_deck(own: Starlette) -> None:
    query = "lane=tokens:5,delay_ms:20,jitter:0.5,text:hello"
    tokens = (await ask(own, f"/stream?{query}")).named("token")
    assert [token["text"] for token in tokens] == ["Hello", ",", " you", ".", "\n\n"]
    assert (await ask(own, f"/answer?{query}")).json()["text"] == "Hello, you.\n\n"
    assert (await ask(own, f"/plain?{query}")).body.startswith(b"Hello, you.")
    assert (await ask(own, f"/?{query}")).status == 200


async def test_a_text_changes_no_due_time(own: Starlette) -> None:
    query = "lane=tokens:50,jitter:0.5,seed:7"
    named, plain = [(await ask(own, f"/plan?{query}{text}")).json()["lanes"][0] for text in (",text:hello", "")]
    assert named["due_ms"] == plain["due_ms"]


async def test_a_text_that_no_deck_has_is_refused_with_those_that_there_are(own: Starlette) -> None:
    answer = await ask(own, "/plan?lane=text:goodbye")
    assert answer.status == 400
    (error,) = answer.json()["errors"]
    known = [*SETTINGS["text"].choices, *TALK.texts, "hello"]
    assert error["range"] == "one of " + ", ".join(known)
    assert (await ask(own, f"/?lane={quote('text:goodbye')}")).status == 400


async def test_the_form_offers_the_texts_of_the_decks(own: Starlette) -> None:
    options = [attributes["value"] for tag, attributes in (await page(own, "/")).tags if tag == "option"]
    assert {*SETTINGS["text"].choices, *TALK.texts, "hello"} <= set(options)


@pytest.mark.parametrize("url", ["/plan?lane=text:morning", "/?lane=text:morning", "/scenes/morning"])
async def test_a_worker_that_nobody_asked_for_scenes_knows_what_was_saved(
    own: Starlette, path: Path, url: str
) -> None:
    assert (await ask(own, url)).status in (400, 404)
    save(path, DECK.replace('"mine"', '"morning"').replace("hello", "morning"))
    assert (await ask(own, url)).status == 200
