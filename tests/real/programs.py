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

LIBGIT2_FEATURES = """\
#ifndef INCLUDE_features_h
#define INCLUDE_features_h
#define GIT_THREADS 1
#define GIT_TRACE 1
#define GIT_HTTPPARSER_BUILTIN 1
#define GIT_USE_NSEC 1
#define GIT_IO_POLL 1
#define GIT_IO_SELECT 1
#define GIT_USE_STAT_MTIM 1
#define GIT_ARCH_64 1
#define GIT_HTTPS 1
#define GIT_OPENSSL 1
#define GIT_SSH 1
#define GIT_SSH_EXEC 1
#define GIT_SHA1_COLLISIONDETECT 1
#define GIT_SHA256_OPENSSL 1
#endif
"""

#: What curl's configure would find on Linux with glibc.
CURL_MACROS = (
    "BUILDING_LIBCURL", "CURL_STATICLIB", "CURL_ENABLE_NTLM", "CURL_ENABLE_SMB", "HAVE_DES_ECB_ENCRYPT",
    "USE_SSLS_EXPORT", 'CURL_OS="Linux"', "USE_IPV6", "USE_OPENSSL", "USE_RESOLV_THREADED",
    "USE_UNIX_SOCKETS", "HAVE_ALARM", "HAVE_ARPA_INET_H", "HAVE_ATOMIC", "HAVE_BOOL_T",
    "HAVE_CLOCK_GETTIME_MONOTONIC", "HAVE_FCNTL_H", "HAVE_FCNTL_O_NONBLOCK", "HAVE_FREEADDRINFO",
    "HAVE_FTRUNCATE", "HAVE_GETADDRINFO", "HAVE_GETEUID", "HAVE_GETHOSTNAME", "HAVE_GETIFADDRS",
    "HAVE_GETPEERNAME", "HAVE_GETPPID", "HAVE_GETPWUID", "HAVE_GETPWUID_R", "HAVE_GETRLIMIT",
    "HAVE_GETSOCKNAME", "HAVE_GETTIMEOFDAY", "HAVE_GMTIME_R", "HAVE_IFADDRS_H", "HAVE_IF_NAMETOINDEX",
    "HAVE_INET_NTOP", "HAVE_INET_PTON", "HAVE_IOCTL_FIONBIO", "HAVE_LIBZ", "HAVE_LONGLONG", "HAVE_NETDB_H",
    "HAVE_NETINET_IN_H", "HAVE_NETINET_TCP_H", "HAVE_NET_IF_H", "HAVE_OPENSSL_VERSION", "HAVE_PIPE",
    "HAVE_POLL", "HAVE_POLL_H", "HAVE_PTHREAD_H", "HAVE_PWD_H", "HAVE_RECV", "HAVE_SA_FAMILY_T",
    "HAVE_SELECT", "HAVE_SEND", "HAVE_SENDMSG", "HAVE_SIGACTION", "HAVE_SIGINTERRUPT", "HAVE_SIGNAL",
    "HAVE_SIGSETJMP", "HAVE_SOCKADDR_IN6_SIN6_SCOPE_ID", "HAVE_SOCKET", "HAVE_SOCKETPAIR",
    "HAVE_STDATOMIC_H", "HAVE_STDBOOL_H", "HAVE_STDINT_H", "HAVE_STRCASECMP", "HAVE_STRERROR_R",
    "HAVE_GLIBC_STRERROR_R", "HAVE_STRINGS_H", "HAVE_STRUCT_SOCKADDR_STORAGE", "HAVE_STRUCT_TIMEVAL",
    "HAVE_SUSECONDS_T", "HAVE_SYS_IOCTL_H", "HAVE_SYS_PARAM_H", "HAVE_SYS_RESOURCE_H", "HAVE_SYS_SELECT_H",
    "HAVE_SYS_STAT_H", "HAVE_SYS_TIME_H", "HAVE_SYS_TYPES_H", "HAVE_SYS_UN_H", "HAVE_THREADS_POSIX",
    "HAVE_UNISTD_H", "HAVE_ZLIB_H", "SIZEOF_CURL_OFF_T=8", "SIZEOF_CURL_SOCKET_T=4",
    "SIZEOF_INT=4", "SIZEOF_LONG=8", "SIZEOF_OFF_T=8", "SIZEOF_SIZE_T=8", "SIZEOF_TIME_T=8", "_GNU_SOURCE",
)

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
    Crate(
        "libgit2-sys", "0.18.8+1.9.7",
        sources=("libgit2/src/libgit2/*.c", "libgit2/src/libgit2/streams/*.c", "libgit2/src/libgit2/transports/*.c",
                 "libgit2/src/util/*.c", "libgit2/src/util/unix/*.c", "libgit2/src/util/allocators/*.c",
                 "libgit2/src/util/hash/collisiondetect.c", "libgit2/src/util/hash/openssl.c",
                 "libgit2/src/util/hash/sha1dc/*.c", "libgit2/deps/llhttp/*.c", "libgit2/deps/xdiff/*.c",
                 "libgit2/deps/pcre2/*.c"),
        # Windows, macOS, other TLS libraries, OpenSSL as a plug-in; PCRE's fuzzer is a program of its own.
        exclude=("libgit2/src/**/*win32*.c", "libgit2/src/**/winhttp.c", "libgit2/src/**/schannel.c",
                 "libgit2/src/**/stransport.c", "libgit2/src/**/mbedtls.c", "libgit2/src/**/auth_sspi.c",
                 "libgit2/src/**/auth_gssapi.c", "libgit2/src/**/auth_ntlmclient.c",
                 "libgit2/src/**/ssh_libssh2.c", "libgit2/src/**/openssl_dynamic.c",
                 "libgit2/src/**/openssl_legacy.c", "libgit2/deps/pcre2/pcre2_fuzzsupport.c"),
        include=("generated", "libgit2/include", "libgit2/src/libgit2", "libgit2/src/util", "libgit2/deps/llhttp",
                 "libgit2/deps/xdiff", "libgit2/deps/pcre2"),
        options=("-D_GNU_SOURCE", "-DGIT_REGEX_BUILTIN=1", "-DPCRE2_STATIC", "-DPCRE2_EXPORT=", "-DPCRE2_EXP_DECL=",
                 "-DPCRE2_EXP_DEFN=", "-DPCRE2_CODE_UNIT_WIDTH=8", "-DSUPPORT_PCRE2_8=1", "-DSUPPORT_UNICODE=1",
                 "-DLINK_SIZE=2", "-DHEAP_LIMIT=20000000", "-DMATCH_LIMIT=10000000",
                 "-DMATCH_LIMIT_DEPTH=MATCH_LIMIT", "-DMAX_VARLOOKBEHIND=255", "-DNEWLINE_DEFAULT=2",
                 "-DPARENS_NEST_LIMIT=250", "-DMAX_NAME_SIZE=128", "-DMAX_NAME_COUNT=10000",
                 "-DSHA1DC_NO_STANDARD_INCLUDES=1", '-DSHA1DC_CUSTOM_INCLUDE_SHA1_C="common.h"',
                 '-DSHA1DC_CUSTOM_INCLUDE_UBC_CHECK_C="common.h"'),
        headers=(("generated/git2_features.h", LIBGIT2_FEATURES),),
        packages=("gcc", "libssl-dev", "zlib1g-dev"),
    ),
    Crate(
        "libuv-sys2", "1.53.1",
        sources=("libuv/src/*.c",
                 *(f"libuv/src/unix/{name}.c" for name in (
                     "async", "core", "dl", "fs", "getaddrinfo", "getnameinfo", "linux", "loop", "loop-watcher",
                     "pipe", "poll", "process", "procfs-exepath", "proctitle", "random-devurandom",
                     "random-getrandom", "random-sysctl-linux", "signal", "stream", "tcp", "thread", "tty", "udp"))),
        include=("libuv/include", "libuv/src"),
        options=("-std=gnu89", "-D_FILE_OFFSET_BITS=64", "-D_LARGEFILE_SOURCE", "-D_GNU_SOURCE",
                 "-D_POSIX_C_SOURCE=200112"),
    ),
    Crate(
        "curl-sys", "0.4.91+curl-8.22.0",
        sources=("curl/lib/*.c", "curl/lib/curlx/*.c", "curl/lib/vauth/*.c", "curl/lib/vdns/*.c",
                 "curl/lib/vquic/vquic.c", "curl/lib/vtls/*.c"),
        # Other systems, other libraries and resolvers: under these macros the files are empty.
        exclude=("curl/lib/amigaos.c", "curl/lib/macos.c", "curl/lib/dllmain.c", "curl/lib/memdebug.c",
                 "curl/lib/**/*win32*.c", "curl/lib/**/*sspi*.c", "curl/lib/**/*gssapi*.c",
                 "curl/lib/curlx/winapi.c", "curl/lib/curlx/multibyte.c", "curl/lib/curlx/snprintf.c",
                 "curl/lib/openldap.c", "curl/lib/ldap.c", "curl/lib/psl.c", "curl/lib/http2.c",
                 "curl/lib/cf-h2-proxy.c", "curl/lib/fake_addrinfo.c", "curl/lib/http_negotiate.c",
                 "curl/lib/vauth/gsasl.c", "curl/lib/vdns/asyn-ares.c", "curl/lib/vdns/hostip[46].c",
                 "curl/lib/vdns/httpsrr.c", "curl/lib/vtls/cipher_suite.c", "curl/lib/vtls/x509asn1.c",
                 "curl/lib/vtls/apple.c",
                 "curl/lib/vtls/gtls.c", "curl/lib/vtls/mbedtls.c", "curl/lib/vtls/rustls.c",
                 "curl/lib/vtls/schannel*.c", "curl/lib/vtls/wolfssl.c"),
        include=("curl/lib", "curl/include"),
        options=tuple(f"-D{macro}" for macro in (*CURL_MACROS, "CURL_DISABLE_LDAP", "CURL_DISABLE_LDAPS")),
        packages=("gcc", "libssl-dev", "zlib1g-dev"),
    ),
    Crate(
        "zstd-sys", "2.1.2+zstd.1.5.7",
        sources=("zstd/lib/common/*.c", "zstd/lib/compress/*.c", "zstd/lib/decompress/*.c",
                 "zstd/lib/dictBuilder/*.c", "zstd/lib/legacy/*.c"),
        # With the private interface of xxhash its code comes from the header.
        exclude=("zstd/lib/common/xxhash.c",),
        include=("zstd/lib", "zstd/lib/common", "zstd/lib/legacy"),
        options=("-pthread", "-DZSTD_MULTITHREAD", "-DZSTD_LEGACY_SUPPORT=1", "-DXXH_PRIVATE_API=",
                 "-DZSTD_LIB_DEPRECATED=0", "-DZSTDLIB_VISIBILITY=", "-DZDICTLIB_VISIBILITY=",
                 "-DZSTDERRORLIB_VISIBILITY="),
    ),
    Crate(
        "tikv-jemalloc-sys", "0.7.1+5.3.1-0-g81034ce1f1373e37dc865038e1bc8eeecf559ce8",
        sources=("jemalloc/src/*.c",),
        exclude=("jemalloc/src/zone.c",),  # macOS
        include=("jemalloc/include",),
        # The header of the private namespace is made from the symbols of compiled objects: go without.
        options=("-std=gnu11", "-D_GNU_SOURCE", "-D_REENTRANT", "-DJEMALLOC_NO_PRIVATE_NAMESPACE"),
        prepare=(("cp", "../configure/configure", "."),
                 ("sh", "./configure", "--with-version=5.3.1-0-g81034ce1f1373e37dc865038e1bc8eeecf559ce8",
                  "--disable-cxx", "--enable-doc=no", "--enable-shared=no", "--enable-stats", "--enable-prof",
                  "--with-jemalloc-prefix=_rjem_", "--with-private-namespace=_rjem_")),
        prepare_in="jemalloc",
        packages=("gcc", "make"),
    ),
    Crate(
        "libmimalloc-sys", "0.1.49",
        sources=("c_src/mimalloc/v3/src/*.c", "c_src/mimalloc/v3/src/prim/prim.c"),
        # `static.c` includes all the others; the rest of these are included by others.
        exclude=tuple(f"c_src/mimalloc/v3/src/{name}.c" for name in (
            "static", "alloc-override", "free", "page-queue")),
        include=("c_src/mimalloc/v3/include", "c_src/mimalloc/v3/src"),
        options=("-ftls-model=initial-exec", "-DMI_DEBUG=0", "-DMI_BUILD_RELEASE", "-DNDEBUG"),
    ),
    Crate(
        "lmdb-master-sys", "0.2.6",
        sources=tuple(f"lmdb/libraries/liblmdb/{name}.c" for name in (
            "mdb", "midl", "mdb_copy", "mdb_drop", "mdb_dump", "mdb_load", "mdb_stat")),
        include=("lmdb/libraries/liblmdb",),
        options=("-pthread", "-DMDB_IDL_LOGN=16"),
    ),
    DebianSource(
        "memcached", "memcached_1.6.18.orig.tar.xz",
        "35872bd25f8d29d7cc2072d23e74344530891bfd0aa4f4f64184a8ae7291164b",
        prepare=(("autoreconf", "--force", "--install"), ("./configure", "--disable-docs", NO_TRACKING)),
        make=("memcached",),
        packages=(*AUTOTOOLS, "libevent-dev"),
    ),
    DebianSource(
        "pixz", "pixz_1.0.7.orig.tar.gz",
        "e29fba74ae399e5d27c21a6009002705ebcc20947b283ed0aa721df6a409680a",
        prepare=(("autoreconf", "--force", "--install"), ("./configure", "--without-manpage", NO_TRACKING)),
        packages=(*AUTOTOOLS, "liblzma-dev", "libarchive-dev"),
    ),
    DebianSource(
        "silversearcher-ag", "silversearcher-ag_2.2.0+git20200805.orig.tar.gz",
        "a281f223bd2a433dc952773669aa6e1c8ccb1784814d27fb0676a7544eda584d",
        prepare=(("autoreconf", "--force", "--install"), ("./configure", NO_TRACKING)),
        make=("ag",),
        packages=(*AUTOTOOLS, "liblzma-dev", "libpcre3-dev", "zlib1g-dev"),
    ),
    DebianSource(
        "unbound", "unbound_1.17.1.orig.tar.gz",
        "ee4085cecce12584e600f3d814a28fa822dfaacec1f94c84bfd67f8a5571a5f4",
        prepare=(("./configure", "--with-libevent=no", "--disable-shared", "--disable-flto"),),
        packages=("gcc", "make", "bison", "flex", "libssl-dev", "libexpat1-dev"),
    ),
    DebianSource(
        "haproxy", "haproxy_2.6.12.orig.tar.gz",
        "58f9edb26bf3288f4b502658399281cc5d6478468bd178eafe579c8f41895854",
        make=("TARGET=linux-glibc", "USE_OPENSSL=1", "USE_ZLIB=1"),
        packages=("gcc", "make", "libssl-dev", "zlib1g-dev"),
    ),
)
