"""The way out: which hosts, which addresses, and that bytes get through unchanged."""

import socket
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.backends.environment.sandboxes.proxy import DeniedError, Proxy, read_wish
from handiwork.core.errors import UsageError
from handiwork.core.hosts import address_of, allow_list, is_public, plain_host


@pytest.mark.parametrize(
    ("entry", "yes", "no"),
    [
        (
            "pypi.org",
            [("pypi.org", 443), ("pypi.org", 80)],
            [("pypi.org", 22), ("a.pypi.org", 443), ("xpypi.org", 443)],
        ),
        ("*.pypi.org", [("a.pypi.org", 443), ("b.a.pypi.org", 80)], [("pypi.org", 443), ("evilpypi.org", 443)]),
        ("example.com:8443", [("example.com", 8443)], [("example.com", 443)]),
        ("PyPI.org.", [("pypi.org", 443)], []),
        ("[::1]:80", [("::1", 80)], [("::1", 443)]),
        ("10.0.0.5:5432", [("10.0.0.5", 5432)], [("10.0.0.5", 443)]),
    ],
)
def test_a_list_means_what_it_says(entry, yes, no):
    listed = allow_list([entry])
    assert all(listed.allows(plain_host(host), port) for host, port in yes)
    assert not any(listed.allows(plain_host(host), port) for host, port in no)


@pytest.mark.parametrize(
    "entry", ["", "*", "*.", "a b", "http://x.org", "x.org/path", "x:0", "x:99999", "*.10.0.0.1", "é.org"]
)
def test_what_is_no_host_is_refused(entry):
    with pytest.raises(UsageError, match="is no host"):
        allow_list([entry])


@pytest.mark.parametrize(
    "spelled",
    [
        *("127.0.0.1", "10.1.2.3", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"),
        *("255.255.255.255", "192.0.2.7", "::", "::1", "fe80::1", "fd00::1", "ff02::1"),
        *("::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"),
    ],
)
def test_addresses_of_machines_and_nets_are_not_public(spelled):
    assert not is_public(address_of(spelled))


@pytest.mark.parametrize(
    "spelled", ["1.1.1.1", "151.101.0.223", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_addresses_of_the_internet_are(spelled):
    assert is_public(address_of(spelled))


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f.1", "127.1", "0177.0.0.1", "localhost\0.pypi.org", "a..b", "pypi.org "]
)
def test_odd_spellings_are_no_listed_host(host):
    assert not allow_list(["pypi.org", "localhost", "*.b"]).allows(plain_host(host), 443)


@given(st.text(max_size=30))
def test_a_host_is_plain_or_nothing(text):
    host = plain_host(text)
    assert host == "" or (plain_host(host) == host and not set(host) & set("\0\r\n /@"))


@given(st.binary(max_size=80))
def test_any_head_is_a_wish_or_denied(head):
    try:
        wish = read_wish(head)
    except DeniedError:
        return
    assert wish.host and 0 < wish.port < 65_536


def test_a_plain_request_is_passed_on_without_what_is_ours():
    head = (
        b"GET http://pypi.org:80/a?b=c HTTP/1.1\r\nHost: pypi.org\r\nProxy-Authorization: x\r\nConnection: keep-alive"
    )
    wish = read_wish(head)
    assert (wish.host, wish.port) == ("pypi.org", 80)
    assert wish.first == b"GET /a?b=c HTTP/1.1\r\nHost: pypi.org\r\nConnection: close\r\n\r\n"


@pytest.fixture
def echo():
    """A server that says everything back, on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    while data := client.recv(65_536):
                        client.sendall(data)

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def ask():
    """Opens a proxy for a list and a pretended look-up, and says one line to it."""
    proxies = []

    def open_one(listed, line, found=None):
        lookup = (lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", found)]) if found else None
        proxy = Proxy(allow_list(listed), lookup)
        listener = socket.create_server(("127.0.0.1", 0))
        proxy.serve(listener)
        proxies.append(proxy)
        way = socket.create_connection(listener.getsockname(), 5)
        way.sendall(line.encode() + b"\r\n\r\n")
        return proxy, way, way.recv(4096).decode()

    yield open_one
    for proxy in proxies:
        proxy.close()


def test_a_tunnel_carries_bytes_both_ways_and_its_end(ask, echo):
    _, way, said = ask([f"127.0.0.1:{echo}"], f"CONNECT 127.0.0.1:{echo} HTTP/1.1")
    assert said.startswith("HTTP/1.1 200")
    sent = bytes(range(256)) * 2000
    threading.Thread(target=lambda: (way.sendall(sent), way.shutdown(socket.SHUT_WR))).start()
    heard = b""
    while piece := way.recv(65_536):
        heard += piece
    assert heard == sent
    way.close()


def test_a_refusal_is_remembered_with_its_reason(ask):
    began = time.monotonic()
    proxy, way, said = ask(["pypi.org"], "CONNECT elsewhere.example:443 HTTP/1.1")
    way.close()
    assert "403" in said and proxy.refused_since(began) == ("elsewhere.example isn't a listed host",)
    assert proxy.refused_since(time.monotonic()) == ()


def test_a_listed_name_that_leads_home_is_refused(ask, echo):
    """Its owner decides where a name points: into our network, if they like."""
    _, way, said = ask([f"listed.example:{echo}"], f"CONNECT listed.example:{echo} HTTP/1.1", ("127.0.0.1", echo))
    way.close()
    assert said.startswith("HTTP/1.1 403") and "no public address" in said


def test_localhost_is_reached_where_it_is_listed(ask, echo):
    _, way, said = ask([f"localhost:{echo}"], f"CONNECT localhost:{echo} HTTP/1.1", ("127.0.0.1", echo))
    way.close()
    assert said.startswith("HTTP/1.1 200")
