"""/scenes.json: every deck as the page needs it, and what is wrong with it; cheap to ask for again and again."""

import hashlib
import json
from functools import lru_cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..scenes.deck import Scene
from ..scenes.library import HeldDeck, Shelf
from .state import state_of


async def scenes(request: Request) -> Response:
    """Send all decks, or only say that they are still those that the client has."""
    body, etag = _body(await state_of(request).library.current())
    headers = {"ETag": etag, "Cache-Control": "no-cache"}  # keep it, and ask each time whether it is still right
    if etag in (tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/json")


def etag_of(shelf: Shelf) -> str:
    """Return what tells this shelf from another, so that a page can ask whether it still shows the present one."""
    return _body(shelf)[1]


@lru_cache(maxsize=1)
def _body(shelf: Shelf) -> tuple[bytes, str]:
    body = json.dumps({"decks": [_deck(held) for held in shelf.decks]}).encode()
    return body, f'"{hashlib.sha256(body).hexdigest()[:32]}"'


def _deck(held: HeldDeck) -> dict[str, Any]:
    name = held.path.name  # not the whole path, which is nobody's business
    return {
        "file": name,
        "title": held.deck.title if held.deck else name,
        "scenes": [_scene(scene) for scene in held.scenes],
        "errors": [{"file": name, **problem.wire()} for problem in held.problems],
    }


def _scene(scene: Scene) -> dict[str, Any]:
    return {
        "slug": scene.slug,
        "title": scene.title,
        "html": scene.text_html,
        "query": scene.query,
        "pictures": scene.pictures,
        "ask": scene.ask,
        "observe": scene.observe,
        "minutes": scene.minutes,
        "notes": scene.notes,
    }
