"""Where the server listens: a port or a Unix socket, and with which certificate. All is checked before anything starts."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import ssl
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import NoReturn

from tearsheet.errors import BusyError, ConfigError
from tearsheet.locks import lock
from tearsheet.system import require_unix

_BACKLOG = 2048
"""Connections that wait to be accepted; the kernel may allow fewer."""
_LAST_PORT = 65_535


def bind(host: str, port: int) -> socket.socket:
    """Bind the port before anything else is started. Raises BusyError if it is in use, and ConfigError."""
    if not 0 <= port <= _LAST_PORT:
        raise ConfigError(f"web.port: {port} is no port; choose one from 1 to {_LAST_PORT} with --port")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"web.host: {host!r} is not an address of this machine; try --host 127.0.0.1") from error
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise _explained(error, host, port) from error
    listener.setblocking(False)
    return listener


def _explained(error: OSError, host: str, port: int) -> BusyError | ConfigError:
    if error.errno == errno.EADDRINUSE:
        return BusyError(f"port {port} is in use on {host}: stop what listens there, or choose another with --port")
    if error.errno == errno.EACCES:
        return ConfigError(f"web.port: port {port} needs more rights than this user has; choose another with --port")
    return ConfigError(f"web.host: cannot listen on {host}: {error.strerror}; try --host 127.0.0.1")


def bind_unix(path: Path) -> socket.socket:
    """Listen on a Unix socket that only this user can open. Raises BusyError if a server listens there, and ConfigError.

    It gets its name only when it is ready and private, in place of one that a killed server left behind.
    """
    require_unix("web.socket")
    ready = path.with_name(f".{path.name}.{os.getpid()}")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _alone_in(path.parent):
            _check_free(path)
            ready.unlink(missing_ok=True)
            listener.bind(str(ready))
            ready.chmod(0o600)
            listener.listen(_BACKLOG)
            ready.replace(path)
    except OSError as error:
        listener.close()
        with contextlib.suppress(OSError):
            ready.unlink()
        reason = error.strerror or str(error)  # a path that is too long has no number
        raise ConfigError(f"web.socket: cannot listen on {path}: {reason}; choose another with --socket") from error
    except (BusyError, ConfigError):
        listener.close()
        raise
    listener.setblocking(False)
    return listener


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Let no other server bind a socket in this folder meanwhile."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _check_free(path: Path) -> None:
    """Raises BusyError if somebody listens there, and ConfigError if it is no socket, which is then left alone."""
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(kind):
        raise ConfigError(f"web.socket: {path} exists and is no socket; choose another with --socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return
        except OSError as error:
            raise BusyError(f"{path} is in use: {error.strerror or error}; choose another with --socket") from error
    raise BusyError(f"a server listens on {path} already: stop it, or choose another with --socket")


def remove_unix(path: Path) -> None:
    """Remove the name of a socket that nobody listens on any more; not that of another server which has taken it over."""
    with contextlib.suppress(OSError, BusyError, ConfigError), _alone_in(path.parent):
        _check_free(path)
        path.unlink(missing_ok=True)


def tls_context(certificate: str, key: str) -> ssl.SSLContext | None:
    """What a server with this certificate speaks TLS with; None if there is none. Raises ConfigError."""
    if not certificate and not key:
        return None
    if not certificate or not key:
        given, missing = ("certificate", "key") if certificate else ("key", "certificate")
        raise ConfigError(f"web.{missing}: web.{given} is set and this is not; TLS needs both")
    for name, path in (("certificate", certificate), ("key", key)):
        try:
            Path(path).read_bytes()
        except OSError as error:
            raise ConfigError(f"web.{name}: cannot read {path}: {error.strerror}") from error
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except ssl.SSLError as error:
        told = "they do not belong together" if error.reason == "KEY_VALUES_MISMATCH" else "they have to be PEM files"
        raise ConfigError(f"web.certificate, web.key: {certificate} and {key} cannot be used: {told}") from error
    return context


def _no_password() -> NoReturn:
    raise ConfigError("web.key: the key has a password, and nobody is there to type it: use one without")


def address_of(listener: socket.socket, *, tls: bool = False) -> str:
    """Where a browser finds us, as `http://127.0.0.1:8700/`."""
    host, port = listener.getsockname()[:2]
    if ip_address(host).is_unspecified:
        host = "127.0.0.1" if listener.family == socket.AF_INET else "::1"
    scheme = "https" if tls else "http"
    return f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/"
