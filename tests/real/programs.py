"""The table of real programs: where each comes from and how its units are found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Crate:
    """C sources bundled in a crate; there is no build to ask, so the units are described here."""

    name: str
    version: str
    #: Globs below the crate, and globs of what they hold for other platforms.
    sources: tuple[str, ...]
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    #: Further arguments: macros and the language dialect, as the crate's own build script gives them.
    options: tuple[str, ...] = ()
    #: Headers that the crate's build script writes, by path.
    headers: tuple[tuple[str, str], ...] = ()
    #: Commands that make further headers, and the directory they run in.
    prepare: tuple[tuple[str, ...], ...] = ()
    prepare_in: str = "."
    packages: tuple[str, ...] = ("gcc",)


@dataclass(frozen=True)
class DebianSource:
    """An upstream tarball of a Debian source package; its units come from a dry run of make."""

    name: str
    tarball: str
    sha256: str
    #: Commands before the dry run: configure, and the targets that generate headers.
    prepare: tuple[tuple[str, ...], ...] = ()
    make: tuple[str, ...] = ()
    packages: tuple[str, ...] = ("gcc", "make")

    @property
    def version(self) -> str:
        """The upstream version, as the tarball's name has it."""
        return self.tarball.removeprefix(self.name + "_").split(".orig.")[0]


Program = Crate | DebianSource

AUTOTOOLS = ("gcc", "make", "autoconf", "automake", "libtool", "pkg-config")
#: Automake would otherwise wrap every compiler call for make's dependencies.
NO_TRACKING = "--disable-dependency-tracking"

PROGRAMS: tuple[Program, ...] = (
    Crate(
        "libsqlite3-sys", "0.39.1",
        sources=("sqlite3/sqlite3.c",),
        include=("sqlite3",),
        options=("-DSQLITE_CORE", "-DSQLITE_DEFAULT_FOREIGN_KEYS=1", "-DSQLITE_ENABLE_API_ARMOR",
                 "-DSQLITE_ENABLE_COLUMN_METADATA", "-DSQLITE_ENABLE_DBSTAT_VTAB", "-DSQLITE_ENABLE_FTS3",
                 "-DSQLITE_ENABLE_FTS3_PARENTHESIS", "-DSQLITE_ENABLE_FTS5", "-DSQLITE_ENABLE_JSON1",
                 "-DSQLITE_ENABLE_LOAD_EXTENSION=1", "-DSQLITE_ENABLE_RTREE", "-DSQLITE_ENABLE_STAT4",
                 "-DSQLITE_SOUNDEX", "-DSQLITE_THREADSAFE=1", "-DSQLITE_USE_URI", "-DHAVE_USLEEP=1",
                 "-DHAVE_ISNAN", "-DHAVE_LOCALTIME_R"),
    ),
    DebianSource(
        "redis", "redis_7.0.15.orig.tar.gz",
        "4b1dc4ee6d622a09fff9c6777191209750fb5e5a725ef78ea012d6eef4c22982",
        make=("MALLOC=libc", "USE_SYSTEMD=no", "BUILD_TLS=yes"),
        packages=("gcc", "make", "pkg-config", "libssl-dev"),
    ),
)
