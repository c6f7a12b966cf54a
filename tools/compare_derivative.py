# SPDX-License-Identifier: BSD-2-Clause
"""Report of `./run compare derivative` on the measured times: rows with their goals, and a table.

All derivatives start from the known answer of the query. The peer is what a user of coal has:
central differences, twelve queries, each begun where the one at rest ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from report import Row, make_row

# largest share of the time of the query
EXACT_SHARE = {"ellipsoid": 1.0, "hull12": 1.0, "hull250": 0.5, "hull1000": 0.5}
DISTANCE_SHARE = 0.15
# how many times faster than twelve queries of coal, and than our zeroth order: apart, in
# penetration
FASTER_THAN_COAL = {"gumbel": (5.0, 20.0), "gaussian": (1.5, 10.0)}
FASTER_THAN_ZEROTH = {"gumbel": (10.0, 20.0), "gaussian": (3.0, 8.0)}
WAYS = (
    "query",
    "distance jacobian",
    "exact",
    "gumbel",
    "gaussian",
    "zeroth order",
    "finite differences",
    "coal",
)

Cell = dict[str, Any]


def rows_of(cell: Cell) -> list[Row]:
    case = cell["case"]
    shape = cell["family"].split("-")[0]
    deep = int(cell["gap"] < 0)
    columns = {column["library"]: column for column in cell["columns"]}
    times = {name: column["median"] for name, column in columns.items()}
    rows = []
    for name, column in columns.items():
        if name == "coal":
            continue
        peers = {"coal": times["coal"]} if name == "finite differences" else {}
        note = f"coal: {columns['coal']['setting']}" if peers else ""
        rows.append(
            make_row(
                case,
                f"{name} time",
                "ns",
                column["median"],
                spread=column["spread"],
                peers=peers,
                timing=True,
                note=note,
            )
        )

    def ratio(quantity: str, value: float, relation: str, goal: float | None, note: str) -> None:
        rows.append(
            make_row(
                case, quantity, "1", value, relation=relation, goal=goal, timing=True, note=note
            )
        )

    ratio(
        "exact share",
        times["exact"] / times["query"],
        "<=",
        EXACT_SHARE.get(shape),
        "exact / query",
    )
    share = times["distance jacobian"] / times["query"]
    ratio("distance share", share, "<=", DISTANCE_SHARE, "Jacobian of the distance alone / query")
    for name in ("gumbel", "gaussian"):
        if name not in times:
            continue
        ratio(
            f"{name} against coal",
            times["coal"] / times[name],
            ">=",
            FASTER_THAN_COAL[name][deep],
            f"coal / {name}",
        )
        goal = FASTER_THAN_ZEROTH[name][deep]
        ratio(
            f"{name} against zeroth order",
            times["zeroth order"] / times[name],
            ">=",
            goal,
            f"zeroth order / {name}",
        )
    ours, coal = (columns[name]["jacobian_difference"] for name in ("finite differences", "coal"))
    note = "of central differences from the exact derivative: relative, median where it is smooth"
    rows.append(
        make_row(
            case, "difference", "1", ours, peers={"coal": coal}, relation="<=", goal=1e-6, note=note
        )
    )
    failures = sum(column["failures"] for name, column in columns.items() if name != "coal")
    note = f"Jacobians that are not finite, of {cell['queries']} by each way"
    rows.append(
        make_row(
            case,
            "failures",
            "1",
            failures,
            peers={"coal": columns["coal"]["failures"]},
            relation="<=",
            goal=0,
            note=note,
        )
    )
    return rows


def print_table(cells: Sequence[Cell], rows: Sequence[Row]) -> None:
    index = {(row["case"], row["quantity"]): row for row in rows}
    ratios = ("exact share", "distance share", "gumbel against coal", "gumbel against zeroth order", "gaussian against coal",
              "gaussian against zeroth order")  # fmt: skip
    print(
        f"{'':40}{'median ns':^96}{'share of query':^18}{'gumbel faster':^18}{'gaussian faster':^18}{'difference':^20}"
    )
    print(
        f"{'case':40}"
        + "".join(
            f"{name.replace('finite differences', 'differences'):>12}" for name in WAYS
        ).replace("distance jacobian", "   distance")
        + f"{'exact':>9}{'distance':>9}{'coal':>9}{'zeroth':>9}{'coal':>9}{'zeroth':>9}{'tactum':>10}{'coal':>10}"
    )
    for cell in cells:
        times = {column["library"]: column["median"] for column in cell["columns"]}
        line = f"{cell['case']:40}" + "".join(
            f"{times[name]:12.0f}" if name in times else f"{'-':>12}" for name in WAYS
        )
        for quantity in ratios:
            row = index.get((cell["case"], quantity))
            line += (
                f"{'-':>9}"
                if row is None
                else f"{row['ours']:8.2f}{' ' if row['holds'] is not False else '<'}"
            )
        difference = index[cell["case"], "difference"]
        print(line + f"{difference['ours']:10.0e}{difference['peers']['coal']:10.0e}")


def print_summary(rows: Sequence[Row]) -> None:
    judged = [row["holds"] for row in rows if row["timing"] and row["holds"] is not None]
    print(
        f"\ngoals of speed met: {sum(judged)} of {len(judged)}; '<' marks a ratio that misses its goal"
    )
    print(
        "coal: twelve queries, each begun where the one at rest ended; all other times start from the known answer of the query"
    )
