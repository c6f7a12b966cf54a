# SPDX-License-Identifier: BSD-2-Clause
"""The HTML index of a folder of reports: every table and plot on one page that needs no other
file but the pictures beside it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from .report import Report, Row, judged, number

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #23303f; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0; font-size: 13px } td, th { padding: .2rem .6rem; border-bottom: 1px solid #dde2e8 }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums } img { max-width: 100% } small { color: #667 }
.yes { color: #187a3c } .no { color: #b3261e; font-weight: 600 } details { margin: .5rem 0 }
"""
COLUMNS = (
    "case",
    "quantity",
    "unit",
    "ours",
    "spread",
    "published",
    "peers",
    "goal",
    "holds",
    "note",
)


def write_page(folder: Path, reports: Sequence[Report]) -> Path:
    """index.html for reports whose JSON and pictures lie in the folder."""
    path = folder / "index.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    body = "".join(_section(folder, report) for report in reports)
    contents = "".join(
        f'<li><a href="#{_text(r["name"])}">{_text(r["name"])}</a>: {_text(r["source"])}</li>'
        for r in reports
    )
    page = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>tactum reproduce</title><style>{STYLE}</style>'
    path.write_text(
        f"{page}<h1>tactum reproduce</h1><ul>{contents}</ul>{body}</html>\n", encoding="utf-8"
    )
    return path


def _section(folder: Path, report: Report) -> str:
    name = _text(report["name"])
    met, total = judged(report["rows"])
    versions = ", ".join(f"{key} {value}" for key, value in report.get("versions", {}).items())
    absent = "".join(
        f"<p>{_text(package)} is not installed: what needs it is left out.</p>"
        for package in report.get("missing", [])
    )
    picture = f'<img src="{name}.png" alt="{name}">' if (folder / f"{name}.png").is_file() else ""
    main = [
        row for row in report["rows"] if row["goal"] is not None or row["published"] is not None
    ]
    rest = [row for row in report["rows"] if row not in main]
    more = (
        f"<details><summary>{len(rest)} more rows</summary>{_table(rest)}</details>" if rest else ""
    )
    quick = ", quick" if report["quick"] else ""
    return (
        f'<h2 id="{name}">{name}</h2><p>{_text(report["source"])}. {met} of {total} goals hold. <a href="{name}.json">JSON</a></p>'
        f"{absent}{picture}{_table(main)}{more}"
        f"<p><small>{_text(report['machine'])}; {_text(versions)}; seed {report['seed']}{quick}; {report['seconds']} s</small></p>"
    )


def _table(rows: Sequence[Row]) -> str:
    head = "".join(f"<th>{column}</th>" for column in COLUMNS)
    return f"<table><tr>{head}</tr>{''.join(_row(row) for row in rows)}</table>"


def _row(row: Row) -> str:
    peers = ", ".join(f"{name} {number(value)}" for name, value in row["peers"].items())
    goal = "" if row["goal"] is None else f"{row['relation']} {number(row['goal'])}"
    outcome = {
        True: '<td class="yes">yes</td>',
        False: '<td class="no">no</td>',
        None: "<td></td>",
    }[row["holds"]]
    numbers = "".join(
        f'<td class="number">{number(row[field])}</td>' for field in ("ours", "spread", "published")
    )
    words = "".join(f"<td>{_text(row[field])}</td>" for field in ("case", "quantity", "unit"))
    return f"<tr>{words}{numbers}<td>{_text(peers)}</td><td>{_text(goal)}</td>{outcome}<td>{_text(row['note'])}</td></tr>"


def _text(value: object) -> str:
    return html.escape(str(value))
