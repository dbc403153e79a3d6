"""Kinds of files by the names that people give them: `py`, `js`, `cpp`."""

from __future__ import annotations

from ....core.errors import UnknownNameError

_GLOBS = {
    "asm": "*.asm *.s *.S",
    "c": "*.c *.h",
    "clojure": "*.clj *.cljc *.cljs",
    "cmake": "*.cmake CMakeLists.txt",
    "config": "*.cfg *.conf *.config *.ini",
    "cpp": "*.cc *.cpp *.cxx *.hh *.hpp *.hxx *.h *.inl",
    "cs": "*.cs",
    "css": "*.css *.scss *.sass *.less",
    "csv": "*.csv *.tsv",
    "dart": "*.dart",
    "docker": "*Dockerfile* *.dockerfile",
    "elixir": "*.ex *.exs *.eex *.heex",
    "erlang": "*.erl *.hrl",
    "go": "*.go",
    "graphql": "*.graphql *.gql",
    "haskell": "*.hs *.lhs",
    "html": "*.html *.htm",
    "java": "*.java",
    "js": "*.js *.jsx *.mjs *.cjs *.vue",
    "json": "*.json *.jsonc *.jsonl",
    "julia": "*.jl",
    "kotlin": "*.kt *.kts",
    "lua": "*.lua",
    "make": "[Mm]akefile GNUmakefile *.mk",
    "md": "*.md *.markdown *.mdx",
    "nix": "*.nix",
    "ocaml": "*.ml *.mli",
    "perl": "*.pl *.pm *.t",
    "php": "*.php",
    "proto": "*.proto",
    "ps": "*.ps1 *.psm1 *.psd1",
    "py": "*.py *.pyi *.pyx",
    "r": "*.r *.R *.Rmd",
    "rst": "*.rst",
    "ruby": "*.rb *.rake *.gemspec Gemfile Rakefile",
    "rust": "*.rs",
    "scala": "*.scala *.sbt",
    "sh": "*.sh *.bash *.zsh *.ksh",
    "sql": "*.sql",
    "svelte": "*.svelte",
    "swift": "*.swift",
    "tex": "*.tex *.sty *.bib",
    "tf": "*.tf *.tfvars",
    "toml": "*.toml",
    "ts": "*.ts *.tsx *.mts *.cts",
    "txt": "*.txt",
    "vue": "*.vue",
    "xml": "*.xml *.xsd *.xsl *.svg",
    "yaml": "*.yaml *.yml",
    "zig": "*.zig",
}
_ALSO = {
    "bash": "sh",
    "c++": "cpp",
    "csharp": "cs",
    "golang": "go",
    "javascript": "js",
    "jsx": "js",
    "markdown": "md",
    "python": "py",
    "rb": "ruby",
    "rs": "rust",
    "shell": "sh",
    "terraform": "tf",
    "tsx": "ts",
    "typescript": "ts",
    "yml": "yaml",
}


def globs_of_types(names: str) -> tuple[str, ...]:
    """The globs of one or more types with commas between them. Raises `UnknownNameError`."""
    wanted = [name.strip().lower().removeprefix(".") for name in names.split(",") if name.strip()]
    return tuple(glob for name in wanted for glob in _globs(name))


def _globs(name: str) -> list[str]:
    globs = _GLOBS.get(_ALSO.get(name, name))
    if globs is None:
        raise UnknownNameError("type of file", name, {**_GLOBS, **_ALSO}, hint=f"or use glob, such as *.{name}")
    return globs.split()
