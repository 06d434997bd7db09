"""Presets: named lane settings, each with its source. A number without a source does not go in."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """Settings in the words of the URL, with what they show and where the numbers come from."""

    title: str
    settings: dict[str, str]
    source: str

    @property
    def query(self) -> str:
        """The settings as a query with one lane."""
        return "lane=" + ",".join(f"{name}:{value}" for name, value in self.settings.items())


PRESETS = {
    "worked-example": Preset(
        "Worked example",
        {"tokens": "100", "delay_ms": "10"},
        "Chosen so that n × t is a round second: 100 tokens at 10 ms each. Not a measurement.",
    ),
    "illustrative-50": Preset(
        "50 ms a token",
        {"tokens": "100", "delay_ms": "50"},
        "Chosen to be slow enough to watch: 100 tokens at 50 ms each. Not a measurement.",
    ),
}
