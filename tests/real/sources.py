"""Brings sources onto this machine: crates through cargo, Debian source packages through apt.

Both are asked by package name, so mirrors, proxies and keys are those that the machine has set up.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Sequence

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class FetchError(Exception):
    """Something a user can act on: the message says what happened and what to do."""


def run(command: Sequence[str], *, cwd: Path | None = None, log: Path | None = None,
        environment: dict[str, str] | None = None) -> str:
    """Runs a command and returns its standard output; keeps both streams in `log`."""
    try:
        done = subprocess.run(command, cwd=cwd, env={**os.environ, **(environment or {})},
                              capture_output=True, text=True, errors="replace", check=False)
    except FileNotFoundError as error:
        raise FetchError(f"`{command[0]}` is not installed; install it and run again") from error
    if log:
        with log.open("a") as out:
            out.write(f"$ {' '.join(command)}\n{done.stdout}{done.stderr}\n")
    if done.returncode != 0:
        last = "\n  ".join(done.stderr.strip().splitlines()[-5:])
        where = f"; the whole output is in {log}" if log else ""
        raise FetchError(f"`{' '.join(command)}` failed with status {done.returncode}{where}\n  {last}")
    return done.stdout


def ensure_packages(names: Sequence[str]) -> None:
    """Installs the Debian packages that are missing; without root, says which command does so."""
    if not names:
        return
    if not shutil.which("dpkg-query"):
        raise FetchError(f"this is no Debian system; install what these packages hold: {' '.join(names)}")
    missing = [name for name in names if not _is_installed(name)]
    if not missing:
        return
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
    if os.geteuid() != 0:
        raise FetchError(f"packages are missing; run this and try again:\n  sudo {' '.join(install)}")
    print(f"installing {' '.join(missing)}", flush=True)
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    run(["apt-get", "update", "--quiet"], environment=quiet)
    run(install, environment=quiet)


def _is_installed(name: str) -> bool:
    query = subprocess.run(["dpkg-query", "--show", "--showformat=${db:Status-Status}", name],
                           capture_output=True, text=True, check=False)
    return query.stdout == "installed"


def fetch_crate(name: str, version: str, destination: Path, scratch: Path) -> None:
    """Copies the sources of one crate version to `destination`."""
    project = scratch / "crates" / name
    (project / "src").mkdir(parents=True, exist_ok=True)
    (project / "src" / "lib.rs").touch()
    # The empty workspace table keeps cargo from looking for one in the directories above.
    (project / "Cargo.toml").write_text(
        f'[package]\nname = "holder-of-{name}"\nversion = "0.0.0"\nedition = "2021"\n\n'
        f'[dependencies]\n{name} = "={version}"\n\n[workspace]\n')
    metadata = json.loads(run(["cargo", "metadata", "--format-version=1"], cwd=project))
    manifest = next(Path(package["manifest_path"]) for package in metadata["packages"]
                    if package["name"] == name)
    shutil.copytree(manifest.parent, destination)
    # Cargo's copies may be read-only, and configure scripts write beside their sources.
    for path in destination.rglob("*"):
        path.chmod(path.stat().st_mode | 0o200)


class DebianSources:
    """A private view of apt's source packages, so that the system's own lists stay as they are."""

    def __init__(self, scratch: Path) -> None:
        self._state = scratch / "apt"
        self._downloads = scratch / "tarballs"
        self._ready = False

    def fetch(self, package: str, tarball: str, sha256: str, destination: Path) -> None:
        """Unpacks the upstream tarball of a source package to `destination`."""
        self._downloads.mkdir(parents=True, exist_ok=True)
        path = self._downloads / tarball
        if not path.exists():
            self._download(package, path)
        if (found := hashlib.sha256(path.read_bytes()).hexdigest()) != sha256:
            path.unlink()
            raise FetchError(f"{tarball} has sha256 {found}, expected {sha256}; it was removed: run again, "
                             "and if it stays so, the package changed and the table must follow")
        destination.mkdir(parents=True)
        with tarfile.open(path) as archive:
            archive.extractall(destination, members=_without_first_directory(archive))

    def _download(self, package: str, path: Path) -> None:
        environment = self._environment()
        run(["apt-get", "source", "--download-only", "--tar-only", "--only-source", package],
            cwd=self._downloads, environment=environment)
        if not path.exists():
            found = sorted(p.name for p in self._downloads.glob(f"{package}_*.orig.tar.*"))
            raise FetchError(f"apt offers {', '.join(found) or 'nothing'} for {package}, the table wants "
                             f"{path.name}; run on Debian 12, or bring the table up to date")

    def _environment(self) -> dict[str, str]:
        config = self._state / "apt.conf"
        environment = {"APT_CONFIG": str(config)}
        if self._ready:
            return environment
        (self._state / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (self._state / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
        # The label leaves out the security archive, which need not hold the upstream tarballs.
        targets = run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)",
                       "Created-By: Packages", "Component: main", "Label: Debian"])
        lines = [f"deb-src [signed-by={KEYRING}] {uri} {suite} main"
                 for uri, suite in sorted({tuple(line.split()) for line in targets.splitlines()})]
        if not lines:
            raise FetchError("apt knows no Debian archive; run `apt-get update` and try again")
        sources = self._state / "sources.list"
        sources.write_text("\n".join(lines) + "\n")
        config.write_text(f'Dir::Etc::SourceList "{sources}";\nDir::Etc::SourceParts "/dev/null";\n'
                          f'Dir::State::Lists "{self._state}/lists";\nDir::Cache "{self._state}/cache";\n'
                          'APT::Sandbox::User "";\n')
        run(["apt-get", "update", "--quiet"], environment=environment)
        self._ready = True
        return environment


def _without_first_directory(archive: tarfile.TarFile) -> list[tarfile.TarInfo]:
    members = []
    for member in archive.getmembers():
        parts = Path(member.name).parts
        if len(parts) < 2 or ".." in parts or Path(member.name).is_absolute():
            continue
        member.name = str(Path(*parts[1:]))
        if member.islnk():
            member.linkname = str(Path(*Path(member.linkname).parts[1:]))
        members.append(member)
    return members
