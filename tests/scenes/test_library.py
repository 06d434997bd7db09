"""Library: what is on the shelf, and that a file which is saved anew is put on it again."""

import os
import threading
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from server.scenes.deck import Deck, Known
from server.scenes.library import Library, Shelf, built_in
from server.scenes.loader import load
from server.stamp import Stamp, stamp_of
from tests.process import PATIENCE_S
from tests.scenes.conftest import Write


@pytest.fixture
def anyio_backend() -> str:
    """Files are read in threads, which a virtual clock doesn't know of, so this is on the real one."""
    return "asyncio"


def deck(slug: str = "one", title: str = "One", text: str = "hello") -> str:
    return f'title = "Mine"\n[texts]\n{text} = "Hello."\n[[scenes]]\nslug = "{slug}"\ntitle = "{title}"\n'


def titles(shelf: Shelf) -> list[list[str]]:
    """The titles of the scenes of each deck of one's own."""
    return [[scene.title for scene in held.scenes] for held in shelf.own]


def told(shelf: Shelf) -> list[str]:
    return [f"{held.path.name}: {problem}" for held in shelf.own for problem in held.problems]


def save(path: Path, content: str) -> None:
    """Save as an editor does that keeps the file, at another time even where clocks are coarse."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(content)
    os.utime(path, ns=(before + 1_000_000_000, before + 1_000_000_000))


async def test_without_decks_of_ones_own_there_is_the_built_in_one() -> None:
    shelf = await Library().current()
    assert shelf.own == ()
    assert [held.deck for held in shelf.decks] == [built_in()]
    assert shelf.offered.texts == built_in().texts
    assert shelf.find("one") is None


async def test_ones_own_decks_come_first_in_the_order_in_which_they_were_given(write: Write) -> None:
    paths = [write(deck("b", "B", "b"), "b.toml"), write(deck("a", "A", "a"), "a.toml")]
    shelf = await Library(paths).current()
    assert [held.path.name for held in shelf.decks] == ["b.toml", "a.toml", "talk.toml"]
    assert shelf.offered.texts == {**built_in().texts, "b": "Hello.", "a": "Hello."}
    found = shelf.find("a")
    assert found
    assert found.title == "A"
    assert told(shelf) == []


async def test_a_built_in_scene_of_ones_own_is_found_first(write: Write) -> None:
    slug = built_in().scenes[2].slug
    shelf = await Library([write(deck(slug, "Mine"))]).current()
    found = shelf.find(slug)
    assert found
    assert found.title == "Mine"
    assert built_in().scenes[2] in shelf.decks[1].scenes


def test_two_decks_have_no_slug_and_no_text_in_common(write: Write) -> None:
    shelf = Library([write(deck(), "a.toml"), write(deck(), "b.toml"), write("", "c.toml")]).shelf
    assert [line.partition(", but")[0] for line in told(shelf)] == [
        "b.toml: a name in texts must be one that is free",
        "b.toml: scene 1 (one): slug must be one that is free",
        "c.toml: title must be text of 1 to 80 characters, on one line",
        "c.toml: scenes must be one scene or more, each below [[scenes]]",
    ]
    assert "a.toml has it" in told(shelf)[0]


def test_a_deck_given_twice_is_refused(write: Write) -> None:
    path = write(deck())
    assert len(told(Library([path, path]).shelf)) == 2


def test_two_decks_may_both_use_a_built_in_scene_under_two_slugs(write: Write) -> None:
    uses = 'title = "Mine"\n[[scenes]]\nuse = "the-loop"\n'
    assert told(Library([write(uses, "a.toml"), write(f'{uses}slug = "again"', "b.toml")]).shelf) == []


def test_a_run_may_last_as_long_as_the_server_allows(write: Write) -> None:
    path = write(f'{deck()}lanes = ["tokens:100,delay_ms:10", "tokens:100,delay_ms:10.001"]')
    assert told(Library([path], max_run_s=1).shelf) == [
        'mine.toml: scene 1 (one): lane 2: predicted_ms must be at most 1,000, but was "1,000.1"'
    ]


async def test_a_deck_that_is_saved_is_read_again(write: Write) -> None:
    path = write(deck(title="One"))
    library = Library([path])
    first = await library.current()
    assert await library.current() is first
    save(path, deck(title="Two"))
    assert titles(await library.current()) == [["Two"]]
    assert titles(first) == [["One"]]  # who has it keeps it


async def test_a_deck_that_is_replaced_by_one_of_the_same_size_and_time_is_read_again(write: Write) -> None:
    path = write(deck(title="One"))
    library = Library([path])
    new = write(deck(title="Two"), "new.toml")
    os.utime(new, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    new.replace(path)
    assert titles(await library.current()) == [["Two"]]


async def test_a_slip_is_told_while_the_last_good_version_stays(write: Write) -> None:
    path = write(deck(title="One"))
    library = Library([path])
    save(path, deck(title="Two").replace("slug", "slugg"))
    shelf = await library.current()
    assert titles(shelf) == [["One"]]
    assert [line.partition(" must")[0] for line in told(shelf)] == [
        "mine.toml: scene 1: slug",
        "mine.toml: scene 1: slugg",
    ]
    assert await library.current() is shelf  # a file that stays wrong is not read again and again
    save(path, deck(title="Three"))
    assert (titles(await library.current()), told(library.shelf)) == ([["Three"]], [])


async def test_a_deck_that_is_gone_stays_in_use_and_may_come_back(write: Write) -> None:
    path = write(deck(title="One"))
    library = Library([path])
    path.unlink()
    shelf = await library.current()
    assert titles(shelf) == [["One"]]
    assert "No such file" in told(shelf)[0]
    write(deck(title="Two"))
    assert (titles(await library.current()), told(library.shelf)) == ([["Two"]], [])


async def test_a_deck_that_was_wrong_from_the_start_has_no_scenes_until_it_is_right(write: Write) -> None:
    path = write("titel")
    library = Library([path])
    assert (titles(library.shelf), len(told(library.shelf))) == ([[]], 1)
    assert library.shelf.offered.texts == built_in().texts
    save(path, deck())
    assert (titles(await library.current()), told(library.shelf)) == ([["One"]], [])


async def test_what_is_wrong_only_because_of_another_deck_is_right_when_that_is(write: Write) -> None:
    first, second = write(deck("one", "A", "a"), "a.toml"), write(deck("one", "B", "b"), "b.toml")
    library = Library([first, second])
    assert len(told(library.shelf)) == 1
    save(first, deck("two", "A", "a"))
    assert (titles(await library.current()), told(library.shelf)) == ([["A"], ["B"]], [])


async def test_many_who_ask_at_once_make_it_read_once(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(deck(title="One"))
    library, read = Library([path]), list[Path]()

    def noted(path: Path, known: Known) -> Deck:
        read.append(path)
        return load(path, known)

    monkeypatch.setattr("server.scenes.library.load", noted)
    save(path, deck(title="Two"))
    async with anyio.create_task_group() as group:
        for _ in range(50):
            group.start_soon(library.current)
    assert read == [path]
    assert titles(library.shelf) == [["Two"]]


async def test_many_who_ask_at_once_make_it_looked_at_once(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    library, looks = Library([write(deck())]), list[Path]()

    def noted(path: Path) -> Stamp:
        looks.append(path)
        return stamp_of(path)

    monkeypatch.setattr("server.scenes.library.stamp_of", noted)
    async with anyio.create_task_group() as group:
        for _ in range(50):
            group.start_soon(library.current)
    assert len(looks) == 1


async def test_who_asks_while_another_looks_gets_what_was_saved_meanwhile(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(deck(title="One"))
    library, shelves = Library([path]), list[Shelf]()
    looked, go_on = threading.Event(), threading.Event()

    def slowly(path: Path) -> Stamp:
        stamp = stamp_of(path)
        looked.set()
        assert go_on.wait(PATIENCE_S)
        return stamp

    async def ask() -> None:
        shelves.append(await library.current())

    monkeypatch.setattr("server.scenes.library.stamp_of", slowly)
    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        assert await anyio.to_thread.run_sync(looked.wait, PATIENCE_S)
        save(path, deck(title="Two"))
        group.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        go_on.set()
    assert [titles(shelf) for shelf in shelves] == [[["One"]], [["Two"]]]
