"""Hooks under Hermes Agent's names are called at the same points of ours, with the keywords they know."""

from __future__ import annotations

import pytest

from handiwork.catalog.discovery import Scanner
from handiwork.catalog.toolsets import Toolsets
from handiwork.pipeline.hook_points import POINTS
from handiwork.sources.hermes import HOOKS
from handiwork.sources.modules import Harvest
from handiwork.sources.plugins import Plugins
from handiwork.sources.view import Ground


@pytest.fixture
def plugin(pipeline, tmp_path):
    def load(source):
        (tmp_path / "theirs.py").write_text(source)
        ground = Ground(pipeline.registry, pipeline.hooks, lambda name, args, _: "", Toolsets(pipeline.registry))
        plugins = Plugins(ground, Harvest())
        plugins.load(lambda: plugins.of_folder(Scanner(), str(tmp_path)))

    return load


MEMORY = """
SEEN = []
def register(ctx):
    ctx.register_hook("pre_llm_call", recall)
    ctx.register_hook("post_llm_call", lambda session_id, assistant_response, **kw: SEEN.append(assistant_response))
    ctx.register_hook("on_session_start", lambda session_id, **kw: SEEN.append(session_id))
def recall(session_id, user_message, conversation_history, **kw):
    if user_message == "fail":
        raise RuntimeError("memory is down")
    return {"context": f"remembered for {user_message}, {len(conversation_history)} before"}
"""


def test_a_memory_plugin_runs_as_it_is(plugin, pipeline):
    plugin(MEMORY)
    heard = pipeline.fire("user_prompt_submit", session_id="s", prompt="lunch", messages=[{}])
    assert heard.context == ("remembered for lunch, 1 before",)
    pipeline.fire("session_start", session_id="s9")
    pipeline.fire("stop", session_id="s9", answer="soup")
    assert pipeline.hooks.of("stop")[0].fn.__globals__["SEEN"] == ["s9", "soup"]


def test_what_was_no_guard_there_is_none_here(plugin, pipeline):
    plugin(MEMORY)
    assert pipeline.fire("user_prompt_submit", session_id="s", prompt="fail", messages=[]).block == ""
    assert pipeline.hooks.failures == {"plugin:theirs:user_prompt_submit": 1}


def test_text_alone_is_context_there(plugin, pipeline):
    plugin("def register(ctx):\n    ctx.register_hook('pre_llm_call', lambda **kw: 'just text')\n")
    assert pipeline.fire("user_prompt_submit", prompt="", messages=[]).context == ("just text",)


@pytest.mark.parametrize("name", HOOKS)
def test_each_of_theirs_is_a_point_of_ours(name):
    point = POINTS[HOOKS[name].ours]
    assert set(HOOKS[name].renamed.values()) <= set(point.keywords)
