"""Paths as the routes have them, for what decides before there is a route."""

from starlette.types import Scope


def path_of(scope: Scope) -> str:
    """Return a request's path without the one under which a server may show the app."""
    return str(scope["path"]).removeprefix(scope.get("root_path", ""))


def is_openai(scope: Scope) -> bool:
    """Tell whether a request speaks OpenAI's dialect, in which it wants its errors too."""
    return path_of(scope).startswith("/v1/")
