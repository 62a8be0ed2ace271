"""Ports, Unix sockets and certificates: what cannot be used is named before anything starts."""

from __future__ import annotations

import asyncio
import socket
import ssl
import stat
import threading
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tearsheet.errors import BusyError, ConfigError
from tearsheet.web.listening import address_of, bind, bind_unix, remove_unix, tls_context
from tearsheet.web.service import page_service
from tests.support.patience import PATIENCE
from tests.support.web_seed import open_services


def test_a_port_in_use_is_named_before_anything_starts():
    taken = bind("127.0.0.1", 0)
    port = taken.getsockname()[1]
    with taken, pytest.raises(BusyError, match=rf"port {port} is in use.*--port"):
        bind("127.0.0.1", port)


@pytest.mark.parametrize(("host", "port"), [("no-such-host.invalid", 0), ("192.0.2.1", 0), ("127.0.0.1", 99_999)])
def test_an_address_that_is_not_ours_is_a_config_error(host, port):
    with pytest.raises(ConfigError, match=r"web\."):
        bind(host, port)


def test_the_address_can_be_opened_in_a_browser():
    with bind("127.0.0.1", 0) as listener:
        assert address_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}/"
    with bind("0.0.0.0", 0) as listener:
        assert address_of(listener).startswith("http://127.0.0.1:")


# ------------------------------------------------------------------------------------------------------ Unix sockets


def test_only_this_user_can_open_the_socket(tmp_path):
    path = tmp_path / "web.sock"
    with bind_unix(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert list(tmp_path.iterdir()) == [path]


def test_a_socket_that_a_killed_server_left_is_replaced_and_one_in_use_is_not(tmp_path):
    path = tmp_path / "web.sock"
    bind_unix(path).close()
    with bind_unix(path), pytest.raises(BusyError, match="--socket"):
        bind_unix(path)
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_socket_is_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    with pytest.raises(ConfigError, match="is no socket"):
        bind_unix(path)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("name", ["missing/web.sock", "x" * 150])
def test_a_path_that_cannot_be_a_socket_says_what_to_do(tmp_path, name):
    with pytest.raises(ConfigError, match=r"web\.socket: .*--socket"):
        bind_unix(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_the_name_is_removed_unless_another_server_took_it(tmp_path):
    path = tmp_path / "web.sock"
    bind_unix(path).close()
    remove_unix(path)
    assert not path.exists()
    with bind_unix(path):
        remove_unix(path)
        assert path.exists()


# --------------------------------------------------------------------------------------------------------------- TLS


def make_certificate(folder, name="one"):
    """A certificate for 127.0.0.1, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tearsheet test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / f"{name}.pem", folder / f"{name}.key"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    locked = folder / f"{name}.locked.key"
    secret = serialization.BestAvailableEncryption(b"secret")
    locked.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, secret))
    return str(certificate), str(private), str(locked)


def test_a_certificate_that_cannot_be_used_says_why(tmp_path):
    certificate, key, locked = make_certificate(tmp_path)
    _, other, _ = make_certificate(tmp_path, "two")
    assert tls_context("", "") is None
    for given, told in (
        ((certificate, ""), "web.key: .*TLS needs both"),
        (("", key), "web.certificate: .*TLS needs both"),
        ((certificate, str(tmp_path / "missing")), "web.key: cannot read .*No such file"),
        ((str(tmp_path), key), "web.certificate: cannot read"),
        ((certificate, other), "do not belong together"),
        ((key, certificate), "PEM files"),
        ((certificate, locked), "has a password"),
    ):
        with pytest.raises(ConfigError, match=told):
            tls_context(*given)


class Running:
    """`page_service` in a thread, and what it announced."""

    def __init__(self, services) -> None:
        self.told: list[str] = []
        self.warned: list[str] = []
        service = page_service(services, self.told.append, self.warned.append)
        self._loop, self._stop = asyncio.new_event_loop(), asyncio.Event()
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(service(self._stop)))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(PATIENCE)
        self._loop.close()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_pages_are_served_by_https_and_who_speaks_no_tls_is_not_waited_for(tmp_path):
    certificate, key, _ = make_certificate(tmp_path)
    port = free_port()
    flags = {"web.port": port, "web.certificate": certificate, "web.key": key, "web.head_seconds": 3}
    with open_services(tmp_path / "data", **flags) as services, Running(services) as running:
        assert running.told == [f"https://127.0.0.1:{port}/"]
        assert running.warned == []
        trusting = ssl.create_default_context(cafile=certificate)
        with httpx.Client(verify=trusting, timeout=30) as client:
            answer = client.get(f"https://127.0.0.1:{port}/api/auth/profile")
            assert answer.json()["username"] == "local"
        with pytest.raises(httpx.TransportError):
            httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=30)
        with socket.create_connection(("127.0.0.1", port), timeout=30) as silent:
            assert silent.recv(1) == b""


def test_pages_are_served_on_a_socket_whose_name_goes_with_the_server(tmp_path):
    with open_services(tmp_path, **{"web.socket": "web.sock"}) as services:
        path = tmp_path / "web.sock"
        with Running(services) as running:
            assert running.told == [f"unix:{path}"]
            with httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), timeout=30) as client:
                answer = client.get("http://localhost/api/auth/profile")
                assert (answer.json()["username"], answer.json()["rights"]) == ("local", "write")
                passed_on = client.get("http://localhost/api/auth/profile", headers={"x-forwarded-for": "192.0.2.1"})
                assert passed_on.status_code == 401
        assert not path.exists()


def test_a_public_server_without_tls_warns_loudly(tmp_path):
    with (
        open_services(tmp_path, **{"web.host": "0.0.0.0", "web.port": free_port()}) as services,
        Running(services) as running,
    ):
        assert len(running.warned) == 1
        assert "plain text" in running.warned[0] and "web.certificate" in running.warned[0]
