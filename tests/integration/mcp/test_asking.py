"""What a server asks of us in either era: answered by the model, the person and the folders, or by nobody."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from handiwork.agent.lending import LentModel
from handiwork.core.types import Answer, Ask, ModelReply, ModelRequest, Progress, Ready, Scope, ToolCall
from handiwork.sources.mcp.lending import LENT_MODEL
from handiwork.sources.mcp.news import News

from .hosts import HERE, Ground, grounded, wait_until

pytestmark = pytest.mark.integration
PEER = str(HERE / "asking_peer.py")
WISHES: dict[str, dict[str, Any]] = {
    "plain": {},
    "open": {"sampling": {"mode": "on", "rpm": 3, "max_tokens": 50}, "elicitation": True},
    "asks": {"sampling": "ask", "roots": "ask"},
    "picky": {"sampling": {"mode": "on", "models": ["small-*"]}},
    "shut": {"sampling": False, "elicitation": False, "roots": "off"},
    "folders": {"roots": ["/srv/data"]},
}


@pytest.fixture(scope="module", params=["legacy", "modern"])
def era(request: pytest.FixtureRequest) -> str:
    era: str = request.param
    return era


@pytest.fixture(scope="module")
def ground(era: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    servers = {name: {"command": sys.executable, "args": [PEER, era], **more} for name, more in WISHES.items()}
    with grounded(servers, tmp_path_factory.mktemp(era)) as made:
        made.host.check(servers)
        assert {made.host.state(name).name for name in servers} == {"connected"}
        yield made


class Person:
    """Says yes or no to everything, fills in forms, and keeps what it was shown."""

    def __init__(self, *, yes: bool = True, words: tuple[str, ...] = ()) -> None:
        self.yes, self.words = yes, list(words)
        self.seen: list[tuple[str, Any, str]] = []
        self.questions: list[tuple[str, list[str]]] = []

    def approve(self, ready: Ready, ask: Ask, /) -> Answer:
        self.seen.append((ready.entry.name, ready.args, ask.reason))
        return Answer(self.yes)

    def clarify(self, args: dict[str, Any], /, **_: Any) -> dict[str, str]:
        self.questions.append((args["question"], list(args["choices"])))
        return {"answer": self.words.pop(0)} if self.words else {"error": "no answer"}


class Brain:
    """A model that keeps what it was asked, and on which loop."""

    name = "large-1"

    def __init__(self, reply: ModelReply | None = None) -> None:
        self.asked: list[ModelRequest] = []
        self.loops: list[Any] = []
        self.says = reply or ModelReply("hello STOP there")

    async def reply(self, request: ModelRequest, /) -> ModelReply:
        self.asked.append(request)
        self.loops.append(asyncio.get_running_loop())
        return self.says


def ask(ground: Ground, server: str, request: dict[str, Any], scope: Scope, tool: str = "ask") -> Any:
    result = ground.pipeline.run(ToolCall(f"mcp__{server}__{tool}", request, scope=scope))
    try:
        return json.loads(result.content)
    except ValueError:
        return result.content


def sampling(**more: Any) -> dict[str, Any]:
    said = {"role": "user", "content": {"type": "text", "text": "Say hello"}}
    return {"method": "sampling/createMessage", "params": {"messages": [said], "maxTokens": 100, **more}}


def form(**fields: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": fields, "required": [n for n, f in fields.items() if "default" not in f]}
    return {"method": "elicitation/create", "params": {"mode": "form", "message": "Who?", "requestedSchema": schema}}


def page(url: str) -> dict[str, Any]:
    params = {"mode": "url", "message": "Log in", "url": url, "elicitationId": "1"}
    return {"method": "elicitation/create", "params": params}


ROOTS = {"method": "roots/list"}


@pytest.mark.parametrize(
    ("server", "declared"),
    [("plain", {"elicitation", "roots"}), ("open", {"elicitation", "roots", "sampling"}), ("shut", set())],
)
def test_only_what_is_switched_on_is_declared(ground: Ground, server: str, declared: set[str]):
    assert set(ask(ground, server, {}, Scope(), "declared")) == declared


@pytest.mark.parametrize("request_", [sampling(), form(a={"type": "string"}), ROOTS], ids=["sampling", "form", "roots"])
def test_what_is_switched_off_is_refused(ground: Ground, request_: dict[str, Any]):
    scope = Scope(approver=Person().approve, bindings={"clarify": Person().clarify, LENT_MODEL: LentModel(Brain())})
    assert "error" in ask(ground, "shut", request_, scope)


def test_the_agents_model_answers_on_the_agents_loop_within_its_limits(ground: Ground):
    brain = Brain()
    request = sampling(systemPrompt="Be brief", stopSequences=[" STOP"], maxTokens=100_000)

    async def work() -> Any:
        scope = Scope(bindings={LENT_MODEL: LentModel(brain)})
        result = await ground.pipeline.arun(ToolCall("mcp__open__ask", request, scope=scope))
        assert brain.loops == [asyncio.get_running_loop()]
        return json.loads(result.content)

    said = asyncio.run(work())
    assert said["content"] == {"type": "text", "text": "hello"}
    assert said["model"] == "large-1" and said["stopReason"] == "stopSequence"
    assert brain.asked[0].max_tokens == 50
    assert [m["role"] for m in brain.asked[0].messages] == ["system", "user"]
    scope = Scope(bindings={LENT_MODEL: LentModel(brain)})
    said = [ask(ground, "open", sampling(), scope) for _ in range(3)]  # three a minute, and one was before
    assert ["content" in s for s in said] == [True, True, False] and "3 times a minute" in str(said[2])


def test_a_model_is_lent_with_tools(ground: Ground, era: str):
    brain = Brain(ModelReply("", (ToolCall("look", '{"at": "x"}', "c1"),)))
    tool = {"name": "look", "description": "Look.", "inputSchema": {"type": "object"}}
    use = {"type": "tool_use", "id": "c0", "name": "look", "input": {"at": "y"}}
    result = {"type": "tool_result", "toolUseId": "c0", "content": [{"type": "text", "text": "seen"}]}
    messages = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    scope = Scope(approver=Person().approve, bindings={LENT_MODEL: LentModel(brain)})
    said = ask(ground, "asks", sampling(tools=[tool], messages=messages), scope)
    assert said["stopReason"] == "toolUse" and said["content"][0]["input"] == {"at": "x"}
    assert brain.asked[0].tools[0]["function"]["name"] == "look"
    assert [m["role"] for m in brain.asked[0].messages] == ["assistant", "tool"]


def test_a_person_sees_what_their_model_is_asked_and_may_say_no(ground: Ground):
    for person in (Person(), Person(yes=False)):
        brain = Brain()
        scope = Scope(approver=person.approve, bindings={LENT_MODEL: LentModel(brain)})
        said = ask(ground, "asks", sampling(), scope)
        assert ("content" in said) is person.yes and len(brain.asked) == person.yes
        name, args, reason = person.seen[0]
        assert "wants to ask your model" in reason and args["messages"] == ["user: Say hello"] and "asks" in name


def test_a_model_that_is_not_on_the_list_and_one_that_is_not_there_are_refused(ground: Ground):
    assert "may not be lent" in str(ask(ground, "picky", sampling(), Scope(bindings={LENT_MODEL: LentModel(Brain())})))
    assert "no model" in str(ask(ground, "open", sampling(), Scope()))
    assert "didn't agree" in str(ask(ground, "asks", sampling(), Scope(bindings={LENT_MODEL: LentModel(Brain())})))


FIELDS: dict[str, Any] = {
    "name": {"type": "string", "title": "Your name", "minLength": 2},
    "age": {"type": "integer", "minimum": 0, "maximum": 150},
    "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
    "old": {"type": "string", "enum": ["a", "b"], "enumNames": ["First", "Second"]},
    "many": {"type": "array", "items": {"anyOf": [{"const": "x", "title": "Ex"}, {"const": "y", "title": "Why"}]}},
    "news": {"type": "boolean", "default": True},
}


def test_a_person_fills_in_a_form(ground: Ground):
    person = Person(words=("A", "Ada", "36", "Large", "second", "Ex, why", ""))
    said = ask(ground, "plain", form(**FIELDS), Scope(bindings={"clarify": person.clarify}))
    filled = {"name": "Ada", "age": 36, "size": "l", "old": "b", "many": ["x", "y"], "news": True}
    assert said["action"] == "accept"
    assert said["content"] == filled
    assert "the MCP server 'plain' asks: Who?" in person.questions[0][0]
    assert "2 to None characters" in person.questions[1][0] and person.questions[3][1] == ["Small", "Large"]


def test_a_person_who_does_not_answer_cancels(ground: Ground):
    scope = Scope(bindings={"clarify": Person().clarify})
    assert ask(ground, "plain", form(name={"type": "string"}), scope)["action"] == "cancel"


@pytest.mark.parametrize(("server", "action"), [("open", "accept"), ("plain", "decline")])
def test_a_form_with_defaults_needs_nobody_only_where_that_was_said(ground: Ground, server: str, action: str):
    request = form(count={"type": "integer", "default": 3}, tone={"type": "string", "default": "warm"})
    said = ask(ground, server, request, Scope())
    assert said["action"] == action
    assert said.get("content") == ({"count": 3, "tone": "warm"} if action == "accept" else None)
    person = Person()
    assert ask(ground, "plain", request, Scope(approver=person.approve))["action"] == "accept"
    assert person.seen[0][1] == {"count": 3, "tone": "warm"}


@pytest.mark.parametrize("name", ["password", "apiKey", "access_token", "user-pin", "CVV"])
def test_a_form_that_asks_for_a_secret_is_declined_unseen(ground: Ground, name: str):
    person = Person(words=("hunter",))
    scope = Scope(approver=person.approve, bindings={"clarify": person.clarify})
    assert ask(ground, "open", form(**{name: {"type": "string"}}), scope)["action"] == "decline"
    assert person.questions == [] and person.seen == []


def test_a_page_is_shown_whole_and_opened_by_the_person(ground: Ground):
    person = Person()
    said = ask(ground, "plain", page("https://login.example.com/a?b=c"), Scope(approver=person.approve))
    assert said["action"] == "accept"
    assert "a page of login.example.com: https://login.example.com/a?b=c" in person.seen[0][2]
    assert ask(ground, "plain", page("https://x.example.com"), Scope())["action"] == "decline"


def test_a_page_that_pretends_is_warned_of(ground: Ground):
    person = Person(yes=False)
    said = ask(ground, "plain", page("https://xn--pypal-4ve.example/"), Scope(approver=person.approve))
    assert said["action"] == "decline" and "p\u0430ypal" in person.seen[0][2] and "foreign letters" in person.seen[0][2]


@pytest.mark.parametrize("url", ["http://example.com/x", "https://bank.com@evil.example/", "file:///etc/passwd"])
def test_a_page_that_no_one_should_open_is_not_even_shown(ground: Ground, url: str):
    person = Person()
    assert ask(ground, "plain", page(url), Scope(approver=person.approve))["action"] == "decline"
    assert person.seen == []


def test_a_call_that_needs_a_page_first_is_made_again_once_it_was_opened(ground: Ground, era: str):
    if era == "modern":
        pytest.skip("the new protocol has no such error")
    person = Person()
    assert ask(ground, "plain", {}, Scope(approver=person.approve), "pay") == "paid"
    assert "https://pay.example.com/x" in person.seen[0][2]
    said = ask(ground, "plain", {}, Scope(), "pay")
    assert said["kind"] == "protocol" and said["data"]["elicitations"][0]["url"] == "https://pay.example.com/x"
    assert ask(ground, "plain", {}, Scope(), "pay") == "paid"


def test_roots_are_the_workspace_or_what_was_named_or_asked_for(ground: Ground, tmp_path: Path):
    scope = Scope(cwd=str(tmp_path), workspace=str(tmp_path))
    assert ask(ground, "plain", ROOTS, scope)["roots"][0]["uri"] == tmp_path.as_uri()
    assert ask(ground, "folders", ROOTS, scope)["roots"] == [{"uri": "file:///srv/data", "name": "data"}]
    assert ask(ground, "asks", ROOTS, scope)["roots"] == []
    person = Person()
    assert ask(ground, "asks", ROOTS, Scope(workspace=str(tmp_path), approver=person.approve))["roots"]


def test_rounds_of_questions_have_an_end(ground: Ground, era: str):
    if era == "legacy":
        pytest.skip("there are no rounds")
    said = ask(ground, "plain", {**ROOTS, "again": True}, Scope())
    assert said["kind"] == "protocol" and "8 rounds" in said["error"]
    assert ask(ground, "plain", {}, Scope(), "declared")


def test_a_warning_of_the_server_is_heard_by_whoever_watches(ground: Ground, era: str):
    heard: list[Progress] = []
    scope = Scope(on_progress=lambda call, progress: heard.append(progress))
    ask(ground, "plain", {}, scope, "shout")
    assert heard == [Progress("warning: the disk is nearly full")]


def test_resources_are_listed_read_and_watched(ground: Ground, era: str):
    said = ask(ground, "plain", {}, Scope(), "list_resources")
    assert said.splitlines()[:2] == ["note://a | a | A note", "note://b | b | image/png"]
    assert ("template note://{id} | notes" in said) is (era == "modern")  # the other one doesn't know the question
    assert "hi" in str(ask(ground, "plain", {"uri": "note://a"}, Scope(), "read_resource"))
    picture = ground.pipeline.run(ToolCall("mcp__plain__read_resource", {"uri": "note://b"}))
    assert picture.artifacts[0].mime == "image/png"
    if era == "legacy":
        news = News(ground.host)
        assert "told when it changes" in str(
            ask(ground, "plain", {"uri": "note://a", "watch": True}, Scope(), "read_resource")
        )
        ask(ground, "plain", {}, Scope(), "touch")
        assert wait_until(lambda: ground.host.supervisor("plain").updated)
        assert news.notices() == ["the resource note://a of the MCP server 'plain' has changed"]
        assert news.notices() == []


def test_prompts_are_listed_filled_in_and_completed(ground: Ground):
    assert ask(ground, "plain", {}, Scope(), "list_prompts") == "greet | Greets. | arguments: who (Whom)"
    said = ask(ground, "plain", {"name": "greet", "arguments": {"who": "Ada"}}, Scope(), "get_prompt")
    assert said == "user: Say hello to Ada."
    asked = {"prompt_or_template": "greet", "argument": "who", "begins": "A"}
    assert ask(ground, "plain", asked, Scope(), "complete") == "Ada\nAlan"


def test_what_stands_for_resources_is_a_reader_and_waits_behind_the_search(ground: Ground):
    entry = ground.registry.get("mcp__plain__read_resource")
    assert entry is not None and entry.defer and entry.traits.read_only
    assert ground.host.offering.pins.compare(ground.host.servers["plain"].identity, ()).removed
    assert "read_resource" not in ground.host.offering.pins.compare(ground.host.servers["plain"].identity, ()).removed


def test_folders_on_a_servers_command_line_stand(era: str, tmp_path: Path):
    servers = {"own": {"command": sys.executable, "args": [PEER, era, str(tmp_path)]}}
    with grounded(servers, tmp_path / "home") as ground:
        ground.host.check(["own"])
        said = ask(ground, "own", ROOTS, Scope(workspace="/somewhere"))
    assert said["roots"] == [{"uri": tmp_path.as_uri(), "name": tmp_path.name}]
