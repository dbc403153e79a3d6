"""Whose processes are whose, and what is told of them."""

import pytest

from handiwork.backends.environment.jobs import MAX_RUNNING, WATCH_EVERY_S, Job, Jobs, SessionJobs, Watch, jobs_of
from handiwork.backends.environment.local import LocalEnvironment
from handiwork.core.errors import UsageError
from handiwork.core.types import Command
from handiwork.testing import FakeClock


@pytest.fixture
def env(tmp_path):
    environment = LocalEnvironment(tmp_path)
    yield environment
    environment.close()


@pytest.fixture
def spawn(env):
    return lambda text, **more: env.spawn(Command(text, cwd="/", **more))


def test_an_end_is_told_once_however_often_it_was_looked_at(spawn):
    jobs, process = Jobs(), spawn("exit 3")
    jobs.add("s", Job(process))
    process.wait(5)
    assert [process.poll() for _ in range(3)] == [3, 3, 3]
    assert jobs.notices("s") == [f"{process.id} (exit 3) has ended with exit code 3"]
    assert jobs.notices("s") == []


def test_an_end_and_a_watched_text_are_one_notice(spawn):
    jobs, process = Jobs(), spawn("echo ready; echo ready; kill -9 $$")
    jobs.add("s", Job(process, watch=Watch("ready")))
    process.wait(5)
    (notice,) = jobs.notices("s")
    assert notice.endswith("has printed 'ready' 2 times and has ended with exit code 137 (SIGKILL)")
    assert jobs.notices("s") == []


def test_what_comes_again_and_again_is_told_rarely(spawn):
    clock = FakeClock()
    jobs, process = Jobs(clock.monotonic), spawn("cat")
    watch = Watch("hit")
    jobs.add("s", Job(process, watch=watch))
    watch.hear(b"a hit\n")
    assert jobs.notices("s") == [f"{process.id} (cat) has printed 'hit' once"]
    for _ in range(1000):
        watch.hear(b"hit\n")
    assert jobs.notices("s") == []
    clock.advance(WATCH_EVERY_S)
    assert jobs.notices("s") == [f"{process.id} (cat) has printed 'hit' 1000 times"]
    assert jobs.notices("s") == []
    process.kill()
    watch.hear(b"hit\n")
    assert "'hit' once and has ended" in jobs.notices("s")[0]


@pytest.mark.parametrize("pieces", [[b"re", b"ady"], [b"rea", b"d", b"y!"], [b"xready"], [b"r", b"rready"]])
def test_a_text_is_found_across_the_pieces_it_comes_in(pieces):
    watch = Watch("ready")
    for piece in pieces:
        watch.hear(piece)
    assert watch.seen == 1


def test_what_was_printed_before_the_watch_counts_once(spawn):
    process = spawn("echo one two; read x; echo two; sleep 30")
    while "two" not in process.output()[0]:
        process.wait(0.02)
    watch = Watch("two")
    process.listen(watch.hear)
    process.write("\n")
    while process.output()[0].count("two") < 2:
        process.wait(0.02)
    process.kill()
    assert watch.seen == 2


def test_processes_of_a_turn_end_with_it_and_the_others_stay(env, spawn):
    turn, session = spawn("sleep 30"), spawn("sleep 30")
    jobs_of(env).add("s", Job(turn, "turn"))
    jobs_of(env).add("s", Job(session, "session"))
    mine = SessionJobs(env, "s")
    SessionJobs(env, "another").end_turn()
    assert turn.poll() is None
    mine.end_turn()
    assert turn.poll() == 137 and session.poll() is None
    assert mine.notices() == []  # it was to end, so nothing is news


def test_sessions_and_environments_see_their_own(env, spawn, tmp_path):
    process = spawn("sleep 30")
    jobs_of(env).add("s", Job(process))
    assert list(jobs_of(env).of("s")) == [process.id] and not jobs_of(env).of("t")
    other = LocalEnvironment(tmp_path)
    assert not jobs_of(other).of("s")
    with pytest.raises(UsageError, match="unknown process"):
        jobs_of(env).get("t", process.id)


def test_a_session_has_room_for_so_many(monkeypatch, spawn):
    monkeypatch.setattr("handiwork.backends.environment.jobs.MAX_RUNNING", 2)
    assert MAX_RUNNING > 2
    jobs = Jobs()
    for _ in range(2):
        jobs.room("s")
        jobs.add("s", Job(spawn("sleep 30")))
    jobs.room("t")
    with pytest.raises(UsageError, match="2 background processes"):
        jobs.room("s")


def test_of_very_many_sessions_the_oldest_without_a_process_is_forgotten(spawn, monkeypatch):
    monkeypatch.setattr("handiwork.backends.environment.jobs.MAX_SESSIONS", 2)
    jobs, ended = Jobs(), spawn("true")
    ended.wait(5)
    jobs.add("runs", Job(spawn("sleep 30")))
    for name in ("old", "new"):
        jobs.add(name, Job(ended))
    assert [bool(jobs.of(name)) for name in ("runs", "old", "new")] == [True, False, True]


def test_of_those_that_ended_the_oldest_are_forgotten(spawn, monkeypatch):
    monkeypatch.setattr("handiwork.backends.environment.jobs.MAX_ENDED", 3)
    jobs = Jobs()
    for _ in range(6):
        process = spawn("true")
        process.wait(5)
        jobs.add("s", Job(process))
    running = spawn("sleep 30")
    jobs.add("s", Job(running))
    assert len(jobs.of("s")) == 4 and running.id in jobs.of("s")
