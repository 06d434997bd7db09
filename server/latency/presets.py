"""Presets: named lane settings, each with its source. A number without a source does not go in."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """Settings in the words of the URL, with where their numbers come from, under a heading of the menu."""

    title: str
    settings: dict[str, str]
    source: str
    group: str = "Chosen to show something"

    @property
    def query(self) -> str:
        """The settings as a query with one lane."""
        return "lane=" + ",".join(f"{name}:{value}" for name, value in self.settings.items())


def _chosen(title: str, settings: str, why: str) -> Preset:
    """Settings of our own choice, written as in the URL."""
    return Preset(title, dict(pair.split(":") for pair in settings.split(",")), f"{why} Chosen, not measured.")


# With gaps a little shorter than a reader's, nobody is kept waiting but for the pause, 2.6 s in each; the three
# end together. From one stall's place to the other's a reader's lead grows by less than one deadline, so that both
# miss the same number of them.
_SAME_FINISH = "tokens:24,delay_ms:184"

_CHOSEN = {
    "worked-example": _chosen("Worked example", "tokens:100,delay_ms:10", "100 × 10 ms: n × t is a round second."),
    "illustrative-50": _chosen("50 ms a token", "tokens:100,delay_ms:50", "100 × 50 ms: slow enough to watch."),
    "twice-the-tokens": _chosen(
        "Twice the tokens", "tokens:200,delay_ms:10", "Twice the worked example's tokens."
    ),
    "slow-start": _chosen("Slow start", "tokens:60,delay_ms:50,ttft_ms:5000", "5 s before the first token."),
    "late-start": _chosen("Late start", f"{_SAME_FINISH},ttft_ms:3500", "2.6 s late, then at a reader's pace."),
    "early-stall": _chosen(
        "Early stall",
        f"{_SAME_FINISH},ttft_ms:900,stall_at:5,stall_ms:2600",
        "2.6 s of nothing after four tokens.",
    ),
    "late-stall": _chosen(
        "Late stall",
        f"{_SAME_FINISH},ttft_ms:900,stall_at:17,stall_ms:2600",
        "2.6 s of nothing before the last eight.",
    ),
    "jitter": _chosen("Jitter", "tokens:100,delay_ms:20,jitter:0.8", "Gaps vary by 80 % of their mean."),
    "several-a-step": _chosen(
        "Several tokens a step", "tokens:100,delay_ms:20,burst:5", "Five come together, at the same average rate."
    ),
    "buffering-proxy": _chosen(
        "Buffering proxy",
        "tokens:100,delay_ms:20,flush_ms:500",
        "Something on the way passes on every 500 ms only.",
    ),
}

_READING = {
    "reading-pace": Preset(
        "Reading pace",
        {"tokens": "60", "delay_ms": "193.924"},
        "238 words a minute (Brysbaert 2019, silent reading of English non-fiction, "
        "doi.org/10.1016/j.jml.2019.104047) at about 1.3 tokens a word.",
        "Reading",
    )
}

# Name, TTFT and TPOT in ms, and the same of the interactive scenario where there is one.
_LIMITS: list[tuple[str, tuple[int, int], tuple[int, int] | None]] = [
    ("Llama2-70B", (2000, 200), (450, 40)),
    ("Llama3.1-8B", (2000, 100), (500, 30)),
    ("Llama3.1-405B", (6000, 175), (4500, 80)),
    ("Mixtral-8x7B", (2000, 200), None),
    ("DeepSeek-R1", (2000, 80), (1500, 15)),
    ("GPT-OSS-120B", (3000, 80), (2000, 20)),
]


def _limit(model: str, scenario: str, ttft_ms: int, tpot_ms: int) -> Preset:
    """The latest that the rules of a benchmark allow: no measurement of any system."""
    return Preset(
        f"{model}{scenario} limit",
        {"tokens": "100", "delay_ms": str(tpot_ms), "ttft_ms": str(ttft_ms)},
        f"A limit that a result of MLPerf Inference must keep, not a measurement: TTFT {ttft_ms:,} ms and TPOT "
        f"{tpot_ms:,} ms at the 99th percentile. mlcommons/inference_policies, inference_rules.adoc at commit "
        "ff7edba (2026-08-20).",
        "Limits of MLPerf Inference",
    )


def _limits() -> dict[str, Preset]:
    presets = {}
    for model, server, interactive in _LIMITS:
        name = f"mlperf-{model.lower()}"
        presets[name] = _limit(model, "", *server)
        if interactive:
            presets[f"{name}-interactive"] = _limit(model, " interactive", *interactive)
    return presets


PRESETS = _CHOSEN | _READING | _limits()
