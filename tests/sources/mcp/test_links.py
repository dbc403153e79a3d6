from __future__ import annotations

import pytest

from handiwork.sources.mcp.asking.links import read_link


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://example.com/a?b#c", "example.com"), ("https://EXAMPLE.com:8443/", "example.com"),
        ("http://localhost:3000/x", "localhost"), ("http://127.0.0.1/x", "127.0.0.1"),
    ],
)  # fmt: skip
def test_a_link_is_shown_whole_with_its_domain(url: str, domain: str):
    link = read_link(url)
    assert link.domain == domain and link.words() == f"a page of {domain}: {url}"


@pytest.mark.parametrize(
    "url", ["https://b\u00fccher.example/", "https://xn--bcher-kva.example/", "https://203.0.113.9/"]
)
def test_what_is_odd_about_it_is_said(url: str):
    assert "careful" in read_link(url).words()


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/", "javascript:alert(1)", "file:///etc/passwd", "ftp://example.com", "https://", "",
        "https://a@b.example/", "https://a.example/\u202egpj", "https://a.example/ b", "https://[::1",
        "data:text/html,x",
    ],
)  # fmt: skip
def test_what_must_not_be_opened_is_refused(url: str):
    with pytest.raises(ValueError, match=r"\w"):
        read_link(url)
