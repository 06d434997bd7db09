"""DeckProblem: one wrong thing in a deck, and pydantic's errors told as such."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from ..problem import Problem, cut, text_of
from .deck import NAME_ALLOWED, TEXT_ALLOWED, Deck, Scene


@dataclass(frozen=True, slots=True)
class DeckProblem:
    """What is wrong, and in which scene (from 0, None outside scenes) of which slug ("" where it has none)."""

    problem: Problem
    scene: int | None = None
    slug: str = ""

    def __str__(self) -> str:
        if self.scene is None:
            return str(self.problem)
        slug = f" ({cut(self.slug)})" if self.slug else ""
        return f"scene {self.scene + 1}{slug}: {self.problem}"

    def wire(self) -> dict[str, Any]:
        """Return it as JSON has it, with the sentence as `detail`."""
        return {"scene": self.scene, "slug": cut(self.slug), **self.problem.wire(), "detail": str(self)}


class BadDeck(Exception):
    """A deck that can't be used: holds every problem in it, those of the first scene first."""

    def __init__(self, problems: Sequence[DeckProblem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(sorted(problems, key=_place))


def _place(problem: DeckProblem) -> int:
    return -1 if problem.scene is None else problem.scene


def from_pydantic(errors: Sequence[ErrorDetails], slugs: Mapping[int, str]) -> Iterator[DeckProblem]:
    """Say the errors of `Deck` in our words. `slugs` are those of the scenes, right or wrong."""
    for error in errors:
        for problem in _problems(error):
            match error["loc"]:
                case ("scenes", int(scene), *_):
                    yield DeckProblem(problem, scene, slugs.get(scene, ""))
                case _:
                    yield DeckProblem(problem)


def _problems(error: ErrorDetails) -> list[Problem]:
    if error["type"] == "problems":  # ours, which hold several
        return list(error["ctx"]["problems"])
    given = text_of(error["input"])
    match error["loc"]:
        case ("scenes", int()):
            return [Problem("it", given, "a table, written below [[scenes]]")]
        case ("scenes", int(), str(name), *_):
            return _field_problems(error, name, Scene)
        case ("texts", str(), "[key]"):  # pydantic's way to say that a name is wrong, and not what it names
            return [Problem("a name in texts", given, NAME_ALLOWED)]
        case ("texts", str(name)):
            return [Problem(f"texts.{name}", given, TEXT_ALLOWED, reason=_why(error))]
        case _:
            return _field_problems(error, str(error["loc"][0]), Deck)


def _field_problems(error: ErrorDetails, name: str, model: type[BaseModel]) -> list[Problem]:
    if error["type"] == "extra_forbidden":
        return [Problem(name, text_of(error["input"]), f"left out, or one of {', '.join(model.model_fields)}")]
    allowed = str(model.model_fields[name].description)
    if error["type"] != "missing":
        return [Problem(name, text_of(error["input"]), allowed, reason=_why(error))]
    if model is Scene and "use" in error["input"]:
        return []  # what an unknown `use` did not bring is not missing on top of that
    return [Problem(name, "", allowed, reason="it is missing")]


def _why(error: ErrorDetails) -> str:
    """Say of a number or a date why it is no text: in a sentence about it, it looks like one."""
    is_one_value = not isinstance(error["input"], list | dict)
    return "it is not in quotes" if error["type"] == "string_type" and is_one_value else ""
