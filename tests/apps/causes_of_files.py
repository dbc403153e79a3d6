"""Causes that lie in names, files, packages and projects."""

from __future__ import annotations

from .causes import Told, carry_out, cause, tool_text


@cause
def nobody_has_it(world):
    return Told("weather", "found", "no built-in file", "install the plugin",
                lambda _: world.plugin("sky", tool_text("weather")))  # fmt: skip


@cause
def it_is_written_wrongly(world):
    return Told("read_fil", "found", "no built-in file", "did you mean read_file?", lambda _: None, then="read_file")


@cause
def another_agent_calls_it_so(world):
    return Told("Bash", "found", "here it is terminal", "handiwork why terminal", then="terminal")


@cause
def another_agent_calls_an_edit_so(world):
    return Told("MultiEdit", "found", "here it is patch", "handiwork why patch", then="patch")


@cause
def it_is_a_toolset(world):
    return Told("file", "found", "it is a toolset, not a tool: patch", "handiwork toolsets show file", then="patch")


@cause
def its_file_needs_a_module(world):
    world.plugin("sky", "import sky_of_somebody\n" + tool_text("weather"))
    return Told("weather", "loaded", "No module named 'sky_of_somebody'", "install the package that has the module",
                lambda _: world.write(world.modules / "sky_of_somebody.py", ""))  # fmt: skip


@cause
def its_file_is_no_python(world):
    path = world.plugin("sky", tool_text("weather") + "def (:\n")
    return Told("weather", "loaded", "SyntaxError", f"mend {path}:4",
                lambda _: world.plugin("sky", tool_text("weather")))  # fmt: skip


@cause
def its_file_breaks(world):
    path = world.plugin("sky", tool_text("weather") + "1 / 0\n")
    return Told("weather", "loaded", "ZeroDivisionError", f"mend {path}:4",
                lambda _: world.plugin("sky", tool_text("weather")))  # fmt: skip


@cause
def its_file_leaves(world):
    world.plugin("sky", "import sys\nsys.exit('bye')\n" + tool_text("weather"))
    return Told("weather", "loaded", "bye", "mend ", lambda _: world.plugin("sky", tool_text("weather")))


@cause
def its_file_registers_nothing(world):
    inside = "\n".join(f"    {line}" for line in tool_text("weather").splitlines())
    world.plugin("sky", f"def begin():\n{inside}\n")
    return Told("weather", "loaded", "no top-level registration", "registry.register",
                lambda _: world.plugin("sky", tool_text("weather")))  # fmt: skip


@cause
def its_file_takes_too_long(world):
    world.configure(plugin_seconds=0.2)
    world.plugin("sky", "import time\ntime.sleep(0.5)\n" + tool_text("weather"))
    return Told("weather", "loaded", "not done after 0.2 s", "handiwork config set plugin_seconds")


@cause
def its_register_function_breaks(world):
    world.plugin("sky", "def register(ctx):\n    ctx.register_weather(name='weather')\n")
    return Told("weather", "loaded", "ctx.register_weather isn't there", "mend ",
                lambda _: world.plugin("sky", tool_text("weather")))  # fmt: skip


@cause
def a_file_beside_it_breaks(world):
    folder = world.home / "plugins" / "sky"
    world.write(folder / "plugin.yaml", "name: sky\n")
    world.write(folder / "__init__.py", "from . import clouds\n" + tool_text("weather"))
    world.write(folder / "clouds.py", "raise RuntimeError('no clouds')\n")
    return Told("weather", "loaded", "no clouds", "mend ", lambda _: world.write(folder / "clouds.py", ""))


@cause
def its_file_is_disabled(world):
    world.plugin("sky", tool_text("weather"))
    world.configure(plugins_disabled=["sky"])
    return Told("weather", "trusted", "the plugin sky", "handiwork plugins enable sky")


@cause
def its_file_registers_it_sometimes(world):
    world.plugin("sky", tool_text("rain") + "import os\nif os.environ.get('SKY'):\n    " +
                 tool_text("weather").splitlines()[2] + "\n")  # fmt: skip
    return Told("weather", "registered", "has loaded, and registered rain", "when it is registered",
                lambda _: world.setenv("SKY", "blue"))  # fmt: skip


@cause
def its_name_is_none(world):
    world.plugin("sky", tool_text("the weather"))
    return Told("the weather", "registered", "refused", "correct the registration",
                lambda _: world.plugin("sky", tool_text("the_weather")), then="the_weather")  # fmt: skip


@cause
def its_schema_is_none(world):
    world.plugin("sky", tool_text("weather").replace("'type': 'object'", "'type': 'string'"))
    return Told("weather", "registered", "refused", "correct the registration",
                lambda _: world.plugin("sky", tool_text("weather")))  # fmt: skip


@cause
def its_handler_is_none(world):
    world.plugin("sky", tool_text("weather").replace("handler=lambda args, **_: 'x'", "handler='x'"))
    return Told("weather", "registered", "refused", "correct the registration",
                lambda _: world.plugin("sky", tool_text("weather")))  # fmt: skip


@cause
def its_package_breaks(world):
    world.package("sky_package", "sky", "import sky_of_somebody\n")
    return Told("sky", "loaded", "sky_of_somebody", "install the package",
                lambda _: (world.write(world.modules / "sky_of_somebody.py", ""),
                           world.package("sky_package", "sky", tool_text("sky", "utility"))))  # fmt: skip


@cause
def its_package_is_disabled(world):
    world.package("sky_package", "sky", tool_text("sky", "utility"))
    world.configure(plugins_disabled=["sky"])
    return Told("sky", "trusted", "disabled", "handiwork plugins enable sky")


@cause
def its_project_is_not_trusted(world):
    world.of_project("sky", tool_text("weather", "utility"))
    return Told("weather", "trusted", "comes with the project", "handiwork plugins trust")


@cause
def its_project_has_changed(world):
    world.of_project("rain", tool_text("rain", "utility"))
    assert world.cli("plugins", "trust", "--yes").code == 0
    world.of_project("sky", tool_text("weather", "utility"))
    return Told("weather", "trusted", "comes with the project", "handiwork plugins trust")


@cause
def its_project_cant_be_trusted(world):
    path = world.of_project("sky", tool_text("weather", "utility"))
    outside = world.write(world.modules / "outside.py", "")
    (path.parent / "link.py").symlink_to(outside)

    def follow(_):
        (path.parent / "link.py").unlink()
        carry_out(world, "handiwork plugins trust")

    return Told("weather", "trusted", "leads out of its folder", "plugins trust", follow)
