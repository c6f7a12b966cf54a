# SPDX-License-Identifier: BSD-2-Clause
"""Which files of src/ need each other at link time, read from the text of the sources.

A file needs another one where it calls a function that a header declares and a source of another
name defines. The reading is simple, and says so: it follows free functions, and members of classes
that a header of src/ defines. It does not follow members of public classes, virtual functions,
names that the number of arguments does not tell apart, and the kernels of the GPU (.cu). The
formatter puts everything at the top of a namespace at the start of a line, which this relies on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

SUFFIXES = {".hpp", ".cpp", ".h", ".inl", ".cu", ".cuh"}
HEADERS = (".hpp", ".h", ".cuh")

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
NAMELESS = re.compile(r"^namespace \{", re.MULTILINE)
NO_TYPE = r"(?!(?:static|template|using|namespace|struct|class|enum|return|extern)\b)"
# the head of a function at the start of a line: a type, a name, an opening parenthesis
HEAD = re.compile(
    rf"^{NO_TYPE}[A-Za-z_\[][\w:<>,&*\s\[\]]*?\b((?:\w+::)*\w+)\(",
    re.MULTILINE,
)
BODY = re.compile(r"\s*(?:const\b|noexcept\b|\s)*(?:\{|:[^:])")
# names that a unit has for itself: lambdas, members, variables, static functions
LAMBDA = re.compile(r"\b(\w+) = \[")
INDENTED = re.compile(r"^ ([^\n;={}()]*?[\w>\]][&*]*) +(\w+)\(", re.MULTILINE)
STATIC = re.compile(r"^static [^\n;={}()]*?\b(\w+)\(", re.MULTILINE)
STATEMENT = re.compile(r"\b(?:return|else|throw|case|new|and|or|not)\b")
CALL = re.compile(r"(?<![\w.>:&~])(\w+)\(")
CLASS = re.compile(r"^(?:class|struct) ((?:\w+::)*\w+)(?: final)?(?: : [^{;]*)? \{", re.MULTILINE)


def unit_of(file: str) -> str:
    """A header and the source of the same name are one unit."""
    return str(Path(file).with_suffix(""))


def closing(text: str, opening: int) -> int:
    """Index of the bracket that closes the one at `opening`."""
    depth = 0
    for i in range(opening, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return len(text) - 1


def count_items(text: str) -> int:
    """Number of arguments or parameters between parentheses."""
    text = re.sub(r"<[^<>()]*>", "", re.sub(r"<[^<>()]*>", "", text))
    depth, commas = 0, 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        commas += letter == "," and depth == 0
    return commas + 1 if text.strip() else 0


def split_nameless(text: str) -> tuple[str, str]:
    """A source without its nameless namespaces, and these."""
    outside, inside, at = [], [], 0
    while found := NAMELESS.search(text, at):
        end = closing(text, found.end() - 1) + 1
        outside.append(text[at : found.start()])
        inside.append(text[found.end() : end])
        at = end
    return "".join([*outside, text[at:]]), "".join(inside)


class Sources:
    """The files of src/ and of the public headers, by their path as an include writes it."""

    def __init__(self, root: Path) -> None:
        texts = {
            str(path.relative_to(base)): path.read_text(encoding="utf-8")
            for base in (root / "src", root / "include")
            for path in sorted(base.glob("**/*"))
            if path.suffix in SUFFIXES
        }
        self.code = {file: NOISE.sub(" ", text) for file, text in texts.items()}
        self.includes = {
            file: [target for target in INCLUDE.findall(text) if target in texts]
            for file, text in texts.items()
        }
        self._reached: dict[str, set[str]] = {}
        # name -> unit that defines it -> numbers of parameters; qualified name -> units
        self.functions: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        self.members: dict[str, set[str]] = defaultdict(set)
        # name -> (header, fewest, most parameters)
        self.declarations: dict[str, set[tuple[str, int, int]]] = defaultdict(set)
        self.private: dict[str, set[str]] = defaultdict(set)
        for file, code in self.code.items():
            self._read(file, code)

    def _read(self, file: str, code: str) -> None:
        outside, nameless = split_nameless(code)
        for name, parameters, has_body in heads(outside):
            most = count_items(parameters)
            if has_body and "::" in name and file.endswith(".cpp"):
                self.members[name].add(unit_of(file))
            elif has_body and file.endswith(".cpp"):
                self.functions[name][unit_of(file)].add(most)
            elif not has_body and file.endswith(HEADERS):
                fewest = most - re.sub(r"\([^()]*\)", "", parameters).count("=")
                self.declarations[name].add((file, fewest, most))
        own = self.private[unit_of(file)]
        own.update(name for name, _, _ in heads(nameless))
        own.update(LAMBDA.findall(code), STATIC.findall(code))
        own.update(name for before, name in INDENTED.findall(code) if not STATEMENT.search(before))

    def reached(self, file: str) -> set[str]:
        """The files that a file includes, and those that these include."""
        if file not in self._reached:
            found: set[str] = set()
            left = [file]
            while left:
                new = set(self.includes[left.pop()]) - found
                found |= new
                left += new
            self._reached[file] = found
        return self._reached[file]

    @cached_property
    def homes(self) -> dict[str, str]:
        """The header of src/ that defines a class, by the name of the class."""
        return {
            name: file
            for file, code in self.code.items()
            if file.endswith(HEADERS) and not file.startswith("tactum/")
            for name in CLASS.findall(code)
        }

    @cached_property
    def owners(self) -> dict[str, str]:
        """Units that are one with another: a class may have several sources, if its header has a
        source of its own name."""
        result = {}
        for name, units in self.members.items():
            home = self.homes.get(name.rsplit("::", 1)[0])
            if home is not None and f"{unit_of(home)}.cpp" in self.code:
                result.update({unit: unit_of(home) for unit in units if unit != unit_of(home)})
        return result

    def calls(self) -> Iterator[tuple[str, str, str]]:
        """(unit, unit that it needs, function)."""
        for file in self.code:
            if file.endswith(".cpp"):
                yield from self._free_calls(file)
        for name, units in self.members.items():
            home = self.homes.get(name.rsplit("::", 1)[0])
            if home is not None and unit_of(home) not in units:
                yield from self._member_calls(name, units, home)

    def _free_calls(self, file: str) -> Iterator[tuple[str, str, str]]:
        unit, code = unit_of(file), self.code[file]
        for found in CALL.finditer(code):
            name = found.group(1)
            definitions = self.functions.get(name)
            if definitions is None or unit in definitions or name in self.private[unit]:
                continue
            count = count_items(code[found.end() : closing(code, found.end() - 1)])
            most = {
                most
                for header, fewest, most in self.declarations[name]
                if fewest <= count <= most and header in self.reached(file)
            }
            needed = [target for target, counts in definitions.items() if counts & most]
            if len(needed) == 1:
                yield unit, needed[0], name

    def _member_calls(
        self, name: str, units: set[str], home: str
    ) -> Iterator[tuple[str, str, str]]:
        """Calls of a member whose class has no source of its own name."""
        owner, member = name.rsplit("::", 1)
        siblings = {
            unit
            for other, others in self.members.items()
            if other.rsplit("::", 1)[0] == owner
            for unit in others
        }
        unique = not any(
            other != name and other.endswith(f"::{member}") for other in self.members
        )
        for file, code in self.code.items():
            unit = unit_of(file)
            if unit in units or not file.endswith(".cpp") or home not in self.reached(file):
                continue
            from_outside = unique and re.search(rf"(?:\.|->){member}\(", code)
            from_inside = unit in siblings and re.search(rf"(?<![\w.>:]){member}\(", code)
            if from_outside or from_inside:
                for target in units:
                    yield unit, target, name


def heads(code: str) -> Iterator[tuple[str, str, bool]]:
    """(name, parameters, whether a body follows) of the functions at the start of a line."""
    for found in HEAD.finditer(code):
        end = closing(code, found.end() - 1)
        yield (
            found.group(1),
            code[found.end() : end],
            BODY.match(code, end + 1) is not None,
        )
