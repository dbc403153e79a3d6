"""Logins to web services: made by a person, kept, renewed once for all, and never led astray."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("mcp")

import httpx2
from mcp.shared.auth import AuthorizationCodeResult

import handiwork
from handiwork.sources.mcp.auth.keeping import LoginFile, folder_of

from .guarded_peer import Guarded, guarded_service
from .hosts import Ground, grounded

pytestmark = pytest.mark.integration


@pytest.fixture
def guarded() -> Iterator[Guarded]:
    with guarded_service() as made:
        yield made


class Person:
    """Logs in wherever it is led to, if it agrees to the place."""

    redirect_uri = "http://127.0.0.1:9/callback"

    def __init__(self, *, agrees: bool = True) -> None:
        self.agrees = agrees
        self.asked: list[str] = []
        self.pages: list[str] = []

    async def approves(self, origin: str, /) -> bool:
        self.asked.append(origin)
        return self.agrees

    async def visits(self, url: str, /) -> AuthorizationCodeResult:
        self.pages.append(url)
        async with httpx2.AsyncClient() as client:
            address = (await client.get(url)).headers["location"]
        said = parse_qs(urlsplit(address).query)
        return AuthorizationCodeResult(code=said["code"][0], state=said["state"][0])


def open_ground(guarded: Guarded, home: Path, person: Any = None, **more: Any) -> Any:
    return grounded({"g": {"url": guarded.url, "timeout": 5, **more}}, home, person)


def log_in(guarded: Guarded, home: Path, person: Person | None = None) -> Person:
    person = person or Person()
    with open_ground(guarded, home, person) as ground:
        ground.host.check(["g"])
        assert ground.host.state("g").name == "connected", ground.host.state("g")
    return person


def kept(guarded: Guarded, home: Path) -> LoginFile:
    return LoginFile(folder_of(str(home)), guarded.url)


def expire(guarded: Guarded, home: Path) -> None:
    file = kept(guarded, home)
    login = file.load()
    login.expires_at = time.time() - 5
    file.save(login)
    guarded.revoke()
    guarded.seen.clear()


def state_after(guarded: Guarded, home: Path, **more: Any) -> tuple[Any, Ground]:
    with open_ground(guarded, home, **more) as ground:
        ground.host.check(["g"])
        return ground.host.state("g"), ground


def test_where_nobody_is_there_the_state_says_so_at_once(guarded: Guarded, tmp_path: Path):
    with open_ground(guarded, tmp_path) as ground:
        ground.host.supervisor("g")  # what that loads isn't the server's time
        began = time.monotonic()
        ground.host.check(["g"])
        assert time.monotonic() - began < 1
        state = ground.host.state("g")
        assert (state.name, state.fix) == ("needs_reauth", "handiwork mcp login g"), state
        assert "handiwork mcp login g" in ground.call("mcp__g__plain").content
    assert set(guarded.paths()) == {"/mcp"}  # nothing was looked for, nobody registered


def test_a_login_is_kept_for_its_owner_with_its_end(guarded: Guarded, tmp_path: Path):
    person = log_in(guarded, tmp_path)
    assert person.asked == [guarded.issuer] and "code_challenge_method=S256" in person.pages[0]
    file = kept(guarded, tmp_path)
    assert os.stat(file.path).st_mode & 0o777 == 0o600 and os.stat(Path(file.path).parent).st_mode & 0o777 == 0o700
    login = file.load()
    assert login.issuer.rstrip("/") == guarded.issuer and login.approved == [guarded.issuer]
    assert login.expires_at is not None and abs(login.expires_at - time.time() - 3600) < 30
    guarded.seen.clear()
    state, _ = state_after(guarded, tmp_path)
    assert state.name == "connected" and guarded.paths("issuer") == []


def test_a_login_that_has_run_out_is_renewed_where_it_was_made(guarded: Guarded, tmp_path: Path):
    log_in(guarded, tmp_path)
    expire(guarded, tmp_path)
    with open_ground(guarded, tmp_path) as ground:
        ground.host.check(["g"])
        assert ground.call("mcp__g__plain").content == "done"
    assert guarded.grants("refresh_token") == 1 and "/token" not in guarded.paths("service")
    login = kept(guarded, tmp_path).load()
    assert login.tokens is not None and login.tokens["refresh_token"] == "rt-1"
    assert login.expires_at is not None and login.expires_at > time.time() + 3000


def test_many_at_once_renew_it_once(guarded: Guarded, tmp_path: Path):
    log_in(guarded, tmp_path)
    expire(guarded, tmp_path)
    guarded.slow_s = 0.3
    states: list[str] = []
    threads = [threading.Thread(target=lambda: states.append(state_after(guarded, tmp_path)[0].name)) for _ in range(5)]
    script = str(Path(__file__).with_name("logged_in.py"))
    command = [sys.executable, script, guarded.url, str(tmp_path)]
    others = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said = [other.communicate(timeout=30)[0].strip() for other in others]
    assert states == ["connected"] * 5 and said == ["connected"] * 2
    assert guarded.grants("refresh_token") == 1


@pytest.mark.parametrize(("status", "state"), [(400, "needs_reauth"), (503, "failed")])
def test_a_renewal_that_fails_is_told_by_whose_fault_it_is(guarded: Guarded, tmp_path: Path, status: int, state: str):
    log_in(guarded, tmp_path)
    expire(guarded, tmp_path)
    guarded.refresh_status = status
    found, _ = state_after(guarded, tmp_path)
    assert found.name == state, found
    assert kept(guarded, tmp_path).load().tokens is not None  # the next try has it


def test_a_login_that_leads_elsewhere_needs_a_yes_first(guarded: Guarded, tmp_path: Path):
    person = Person(agrees=False)
    with open_ground(guarded, tmp_path, person) as ground:
        ground.host.check(["g"])
        state = ground.host.state("g")
        assert state.name == "needs_reauth" and guarded.issuer in state.reason
    assert guarded.paths("issuer") == [] and person.asked == [guarded.issuer]
    with open_ground(guarded, tmp_path, person, auth={"origins": [guarded.issuer]}) as ground:
        ground.host.check(["g"])
        assert ground.host.state("g").name == "connected"


@pytest.mark.parametrize("place", ["http://169.254.169.254/latest", "http://10.0.0.1/login", "https://[fe80::1]/a"])
def test_no_yes_leads_a_login_into_the_machines_own_network(guarded: Guarded, tmp_path: Path, place: str):
    guarded.named_issuer = place
    person = Person()
    with open_ground(guarded, tmp_path, person) as ground:
        began = time.monotonic()
        ground.host.check(["g"])
        assert time.monotonic() - began < 3
        assert ground.host.state("g").name == "needs_reauth"
    assert person.asked == [] and person.pages == []


def test_what_is_meant_for_the_server_goes_nowhere_else(guarded: Guarded, tmp_path: Path):
    secret = "".join(["ke", "y-", "canary", "0123456789"])
    with open_ground(guarded, tmp_path, Person(), headers={"X-Key": secret}) as ground:
        ground.host.check(["g"])
        assert ground.call("mcp__g__plain").content == "done"
        elsewhere = [(headers, body) for where, _, headers, body in guarded.seen if where == "issuer"]
        assert elsewhere and not any(secret in str(item) or "Authorization" in item[0] for item in elsewhere)
        guarded.redirect = f"{guarded.issuer}/stolen"
        guarded.seen.clear()
        ground.call("mcp__g__plain")
    assert guarded.paths("service") and guarded.paths("issuer") == []


def test_more_rights_are_asked_for_at_the_next_login(guarded: Guarded, tmp_path: Path):
    log_in(guarded, tmp_path)
    with open_ground(guarded, tmp_path) as ground:
        ground.host.check(["g"])
        refused = json.loads(ground.call("mcp__g__wide").content)
        assert refused["kind"] == "login" and "more rights" in refused["error"]
        assert refused["hint"] == "handiwork mcp login g"
        assert ground.call("mcp__g__plain").content == "done"
    assert kept(guarded, tmp_path).load().wanted_scope == "read write"
    with open_ground(guarded, tmp_path, Person()) as ground:
        ground.host.check(["g"])
        assert ground.call("mcp__g__wide").content == "done"


def test_no_token_is_told_to_anybody(guarded: Guarded, tmp_path: Path):
    log_in(guarded, tmp_path)
    guarded.revoke()
    with open_ground(guarded, tmp_path) as ground:
        ground.host.check(["g"])
        said = f"{ground.host.state('g')} {ground.call('mcp__g__plain').content}"
    logs = "".join(path.read_text() for path in Path(tmp_path, "mcp", "logs").glob("*"))
    assert "needs_reauth" in said and logs
    assert not any(token in said + logs for token in [*guarded.given, "rt-1"])


def test_a_person_logs_in_by_pasting_and_out_again(guarded: Guarded, tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text(json.dumps({"mcp_servers": {"g": {"url": guarded.url}}}))
    source = str(Path(handiwork.__file__).parents[1])
    env = {**os.environ, "HANDIWORK_HOME": str(home), "PYTHONPATH": source}
    words = [sys.executable, "-m", "handiwork", "mcp"]
    with subprocess.Popen(
        [*words, "login", "g", "--no-browser"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, cwd=tmp_path,
    ) as child:  # fmt: skip
        assert child.stdin and child.stderr and child.stdout
        child.stdin.write("y\n")
        child.stdin.flush()
        shown = ""
        while not (found := re.search(r"(http://\S+/authorize\?\S+)", shown)):
            shown += child.stderr.readline() or pytest.fail(shown)
        child.stdin.write(httpx2.get(found[1]).headers["location"] + "\n")
        child.stdin.flush()
        out, err = child.communicate(timeout=20)
    assert child.returncode == 0, err
    assert "logged in, 2 tools" in out and guarded.issuer in shown
    tested = subprocess.run([*words, "test", "g"], env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "connected" in tested.stdout
    subprocess.run([*words, "logout", "g"], env=env, cwd=tmp_path, capture_output=True, check=True)
    tested = subprocess.run([*words, "test", "g"], env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert tested.returncode == 1 and "handiwork mcp login g" in tested.stdout
