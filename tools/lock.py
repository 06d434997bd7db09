"""Writes requirements.lock: exact pins with hashes for every supported Python, in blocks.

The Makefile cuts the blocks out, so that `make run` installs only what running needs. uv does the resolving.
"""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements.lock"
PROJECT = ROOT / "pyproject.toml"
BLOCKS = ("run", "test", "lint", "lock")

HEADER = """\
# Written by `make lock` from pyproject.toml: exact versions with hashes, for every Python from 3.11 on.
# Each block lists only what the blocks before it lack.
"""


def main() -> None:
    """Resolve everything together once, then tell the blocks apart by the versions found."""
    wanted = requirements()
    everything = [line for block in BLOCKS for line in wanted[block]]
    with tempfile.TemporaryDirectory() as folder:
        pins = Path(folder, "pins.txt")
        pins.write_text("\n".join(compiled(everything)))
        seen: set[str] = set()
        text = HEADER
        for block in BLOCKS:
            text += f"\n# --- {block}\n"
            for entry in compiled(wanted[block], "--generate-hashes", "--constraints", str(pins)):
                pin = entry.split(" \\\n")[0]
                # A block may want a package for fewer Pythons than a block before it has it for.
                if not {pin, pin.split(" ; ")[0]} & seen:
                    text += entry + "\n"
                    seen.add(pin)
    LOCK.write_text(text)


def requirements() -> dict[str, list[str]]:
    """Return what each block is asked for; to run an editable install, its build backend is needed too."""
    project = tomllib.loads(PROJECT.read_text())
    running = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    return {"run": running, **project["dependency-groups"]}


def compiled(wanted: list[str], *options: str) -> list[str]:
    """Return one entry per pinned package, with its marker and hashes, in uv's order."""
    command = [sys.executable, "-m", "uv", "--quiet", "pip", "compile", "-", "--universal"]
    command += ["--python-version", "3.11", "--no-header", "--no-annotate"]
    # The lock names no registry: pip takes the packages from wherever the reader's own settings say.
    command += ["--no-emit-index-url", "--no-emit-find-links", *options]
    done = subprocess.run(command, input="\n".join(wanted), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    entries: list[str] = []
    for line in done.stdout.splitlines():
        if line.startswith(" "):
            entries[-1] += "\n" + line
        else:
            entries.append(line)
    return entries


if __name__ == "__main__":
    main()
