# What the tests in real editors need, installed by name below $tools, each once. Sourced by run.sh.

code_server_version=4.139.1
playwright_version=1.65.0
node_version=24

need() { command -v "$1" >/dev/null 2>&1; }

# Installs Debian packages whose programs are missing: `debian_packages PROGRAM=PACKAGE...`
debian_packages() {
    local missing=() pair
    for pair in "$@"; do
        need "${pair%%=*}" || missing+=("${pair#*=}")
    done
    [ ${#missing[@]} -eq 0 ] && return
    if [ "$(id -u)" -ne 0 ] || ! need apt-get; then
        echo "missing: ${missing[*]}. Install them, for example with: sudo apt-get install ${missing[*]}" >&2
        exit 2
    fi
    several_times "${missing[*]}" apt_install "${missing[@]}"
}

apt_install() {
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# What is downloaded from elsewhere may fail for a while: `several_times WHAT COMMAND...`. Who gives up ends the script with a
# status of its own, since nothing of ours has failed.
could_not_be_set_up=75
several_times() {
    local what=$1 attempt
    shift
    for attempt in 1 2 3; do
        # In the background, because `set -e` does not count inside a condition.
        "$@" &
        wait $! && return
        sleep $((attempt * 5))
    done
    echo "could not be set up: $what" >&2
    exit $could_not_be_set_up
}

# Runs a set-up step unless it is done; a step that breaks off is done again from the start.
once() {
    local name=$1 began=$SECONDS
    shift
    [ -f "$tools/$name.done" ] && return
    several_times "$name" from_the_start "$tools/$name" "$@"
    touch "$tools/$name.done"
    echo "set up $name in $((SECONDS - began)) s"
}

from_the_start() {
    local folder=$1
    shift
    rm -rf "${folder:?}"
    mkdir -p "$folder"
    "$@" "$folder"
}

npm_install() { npm install --no-audit --no-fund --loglevel=error --no-save --prefix "$@" >/dev/null; }

install_node() { npm_install "$1" "node@$node_version"; }

# code-server's own set-up script builds native modules, for which nothing here has a use.
install_code_server() {
    npm_install "$1" --ignore-scripts "code-server@$code_server_version" "playwright-core@$playwright_version"
    echo '{}' >"$1/package.json"
    local editor=$1/node_modules/code-server/lib/vscode folder
    for folder in "$editor" "$editor/extensions"; do
        (cd "$folder" && npm install --no-audit --no-fund --loglevel=error --omit=dev --ignore-scripts >/dev/null)
    done
}

install_python() {
    python3 -c 'import ensurepip' 2>/dev/null || debian_packages ensurepip=python3-venv
    python3 -m venv "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check pytest-lsp==1.0.1
}

# Unpacks packages of another Debian suite, with all that they need, and leaves the system as it is:
# `unpack_suite SUITE FOLDER PACKAGE...`
unpack_suite() {
    local suite=$1 folder=$2
    shift 2
    local apt=$folder/.apt mirror options archive
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    touch "$apt/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$apt/sources.list"
    options=(-qq -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$apt/lists" -o "Dir::State::Status=$apt/status" -o "Dir::Cache=$apt/cache"
        -o APT::Install-Recommends=false -o APT::Sandbox::User=root -o Debug::NoLocking=1 -o Acquire::Languages=none)
    apt-get "${options[@]}" update
    apt-get "${options[@]}" --yes --download-only install "$@" >/dev/null
    for archive in "$apt"/cache/archives/*.deb; do
        dpkg-deb --extract "$archive" "$folder"
    done
    rm -r "$apt"
}

install_neovim_of() { unpack_suite "$1" "$2" neovim; }

install_helix_of() { unpack_suite "$1" "$2" hx; }

# A Neovim that was unpacked runs with the C library that came with it.
# `neovim_in FOLDER ARGUMENT...`, or with `-` the system's own.
neovim_in() {
    local folder=$1
    shift
    if [ "$folder" = - ]; then
        nvim "$@"
    else
        VIMRUNTIME=$folder/usr/share/nvim/runtime "$folder/usr/lib64/ld-linux-x86-64.so.2" \
            --library-path "$folder/usr/lib/x86_64-linux-gnu" "$folder/usr/bin/nvim" \
            --cmd "set runtimepath+=$folder/usr/lib/nvim" "$@"
    fi
}
