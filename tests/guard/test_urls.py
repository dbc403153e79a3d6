"""The judge of URLs."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.guard import judge_url
from handiwork.guard.urls import barred_address


@pytest.mark.parametrize(
    "url",
    [
        *("https://example.com/a?b#c", "http://93.184.216.34/", "https://bücher.example/", "https://example.com.:8443"),
        *(
            "https://localhost.example.com/",
            "https://example.com/@127.0.0.1",
            "http://172.32.0.1/",
            "http://[2606:2800::1]/",
        ),
    ],
)
def test_the_web_is_allowed(url: str) -> None:
    assert judge_url(url).action == "allow"


@pytest.mark.parametrize(
    "url",
    [
        *("http://localhost/", "http://LOCALHOST./", "http://a.localhost/", "http://printer/", "http://x.internal/"),
        *("http://127.1/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://383.0.0.1/"),
        *("http://[::1]/", "http://[::ffff:10.0.0.1]/", "http://[64:ff9b::a9fe:a9fe]/", "http://[fe80::1%25eth0]/"),
        *(
            "http://169.254.169.254/latest",
            "http://metadata.google.internal/",
            "http://168.63.129.16/",
            "http://10.0.0.5/",
        ),
        *(
            "http://１２７.０.０.１/",
            "http://127。0。0。1/",
            "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
            "http://local\u200bhost/",
            "http://loc%61lhost/",
        ),
        *(
            "http://u:p@example.com/",
            "http://example.com\\@127.0.0.1/",
            "http:127.0.0.1/",
            "//127.0.0.1/",
            "ftp://x.com/",
        ),
        *(
            "file:///etc/passwd",
            "data:text/html,x",
            "http://example.com:22/",
            "http://example.com:99999/",
            "http://a b/",
        ),
        *("http://10-0-0-1.nip.io/", "http://app.10.0.0.1.example.com/", "http:///x", "", "http://[zz]/"),
    ],
)
def test_everything_inner_is_refused(url: str) -> None:
    found = judge_url(url)
    assert found.action == "forbid"
    assert found.reasons


def test_every_resolved_address_is_judged() -> None:
    table = {"a.example.com": ["93.184.216.34"], "b.example.com": ["93.184.216.34", "127.0.0.1"], "c.example.com": []}
    actions = {host: judge_url(f"http://{host}/", lambda h: table[h]).action for host in table}
    assert actions == {"a.example.com": "allow", "b.example.com": "forbid", "c.example.com": "forbid"}
    assert barred_address("nonsense")


@given(st.ip_addresses(v=4))
def test_all_spellings_of_an_address_get_one_verdict(address: ipaddress.IPv4Address) -> None:
    number = int(address)
    a, b, c, d = address.packed
    spellings = [
        str(number),
        hex(number),
        f"{a}.{(b << 16) + (c << 8) + d}",
        f"0{a:o}.0{b:o}.0{c:o}.0{d:o}",
        f"{a:#x}.{b:#x}.{c:#x}.{d:#x}",
        f"{address}.",
    ]
    assert {judge_url(f"http://{s}/").action for s in spellings} == {judge_url(f"http://{address}/").action}
    assert (judge_url(f"http://{address}/").action == "allow") <= address.is_global
