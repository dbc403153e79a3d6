from __future__ import annotations

import pytest

from handiwork.core.errors import UsageError
from handiwork.guard.reach import reach

LISTED = reach(["localhost:3000", "10.0.0.5", "wiki.corp.example", "*.lan.example", "[::1]:8080", "db.local:5432"])


@pytest.mark.parametrize(
    "url",
    ["http://localhost:3000/x", "http://10.0.0.5/", "https://10.0.0.5/", "http://[::1]:8080/", "https://example.com/",
     "http://LOCALHOST:3000/", "http://db.local:5432/"],
)  # fmt: skip
def test_what_is_listed_and_the_web_are_within_reach(url: str) -> None:
    assert not LISTED.why_not(url)


@pytest.mark.parametrize(
    "url",
    ["http://localhost/", "http://localhost:3001/", "http://10.0.0.5:8080/", "http://10.0.0.6/", "http://[::1]/",
     "ftp://localhost:3000/", "http://me:pw@localhost:3000/", "http://127.0.0.1:3000/", "http://x.lan/",
     "http://169.254.169.254/"],
)  # fmt: skip
def test_a_rule_opens_just_what_it_says(url: str) -> None:
    assert LISTED.why_not(url)


def test_addresses_behind_listed_names() -> None:
    assert not LISTED.why_not_address("wiki.corp.example", 443, "10.1.2.3")
    assert LISTED.why_not_address("wiki.corp.example", 8443, "10.1.2.3")
    assert LISTED.why_not_address("wiki.corp.example", 443, "169.254.169.254")
    assert LISTED.why_not_address("a.lan.example", 443, "10.1.2.3")
    assert not LISTED.why_not_address("a.lan.example", 443, "93.184.216.34")


def test_an_entry_that_cant_be_read_is_named() -> None:
    with pytest.raises(UsageError, match=r"http\.allow: 'a b' is no host"):
        reach(["a b"])
