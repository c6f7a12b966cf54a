# SPDX-License-Identifier: BSD-2-Clause
"""The measured part of docs/solver-speed.md from a report of `./run compare solver --json FILE`.

    python tools/solver_page.py FILE [PAGE]

Rewrites what lies between the two marks of the page; all else is written by hand.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "tactum" / "reproduce"))
from report import judged, number

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "solver-speed.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
HEAD = ("problem", "contacts", "`ncp_pgs`", "as printed", "ratio", "`ncp_admm`", "as printed", "Pinocchio's ADMM", "ratio", "best ccp",
        "Clarabel", "ratio", "derivative / solve", "MuJoCo / tactum")  # fmt: skip

Rows = Mapping[str, Mapping[str, Any]]  # of one problem, by quantity


def shown(row: Mapping[str, Any] | None, prefix: str = "") -> str:
    """A number with two digits, bold where it misses its goal."""
    if row is None or row["ours"] is None:
        return ""
    text = prefix + number(float(f"{row['ours']:.2g}"))
    return f"**{text}**" if row["holds"] is False else text


def kind_cells(rows: Rows, kind: str) -> list[str]:
    """Our time, that of the peer, their ratio; or the residuals where nobody arrives."""
    time, ratio, residual = (
        rows.get(f"{kind} {what}") for what in ("time", "ratio", "residual ratio")
    )
    if time is None or time["ours"] is None:
        if residual is None:
            return ["does not arrive", "", shown(ratio)]
        return [f"residual {shown(residual)} times lower at the same time", "does not arrive", ""]
    peers = [value for name, value in time["peers"].items() if kind in name]
    at_least = "> " if ratio is not None and "does not arrive" in ratio["note"] else ""
    return [
        shown(time),
        number(float(f"{min(peers):.2g}")) if peers else "does not arrive",
        shown(ratio, at_least),
    ]


def printed_cell(rows: Rows, kind: str) -> str:
    """The time of the survey's algorithm as printed."""
    row = rows.get(f"{kind} time as printed")
    return "" if row is None else shown(row) or "does not arrive"


def table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    cases: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        cases.setdefault(row["case"], {})[row["quantity"]] = row
    lines = ["| " + " | ".join(HEAD) + " |", "| --- |" + " ---: |" * (len(HEAD) - 1)]
    for case, own in cases.items():
        pgs, admm = kind_cells(own, "PGS"), kind_cells(own, "ADMM")
        ccp = own.get("CCP time")
        clarabel = (
            ""
            if ccp is None or not ccp["peers"]
            else number(float(f"{ccp['peers']['clarabel']:.2g}"))
        )
        cells = [
            case,
            number(own["contacts"]["ours"]),
            pgs[0],
            printed_cell(own, "PGS"),
            pgs[2],
            admm[0],
            printed_cell(own, "ADMM"),
            *admm[1:],
            shown(ccp),
            clarabel,
            shown(own.get("CCP ratio")),
        ]
        cells += [shown(own.get("derivative share")), shown(own.get("MuJoCo ratio"))]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def measured(report: Mapping[str, Any]) -> str:
    met, total = judged(report["rows"])
    lines = [
        f"Made on {report['machine']}; {met} of {total} goals met, bold figures miss theirs.",
        "",
    ]
    return "\n".join([BEGIN, *lines, *table(report["rows"]), END])


def main(argv: Sequence[str]) -> int:
    if not 1 <= len(argv) <= 2:
        print(__doc__)
        return 2
    page = Path(argv[1]) if len(argv) > 1 else PAGE
    text = page.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        print(f"{page}: the marks {BEGIN} and {END} are missing")
        return 1
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    page.write_text(
        before + measured(json.loads(Path(argv[0]).read_text(encoding="utf-8"))) + after,
        encoding="utf-8",
    )
    print(f"wrote {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
