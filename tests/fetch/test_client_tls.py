"""Secure connections: certificates are checked, and HTTP/2 is spoken where it is offered."""

import asyncio
import datetime
import socket
import ssl
import threading
from contextlib import suppress

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tearsheet.fetch import FetchError, FetchRequest
from tearsheet.fetch.model import ERROR_KINDS
from tests.support.loop_watch import unblocked_loop
from tests.support.loopback_web import client_for, redirect, response, serve

PAGE = b"<p>secure</p>"


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 30))


def make_certificate(names, issuer=None, *, authority=False, days=(-1, 1)):
    """A key and a certificate for these names, signed by the issuer or by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
    today = datetime.datetime.now(datetime.UTC)
    usage = x509.KeyUsage(True, False, False, False, False, authority, authority, False, False)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[1].subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today + datetime.timedelta(days=days[0]))
        .not_valid_after(today + datetime.timedelta(days=days[1]))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), False)
        .add_extension(x509.BasicConstraints(authority, None), True)
        .add_extension(usage, True)
    )
    return key, builder.sign(issuer[0] if issuer else key, hashes.SHA256())


def context_for(folder, name, pair, alpn=("http/1.1",)):
    path = folder / f"{name}.pem"
    key, certificate = pair
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    context.set_alpn_protocols(list(alpn))
    return context


@pytest.fixture
def authority(tmp_path, monkeypatch):
    """A certificate authority that this process trusts, and no other."""
    pair = make_certificate(["Test authority"], authority=True)
    path = tmp_path / "authority.pem"
    path.write_bytes(pair[1].public_bytes(serialization.Encoding.PEM))
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "none"))
    return pair


async def fetch_from(context, host, answer=None):
    async with (
        serve(answer or response(PAGE), tls=context) as web,
        client_for(connect_to={"*": f"127.0.0.1:{web.port}"}) as client,
    ):
        return await client.fetch(FetchRequest(f"https://{host}/"))


def test_a_good_certificate(tmp_path, authority):
    context = context_for(tmp_path, "good", make_certificate(["good.example"], authority))
    got = run(fetch_from(context, "good.example"))
    assert got.body == PAGE and got.url == "https://good.example/"


@pytest.mark.parametrize("problem", ["other name", "expired", "not yet", "unknown authority", "signed by itself"])
def test_bad_certificates_are_refused(tmp_path, authority, problem):
    names = ["other.example" if problem == "other name" else "bad.example"]
    days = {"expired": (-3, -1), "not yet": (1, 3)}.get(problem, (-1, 1))
    issuer = {
        "unknown authority": make_certificate(["Unknown"], authority=True),
        "signed by itself": None,
    }.get(problem, authority)
    context = context_for(tmp_path, "bad", make_certificate(names, issuer, days=days))
    with pytest.raises(FetchError) as error:
        run(fetch_from(context, "bad.example"))
    assert error.value.kind == "ssl"


def test_a_redirect_from_secure_to_plain_is_followed(tmp_path, authority):
    context = context_for(tmp_path, "good", make_certificate(["good.example"], authority))

    async def test():
        async with serve(response(PAGE)) as plain, serve(redirect("http://plain.example/"), tls=context) as secure:
            to = {"good.example": f"127.0.0.1:{secure.port}", "plain.example": f"127.0.0.1:{plain.port}"}
            async with client_for(connect_to=to) as client:
                return await client.fetch(FetchRequest("https://good.example/"))

    assert run(test()).url == "http://plain.example/"


def test_garbage_instead_of_tls(authority):
    async def test():
        async def answer(reader, writer):
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with client_for(connect_to={"*": f"127.0.0.1:{port}"}) as client:
            with pytest.raises(FetchError) as error:
                await client.fetch(FetchRequest("https://a.example/"))
        server.close()
        return error.value.kind

    assert run(test()) == "ssl"


class Http2Server(asyncio.Protocol):
    """The least that speaks HTTP/2: every request gets the same page."""

    connections = 0
    streams: list[int]
    refuses = False

    def __init__(self):
        self.data = b""
        self.greeted = False

    def connection_made(self, transport):
        Http2Server.connections += 1
        self.transport = transport
        transport.write(frame(4, 0, 0, b""))

    def data_received(self, data):
        self.data += data
        preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        if not self.greeted and self.data.startswith(preface):
            self.data, self.greeted = self.data[len(preface) :], True
        while self.greeted and len(self.data) >= 9:
            size = int.from_bytes(self.data[:3])
            kind, flags = self.data[3], self.data[4]
            stream = int.from_bytes(self.data[5:9])
            if len(self.data) < 9 + size:
                return
            self.data = self.data[9 + size :]
            if kind == 4 and not flags & 1:
                self.transport.write(frame(4, 1, 0, b""))
            elif kind == 1:
                Http2Server.streams.append(stream)
                if self.refuses:
                    self.transport.write(frame(3, 0, stream, (7).to_bytes(4)))
                    continue
                content_type = b"\x0f\x10" + bytes([24]) + b"text/html; charset=utf-8"
                self.transport.write(frame(1, 4, stream, b"\x88" + content_type) + frame(0, 1, stream, PAGE))


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + payload


def test_http2_where_offered_many_requests_on_one_connection(tmp_path, authority):
    context = context_for(tmp_path, "good", make_certificate(["good.example"], authority), ("h2", "http/1.1"))
    Http2Server.connections, Http2Server.streams = 0, []

    async def test():
        server = await asyncio.get_running_loop().create_server(Http2Server, "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        async with client_for(connect_to={"*": f"127.0.0.1:{port}"}) as client:
            first = await client.fetch(FetchRequest("https://good.example/0"))
            more = await asyncio.gather(
                *(client.fetch(FetchRequest(f"https://good.example/{n}")) for n in range(1, 20))
            )
        server.close()
        return [first, *more]

    answers = run(test())
    assert {got.body for got in answers} == {PAGE}
    exchange = answers[0].exchanges[0]
    assert (exchange.http_version, answers[0].status, answers[0].encoding) == ("2", 200, "utf-8")
    assert ("Host", "good.example") in exchange.request_headers
    assert len(Http2Server.streams) == 20 and Http2Server.connections == 1


class RefusingServer(Http2Server):
    """Refuses every request unread, which tells curl to repeat it."""

    refuses = True


@pytest.mark.parametrize(("once", "sent"), [(True, 1), (False, 6)])
def test_a_request_that_is_sent_once_is_not_repeated_when_an_http2_server_refuses_it(tmp_path, authority, once, sent):
    context = context_for(tmp_path, "good", make_certificate(["good.example"], authority), ("h2", "http/1.1"))
    Http2Server.connections, Http2Server.streams = 0, []

    async def test():
        server = await asyncio.get_running_loop().create_server(RefusingServer, "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        async with client_for(connect_to={"*": f"127.0.0.1:{port}"}) as client:
            with pytest.raises(FetchError) as caught:
                await client.fetch(FetchRequest("https://good.example/0"), None, lambda host: once)
        server.close()
        return caught.value

    error = run(test())
    assert len(Http2Server.streams) == sent
    assert (error.kind, error.detail) == ("connect", "the server refused the request without an answer") or not once


STATUS_103, STATUS_200 = b"\x08\x03103", b"\x88"
LITERAL = b"\x40\x01a\x7f\x81\x1e" + b"x" * 4_000
"""A header of 4,000 bytes that goes into the table of the connection, where one byte names it again."""
FLOODS = {
    "headers that never end": frame(1, 0, 1, STATUS_200) + frame(9, 0, 1, b"") * 200_000,
    "headers that never end, of a byte": frame(1, 0, 1, STATUS_200) + frame(9, 0, 1, b"\x90") * 200_000,
    "headers that grow": frame(1, 4, 1, STATUS_200 + LITERAL + b"\xbe" * 10_000),
    "a table that changes": frame(1, 4, 1, b"\x20\x3f\xe1\x1f" * 4_000 + STATUS_200),
    "pings": frame(6, 0, 0, bytes(8)) * 200_000,
    "settings": frame(4, 0, 0, b"\0\x04\0\0\xff\xff") * 200_000,
    "windows": frame(8, 0, 0, b"\0\0\0\x01") * 200_000,
    "priorities": frame(2, 0, 3, b"\0\0\0\x05\x10") * 200_000,
    "frames of an unknown kind": frame(99, 0, 1, b"") * 200_000,
    "resets of other streams": frame(3, 0, 3, bytes(4)) * 200_000,
    "early hints": frame(1, 4, 1, STATUS_103) * 200_000,
    "data without any": frame(1, 4, 1, STATUS_200) + frame(0, 0, 1, b"") * 200_000,
    "data of a byte": frame(1, 4, 1, STATUS_200) + frame(0, 0, 1, b"x") * 60_000,
    "data of nothing but padding": frame(1, 4, 1, STATUS_200) + frame(0, 8, 1, b"\xff" + bytes(255)) * 60_000,
    "farewells": frame(7, 0, 0, b"\0\0\0\x01" + bytes(4)) * 200_000,
    "pushed pages": frame(5, 4, 1, b"\0\0\0\x02" + b"\x82\x84\x87") * 50_000,
    "trailers": frame(1, 4, 1, STATUS_200) + frame(0, 0, 1, b"x") + frame(1, 5, 1, LITERAL + b"\xbe" * 10_000),
    "a frame that is longer than allowed": (2**24 - 1).to_bytes(3) + bytes([0, 0]) + (1).to_bytes(4) + bytes(10**6),
}

QUICKLY_REFUSED = {"headers that never end, of a byte", "headers that grow", "settings", "early hints", "trailers"}


def flooded(listener: socket.socket, context: ssl.SSLContext, flood: bytes) -> None:
    """Greet one client, wait for its request, and send everything as fast as it is taken."""
    connection, _ = listener.accept()
    with suppress(OSError), context.wrap_socket(connection, server_side=True) as secure:
        secure.settimeout(30)
        secure.sendall(frame(4, 0, 0, b""))
        received = b""
        while b"PRI * HTTP/2.0" not in received or len(received) < 100:
            received += secure.recv(65_536)
        secure.sendall(flood)
        while secure.recv(65_536):
            pass


@pytest.mark.parametrize(
    "name", [name if name in QUICKLY_REFUSED else pytest.param(name, marks=pytest.mark.proof) for name in FLOODS]
)
def test_an_http2_server_that_floods_us_holds_up_nobody(tmp_path, authority, name):
    context = context_for(tmp_path, "good", make_certificate(["good.example"], authority), ("h2",))

    async def fetch(port: int) -> str:
        async with client_for(connect_to={"*": f"127.0.0.1:{port}"}, timeout_seconds=2, max_bytes=100_000) as client:
            try:
                return str((await client.fetch(FetchRequest("https://good.example/"))).status)
            except FetchError as error:
                return error.kind

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=flooded, args=(listener, context, FLOODS[name]))
        server.start()
        with unblocked_loop():
            kind = run(fetch(listener.getsockname()[1]))
        server.join()
    assert kind == "200" or kind in ERROR_KINDS
