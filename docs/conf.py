# SPDX-License-Identifier: BSD-2-Clause
"""Settings of Sphinx, which builds the site: sphinx-build -c docs . build/site

The source folder is the repository itself, so that a link between pages works in the repository and
on the site alike. README.md is the front page. Doxygen reads the C++ headers; the Python reference
comes from the installed package and its stub, without import.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = importlib.util.find_spec("tactum")
if PACKAGE is None or PACKAGE.origin is None:
    raise RuntimeError("tactum is not installed beside Sphinx; ./run docs installs it")
STUB = Path(PACKAGE.origin).with_name("_core.pyi")

project = "tactum"
author = "the tactum contributors"
copyright = author
release = re.findall(
    r"project\(tactum VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
)[0]

root_doc = "README"
include_patterns = [
    "*.md",
    "docs/**",
    "src/**/README.md",
    "tests/data/README.md",
    "python/tactum/data/README.md",
]
exclude_patterns = ["build", "dist", ".*"]
# The bridges have classes that are called like those of the package; every header opens the
# namespace again.
suppress_warnings = ["ref.python", "duplicate_declaration.cpp"]
extensions = ["myst_parser", "breathe", "autoapi.extension", "sphinx.ext.mathjax"]
highlight_language = "text"
add_module_names = False
maximum_signature_line_length = 100

myst_enable_extensions = ["dollarmath", "tasklist"]
myst_disable_syntax = ["myst_line_comment"]  # a line may begin with a per cent sign
myst_heading_anchors = 4
myst_dmath_double_inline = True

autoapi_dirs = [str(STUB.parent)]
autoapi_file_patterns = ["*.pyi", "*.py"]
autoapi_ignore = [
    f"*/{name}"
    for name in (
        "reproduce/*",
        "_demo*",
        "demo.py",
        "cli.py",
        "_plot_mesh.py",
        "_decompose_child.py",
        "_mesh_command.py",
        "_scene_command.py",
        "_sim_record.py",
        "_simulate_command.py",
        "_view_command.py",
        "_play_command.py",
        "__main__.py",
    )
]
autoapi_generate_api_docs = False
autoapi_add_toctree_entry = False

# Headers of the GPU have names of other headers, which Breathe tells apart by their project.
HEADERS = {"doxygen": "include/tactum include/tactum/sim", "doxygen-gpu": "include/tactum/gpu"}
breathe_projects = {
    "tactum": str(ROOT / "build" / "doxygen" / "xml"),
    "gpu": str(ROOT / "build" / "doxygen-gpu" / "xml"),
}
breathe_default_project = "tactum"
breathe_show_include = False

# MathJax lies in a Python package, so that the site needs no network. The package offers an
# extension too, which cannot run in parallel.
MATHJAX = importlib.util.find_spec("sphinx-mathjax-offline")
if MATHJAX is None or MATHJAX.origin is None:
    raise RuntimeError(
        "the packages of tools/requirements/docs.txt are missing; ./run docs installs them"
    )
html_static_path = ["static", str(Path(MATHJAX.origin).with_name("static"))]
mathjax_path = "mathjax/tex-chtml.js"

html_theme = "furo"
html_title = f"tactum {release}"
html_css_files = ["site.css"]
html_copy_source = False

# Pages that lead on to others: (caption, entries). The pages themselves stay plain Markdown.
NAVIGATION: dict[str, list[tuple[str, list[str]]]] = {
    "README": [
        (
            "Start",
            [
                "docs/guide/getting-started",
                "docs/guide/tour",
                "docs/which-part",
                "docs/gallery",
                "docs/conventions",
                "docs/accuracy",
                "docs/coverage",
                "docs/neural-model-card",
            ],
        ),
        (
            "Guides",
            [
                f"docs/guide/{name}"
                for name in (
                    "distance",
                    "batches",
                    "gpu",
                    "derivatives",
                    "strictly-convex",
                    "meshes",
                    "scenes",
                    "contact-forces",
                    "recipes",
                    "simulation",
                    "simulation-models",
                    "simulation-solver",
                    "step-derivatives",
                    "coming-from-mujoco",
                    "coming-from-pinocchio",
                    "neural",
                    "viewer",
                    "learning",
                    "many-machines",
                    "coming-from-coal",
                    "coming-from-drake",
                    "coming-from-trimesh",
                )
            ],
        ),
        ("Theory", ["docs/theory/*"]),
        (
            "Speed",
            [
                "docs/how-it-is-fast",
                "docs/speed-results",
                "docs/tried-and-dropped",
                "docs/solver-speed",
                "docs/mesh-speed",
                "docs/robot-speed",
                "docs/sim-speed",
                "docs/sim-derivative-speed",
            ],
        ),
        ("Reproduce", ["docs/reproduce/README"]),
        ("Decisions", ["docs/decisions/README"]),
        (
            "Python reference",
            [
                f"docs/reference/python/{name}"
                for name in ("shapes", "queries", "derivatives", "scenes", "forces", "simulation", "neural", "gpu", "tools", "bridges")
            ],
        ),
        (
            "C++ reference",
            [
                f"docs/reference/cpp/{name}"
                for name in ("shapes", "queries", "derivatives", "scenes", "forces", "simulation", "neural", "gpu")
            ],
        ),
        ("Project", ["ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "THIRD_PARTY_NOTICES"]),
    ],
    "docs/reproduce/README": [("", ["*"])],
    "docs/decisions/README": [("", ["*"])],
    "ARCHITECTURE": [("", ["src/*/README"])],
    "THIRD_PARTY_NOTICES": [("", ["tests/data/README", "python/tactum/data/README"])],
}


def add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """Appends the hidden lists of pages that the sidebar shows."""
    for caption, entries in NAVIGATION.get(page, []):
        lines = [
            "",
            "```{toctree}",
            ":hidden:",
            ":glob:",
            *([f":caption: {caption}"] if caption else []),
            "",
            *entries,
            "```",
            "",
        ]
        source[0] += "\n".join(lines)


def run_doxygen(app: Sphinx) -> None:
    """Turns the public headers into XML; a warning of Doxygen is an error."""
    settings = (ROOT / "docs" / "Doxyfile").read_text(encoding="utf-8")
    for folder, headers in HEADERS.items():
        (ROOT / "build" / folder).mkdir(parents=True, exist_ok=True)
        own = f"{settings}\nINPUT = {headers}\nOUTPUT_DIRECTORY = build/{folder}\n"
        subprocess.run(["doxygen", "-"], cwd=ROOT, check=True, input=own, text=True)


def describe_overloads(app: Sphinx) -> None:
    """Gives a function with several signatures the text of all of them; autoapi keeps the last
    one only."""
    texts: dict[str, list[str]] = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            texts.setdefault(node.name, []).append(ast.get_docstring(node) or "")
    for name, own in texts.items():
        if len(own) > 1:
            app.env.autoapi_all_objects[f"tactum.{name}"].docstring = "\n\n".join(own)  # type: ignore[attr-defined]


def paragraphs(block: str) -> list[str]:
    """One paragraph of a docstring in reStructuredText: lines that begin with "name:" become
    items of a list."""
    found: list[str] = []
    for line in re.sub(r"([\\*|_])", r"\\\1", block).replace("`", "``").splitlines():
        argument = re.match(r"(\w[\w\\]*(?:, \w[\w\\]*)*): (.*)", line)
        if argument:
            found.append(f"- **{argument[1]}**: {argument[2]}")
        elif not found or re.match("Returns|Raises", line):
            found.append(line.strip())
        else:
            found[-1] += f" {line.strip()}"
    return found


def set_docstrings(app: Sphinx) -> None:
    """Turns the docstrings, which are plain text, into reStructuredText, and shortens the types
    of properties."""
    describe_overloads(app)
    for thing in app.env.autoapi_all_objects.values():  # type: ignore[attr-defined]
        blocks = [
            block if ">>>" in block else "\n\n".join(paragraphs(block))
            for block in thing.docstring.split("\n\n")
        ]
        thing.docstring = "\n\n".join(blocks)
        if getattr(thing, "annotation", None):
            thing.annotation = shortened(thing.annotation)


def shortened(annotation: str) -> str:
    """A type without the path of its module, and a default value as a user would write it."""
    return re.sub(
        r"\b(?:numpy\.typing|numpy|collections\.abc|tactum\._\w+)\.", "", annotation
    ).replace("_EXACT", "Exact()")


def shorten_signature(
    app: Sphinx, what: str, name: str, obj: object, options: object, signature: str, returns: str
) -> tuple[str, str]:
    """Shows types as the documentation of NumPy does."""
    return shortened(signature or ""), shortened(returns or "")


def leave_out_fields(app: Sphinx, page: nodes.document) -> None:
    """Keeps fields and enumerators out of the contents beside a page: classes and functions are
    enough there."""
    for description in page.findall(addnodes.desc):
        if description["objtype"] in ("attribute", "enumerator", "member", "property"):
            description["no-contents-entry"] = True


def limit_sidebar(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Looks for pages two levels deep, which is where all are: the theme asks for every heading,
    a third of the time of a build."""
    toctree = context.get("toctree")
    if toctree is not None:
        context["toctree"] = lambda **options: toctree(**{**options, "maxdepth": 2})


def add_index(app: Sphinx, exception: Exception | None) -> None:
    """Makes the front page the one that a browser opens first."""
    if exception is None:
        shutil.copy(Path(app.outdir) / f"{root_doc}.html", Path(app.outdir) / "index.html")


def add_playground(app: Sphinx, error: Exception | None) -> None:
    """Makes the recorded tour that docs/guide/viewer.md links to, or a page that says what makes it."""
    if error is not None or app.builder.name != "html":
        return
    path = Path(app.outdir) / "playground.html"
    if importlib.util.find_spec("viser") is None:
        path.write_text("<!doctype html><p>The tour is made where viser is installed: ./run docs</p>\n")
        return
    command = [sys.executable, "-m", "tactum", "play", "--html", str(path)]
    subprocess.run(command, check=True, cwd=app.outdir)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", run_doxygen)
    app.connect("builder-inited", set_docstrings, priority=900)
    app.connect("autodoc-process-signature", shorten_signature)
    app.connect("source-read", add_navigation)
    app.connect("doctree-read", leave_out_fields, priority=100)
    app.connect("html-page-context", limit_sidebar, priority=100)
    app.connect("build-finished", add_index)
    app.connect("build-finished", add_playground)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
