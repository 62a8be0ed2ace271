# What the server scripts share. Each script says `. "$(dirname "$0")/lib.sh"`, sets `name`, defines install, launch, ready
# (and prepare, where something must exist before the first test), and ends with `main "$@"`.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/urls.sh"

# Everything lives below one folder outside the clone, so that a second clone finds it again. Some servers refuse to run as
# root and get a user of their own; that user cannot enter root's home, so root keeps them elsewhere.
if [ "$(id -u)" = 0 ]; then default_root=/var/cache/tearsheet-engines; else default_root=$HOME/.cache/tearsheet-engines; fi
root=${TEARSHEET_ENGINES:-$default_root}
server_user=tearsheet-engines
export PATH="$PATH:/usr/local/go/bin:/usr/sbin:/sbin"

say() { printf '%-14s %s\n' "$name" "$*"; }
fail() { say "$*" >&2; exit 1; }

# ---- parts of a URL: scheme://user:password@host:port/path?option=value
url_user() { local rest=${1#*://}; rest=${rest%%@*}; printf %s "${rest%%:*}"; }
url_password() { local rest=${1#*://}; rest=${rest%%@*}; printf %s "${rest#*:}"; }
url_port() { local rest=${1#*://}; rest=${rest##*@}; rest=${rest%%/*}; printf %s "${rest##*:}"; }
url_path() { local rest=${1#*://}; rest=${rest#*/}; printf %s "${rest%%\?*}"; }
url_option() { local rest=${1#*"$2"=}; printf %s "${rest%%&*}"; }

# ---- installing
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else return 127; fi; }

# apt_install PACKAGE…: Debian packages, without a word and without starting the services that they bring.
apt_install() {
    local missing=() package policy=/usr/sbin/policy-rc.d made_policy=
    for package; do dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package"); done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null || fail "needs ${missing[*]}: this is no Debian; install them yourself, or use compose.yaml"
    as_root true || fail "needs the packages ${missing[*]}: run 'apt-get install ${missing[*]}' as root, then try again"
    say "installing ${missing[*]} with apt-get"
    mkdir -p "$root"
    {
        flock 8
        apt-cache show "${missing[@]}" >/dev/null 2>&1 || as_root apt-get update -qq >"$root/apt.log" 2>&1 || true
        if [ ! -e "$policy" ]; then printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null; as_root chmod 755 "$policy"; made_policy=yes; fi
        local command="apt-get install -y -qq --no-install-recommends ${missing[*]}" result=0
        # A package list that is too old names files that are gone: read it anew and try once more.
        as_root env DEBIAN_FRONTEND=noninteractive $command >>"$root/apt.log" 2>&1 ||
            { as_root apt-get update -qq >>"$root/apt.log" 2>&1; as_root env DEBIAN_FRONTEND=noninteractive $command >>"$root/apt.log" 2>&1; } || result=1
        [ -z "$made_policy" ] || as_root rm -f "$policy"
        [ $result = 0 ] || fail "apt-get could not install ${missing[*]}; see $root/apt.log"
    } 8>"$root/apt.lock"
}

# same_bytes DIGEST FILE…: fail unless the files are those whose SHA-256 sums, sorted, have this SHA-256 together.
same_bytes() {
    local wanted=$1 found; shift
    found=$(sha256sum "$@" | cut -d' ' -f1 | sort | sha256sum | cut -d' ' -f1)
    [ "$found" = "$wanted" ] || fail "what was downloaded is not what was expected: its digest is $found"
}

# maven_libs DIGEST POM-BODY: copy the jars of some dependencies, and theirs, into the server's lib folder.
maven_libs() {
    command -v java >/dev/null && command -v javac >/dev/null || apt_install openjdk-17-jdk-headless
    command -v mvn >/dev/null || apt_install maven
    mkdir -p "$home/build"
    cat >"$home/build/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>org.example</groupId><artifactId>$name</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>$2</dependencies></project>
POM
    rm -rf "$home/lib.new"
    (cd "$home/build" && mvn -B -q -C dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$home/lib.new") >"$home/install.log" 2>&1 ||
        fail "Maven could not fetch the jars; see $home/install.log"
    same_bytes "$1" "$home"/lib.new/*.jar
    rm -rf "$home/lib" && mv "$home/lib.new" "$home/lib"
}

# ---- processes: the pid file holds the id and the kernel's start time, so that a reused id is never taken for ours
started_at() { awk '{sub(/.*\) /, ""); print $20}' "/proc/$1/stat" 2>/dev/null; }
running_pid() { # running_pid [PIDFILE]
    local pid when
    read -r pid when 2>/dev/null <"${1:-$home/pid}" || return 1
    [ -n "$pid" ] && [ "$(started_at "$pid")" = "$when" ] && printf %s "$pid"
}
# spawn PIDFILE LOG COMMAND…: a process of its own session, with nothing of ours open.
spawn() {
    local pidfile=$1 log=$2; shift 2
    setsid "$@" </dev/null >"$log" 2>&1 8>&- 9>&- &
    local pid=$!
    disown "$pid"
    printf '%s %s\n' "$pid" "$(started_at "$pid")" >"$pidfile"
}
end_process() { # end_process PIDFILE [SIGNAL]
    local pid; pid=$(running_pid "$1") || { rm -f "$1"; return 0; }
    kill "-${2:-TERM}" "$pid" 2>/dev/null || true
    for _ in $(seq 300); do running_pid "$1" >/dev/null || break; sleep 0.1; done
    if running_pid "$1" >/dev/null; then say "does not end by itself; killing process $pid"; kill -KILL "$pid" 2>/dev/null || true; fi
    rm -f "$1"
}
# unprivileged COMMAND…: as a user of the servers' own where we are root, as ourselves otherwise. Replaces this shell.
server_account() {
    [ "$(id -u)" = 0 ] || return 0
    id "$server_user" >/dev/null 2>&1 || useradd --system --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$server_user"
}
unprivileged=()
if [ "$(id -u)" = 0 ]; then unprivileged=(setpriv "--reuid=$server_user" "--regid=$server_user" --clear-groups --); fi
owned_by_server() { if [ "$(id -u)" = 0 ]; then chown -R "$server_user:$server_user" "$@"; fi; }

listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
wait_ready() { # wait_ready SECONDS
    local end=$((SECONDS + $1))
    until ready >/dev/null 2>&1; do
        running_pid >/dev/null || { tail -n 15 "$home/server.log" >&2; fail "ended while starting; its log is $home/server.log"; }
        [ $SECONDS -lt $end ] || fail "is not ready after $1 s; its log is $home/server.log"
        sleep 0.2
    done
}

# ---- the four verbs
do_install() {
    mkdir -p "$home"
    if [ "$(cat "$home/installed" 2>/dev/null)" = "$version" ] && installed; then return; fi
    local begin=$SECONDS
    say "installing $version"
    install
    printf '%s\n' "$version" >"$home/installed"
    say "installed $version in $((SECONDS - begin)) s"
}
do_start() {
    do_install
    local pid; if pid=$(running_pid) && ready >/dev/null 2>&1; then prepare; say "up on port $port, process $pid"; return; fi
    if [ -z "$pid" ] && listening "$port"; then fail "port $port is taken by another process; free it, or set another one in engines/urls.sh"; fi
    local begin=$SECONDS
    [ -n "$pid" ] || launch
    wait_ready 180
    prepare
    say "up on port $port, process $(running_pid), after $((SECONDS - begin)) s"
}
do_stop() { if running_pid >/dev/null; then halt; say "stopped"; else halt; say "was not running"; fi; }
do_status() {
    local pid
    if pid=$(running_pid) && ready >/dev/null 2>&1; then say "up on port $port, process $pid, $(awk '/VmRSS/ {printf "%d MB", $2 / 1024}' "/proc/$pid/status")"
    elif [ -n "${pid:-}" ]; then say "process $pid runs, but does not answer on port $port"; return 1
    elif [ -e "$home/installed" ]; then say "down"; return 1
    else say "not installed"; return 1; fi
}
# What a script may leave out.
installed() { true; }
prepare() { true; }
halt() { end_process "$home/pid"; }

main() {
    home=$root/$name
    case ${1:-} in
    install | start | stop) mkdir -p "$home"; exec 9>"$home/lock"; flock 9; "do_$1" ;;
    status) do_status ;;
    *) printf 'usage: %s install|start|stop|status\n' "$0" >&2; exit 2 ;;
    esac
}
