#!/usr/bin/env bash
# Tests Racelens in real editors, and the extension and the plugin for them. Installs what is missing.
#
#   bash tests/editors/run.sh                    everything
#   bash tests/editors/run.sh protocol nvim      some of: units protocol nvim vscode others
#   bash tests/editors/run.sh tools              installs what all but `others` need, and tests nothing
#
# RACELENS_SERVER        the program to test (default: target/debug/racelens, which is built)
# RACELENS_IMAGES        a folder for the pictures of the extension's README, which are renewed
# RACELENS_EDITORS_WORK  where tools, pictures and logs go (default: target/editors)
#
# Ends with status 75 if something could not be downloaded, so that nothing was tested.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
work=${RACELENS_EDITORS_WORK:-$repository/target/editors}
mkdir -p "$work"
work=$(cd "$work" && pwd)
tools=$work/tools
mkdir -p "$tools"
. "$here/setup.sh"

server() {
    if [ -z "${RACELENS_SERVER:-}" ]; then
        (cd "$repository" && cargo build --quiet)
        RACELENS_SERVER=${CARGO_TARGET_DIR:-$repository/target}/debug/racelens
    fi
    # The tests run in other folders, and a build may replace the program meanwhile.
    cp "$RACELENS_SERVER" "$work/racelens"
    export RACELENS_SERVER=$work/racelens
}

with_node() {
    debian_packages node=nodejs npm=npm
    once node install_node
    export PATH=$tools/node/node_modules/node/bin:$PATH
}

npm_ci() { npm ci --ignore-scripts --loglevel=error >/dev/null; }

extension() {
    with_node
    cd "$repository/editors/vscode"
    # npm writes this file last, so that an installation that broke off is done again.
    if ! [ node_modules/.package-lock.json -nt package-lock.json ]; then
        several_times "the extension's packages" npm_ci
    fi
    cd "$repository"
}

units() {
    extension
    (cd "$repository/editors/vscode" && npm run --silent check && npm test --silent >"$work/extension-tests.log") ||
        { cat "$work/extension-tests.log" >&2; exit 1; }
    grep -E '^# (tests|fail)' "$work/extension-tests.log"
    python3 -m unittest discover --start-directory "$here/latency" --quiet
}

protocol_tools() { once python install_python; }

protocol() {
    protocol_tools
    (cd "$here/protocol" && "$tools/python/bin/python" -m pytest --quiet -p no:cacheprovider .)
}

# Copies the demo as a project of its own: below this repository, editors would take all of it for the project.
demo_in() {
    cp -r "$repository/tests/demo" "$1/demo"
    echo "# The root of the project." >"$1/demo/racelens.toml"
}

nvim_story() {
    rm -rf "$work/nvim"
    mkdir -p "$work/nvim"
    demo_in "$work/nvim"
    # A copy, since Neovim writes the tags of the help into it.
    cp -r "$repository/editors/nvim" "$work/nvim/plugin"
    RACELENS_DEMO=$work/nvim/demo RACELENS_DOC=$work/nvim/plugin/doc \
        XDG_CONFIG_HOME=$work/nvim/config XDG_DATA_HOME=$work/nvim/data XDG_STATE_HOME=$work/nvim/state \
        neovim_in "$1" --headless --clean --cmd "set runtimepath^=$work/nvim/plugin" --cmd "runtime plugin/racelens.lua" \
        -c "luafile $here/nvim/story.lua" </dev/null 2>"$work/nvim/messages.log" ||
        { cat "$work/nvim/messages.log" >&2; exit 1; }
}

# The oldest that is supported, one that has `vim.lsp.start` only, and the newest.
nvim_tools() {
    debian_packages nvim=neovim
    once neovim-trixie install_neovim_of trixie
    once neovim-sid install_neovim_of sid
}

nvim_stories() {
    nvim_tools
    nvim_story -
    nvim_story "$tools/neovim-trixie"
    nvim_story "$tools/neovim-sid"
}

vscode_tools() {
    debian_packages chromium=chromium fc-list=fontconfig
    [ -d /usr/share/fonts/truetype/dejavu ] || debian_packages dejavu=fonts-dejavu-core
    extension
    once code-server install_code_server
}

vscode() {
    vscode_tools
    (cd "$repository/editors/vscode" && npm run --silent package -- --server "$RACELENS_SERVER" --out "$work/racelens.vsix" >"$work/package.log") ||
        { cat "$work/package.log" >&2; exit 1; }
    node "$here/vscode/story.mjs" --tools "$tools/code-server" --extension "$work/racelens.vsix" \
        --server "$RACELENS_SERVER" --demo "$repository/tests/demo" --work "$work/vscode" \
        ${RACELENS_IMAGES:+--images "$RACELENS_IMAGES"}
}

# Each part looks again whether it has what it needs, so that one that broke off here is set up there.
tools() {
    protocol_tools
    nvim_tools
    vscode_tools
}

# Editors for which there is nothing of ours but notes in editors/README.md.
others() {
    debian_packages emacs=emacs-nox vim=vim-nox
    [ -d /usr/share/doc/elpa-eglot ] || debian_packages eglot=elpa-eglot
    [ -d /usr/share/doc/vim-ale ] || debian_packages ale=vim-ale
    once helix install_helix_of sid
    rm -rf "$work/others"
    mkdir -p "$work/others"
    demo_in "$work/others"
    export RACELENS_DEMO=$work/others/demo RACELENS_RESULT=$work/others/vim.txt
    HOME=$work/others timeout 120 emacs --batch -l "$here/others/eglot.el" 2>"$work/others/emacs.log" ||
        { cat "$work/others/emacs.log" >&2; exit 1; }
    HOME=$work/others timeout 120 vim -es -u "$here/others/ale.vim" </dev/null || true
    cat "$RACELENS_RESULT"
    grep -q ok "$RACELENS_RESULT"
    HELIX_RUNTIME=$tools/helix/usr/lib/hx/runtime python3 "$here/others/helix.py" "$RACELENS_DEMO" "$work/others/config" \
        "$tools/helix/usr/lib64/ld-linux-x86-64.so.2" --library-path "$tools/helix/usr/lib/x86_64-linux-gnu" "$tools/helix/usr/lib/hx/hx"
}

timed() {
    local began=$SECONDS
    "$2"
    echo "$1: done in $((SECONDS - began)) s"
}

# A function, so that the whole script is read before anything runs.
main() {
    local part
    [ $# -eq 0 ] && set -- units protocol nvim vscode others
    [ "$*" = tools ] || server
    for part in "$@"; do
        case $part in
        tools | units | protocol | vscode | others) timed "$part" "$part" ;;
        nvim) timed nvim nvim_stories ;;
        *)
            echo "there is no part $part: tools units protocol nvim vscode others" >&2
            exit 2
            ;;
        esac
    done
}

main "$@"
