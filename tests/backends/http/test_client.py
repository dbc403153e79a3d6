from __future__ import annotations

import asyncio
import gzip
import time
import zlib
from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import Any

import pytest

from handiwork.backends.http.client import GuardedHttp
from handiwork.core.errors import FetchError
from handiwork.core.types import HttpReply
from handiwork.guard.reach import Reach, reach

pytestmark = pytest.mark.integration  # real processes and servers


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def reply(body: bytes = b"fine", *headers: str, status: str = "200 OK") -> list[bytes]:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return ["\r\n".join(lines).encode() + body]  # type: ignore[list-item]


def names(**table: list[str]) -> Callable[[str, int], Coroutine[Any, Any, list[str]]]:
    async def resolve(host: str, port: int) -> list[str]:
        if host in table:
            return table[host]
        if host.replace(".", "_") in table:
            return table[host.replace(".", "_")]
        raise OSError("no such name")

    return resolve


LOOPBACK = names(web_example=["127.0.0.1"], other_example=["127.0.0.1"])


def client(*listed: str) -> GuardedHttp:
    return GuardedHttp(reach(listed), LOOPBACK)


async def fetch(http: GuardedHttp, url: str, method: str = "GET", **said: Any) -> HttpReply:
    try:
        return await http.request(method, url, **said)
    finally:
        await http.aclose()


def test_what_is_listed_answers(serve: Any) -> None:
    server = serve(lambda _: reply(b"hello", "X-One: 1", "Set-Cookie: a=b"))
    url = f"http://web.example:{server.port}/a?b=c"
    got = run(fetch(client(f"web.example:{server.port}"), url))
    assert (got.status, got.body, got.headers["x-one"], got.url) == (200, b"hello", "1", url)
    assert server.heard[0].startswith(b"GET /a?b=c HTTP/1.1\r\n")
    assert f"host: web.example:{server.port}".encode() in server.heard[0].lower()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433"])
def test_this_machine_is_refused_unless_it_is_listed(serve: Any, host: str) -> None:
    server = serve(lambda _: reply())
    with pytest.raises(FetchError, match="not allowed"):
        run(fetch(GuardedHttp(Reach()), f"http://{host}:{server.port}/"))
    assert server.connections == 0


def test_the_persons_list_opens_one_port_of_localhost(serve: Any) -> None:
    server, other = serve(lambda _: reply()), serve(lambda _: reply())
    http = GuardedHttp(reach([f"localhost:{server.port}"]))
    assert run(fetch(http, f"http://localhost:{server.port}/")).body == b"fine"
    with pytest.raises(FetchError, match="not allowed"):
        run(fetch(http, f"http://localhost:{other.port}/"))


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.5", "169.254.169.254", "::1", "fd00::1", "64:ff9b::7f00:1", "2002:7f00:1::1"]
)
def test_a_public_name_that_leads_inside_is_refused_when_it_is_connected_to(serve: Any, address: str) -> None:
    server = serve(lambda _: reply())
    http = GuardedHttp(Reach(), names(rebound_example_com=[address]))
    with pytest.raises(FetchError, match="leads to"):
        run(fetch(http, f"http://rebound.example.com:{server.port}/"))
    assert server.connections == 0


def test_one_bad_address_among_good_ones_is_enough() -> None:
    http = GuardedHttp(Reach(), names(rebound_example_com=["93.184.216.34", "127.0.0.1"]))
    with pytest.raises(FetchError, match=r"leads to 127\.0\.0\.1"):
        run(fetch(http, "http://rebound.example.com/"))


def test_a_listed_name_doesnt_lead_to_a_clouds_metadata() -> None:
    http = GuardedHttp(reach(["wiki.corp.example"]), names(wiki_corp_example=["169.254.169.254"]))
    with pytest.raises(FetchError, match="leads to"):
        run(fetch(http, "http://wiki.corp.example/"))


def test_a_name_is_resolved_once_for_a_connection_and_the_connection_is_kept(serve: Any) -> None:
    server = serve(lambda _: reply())
    asked: list[str] = []

    async def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]  # rebound after the first look

    async def twice() -> list[int]:
        http = GuardedHttp(reach([f"web.example:{server.port}"]), resolve)
        url = f"http://web.example:{server.port}/"
        try:
            return [(await http.request("GET", url)).status, (await http.request("GET", url)).status]
        finally:
            await http.aclose()

    assert run(twice()) == [200, 200]
    assert (asked, server.connections) == (["web.example"], 1)


def test_cookies_are_not_kept(serve: Any) -> None:
    server = serve(lambda _: reply(b"x", "Set-Cookie: session=abc; Path=/"))

    async def twice() -> None:
        http = client(f"web.example:{server.port}")
        for _ in range(2):
            await http.request("GET", f"http://web.example:{server.port}/")
        await http.aclose()

    run(twice())
    assert b"cookie" not in server.heard[1].lower()


def redirecting(to: Callable[[], str], status: str = "302 Found") -> Callable[[bytes], Iterable[bytes]]:
    return lambda request: reply(b"", f"Location: {to()}", status=status) if b"/end" not in request else reply(b"end")


def test_redirects_are_followed_within_an_origin_with_all_headers(serve: Any) -> None:
    server = serve(redirecting(lambda: "/end"))
    got = run(
        fetch(
            client(f"web.example:{server.port}"),
            f"http://web.example:{server.port}/",
            headers={"Authorization": "Bearer x"},
        )
    )
    assert (got.body, got.url) == (b"end", f"http://web.example:{server.port}/end")
    assert b"authorization" in server.heard[1].lower()


def test_a_redirect_to_another_origin_tells_nothing_of_who_asks(serve: Any) -> None:
    other = serve(lambda _: reply(b"end"))
    server = serve(redirecting(lambda: f"http://other.example:{other.port}/end"))
    http = client(f"web.example:{server.port}", f"other.example:{other.port}")
    said = {"Authorization": "Bearer x", "X-Api-Key": "k", "Cookie": "a=b", "Accept": "text/html"}
    assert run(fetch(http, f"http://web.example:{server.port}/", headers=said)).body == b"end"
    heard = other.heard[0].lower()
    assert not any(word in heard for word in (b"authorization", b"x-api-key", b"cookie"))
    assert b"accept: text/html" in heard


@pytest.mark.parametrize(
    "target",
    ["http://127.0.0.1:{port}/end", "http://169.254.169.254/latest", "//localhost:{port}/end", "file:///etc/passwd",
     "gopher://x.example/", "http://[::1]:{port}/end", "http://a:b@example.com/"],
)  # fmt: skip
def test_a_redirect_is_judged_like_a_first_address(serve: Any, target: str) -> None:
    inner = serve(lambda _: reply(b"inner"))
    server = serve(redirecting(lambda: target.format(port=inner.port)))
    with pytest.raises(FetchError):
        run(fetch(client(f"web.example:{server.port}"), f"http://web.example:{server.port}/"))
    assert inner.connections == 0


def test_redirects_without_end_end(serve: Any) -> None:
    server = serve(lambda _: reply(b"", "Location: /again", status="301 Moved"))
    with pytest.raises(FetchError, match="more than 3 redirects"):
        run(fetch(client(f"web.example:{server.port}"), f"http://web.example:{server.port}/", redirects=3))
    assert len(server.heard) == 4


def test_redirects_that_are_not_wanted_are_an_answer(serve: Any) -> None:
    server = serve(redirecting(lambda: "/end"))
    got = run(fetch(client(f"web.example:{server.port}"), f"http://web.example:{server.port}/", redirects=0))
    assert (got.status, got.headers["location"]) == (302, "/end")


@pytest.mark.parametrize(("status", "method"), [("302 Found", b"GET"), ("303 See", b"GET"), ("307 T", b"POST")])
def test_a_redirected_post(serve: Any, status: str, method: bytes) -> None:
    server = serve(redirecting(lambda: "/end", status))
    run(fetch(client(f"web.example:{server.port}"), f"http://web.example:{server.port}/", "POST", body=b"form"))
    assert server.heard[1].startswith(method)
    assert (b"form" in server.heard[1]) is (method == b"POST")


def test_a_body_is_not_sent_on_to_another_origin(serve: Any) -> None:
    other = serve(lambda _: reply(b"end"))
    server = serve(redirecting(lambda: f"http://other.example:{other.port}/end", "307 T"))
    http = client(f"web.example:{server.port}", f"other.example:{other.port}")
    with pytest.raises(FetchError, match="another origin"):
        run(fetch(http, f"http://web.example:{server.port}/", "POST", body=b"client_secret=x"))
    assert other.connections == 0


# ------------------------------------------------------------------------------------------ too much


def endless(_: bytes) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
    for _ in range(100_000):
        yield b"x" * 65_536


def bomb(_: bytes) -> Iterator[bytes]:
    packed = gzip.compress(b"\0" * (16 << 20), 1)
    yield f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n".encode() + packed


@pytest.mark.parametrize("answer", [endless, bomb])
def test_too_much_is_refused_while_it_comes(serve: Any, answer: Any) -> None:
    server = serve(answer)
    with pytest.raises(FetchError, match=r"more than 1,048,576 bytes"):
        run(fetch(client(f"web.example:{server.port}"), f"http://web.example:{server.port}/", max_bytes=1 << 20))


def test_what_announces_too_much_is_not_read(serve: Any) -> None:
    server = serve(lambda _: [b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nx"])
    with pytest.raises(FetchError, match="more than"):
        run(fetch(client(f"web.example:{server.port}"), f"http://web.example:{server.port}/"))


RAW = zlib.compressobj(wbits=-15)
TEXT = b"good " * 5000
PACKED = {
    "gzip": gzip.compress(TEXT[:9000]) + gzip.compress(TEXT[9000:]) + b"\0" * 9,
    "deflate": zlib.compress(TEXT),
    "Deflate ": RAW.compress(TEXT) + RAW.flush(),
    "identity": TEXT,
}


@pytest.mark.parametrize("encoding", PACKED)
def test_packed_bodies_are_unpacked(serve: Any, encoding: str) -> None:
    server = serve(lambda _: reply(PACKED[encoding], f"Content-Encoding: {encoding}"))
    got = run(fetch(client(f"web.example:{server.port}"), f"http://web.example:{server.port}/"))
    assert got.body == TEXT
    assert "content-encoding" not in got.headers


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "zstd"])
def test_other_packings_are_refused(serve: Any, encoding: str) -> None:
    server = serve(lambda _: reply(b"\1\2", f"Content-Encoding: {encoding}"))
    with pytest.raises(FetchError, match="packed as"):
        run(fetch(client(f"web.example:{server.port}"), f"http://web.example:{server.port}/"))


@pytest.mark.parametrize(("cut", "says"), [(slice(0, 40), "breaks off"), (slice(2, None), "damaged")])
def test_damaged_packings_are_refused(serve: Any, cut: slice, says: str) -> None:
    server = serve(lambda _: reply(gzip.compress(TEXT)[cut], "Content-Encoding: gzip"))
    with pytest.raises(FetchError, match=says):
        run(fetch(client(f"web.example:{server.port}"), f"http://web.example:{server.port}/"))


# ---------------------------------------------------------------------------------------- too slow


def slow_head(_: bytes) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\n"
    for number in range(200):
        time.sleep(0.02)
        yield f"X-{number}: 1\r\n".encode()


def slow_body(_: bytes) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
    for _ in range(200):
        time.sleep(0.02)
        yield b"x"


@pytest.mark.parametrize("answer", [slow_head, slow_body])
def test_drops_that_never_stop_are_held_to_the_time_for_the_whole(serve: Any, answer: Any) -> None:
    server = serve(answer)
    began = time.monotonic()
    with pytest.raises(FetchError, match=r"longer than 0\.1 s"):
        run(fetch(client(f"web.example:{server.port}"), f"http://web.example:{server.port}/", timeout_s=0.1))
    assert time.monotonic() - began < 1.5


@pytest.mark.parametrize("answer", [lambda _: [b"nonsense\r\n\r\n"], lambda _: [], lambda _: [b"HTTP/1.1 200 OK\r\n"]])
def test_nonsense_is_told_in_our_words(serve: Any, answer: Any) -> None:
    server = serve(answer)
    with pytest.raises(FetchError):
        run(fetch(client(f"web.example:{server.port}"), f"http://web.example:{server.port}/", timeout_s=0.1))


@pytest.mark.parametrize("url", ["http://nowhere.example.org/", "no address", "http://", "http://exa mple.com/"])
def test_what_is_no_address_or_leads_nowhere(url: str) -> None:
    with pytest.raises(FetchError):
        run(fetch(client(), url))


# ------------------------------------------------------------------------------------------- proxies


def test_a_proxy_of_the_person_is_used_and_what_leads_inside_still_refused(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = serve(lambda _: reply(b"by proxy"))
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
    monkeypatch.setenv("no_proxy", "direct.example.com")
    http = GuardedHttp(Reach(), names(public_example_com=["93.184.216.34"], inner_example_com=["10.0.0.1"]))

    async def asked() -> list[Any]:
        found: list[Any] = [(await http.request("GET", f"http://{n}.example.com/")).body for n in ("public", "far")]
        for url in ("http://inner.example.com/", "http://localhost/", "http://direct.example.com/"):
            with pytest.raises(FetchError):
                await http.request("GET", url)
        await http.aclose()
        return found

    assert run(asked()) == [b"by proxy", b"by proxy"]
    assert [request.split(b" ")[1] for request in proxy.heard] == [
        b"http://public.example.com/",
        b"http://far.example.com/",
    ]
