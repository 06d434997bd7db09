"""What tools that get a program for the tests share: does it start, and Debian's packages."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def starts(path: str, ask: str = "--version") -> bool:
    """Say whether a program answers; Ubuntu's chromium-browser may be a stub that only asks for snap."""
    try:
        subprocess.run([path, ask], capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def install(*packages: str) -> bool:
    """Install Debian's packages as root or by sudo without a password, and say whether that worked."""
    if not shutil.which("apt-get"):
        return False
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if as_root and not (shutil.which("sudo") and succeeds(*as_root, "true")):
        return False
    command = [*as_root, "env", "DEBIAN_FRONTEND=noninteractive"]
    # Another program may be installing: wait for it.
    command += ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300"]
    succeeds(*command, "update")
    return succeeds(*command, "install", "-y", "--no-install-recommends", *packages)


def unpack(package: str, target: Path) -> bool:
    """Unpack one of Debian's packages into a folder, and say whether that worked; anybody may.

    Neither what it depends on nor what it does when it is installed comes with it.
    """
    if not shutil.which("apt-get"):
        return False
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # The lists are fresh and our own, because only root may write the machine's.
        Path(folder, "lists", "partial").mkdir(parents=True)
        command = ["apt-get", "-qq", "-o", f"Dir::State::Lists={folder}/lists", "-o", f"Dir::Cache={folder}/cache"]
        command += ["-o", "APT::Sandbox::User="]  # whom root would become to download may not read the folder
        return (
            succeeds(*command, "update")
            and succeeds(*command, "download", package, cwd=folder)
            and all(succeeds("dpkg-deb", "-x", found, target) for found in Path(folder).glob("*.deb"))
        )


def succeeds(*command: str | Path, cwd: str | None = None) -> bool:
    """Run a command; show what it wrote only if it failed."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, cwd=cwd
    )
    if done.returncode:
        print(f"{' '.join(map(str, command))} failed:\n{done.stdout}", file=sys.stderr)
    return done.returncode == 0
