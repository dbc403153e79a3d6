"""Programs that people use reach a bound host with the value, without having it."""

from __future__ import annotations

import shutil
from base64 import b64encode
from typing import Any

import pytest

from handiwork.backends.environment.sandboxes import gateway

from .conftest import BOUND, OTHER

pytestmark = pytest.mark.integration
PLACES = ("bubblewrap", "landlock", "local")
PYTHON = (
    "import os, urllib.request as u; r = u.Request(os.environ['URL'], headers={'Authorization': 'Bearer ' +"
    " os.environ['API_TOKEN']}); print(u.urlopen(r).read().decode())"
)
NODE = """\
const url = new URL(process.env.URL), proxy = new URL(process.env.https_proxy);
require("http").request({host: proxy.hostname, port: proxy.port, method: "CONNECT", path: url.host})
  .on("connect", (_, socket) => require("https").get(
    url, {createConnection: () => require("tls").connect({socket, servername: url.hostname}),
          headers: {authorization: "Bearer " + process.env.API_TOKEN}},
    reply => reply.pipe(process.stdout))).end();
"""
CLIENTS = {
    "curl": 'curl -sS -H "Authorization: Bearer $API_TOKEN" "$URL"',
    "curl basic": 'curl -sS -u "me:$API_TOKEN" "$URL"',
    "git": 'git -c http.extraHeader="X-Token: $API_TOKEN" ls-remote "$URL/r.git" 2>&1; true',
    "python": f'{gateway.python()} -c "{PYTHON}"',
    "node": f"node -e '{NODE}'",
    "pip": f'{gateway.python()} -m pip download -q --no-deps -i "https://me:$API_TOKEN@${{URL#https://}}" x 2>&1; true',
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_reaches_the_bound_host_with_the_value(
    place: str, client: str, open_with: Any, secret: Any, echo: Any, command: Any, canary: str
) -> None:
    if client != "python" and not shutil.which(client.split(maxsplit=1)[0]):
        pytest.skip(f"{client} isn't installed")
    ran = open_with(place, secret).run(command(CLIENTS[client], env={"URL": f"https://{BOUND}:{echo.port}/"}))
    encoded = b64encode(f"me:{canary}".encode())
    assert any(canary.encode() in heard or encoded in heard for heard in echo.heard), ran.output
    assert canary not in ran.output
    assert encoded.decode() not in ran.output
    if client not in ("git", "pip"):  # the host gave it all back, and what came back is the placeholder
        assert secret.placeholder in ran.output or b64encode(f"me:{secret.placeholder}".encode()).decode() in ran.output


@pytest.mark.parametrize("place", PLACES)
def test_another_host_gets_the_placeholder(
    place: str, open_with: Any, secret: Any, echo: Any, command: Any, canary: str
) -> None:
    url = f"https://{OTHER}:{echo.port}/"
    ran = open_with(place, secret).run(command('curl -sS -H "X: $API_TOKEN" "$URL"', env={"URL": url}))
    assert secret.placeholder in ran.output
    assert canary.encode() not in b"".join(echo.heard)


def test_requests_over_one_connection_and_a_body_of_some_length(
    open_with: Any, secret: Any, echo: Any, command: Any, canary: str, room: Any
) -> None:
    (room / "big").write_bytes(bytes(range(256)) * 16_384)
    url = f"https://{BOUND}:{echo.port}/"
    text = (
        'curl -sS -H "X: $API_TOKEN" --data-binary @big "$URL" -o one --next -sS -H "X: $API_TOKEN"'
        ' -T - "$URL" -o two < big --next -sS -I "$URL"'
    )
    ran = open_with("bubblewrap", secret).run(command(text.replace("-T -", "-T big"), env={"URL": url}))
    assert "x-echo: yes" in ran.output.lower()
    assert [heard.count(canary.encode()) for heard in echo.heard] == [1, 1, 0]
    assert all((room / name).read_bytes().endswith((room / "big").read_bytes()) for name in ("one", "two"))


def test_another_name_behind_the_same_connection_is_refused(
    open_with: Any, secret: Any, echo: Any, command: Any, canary: str
) -> None:
    text = 'curl -sS -H "X: $API_TOKEN" -H "Host: evil.example.org" "$URL"'
    ran = open_with("bubblewrap", secret).run(command(text, env={"URL": f"https://{BOUND}:{echo.port}/"}))
    assert f"this connection is to {BOUND}" in ran.output
    assert not echo.heard


def test_over_plain_http_nothing_is_put_in(open_with: Any, secret: Any, echo: Any, command: Any, canary: str) -> None:
    text = 'curl -sS -p -H "X: $API_TOKEN" "http://$HOST/"; curl -sS -H "X: $API_TOKEN" "http://$HOST/"; true'
    ran = open_with("bubblewrap", secret).run(command(text, env={"HOST": f"{BOUND}:{echo.port}"}))
    assert not echo.heard
    assert canary not in ran.output


def test_a_host_that_isnt_trusted_gets_nothing(
    open_with: Any, secret: Any, echo: Any, command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    url = f"https://{BOUND}:{echo.port}/"
    ran = open_with("bubblewrap", secret).run(command('curl -sS -H "X: $API_TOKEN" "$URL"', env={"URL": url}))
    assert "can't be trusted" in ran.output
    assert not echo.heard


def test_with_a_list_of_hosts_the_same(open_with: Any, secret: Any, echo: Any, command: Any, canary: str) -> None:
    place = open_with("bubblewrap", secret, network=(f"localhost:{echo.port}",))
    url = f"https://localhost:{echo.port}/"
    ran = place.run(command('curl -sS --noproxy \'\' -H "X: $API_TOKEN" "$URL"', env={"URL": url}))
    assert secret.placeholder in ran.output
    assert canary.encode() in b"".join(echo.heard)


def test_a_program_that_doesnt_take_the_certificate_is_told(
    open_with: Any, secret: Any, echo: Any, command: Any, room: Any, tmp_path: Any
) -> None:
    (room / "pinned.pem").write_bytes((tmp_path / "authority.pem").read_bytes())
    text = f'curl -sS --cacert pinned.pem "https://{BOUND}:{echo.port}/"'
    ran = open_with("bubblewrap", secret).run(command(text))
    assert ran.exit_code
    assert "has a secret here" in ran.note
