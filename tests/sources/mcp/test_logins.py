from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from handiwork.sources.mcp.auth.faults import UnapprovedError
from handiwork.sources.mcp.auth.keeping import Kept, LoginFile, expiry_of
from handiwork.sources.mcp.auth.visits import Visits, origin_of
from handiwork.sources.mcp.faults import fault_of

URL = "https://mcp.example.com/mcp"


def test_a_login_comes_back_as_it_was_kept_for_its_owner_alone(tmp_path: Path):
    file = LoginFile(str(tmp_path / "logins"), URL)
    kept = Kept(URL, "https://issuer.example", {"access_token": "a"}, 12.5, approved=["https://issuer.example"])
    file.save(kept)
    assert LoginFile(str(tmp_path / "logins"), URL).load() == kept
    assert os.stat(file.path).st_mode & 0o777 == 0o600
    assert LoginFile(str(tmp_path / "logins"), f"{URL}/other").load().tokens is None
    assert file.forget() and not file.forget() and not os.path.exists(file.path)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 9}', '{"version": 1, "resource": "other"}', '{"version":1}']
)
def test_a_damaged_login_is_none(tmp_path: Path, text: str):
    file = LoginFile(str(tmp_path), URL)
    Path(file.path).write_text(text)
    assert file.load() == Kept(URL)


def test_where_nothing_is_kept_a_login_lasts_as_long_as_the_process():
    file = LoginFile("", URL)
    file.save(Kept(URL, tokens={"access_token": "a"}))
    assert file.load().tokens and file.forget() and file.load().tokens is None


def test_the_end_of_a_token_is_a_moment():
    ends = expiry_of({"expires_in": 60})
    assert ends is not None and abs(ends - time.time() - 60) < 5
    assert expiry_of({}) is None


def test_one_at_a_time_renews(tmp_path: Path):
    inside: list[int] = []

    async def renew(number: int) -> None:
        async with LoginFile(str(tmp_path), URL).alone():
            inside.append(number)
            await asyncio.sleep(0.01)
            assert inside[-1] == number
            inside.append(number)

    async def all_of_them() -> None:
        await asyncio.gather(*(renew(number) for number in range(4)))

    asyncio.run(all_of_them())
    assert inside[::2] == inside[1::2] and len(inside) == 8


class Says:
    redirect_uri = ""

    def __init__(self, *, yes: bool) -> None:
        self.yes, self.asked = yes, 0

    async def approves(self, origin: str, /) -> bool:
        self.asked += 1
        return self.yes

    async def visits(self, url: str, /) -> None:
        raise AssertionError(url)


def visit(own: str, url: str, person: Says | None = None, approved: tuple[str, ...] = ()) -> bool:
    try:
        asyncio.run(Visits("s", own, list(approved), person).check(url))  # type: ignore[arg-type]
    except UnapprovedError as error:
        assert fault_of(error).state == "needs_reauth" and error.hint == "handiwork mcp login s"
        return False
    return True


@pytest.mark.parametrize(
    ("own", "url", "may"),
    [
        (URL, "https://mcp.example.com/.well-known/x", True), (URL, "https://mcp.example.com:8443/token", True),
        (URL, "https://login.example.com/token", False), (URL, "https://mcp.example.com.evil.example/token", False),
        (URL, "http://mcp.example.com/token", False), (URL, "https://169.254.169.254/latest", False),
        (URL, "http://127.0.0.1:8080/token", False), (URL, "http://localhost/token", False),
        ("http://127.0.0.1:1000/mcp", "http://127.0.0.1:1000/token", True),
        ("http://127.0.0.1:1000/mcp", "http://127.0.0.1:1001/token", False),
    ],
)  # fmt: skip
def test_unasked_a_login_leads_to_the_server_alone(own: str, url: str, may: bool):
    assert visit(own, url) is may


@pytest.mark.parametrize(
    "url", ["https://169.254.169.254/x", "http://login.example.com/", "https://[fe80::1]/", "https://0.0.0.0/"]
)
def test_some_places_no_yes_opens(url: str):
    person = Says(yes=True)
    assert not visit(URL, url, person) and person.asked == 0


def test_a_yes_and_a_no_are_remembered():
    for yes in (True, False):
        person = Says(yes=yes)
        visits = Visits("s", URL, [], person)  # type: ignore[arg-type]
        for _ in range(2):
            try:
                asyncio.run(visits.check("https://login.example.com/a"))
            except UnapprovedError:
                assert not yes
        assert person.asked == 1
    assert visit(URL, "https://login.example.com/a", approved=("https://login.example.com",))


def test_origins_are_written_one_way():
    assert (
        origin_of("https://A.example:443/x") == "https://a.example" and origin_of("http://[::1]:80/") == "http://[::1]"
    )
