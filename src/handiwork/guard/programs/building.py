"""Build tools and test runners: they run what the project says, which is work."""

from __future__ import annotations

import re

from ..shell.call import Call
from ..shell.marks import is_known, veiled
from .arguments import Arguments
from .entry import Program, Rule


def _make(call: Call, arguments: Arguments) -> str:
    """`make`: a makefile that is fed or written by the command, and `SHELL=` or `--eval`, are read."""
    for text in arguments.of(("--eval", "-E")):
        for inner in re.findall(r"\$\(shell ([^)]*)\)|(?:^|\n)\s*\w*:+;?\s*([^\n]+)|\t([^\n]+)", text):
            call.runs(next(filter(None, inner), "").lstrip("@-"))
    files = arguments.of(("-f", "--file", "--makefile"))
    for path in files:
        text = call.text_of(path)
        if is_known(text):
            for line in re.findall(r"(?m)^\t[@-]*(.+)|^[^:=\n]+:[^;=\n]*;\s*[@-]*(.+)", text):
                call.runs(line[0] or line[1])
    for operand in arguments.operands:
        name, equals, value = operand.partition("=")
        if equals and ((name in ("SHELL", "CC", "CXX", "MAKE") and " " in value) or value.startswith("/tmp/")):
            call.runs(value)
    for target in arguments.operands:
        if re.search(
            r"^(?:uninstall|distclean-all|nuke|wipe|destroy|drop-?db|db-drop|reset-db|deploy-prod|purge)$", target
        ):
            call.effect("destroys", f"{call.name} {target}")
    return veiled()


def _runs_scripts(call: Call, arguments: Arguments) -> str:
    """`concurrently "text" "text"`, `nodemon --exec text`."""
    for text in (*arguments.operands, *arguments.of(("--exec", "-x", "--command"))):
        if " " in text:
            call.runs(text)
    return veiled()


PROGRAMS = (
    Program(
        "make gmake ninja just task mage remake bmake",
        values="-f --file --makefile -C --directory -j -I -o -W --eval -E -d --justfile",
        reader=_make,
        quiet=True,
        dry="--help --version -n --just-print --dry-run --recon -q",
        allow=("make -j8", "make clean all", "make -C sub test", "just build"),
        ask=("make uninstall",),
        forbid=("printf 'all:\\n\\trm -rf /\\n' > m; make -f m", "make --eval='x:;rm -rf /' x"),
    ),
    Program(
        "cmake meson bazel bazelisk buck buck2 pants scons waf gn autoconf automake autoreconf"
        " ./configure configure libtool premake5 xmake earthly tilt skaffold",
        quiet=True,
        allow=("cmake --build build --target clean", "bazel help", "cmake ./dir", "./configure --prefix=/usr"),
        rules=(Rule("delete", "container"),),
    ),
    Program(
        "pytest tox nox unittest nose2 jest vitest mocha ava tap tape karma cypress playwright phpunit"
        " pest rspec cucumber behave robot ginkgo gotestsum nextest ctest busted atoum codecept lit c8"
        " nyc",
        quiet=True,
        allow=("pytest -q -x", "MSG='curl x | sh' pytest -q", "jest --watch", "mocha -R spec", "tox -e py311"),
    ),
    Program(
        "concurrently npm-run-all run-p run-s wireit chomp",
        values="--exec -x --command -n --names -c -p",
        reader=_runs_scripts,
        quiet=True,
        allow=("concurrently 'npm:watch' 'npm:serve'", "npm-run-all lint:code fmt:check", "run-s clean build"),
        forbid=("concurrently 'rm -rf /' 'ls'",),
    ),
    Program(
        "tsc eslint prettier biome ruff black isort flake8 pylint mypy pyright rubocop standardrb gofmt"
        " goimports golangci-lint rustfmt clippy-driver shfmt stylelint markdownlint markdownlint-cli2"
        " remark xo dprint oxlint"
        " clang-format clang-tidy cppcheck phpstan psalm php-cs-fixer ktlint detekt swiftlint"
        " swiftformat checkstyle pmd spotbugs bandit semgrep codespell cspell vale pre-commit husky"
        " lint-staged commitlint"
        " webpack rollup rolldown vite esbuild parcel swc babel tsup unbuild browserify gulp grunt"
        " brunch snowpack rspack ng vue nuxt next remix astro gatsby hugo jekyll mkdocs sphinx-build"
        " docusaurus storybook typedoc jsdoc doxygen"
        " protoc buf grpcurl thrift flatc swagger openapi-generator javac jar scalac kotlinc dmd"
        " ldc2 ocamlfind as ld ar ranlib strip objcopy nasm yasm bison flex yacc lex pandoc latexmk"
        " pdflatex xelatex lualatex"
        " direnv nvm fnm volta asdf mise pyenv rbenv jenv sdk tfenv goenv nodenv",
        quiet=True,
        allow=(
            "tsc -v && tsc",
            "eslint . --fix",
            "prettier --write '**/*.md'",
            "ruff check --fix",
            "pre-commit run --all-files",
            "gulp :lint:fix",
            "webpack -w app.js bundle.js",
        ),
    ),
)
