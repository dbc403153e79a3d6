"""A program that is told something and answers: both outputs apart, in bounds, and nothing left of it."""

from __future__ import annotations

import os
import time

import pytest

from handiwork.backends.environment.child import Nursery
from handiwork.backends.environment.exchange import MOST_BYTES, exchange
from handiwork.core.errors import UsageError


@pytest.fixture
def ask(tmp_path):
    nursery = Nursery()
    env = {"PATH": os.environ["PATH"]}

    def run(command, told=b"", timeout_s=5.0, cwd=tmp_path):
        return exchange(nursery, command, told, cwd=str(cwd), env=env, timeout_s=timeout_s)

    yield run
    nursery.close()


def test_outputs_and_exit_code_come_apart(ask):
    ran = ask("cat; echo no >&2; exit 2", "grüß".encode())
    assert (ran.out, ran.err, ran.code, ran.timed_out) == ("grüß", "no\n", 2, False)


def test_who_does_not_listen_is_not_waited_for(ask):
    started = time.monotonic()
    assert ask("exit 0", b"x" * 3_000_000).code == 0
    assert ask("wc -c", b"x" * 3_000_000).out.strip() == "3000000"
    assert time.monotonic() - started < 3


def test_a_command_of_several_lines_with_quotes(ask):
    assert ask('x=\'a "b"\'\nif true; then echo "$x"; fi # end').out == 'a "b"\n'


def test_a_folder_that_is_not_there(ask, tmp_path):
    with pytest.raises(UsageError, match="no directory"):
        ask("true", cwd=tmp_path / "gone")


@pytest.mark.integration
def test_its_time_is_bounded_and_its_tree_ends(ask, living):
    ran = ask("setsid sleep 60 & (sleep 60 &) ; echo early; sleep 60", timeout_s=0.3)
    assert ran.timed_out and ran.code is None and ran.out == "early\n" and ran.duration_ms < 3000
    assert not living(within=2)


@pytest.mark.integration
def test_what_it_leaves_running_ends_with_it(ask, living):
    assert ask("sleep 60 & setsid sleep 60 & exit 3").code == 3
    assert not living(within=2)


@pytest.mark.integration
@pytest.mark.parametrize("where", ["1", "2"])
def test_floods_are_bounded(ask, where, living):
    ran = ask(f"yes 0123456789 >&{where}", timeout_s=1)
    assert ran.code is None and len(ran.out + ran.err) <= MOST_BYTES and ran.duration_ms < 4000
    assert not living(within=2)
