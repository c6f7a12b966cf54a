#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Builds the documentation as plain HTML pages that need no network: build/docs/README.html is the start.

Every Markdown page of the root and of docs/ becomes a page of the same name; links between pages follow, formulas become MathML.
Needs the packages of tools/requirements/docs.txt.
"""

from __future__ import annotations

import argparse
import html
import os
import re
import shutil
import sys
from pathlib import Path

import markdown
from latex2mathml.converter import convert as mathml

CODE_OR_MATH = re.compile(r"^```.*?^```|`[^`\n]*`|\$\$(?P<display>.+?)\$\$|\$(?P<inline>[^$\n]+)\$", re.MULTILINE | re.DOTALL)
TAG = re.compile(r"\\tag\{([^}]*)\}")
LINK = re.compile(r'(href|src)="(?!\w+:|#)([^"#]+)')

STYLE = """
body { margin: 0; display: flex; font: 16px/1.55 system-ui, sans-serif; color: #23303f; background: #fff }
nav { flex: 0 0 15rem; padding: 2rem 1.2rem; background: #f4f6f9; min-height: 100vh; box-sizing: border-box }
nav a { display: block; font-size: 14px } nav b { display: block; margin-top: 1rem }
main { max-width: 54rem; min-width: 0; padding: 1.5rem 3rem 5rem }
a { color: #1f4e8c; text-decoration: none } a:hover { text-decoration: underline }
h1, h2, h3 { line-height: 1.25; margin-top: 1.8em } h1 { margin-top: .5em }
pre { background: #f4f6f9; padding: .8rem 1rem; overflow-x: auto; border-radius: 6px; line-height: 1.4 }
code { font: 13.5px ui-monospace, monospace; background: #f4f6f9; border-radius: 3px } pre code { padding: 0 }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0 }
th, td { border-bottom: 1px solid #dde3ea; padding: .35rem .7rem; text-align: left; vertical-align: top }
th { background: #f4f6f9 }
img { max-width: 100% }
.formula { display: flex; align-items: center; margin: 1rem 0; overflow-x: auto } .formula math { flex: 1 }
"""


def pages(root: Path) -> list[Path]:
    """The pages, the start first."""
    top = [root / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "THIRD_PARTY_NOTICES")]
    return [page for page in top if page.is_file()] + sorted((root / "docs").rglob("*.md"))


def title_of(text: str) -> str:
    """The first heading."""
    match = re.search(r"^#\s+(.+)$", text, re.MULTILINE)
    return match.group(1) if match else "untitled"


def take_formulas(text: str) -> tuple[str, list[str]]:
    """The text with its formulas replaced by marks that Markdown leaves alone, and the formulas in MathML."""
    formulas: list[str] = []

    def take(match: re.Match[str]) -> str:
        display, inline = match.group("display"), match.group("inline")
        if display is None and inline is None:
            return match.group(0)
        tag = TAG.search(display or "")
        source = TAG.sub("", display or inline).strip()
        code = mathml(source, display="block" if display else "inline")
        if display:
            code = f'<div class="formula">{code}<span>{f"({tag.group(1)})" if tag else ""}</span></div>'
        formulas.append(code)
        return f"qqformula{len(formulas) - 1}qq"

    return CODE_OR_MATH.sub(take, text), formulas


def to_html(text: str) -> str:
    """The body of a page."""
    marked, formulas = take_formulas(text)

    def slug(heading: str, _: str) -> str:
        return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")

    body = markdown.markdown(
        marked,
        extensions=["tables", "fenced_code", "sane_lists", "toc"],
        extension_configs={"toc": {"slugify": slug}},
    )
    return re.sub(r"<p>qqformula(\d+)qq</p>|qqformula(\d+)qq", lambda m: formulas[int(m.group(1) or m.group(2))], body)


def navigation(root: Path, page: Path) -> str:
    """Links to all pages, as seen from one of them."""
    lines, folder = [], None
    for other in pages(root):
        if other.parent != folder:
            folder = other.parent
            lines.append(f"<b>{'tactum' if folder == root else folder.relative_to(root)}</b>")
        target = os.path.relpath(other.with_suffix(".html"), page.parent)
        lines.append(f'<a href="{target}">{html.escape(title_of(other.read_text(encoding="utf-8")))}</a>')
    return "\n".join(lines)


def build(root: Path, out: Path) -> list[Path]:
    """Write all pages and the pictures; returns the pages."""
    shutil.rmtree(out, ignore_errors=True)
    known = {page.resolve() for page in pages(root)}
    written = []
    for page in pages(root):
        text = page.read_text(encoding="utf-8")

        def follow(match: re.Match[str], page: Path = page) -> str:
            # a link to another page becomes a link to its HTML; one to a file that is no page leads back to the checkout
            target = (page.parent / match.group(2)).resolve()
            if target in known:
                return f'{match.group(1)}="{Path(match.group(2)).with_suffix(".html")}'
            if target.suffix == ".png":
                return match.group(0)
            place = out / page.relative_to(root).parent
            return f'{match.group(1)}="{os.path.relpath(target, place)}'

        body = LINK.sub(follow, to_html(text))
        target = out / page.relative_to(root).with_suffix(".html")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title_of(text))}</title>'
            f"<style>{STYLE}</style></head>\n<body><nav>{navigation(root, page)}</nav>\n<main>{body}</main></body></html>\n",
            encoding="utf-8",
        )
        written.append(target)
    if (root / "docs" / "images").is_dir():
        shutil.copytree(root / "docs" / "images", out / "docs" / "images")
    return written


def problems(written: list[Path]) -> list[str]:
    """Links that lead nowhere, and formulas that were not understood."""
    found = []
    for page in written:
        text = page.read_text(encoding="utf-8")
        for _, target in LINK.findall(text):
            if not (page.parent / target).exists():
                found.append(f"{page.name}: the link {target} leads nowhere")
        for command in re.findall(r"<m\w+[^>]*>(\\\w+)", text):
            found.append(f"{page.name}: {command} is not understood")
        if "qqformula" in text:
            found.append(f"{page.name}: a formula was lost")
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parent.parent
    parser.add_argument("--root", type=Path, default=root, help="the tree whose pages are built")
    parser.add_argument("--out", type=Path, default=None, help="where they go (default: build/docs of the tree)")
    options = parser.parse_args(arguments)
    out = options.out or options.root / "build" / "docs"
    written = build(options.root.resolve(), out.resolve())
    found = problems(written)
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"{len(written)} pages: start at {written[0]}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
