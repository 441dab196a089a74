#!/usr/bin/env bash
# Sets up what is missing and runs every test. Ends with the summary lines of cargo test.
# RACELENS_SAMPLE=0 leaves out the sample of real programs, RACELENS_EDITORS=0 the real editors; both need a network.
set -euo pipefail
cd "$(dirname "$0")/.."

# What the user has kept for the next start is none of the tests' business, and would spare them their work.
export RACELENS_CACHE_DIR=

# What is tested is the same program; optimised as a whole, as a release is, it takes minutes longer to build.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16

need() { command -v "$1" >/dev/null 2>&1; }

if ! need gcc || ! need python3; then
    if [ "$(id -u)" -eq 0 ] && need apt-get; then
        apt-get update -qq && apt-get install -y -qq gcc libc6-dev python3
    else
        echo "gcc and python3 are needed: install them, for example with: sudo apt-get install gcc python3" >&2
        exit 2
    fi
fi

# Downloads take minutes, and nothing else needs the network before the real programs do.
if [ "${RACELENS_EDITORS:-1}" = 1 ]; then
    editor_tools_log=$(mktemp)
    bash tests/editors/run.sh tools >"$editor_tools_log" 2>&1 &
    editor_tools=$!
    trap 'kill "$editor_tools" 2>/dev/null || true; rm -f "$editor_tools_log"' EXIT
fi

rustup component list --installed 2>/dev/null | grep -q rustfmt && cargo fmt --all --check
if cargo clippy --version >/dev/null 2>&1; then
    cargo clippy --workspace --all-targets --quiet -- -D warnings
    cargo clippy --manifest-path benches/Cargo.toml --target-dir target --quiet -- -D warnings
fi

# tests/tests/supply_chain.rs checks what needs no tool; the advisories need their database.
if cargo deny --version >/dev/null 2>&1; then
    cargo deny check licenses bans sources
    if ! advisories=$(cargo deny check advisories 2>&1); then
        case "$advisories" in
        *"failed to fetch"*) echo "NOT TESTED: security advisories, whose database cannot be reached" >&2 ;;
        *) echo "$advisories" >&2 && exit 1 ;;
        esac
    fi
else
    echo "NOT TESTED: security advisories (cargo install cargo-deny)" >&2
fi

python3 -m unittest discover --start-directory tests/real --quiet
python3 -m unittest discover --start-directory tests/scale --quiet
python3 -m unittest discover --start-directory tests/bench --quiet
python3 -m unittest discover --start-directory fuzz --quiet
python3 tests/scale/check.py

[ "${RACELENS_SAMPLE:-1}" = 1 ] && cargo build --release --quiet

# Two cannot install Debian packages at once. What could not be set up is tried again by the part that needs it.
if [ "${RACELENS_EDITORS:-1}" = 1 ]; then
    wait "$editor_tools" || true
    cat "$editor_tools_log"
fi

if [ "${RACELENS_SAMPLE:-1}" = 1 ]; then
    python3 tests/real/fetch.py --only pixz libsqlite3-sys
    python3 tests/real/front_end_table.py --sample --repeat 1 --fail-below 99.9
    python3 tests/real/missing_functions.py --sample
fi

if [ "${RACELENS_EDITORS:-1}" = 1 ]; then
    for part in units protocol nvim vscode; do
        status=0
        bash tests/editors/run.sh "$part" || status=$?
        # An editor that cannot be downloaded today says nothing about the program.
        if [ "$status" = 75 ]; then
            echo "NOT TESTED: $part" >&2
        elif [ "$status" != 0 ]; then
            exit "$status"
        fi
    done
fi

cargo test --workspace
