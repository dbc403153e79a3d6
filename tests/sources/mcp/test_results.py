from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp_types import CallToolResult

from handiwork.sources.mcp.mending import mend
from handiwork.sources.mcp.results import outcome_of

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def outcome(*content: Any, schema: Any = None, **more: Any) -> Any:
    return outcome_of(CallToolResult.model_validate(mend("tools/call", {"content": list(content), **more})), schema)


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def test_texts_stand_below_each_other():
    assert outcome(text("a"), text("b")).value == "a\nb"


def test_pictures_and_files_go_beside_the_text():
    data = b64encode(b"\x89PNG").decode()
    done = outcome(
        {"type": "image", "data": data, "mimeType": "image/png"},
        {"type": "audio", "data": data, "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "a:b", "blob": data, "mimeType": "x/y"}},
        {"type": "image", "data": "no base64!", "mimeType": "image/png"},
    )
    assert [a.mime for a in done.artifacts] == ["image/png", "audio/wav", "x/y"]
    assert all(a.data == b"\x89PNG" for a in done.artifacts)
    assert done.value.splitlines()[0] == "[image/png, 4 bytes]" and "can't be read" in done.value


def test_resources_and_links_are_named_and_not_fetched():
    link = {"type": "resource_link", "uri": "https://x/y", "name": "n", "title": "T", "description": "d"}
    done = outcome({"type": "resource", "resource": {"uri": "a:b", "text": "inside"}}, link)
    assert done.value == "[resource a:b]\ninside\n[resource link: T · https://x/y · d]"


def test_what_is_for_the_person_alone_does_not_reach_the_model():
    done = outcome(
        text("secret", annotations={"audience": ["user"]}),
        text("open", annotations={"audience": ["user", "assistant"]}),
    )
    assert "secret" not in done.value and "open" in done.value
    assert done.artifacts[0].data == b"secret"


@pytest.mark.parametrize("said", ['{"n": 1}', '{ "n":1 }'])
def test_a_structured_result_is_shown_once(said: str):
    assert outcome(text(said), structuredContent={"n": 1}).value == said
    assert outcome(text("hi"), structuredContent={"result": "hi"}).value == "hi"
    assert outcome(text("[]"), structuredContent={"rows": []}).value == "[]"
    assert outcome(text("other"), structuredContent={"n": 1}).value == 'other\n{"n": 1}'
    assert outcome(structuredContent={"n": 1}).value == '{"n": 1}'


def test_a_structured_result_that_breaks_its_schema_is_shown_and_marked():
    done = outcome(text("x"), structuredContent={"n": "NaN"}, schema=SCHEMA)
    assert not done.is_error and "output_invalid" in done.value and "x" in done.value
    assert "output_invalid" in outcome(text("x"), schema=SCHEMA).value
    assert "output_invalid" not in outcome(structuredContent={"n": 1}, schema=SCHEMA).value


@pytest.mark.parametrize(
    "schema", [{"type": 3}, {"$ref": "http://127.0.0.1:9/x"}, {"$ref": "#/nowhere"}, {"pattern": "("}]
)
def test_a_schema_that_is_none_checks_nothing(schema: Any):
    assert "output_invalid" not in outcome(structuredContent={"n": 1}, schema=schema).value


def test_errors_carry_their_text_and_their_structure():
    report = json.loads(outcome(text("refused"), isError=True, structuredContent={"answer": 42}).value)
    assert report == {"error": "refused", "kind": "tool", "structured": {"answer": 42}}
    assert json.loads(outcome(isError=True, structuredContent={"code": 1}).value)["structured"] == {"code": 1}
    assert "didn't say why" in json.loads(outcome(isError=True).value)["error"]
