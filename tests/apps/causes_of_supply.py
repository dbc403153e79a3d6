"""Causes that lie in toolsets, gates, the budget, rules, profiles and schemas."""

from __future__ import annotations

import sys

from .causes import Told, World, cause, tool_text


@cause
def its_toolset_is_not_enabled(world):
    world.plugin("sky", tool_text("weather"))
    world.configure(toolsets=["file"])
    return Told("weather", "enabled", "toolset own is not enabled; enabled: file", "handiwork tools enable own")


@cause
def it_is_not_in_the_preset(world):
    world.package("sky_package", "sky", tool_text("weather", "sky"))
    return Told("weather", "enabled", "enabled: handiwork-cli", "handiwork tools enable sky")


@cause
def its_toolset_is_disabled(world):
    world.configure(disabled_toolsets=["file"])
    return Told("patch", "not disabled", "file", "handiwork tools enable file")


@cause
def a_group_with_it_is_disabled(world):
    world.configure(disabled_toolsets=["utility", "debugging"])
    return Told("patch", "not disabled", "by disabled toolset debugging", "handiwork tools enable debugging")


@cause
def a_group_of_the_person_with_it_is_disabled(world):
    world.configure(custom_toolsets={"mine": {"tools": ["patch"]}}, disabled_toolsets=["mine"])
    return Told("patch", "not disabled", "mine", "handiwork tools enable mine")


@cause
def a_flag_leaves_it_out(world):
    return Told("patch", "enabled", "file is not enabled; enabled: utility", "--toolsets utility,file", lambda _: None,
                flags=("--toolsets", "utility"))  # fmt: skip


@cause
def a_flag_disables_it(world):
    return Told("patch", "not disabled", "file", "leave file out of --disable", lambda _: None,
                flags=("--disable", "file"))  # fmt: skip


def _gated(world: World, said: str, **keywords: str) -> None:
    world.plugin("sky", said + tool_text("weather", **keywords))


@cause
def a_variable_is_missing(world):
    _gated(world, "", requires_env="['SKY_KEY']")
    return Told("weather", "check", "needs SKY_KEY", "export SKY_KEY=")


@cause
def a_variable_is_empty(world):
    world.setenv("SKY_KEY", "")
    _gated(world, "", requires_env="['SKY_KEY']")
    return Told("weather", "check", "needs SKY_KEY", "export SKY_KEY=")


@cause
def one_of_some_variables_is_missing(world):
    _gated(world, "", requires_env="[('SKY_KEY', 'RAIN_KEY')]")
    return Told("weather", "check", "one of SKY_KEY, RAIN_KEY", "export SKY_KEY=")


@cause
def a_program_is_missing(world):
    _gated(world, "", requires="Requires(bins=('skycat',))")
    return Told("weather", "check", "needs the program skycat", "install skycat", lambda _: world.program("skycat"))


@cause
def a_package_is_missing(world):
    _gated(world, "", requires="Requires(packages=('skylib',))")
    return Told("weather", "check", "needs the Python package skylib", "pip install skylib",
                lambda _: world.write(world.modules / "skylib.py", ""))  # fmt: skip


@cause
def an_extra_is_missing(world):
    _gated(world, "", requires="Requires(packages=('skylib',), extra='sky')")
    return Told("weather", "check", "needs the Python package skylib", "pip install 'handiwork[sky]'",
                lambda _: world.write(world.modules / "skylib.py", ""))  # fmt: skip


@cause
def the_platform_is_another(world):
    _gated(world, "", requires="Requires(platforms=('plan9',))")
    return Told("weather", "check", "works on plan9 only", "run Handiwork on plan9",
                lambda _: _gated(world, "", requires=f"Requires(platforms=('plan9', {sys.platform!r}))"))  # fmt: skip


@cause
def its_check_says_no(world):
    mark = world.modules / "clear"
    _gated(world, "import os\n", check_fn=f"lambda: os.path.exists({str(mark)!r})")
    return Told("weather", "check", "says no (asked 0 s ago", "its check at plugins/sky.py:4 asks",
                lambda _: mark.write_text(""))  # fmt: skip


@cause
def its_check_breaks(world):
    mark = world.modules / "clear"
    _gated(world, "", check_fn=f"lambda: open({str(mark)!r})")
    return Told("weather", "check", "FileNotFoundError", "its check at", lambda _: mark.write_text(""))


@cause
def its_check_hangs(world):
    mark = world.modules / "clear"
    said = (
        f"import os, time\ndef check():\n    while not os.path.exists({str(mark)!r}): time.sleep(0.05)\n    return 1\n"
    )
    _gated(world, said, check_fn="check")
    return Told("weather", "check", "gave no answer within 2 s", "its check at plugins/sky.py:2",
                lambda _: mark.write_text(""))  # fmt: skip


@cause
def it_is_deferred(world):
    many = "".join(tool_text(f"many_{n}", "own").replace("A tool.", "Long. " * 60) for n in range(20))
    world.plugin("many", many)
    world.configure(tools_budget_tokens=2700)
    return Told("many_3", "budget", "tool_call with the name many_3 runs it", "config set tools_budget_tokens")


@cause
def a_rule_denies_it(world):
    world.configure(policy={"deny": ["calculate"]})
    return Told("calculate", "allowed", "a rule denies it", "handiwork policy remove 'calculate'")


@cause
def a_rule_denies_its_origin(world):
    world.plugin("sky", tool_text("weather"))
    world.configure(policy={"deny": ["origin:plugin:sky"]})
    return Told("weather", "allowed", "origin:plugin:sky", "handiwork policy remove")


@cause
def a_rule_of_the_project_denies_it(world):
    world.write(world.project / ".handiwork" / "config.yaml", "policy: {deny: [calculate]}\n")
    return Told("calculate", "allowed", "config.yaml:1", "handiwork policy remove 'calculate'")


@cause
def a_profile_leaves_it_out(world):
    said = {"profile": "small", "toolsets": ["file"], "profiles": {"small": {"tools": ["read_file"]}}}
    world.configure(**said)
    fixed = {**said, "profiles": {"small": {"tools": ["read_file", "patch"]}}}
    return Told("patch", "allowed", "the profile small leaves it out", "add patch to profiles.small.tools",
                lambda _: world.configure(**fixed))  # fmt: skip


@cause
def a_rule_of_a_profile_denies_it(world):
    world.configure(profile="small", profiles={"small": {"policy": {"deny": ["patch"]}}})
    return Told("patch", "allowed", "a rule of the profile small", "out of profiles.small.policy.deny",
                lambda _: world.configure(profile="small", profiles={"small": {}}))  # fmt: skip


@cause
def its_provider_refuses_its_schema(world):
    odd = tool_text("weather").replace("'properties': {}", "'properties': {'größe': {}}, 'required': ['größe']")
    world.plugin("sky", odd)
    world.setenv("GEMINI_API_KEY", "k" * 8)
    world.configure(model="gemini/some")
    return Told("weather", "sayable", "größe", "correct its schema",
                lambda _: world.plugin("sky", tool_text("weather")))  # fmt: skip
