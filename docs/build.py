"""Build the documentation: the tool reference from the schemas, and all pages as a small static site.

python docs/build.py            write docs/reference.md, render the site to site/, check its links
python docs/build.py --check    write nothing: fail where the reference is old or a link is dead
"""

from __future__ import annotations

import argparse
import html
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from handiwork import ToolEntry, registry
from handiwork.catalog.discovery import Scanner
from handiwork.core.wire import dumps
from handiwork.sources.builtin import load_builtins
from handiwork.sources.modules import Harvest

ROOT = Path(__file__).resolve().parents[1]
SITE, REFERENCE = ROOT / "site", ROOT / "docs" / "reference.md"
ORDER = ("README.md", "docs/cli.md", "docs/sessions.md", "docs/agents.md", "docs/models.md", "docs/config.md",
         "docs/observability.md", "docs/tools.md", "docs/files.md", "docs/terminal.md", "docs/toolsets.md",
         "docs/search.md", "docs/sandbox.md", "docs/secrets.md", "docs/http.md", "docs/guard.md", "docs/policy.md",
         "docs/approval.md", "docs/flow.md", "docs/audit.md", "docs/plugins.md", "docs/adapters.md", "docs/mcp.md",
         "docs/hooks.md", "docs/embedding.md", "docs/schemas.md", "docs/reference.md", "docs/arguments.md",
         "docs/supply.md", "docs/troubleshooting.md", "docs/architecture.md", "docs/decisions.md", "CONTRIBUTING.md",
         "SECURITY.md", "CHANGELOG.md")  # fmt: skip
STYLE = """\
body { font: 17px/1.6 system-ui, sans-serif; color: #1f2328; max-width: 60rem; margin: 0 auto; padding: 1rem 1.5rem; }
nav { border-bottom: 1px solid #d1d9e0; padding-bottom: .6rem; }
nav a { margin-right: .9rem; white-space: nowrap; }
a { color: #0550ae; }
pre { background: #f6f8fa; padding: .8rem 1rem; overflow-x: auto; border-radius: 6px; line-height: 1.45; }
code { font: .88em ui-monospace, "DejaVu Sans Mono", monospace; }
:not(pre) > code { background: #f0f2f4; padding: .1em .3em; border-radius: 4px; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #d1d9e0; padding: .3rem .7rem; text-align: left; vertical-align: top; }
img { max-width: 100%; }
@media (prefers-color-scheme: dark) {
  body { background: #0d1117; color: #e6edf3; } a { color: #79c0ff; }
  pre, :not(pre) > code { background: #161b22; } nav, th, td { border-color: #30363d; }
}
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, only say what is wrong")
    only_check = parser.parse_args().check
    text = reference()
    if not only_check:
        REFERENCE.write_text(text, encoding="utf-8")
    problems = [] if REFERENCE.read_text(encoding="utf-8") == text else ["docs/reference.md is old: run `make docs`"]
    pages = read_pages()
    problems += dead_links(pages)
    if not only_check:
        write_site(pages)
        print(f"{len(pages)} pages in {SITE.relative_to(ROOT)}/")
    for problem in problems:
        print(problem, file=sys.stderr)
    return int(bool(problems))


# --------------------------------------------------------------------------------------- the reference


def reference() -> str:
    """The built-in tools as a page: toolset by toolset, every argument of every tool."""
    load_builtins(registry, Scanner(), Harvest())
    entries = sorted((e for e in registry.entries() if e.origin == "builtin"), key=lambda e: (e.toolset, e.name))
    lines = ["# Tool reference", "", "This page is made from the schemas by `make docs`. Don't edit it.", ""]
    toolset = ""
    for entry in entries:
        if entry.toolset != toolset:
            toolset = entry.toolset
            lines += [f"## Toolset {toolset}", ""]
        lines += _tool(entry)
    return "\n".join(lines).rstrip("\n") + "\n"


def _tool(entry: ToolEntry) -> list[str]:
    facts = [f"Effect: {entry.traits.resolved_effect()}", *_touches(entry.traits.touches)]
    facts += ["needs an agent that keeps its state"] if _is_placeholder(entry) else []
    properties: Mapping[str, Any] = entry.parameters.get("properties", {})
    required = entry.parameters.get("required", ())
    rows = [_row(name, prop, name in required) for name, prop in properties.items()]
    table = ["| argument | type | | meaning |", "|---|---|---|---|", *rows, ""] if rows else []
    return [f"### {entry.name}", "", entry.description, "", "; ".join(facts) + ".", "", *table]


def _is_placeholder(entry: ToolEntry) -> bool:
    """Whether the handler only answers that an agent must bind the real one."""
    return getattr(entry.handler, "__qualname__", "").startswith("needs_agent.")


def _touches(touches: Mapping[str, str]) -> list[str]:
    said = ", ".join(f"`{argument}` as a {kind}" for argument, kind in touches.items())
    return [f"the guard judges {said}"] if said else []


def _row(name: str, prop: Mapping[str, Any], required: bool) -> str:
    default = f"default `{dumps(prop['default'])}`" if "default" in prop else ""
    cells = (f"`{name}`", _type(prop), "required" if required else default, str(prop.get("description", "")))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _type(prop: Mapping[str, Any]) -> str:
    if "enum" in prop:
        return ", ".join(f"`{value}`" for value in prop["enum"])
    kind = str(prop.get("type", "any"))
    if kind == "array" and "items" in prop:
        return f"array of {_type(prop['items'])}"
    inner = prop.get("properties")
    return f"object with {', '.join(f'`{key}`' for key in inner)}" if inner else kind


# --------------------------------------------------------------------------------------------- pages


@dataclass(frozen=True, slots=True)
class Page:
    """A markdown file: its path from the root, its title, its tokens, and the names of its headings."""

    path: str
    title: str
    tokens: list[Token]
    anchors: frozenset[str]

    @property
    def target(self) -> str:
        """Where its HTML goes, from the site's root."""
        return html_path(self.path)


def html_path(path: str) -> str:
    return "index.html" if path == "README.md" else path.removesuffix(".md") + ".html"


def read_pages() -> dict[str, Page]:
    """All pages, in the order of the navigation; pages that it doesn't name come last."""
    found = {str(p.relative_to(ROOT)) for p in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))}
    ordered = [p for p in ORDER if p in found] + sorted(found.difference(ORDER))
    return {path: _read(path) for path in ordered}


def _read(path: str) -> Page:
    tokens = MarkdownIt("commonmark").enable("table").parse((ROOT / path).read_text(encoding="utf-8"))
    headings = {}
    for mark, inline in pairwise(tokens):
        if mark.type == "heading_open":
            text = "".join(t.content for t in inline.children or () if t.type in ("text", "code_inline"))
            mark.attrSet("id", slug(text))
            headings[slug(text)] = text
    return Page(path, next(iter(headings.values()), path), tokens, frozenset(headings))


def slug(text: str) -> str:
    """The name of a heading in links, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def links(page: Page) -> Iterator[tuple[Token, str]]:
    """The links and pictures of a page: the token and the attribute that holds the address."""
    for token in page.tokens:
        for child in token.children or ():
            if child.type in ("link_open", "image"):
                yield child, "href" if child.type == "link_open" else "src"


def local_path(page: Page, address: str) -> tuple[str, str] | None:
    """The file from the root and the anchor that *address* means; None for one of the web."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    folder = os.path.dirname(page.path)
    return os.path.normpath(os.path.join(folder, unquote(parts.path))) if parts.path else page.path, parts.fragment


def dead_links(pages: Mapping[str, Page]) -> list[str]:
    """Every link that leads nowhere, in words."""
    return [
        f"{page.path}: dead link {address}"
        for page in pages.values()
        for token, attribute in links(page)
        if (address := str(token.attrGet(attribute))) and not _leads_somewhere(page, address, pages)
    ]


def _leads_somewhere(page: Page, address: str, pages: Mapping[str, Page]) -> bool:
    meant = local_path(page, address)
    if meant is None:
        return True
    path, anchor = meant
    if path in pages:
        return not anchor or anchor in pages[path].anchors
    return not path.startswith("..") and (ROOT / path).is_file() and not anchor


def write_site(pages: Mapping[str, Page]) -> None:
    """The pages as HTML, and the files that they link to beside them."""
    shutil.rmtree(SITE, ignore_errors=True)
    for page in pages.values():
        for token, attribute in links(page):
            _relink(page, token, attribute, pages)
        target = SITE / page.target
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_document(page, pages), encoding="utf-8")


def _relink(page: Page, token: Token, attribute: str, pages: Mapping[str, Page]) -> None:
    meant = local_path(page, str(token.attrGet(attribute)))
    if meant is None:
        return
    path, anchor = meant
    if path in pages:
        token.attrSet(attribute, _relative(page, pages[path].target) + (f"#{anchor}" if anchor else ""))
    elif (ROOT / path).is_file():
        copy = SITE / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, copy)


def _relative(page: Page, target: str) -> str:
    return os.path.relpath(target, os.path.dirname(page.target) or ".")


def _document(page: Page, pages: Mapping[str, Page]) -> str:
    menu = " ".join(f'<a href="{_relative(page, p.target)}">{html.escape(p.title)}</a>' for p in pages.values())
    renderer = MarkdownIt("commonmark").enable("table")
    body = renderer.renderer.render(page.tokens, renderer.options, {})
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(page.title)}</title>\n<style>\n{STYLE}</style>\n</head>\n"
        f"<body>\n<nav>{menu}</nav>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )


if __name__ == "__main__":
    sys.exit(main())
