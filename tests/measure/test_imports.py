"""What measures is a client: were it to share more with the server than a format, its figures would prove less."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.process import ROOT

PACKAGE = ROOT / "server" / "measure"
SHARED = {"recording", "problem"}  # the format, and how a wrong value is told


def imported(path: Path) -> Iterator[str]:
    """Each module of the project that a file of the package imports, by its name below `server`."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.ImportFrom(level=0, module=str(name)):
                names = [name]
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom(level=2, module=None):
                names = [f"server.{alias.name}" for alias in node.names]
            case ast.ImportFrom(level=2):
                names = [f"server.{node.module}"]
            case _:
                continue
        yield from (name.split(".")[1] for name in names if name.split(".")[0] in ("server", "token_trickle"))


def test_the_client_knows_nothing_of_the_server() -> None:
    files = list(PACKAGE.glob("*.py"))
    assert len(files) > 10
    assert {name for path in files for name in imported(path)} == SHARED


def test_the_server_knows_nothing_of_the_client() -> None:
    others = [path for path in (ROOT / "server").rglob("*.py") if PACKAGE not in path.parents]
    assert [path.name for path in others if ".measure" in path.read_text()] == ["cli.py"]
