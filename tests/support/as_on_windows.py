"""Makes this process look like one on Windows, as far as imports go: no module and no name that only POSIX systems have.

Run as `python -m tests.support.as_on_windows FOLDER`: imports every module of the program then, and tries what has two ways there.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import sys
from pathlib import Path
from types import ModuleType

from tools.smoke import import_everything

MODULES = ("fcntl", "resource", "pwd", "grp", "spwd", "termios", "tty", "pty", "readline", "curses", "syslog", "crypt")
NAMES = {
    os: """fork forkpty pread pwrite preadv pwritev getuid geteuid getgid getegid getpgid setpgid getsid setsid killpg
           statvfs fstatvfs chown fchown lchown fchmod sync fdatasync mkfifo mknod getloadavg uname nice
           register_at_fork wait waitid wait3 wait4 WNOHANG WIFEXITED sched_getaffinity sched_yield
           posix_spawn posix_fadvise posix_fallocate sendfile openpty getpriority chroot O_DIRECTORY O_PATH
           O_CLOEXEC O_NONBLOCK O_NOFOLLOW O_SYNC O_DSYNC""",
    signal: """SIGKILL SIGHUP SIGALRM SIGUSR1 SIGUSR2 SIGCHLD SIGPIPE SIGQUIT SIGSTOP SIGCONT SIGTSTP SIGWINCH SIGPROF ITIMER_PROF
               ITIMER_REAL ITIMER_VIRTUAL setitimer getitimer alarm pause pthread_sigmask pthread_kill sigwait siginterrupt""",
    select: "epoll poll EPOLLIN EPOLLOUT EPOLLERR EPOLLHUP POLLIN POLLOUT POLLERR POLLHUP",
    socket: "AF_UNIX SO_REUSEPORT",
}


class Msvcrt(ModuleType):
    """What Windows locks with. Here it notes where, and refuses a file that is locked already."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.locked: dict[int, int] = {}

    def locking(self, descriptor: int, mode: int, length: int) -> None:
        assert (mode, length) == (self.LK_NBLCK, 1)
        inode = os.fstat(descriptor).st_ino
        if inode in self.locked:
            raise PermissionError(errno.EACCES, "Permission denied")
        self.locked[inode] = os.lseek(descriptor, 0, os.SEEK_CUR)


def become_windows() -> Msvcrt:
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment] # "not to be found"
    for module, names in NAMES.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    sys.modules["msvcrt"] = msvcrt = Msvcrt()
    sys.platform = "win32"
    return msvcrt


def refused(call: object, *arguments: object) -> str:
    from tearsheet.errors import UsageError

    assert callable(call)
    try:
        call(*arguments)
    except UsageError as error:
        return str(error)
    return ""


def main() -> None:
    import_everything()  # with the packages of others, which have their own ways on each system
    msvcrt = become_windows()
    for name in [name for name in sys.modules if name.partition(".")[0] == "tearsheet"]:
        del sys.modules[name]
    print(import_everything())

    from tearsheet.files import write_whole
    from tearsheet.locks import lock, try_lock
    from tearsheet.system import file_limit, read_at, write_at
    from tearsheet.web.listening import bind_unix
    from tearsheet.work.pool import ProcessPool

    folder = Path(sys.argv[1])
    with (folder / "x").open("w+b", buffering=0) as file:
        file.write(b"some bytes")
        lock(file)
        assert not try_lock(file.fileno()) and file.tell() == len(b"some bytes")
        assert list(msvcrt.locked.values()) == [2**31 - 2]
        assert write_at(file.fileno(), b"more", 0) == 4 and read_at(file.fileno(), 6, 5) == b"bytes"
        write_whole(folder / "y", b"whole")
        assert (folder / "y").read_bytes() == b"whole" and len(list(folder.iterdir())) == 2
    assert file_limit() == 512
    print(refused(ProcessPool, "x:y", (), 1, 1.0))
    print(refused(bind_unix, Path("x")))


if __name__ == "__main__":
    main()
