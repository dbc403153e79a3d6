"""A conversation read back is valid for every provider, whatever of it is missing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handiwork.agent.history import history_of, last_settled
from handiwork.backends.models.history import valid_history
from handiwork.core.types import Entry


def user(text):
    return "prompt", {"message": {"role": "user", "content": text}}


def reply(*calls, text=""):
    made = [{"id": c, "type": "function", "function": {"name": "t", "arguments": "{}"}} for c in calls]
    return "reply", {"message": {"role": "assistant", "content": text, **({"tool_calls": made} if made else {})}}


def answer(call, text="ok"):
    return "result", {"message": {"role": "tool", "tool_call_id": call, "name": "t", "content": text}}


def entries_of(*parts):
    made = [("begun", {}), *parts]
    calls = [body.get("message", {}).get("tool_call_id", "") for _, body in made]
    return [Entry(n, kind, 0, calls[n - 1], body) for n, (kind, body) in enumerate(made, 1)]


def told(history):
    return [(m["role"], m.get("tool_call_id") or m["content"]) for m in history.messages]


def check(messages):
    waiting = []
    for message in messages:
        if message["role"] == "tool":
            assert waiting and waiting.pop(0) == message["tool_call_id"]
        else:
            assert not waiting
            waiting = [c["id"] for c in message.get("tool_calls", ())]
    return waiting


def test_what_was_said_comes_back_as_it_was():
    history = history_of(entries_of(user("go"), reply("a", "b"), answer("a"), answer("b"), reply(text="done")))
    assert told(history) == [("user", "go"), ("assistant", ""), ("tool", "a"), ("tool", "b"), ("assistant", "done")]
    assert not history.unanswered


def test_answers_stand_in_the_order_of_the_calls():
    history = history_of(entries_of(reply("a", "b", "c"), answer("c"), answer("a"), answer("b")))
    assert [t for _, t in told(history)] == ["", "a", "b", "c"]


def test_calls_of_the_last_reply_wait_with_what_was_noted_since():
    history = history_of(entries_of(reply("a", "b"), ("intent", {}), answer("a")))
    assert [u.id for u in history.unanswered] == ["b"]
    assert [e.kind for e in history.unanswered[0].notes] == ["intent"]
    assert told(history) == [("assistant", ""), ("tool", "a")]


def test_an_earlier_call_without_answer_is_said_to_be_lost():
    history = history_of(entries_of(reply("a"), user("more")))
    assert not history.unanswered and "lost" in history.messages[1]["content"]
    assert not check(history.messages)


def test_a_second_answer_is_left_out_and_one_without_its_call_is_kept_as_text():
    history = history_of(entries_of(reply("a"), answer("a", "first"), answer("a", "again"), answer("x", "stray")))
    assert [m["content"] for m in history.messages] == ["", "first", "Result of t: stray"]


def test_a_gap_is_told_where_it_matters_and_not_inside_a_turn():
    lost, inner = ("lost", {"was": ""}), ("lost", {"was": "intent"})
    history = history_of(entries_of(user("go"), inner, lost, reply("a"), lost, answer("a"), reply(text="end")))
    assert not check(history.messages)
    assert [m["role"] for m in history.messages] == ["user", "user", "assistant", "tool", "user", "assistant"]
    assert "lost" in history.messages[4]["content"]


PART = st.one_of(
    st.builds(user, st.text(max_size=3)),
    st.builds(lambda ids: reply(*ids), st.lists(st.sampled_from("abcd"), max_size=3, unique=True)),
    st.builds(answer, st.sampled_from("abcde")),
    st.just(("lost", {"was": ""})),
    st.just(("intent", {})),
    st.just(("ended", {"ending": "answered", "reason": ""})),
)


@given(st.lists(PART, max_size=12))
def test_any_remains_make_a_valid_history(parts):
    history = history_of(entries_of(*parts))
    waiting = [u.id for u in history.unanswered]
    messages = history.messages
    if waiting:
        last = max(n for n, m in enumerate(messages) if m.get("tool_calls"))
        asked = [c["id"] for c in messages[last]["tool_calls"]]
        assert [i for i in asked if i in waiting] == waiting
    else:
        assert not check(messages)
    assert len(valid_history(messages)) >= len(history.messages)


def test_what_is_still_being_done_is_not_settled():
    assert last_settled(entries_of(user("go"), reply("a"), ("intent", {}))) == 2
    assert last_settled(entries_of(user("go"), reply("a"), answer("a"))) == 4
