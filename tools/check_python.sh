#!/bin/sh
# Says in one line what `make` lacks to begin, and what to type: check_python.sh PYTHON TARGET
python=$1 target=${2:-run}

give_up() {
    printf 'tearsheet: %s\n' "$1" >&2
    exit 1
}

# Another Python on this machine that is new enough, for the advice.
newer() {
    for name in python3.14 python3.13 python3.12 python3.11; do
        if "$name" -c 'import venv, ensurepip' >/dev/null 2>&1; then
            printf 'type: make %s PYTHON=%s' "$target" "$name"
            return
        fi
    done
    printf 'install one (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python), or name it: make %s PYTHON=/path/to/python3' "$target"
}

version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) ||
    give_up "there is no Python as '$python', and 3.11 or later is needed; $(newer)"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    give_up "'$python' is Python $version, and 3.11 or later is needed; $(newer)"
"$python" -c 'import venv, ensurepip' 2>/dev/null ||
    give_up "'$python' lacks the module venv: install it (Debian, Ubuntu: apt install python$version-venv) and type again: make $target"
