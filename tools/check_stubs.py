#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that the stub of the extension names what the extension has, no more and no less, and
shows no C++ names: a binding whose C++ type is unknown to Python would."""

from __future__ import annotations

import argparse
import ast
import importlib
import sys
from pathlib import Path


def stub_names(body: list[ast.stmt], prefix: str = "") -> set[str]:
    """Dotted public names that a stub declares."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.ClassDef):
            names.add(prefix + node.name)
            names |= stub_names(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            names.add(prefix + node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(prefix + node.target.id)
        elif isinstance(node, ast.Assign):
            names |= {prefix + target.id for target in node.targets if isinstance(target, ast.Name)}
    return public(names)


def runtime_names(thing: object, prefix: str = "") -> set[str]:
    """Dotted public names that the extension has."""
    names: set[str] = set()
    for name, value in vars(thing).items():
        names.add(prefix + name)
        if isinstance(value, type) and value.__module__ == getattr(
            thing, "__name__", getattr(thing, "__module__", "")
        ):
            names |= runtime_names(value, f"{prefix}{name}.")
    return public(names)


def public(names: set[str]) -> set[str]:
    return {name for name in names if not any(part.startswith("_") for part in name.split("."))}


def stub_problems(stub: str, module: object) -> list[str]:
    declared, present = stub_names(ast.parse(stub).body), runtime_names(module)
    problems = [
        f"the stub declares {name}, which the extension does not have"
        for name in sorted(declared - present)
    ]
    problems += [f"the stub lacks {name}" for name in sorted(present - declared)]
    problems += [
        f"line {number} shows a C++ name: {line.strip()}"
        for number, line in enumerate(stub.splitlines(), 1)
        if "::" in line
    ]
    return problems


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module", nargs="?", default="tactum._core")
    module = importlib.import_module(parser.parse_args(arguments).module)
    package = importlib.import_module(module.__name__.rpartition(".")[0])
    stub = Path(str(package.__file__)).with_name(module.__name__.rpartition(".")[2] + ".pyi")
    problems = stub_problems(stub.read_text(encoding="utf-8"), module)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
