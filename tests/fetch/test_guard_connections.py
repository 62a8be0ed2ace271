"""Forbidden addresses are refused when they are connected: in every form, behind a redirect, behind a changing name."""

import asyncio
import json
import subprocess
import sys

import pytest

from tearsheet.fetch import FetchError, FetchRequest
from tests.support.loopback_web import client_for, redirect, response, serve
from tests.support.paths import ROOT
from tests.support.patience import PATIENCE

FORMS = """
127.0.0.1 127.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 localhost LOCALHOST localhost. sub.localhost
[::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::] [64:ff9b::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::] 0.0.0.0 0
10.0.0.1 172.16.0.1 192.168.0.1 169.254.169.254 2852039166 [fd00:ec2::254] 100.64.0.1 100.100.100.200 168.63.129.16
[fe80::1] 224.0.0.1 [ff02::1] 255.255.255.255 192.0.2.1 198.18.0.1 240.0.0.1 １２７.0.0.1 127。0。0。1
""".split()


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 30))


async def refused(client, url):
    with pytest.raises(FetchError) as caught:
        await client.fetch(FetchRequest(url, timeout=PATIENCE))
    return caught.value


def test_every_form_is_refused_at_once_and_behind_a_redirect():
    async def test():
        forms = iter(FORMS)

        async def answer(request, writer):
            writer.write(redirect(f"http://{next(forms)}:{web.port}/secret".encode().decode("latin-1")))

        async with serve(answer) as web, client_for(allow=()) as client:
            for form in FORMS:
                error = await refused(client, f"http://{form}:{web.port}/secret")
                assert error.kind == "forbidden-address", form
            assert web.connections == 0
        async with serve(answer) as web, client_for("start.example:80:127.0.0.9", allow=("127.0.0.9/32",),
            connect_to={"start.example": f"127.0.0.9:{web.port}"}) as client:  # fmt: skip
            async with serve(answer, "127.0.0.9", web.port) as start:
                for form in FORMS:
                    error = await refused(client, f"http://start.example/{form}")
                    assert error.kind == "forbidden-address" and len(error.exchanges) == 1, form
                assert len(start.requests) == len(FORMS)
            assert web.connections == 0, "nothing ever reached the address that is not allowed"

    run(test())


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "[::1]", "10.1.2.3", "169.254.169.254", "[::ffff:127.0.0.1]", "[fd00::1]"]
)
def test_a_name_that_resolves_to_a_forbidden_address(address):
    async def test():
        async with client_for(f"news.example:80:{address}", allow=()) as client:
            error = await refused(client, "http://news.example/")
            assert error.kind == "forbidden-address"
            assert address.strip("[]") in error.detail

    run(test())


def test_a_name_with_a_good_and_a_bad_address_is_asked_at_the_good_one_only():
    async def test():
        async with serve(response(b"bad")) as bad, serve(response(b"good"), "127.0.0.2", bad.port):
            name = f"news.example:{bad.port}:127.0.0.1,127.0.0.2"
            async with client_for(name, allow=("127.0.0.2/32",)) as client:
                got = await client.fetch(FetchRequest(f"http://news.example:{bad.port}/"))
                assert (got.body, got.exchanges[0].ip, bad.connections) == (b"good", "127.0.0.2", 0)

    run(test())


def test_a_name_that_changes_its_answer_between_check_and_connect():
    """The first answer is harmless; the second, for the same name in the same chain, is our own machine."""

    async def test():
        resolve: list[str] = []

        async def answer(request, writer):
            resolve[:] = [f"-news.example:{inside.port}", f"news.example:{inside.port}:127.0.0.1"]
            writer.write(redirect(f"http://news.example:{inside.port}/again", "Connection: close"))
            writer.close()

        async with serve(response(b"secret")) as inside, serve(answer, "127.0.0.2", inside.port) as outside:
            resolve[:] = [f"news.example:{inside.port}:127.0.0.2"]
            async with client_for(allow=("127.0.0.2/32",)) as client:
                client._resolve = resolve
                error = await refused(client, f"http://news.example:{inside.port}/")
                assert error.kind == "forbidden-address" and len(error.exchanges) == 1
                assert (outside.connections, inside.connections) == (1, 0)

    run(test())


def test_a_proxy_of_the_environment_does_not_hide_the_address(monkeypatch):
    async def test():
        async with serve(response(b"proxied")) as proxy, client_for(allow=()) as client:
            for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
                monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
            assert (await refused(client, "http://127.0.0.1/")).kind == "forbidden-address"
            assert (await refused(client, "http://localhost/")).kind == "forbidden-address"
            assert proxy.connections == 0

    run(test())


def test_an_address_that_is_named_for_one_host_is_open_to_this_host_alone():
    async def test():
        async with serve(response(b"wanted")) as web:
            mine = {"mine.example": f"127.0.0.1:{web.port}"}
            async with client_for(f"other.example:{web.port}:127.0.0.1", allow=(), connect_to=mine) as client:
                assert (await client.fetch(FetchRequest("http://mine.example/"))).body == b"wanted"
                for host in ("other.example", "127.0.0.1", "localhost"):
                    error = await refused(client, f"http://{host}:{web.port}/")
                    assert error.kind == "forbidden-address", host
                assert web.connections == 1

    run(test())


@pytest.mark.proof
def test_a_name_service_that_changes_its_mind_never_leads_to_a_forbidden_address(tmp_path):
    """With the system's resolver and a name server of our own: what counts is which address got a connection."""
    apart = ["unshare", "--mount", "--propagation", "private"]
    try:
        subprocess.run([*apart, "true"], check=True, capture_output=True, timeout=PATIENCE)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this user may not have mounts of its own")
    words = [*apart, sys.executable, "-m", "tests.support.rebinding", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=3 * PATIENCE)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["forbidden"] == 0 and found["allowed"] == found["ended"].count("outside") > 0
    assert set(found["ended"]) == {"outside", "forbidden-address"}
    assert {"127.0.0.1", "127.0.0.2", "127.0.0.1,127.0.0.2"} <= set(found["asked"])
