from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("mcp")

from handiwork.sources.mcp.mending import RAW, REFUSED, STRUCTURED, mend

TEXT = {"type": "text", "text": "ok"}


def test_bad_tools_are_left_out_and_named():
    good = {"name": "go", "inputSchema": {}, "outputSchema": {"$ref": "http://x"}, "annotations": 3}
    result = mend("tools/list", {"tools": [good, {"name": "no"}, None], "nextCursor": None, "_meta": {REFUSED: "mine"}})
    assert result["_meta"][REFUSED] == [["no", "its inputSchema is missing"], ["?", "it is no object but NoneType"]]
    assert result["tools"] == [{"name": "go", "inputSchema": {"type": "object"}, "_meta": {RAW: good}}]
    assert "nextCursor" not in result


@pytest.mark.parametrize("tools", [None, {}, "x"])
def test_a_list_that_is_none_is_empty(tools: Any):
    assert mend("tools/list", {"tools": tools})["tools"] == []


@pytest.mark.parametrize(
    "block",
    [
        {"type": "video", "data": "x"},
        {"type": "text"},
        {"type": "image", "data": "x"},
        {"type": "resource", "resource": {"uri": "a:b"}},
        {"type": "resource_link", "uri": "a:b"},
        {},
        None,
        "text",
    ],
)
def test_a_block_that_cannot_be_read_is_told_in_its_place(block: Any):
    content = mend("tools/call", {"content": [TEXT, block]})["content"]
    assert content[0] == TEXT and "isn't known here" in content[1]["text"]


def test_what_is_right_stays():
    link = {"type": "resource_link", "uri": "a:b", "name": "n"}
    result = {"content": [TEXT, link], "isError": True}
    assert mend("tools/call", result) == result
    asks = {"resultType": "input_required", "inputRequests": {}}
    assert mend("tools/call", asks) == asks and mend("prompts/list", {"a": 1}) == {"a": 1}
    assert mend("tools/call", {}) == {"content": []}
    assert mend("tools/call", {"content": None, "isError": "yes"}) == {"content": [], "isError": True}


@pytest.mark.parametrize("structured", [{"a": 1}, [1, 2], "x", 3])
def test_a_structured_result_of_any_kind_goes_along(structured: Any):
    mended = mend("tools/call", {"content": [TEXT], "structuredContent": structured, "_meta": {STRUCTURED: "mine"}})
    assert mended == {"content": [TEXT], "_meta": {STRUCTURED: structured}}


@pytest.mark.parametrize(
    "extra", [{"annotations": {"priority": 7}}, {"annotations": 3}, {"_meta": 3}, {"annotations": {"audience": "all"}}]
)
def test_what_is_wrong_beside_the_point_costs_only_itself(extra: Any):
    assert mend("tools/call", {"content": [{**TEXT, **extra}]})["content"] == [TEXT]
