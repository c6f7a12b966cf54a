# SPDX-License-Identifier: BSD-2-Clause
"""The command `tactum reproduce`: arguments, progress, tables on the terminal, files."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from ..demo import Progress
from ..sweep import SweepError
from .check import changes, read_report
from .experiment import Experiment, Outcome, Settings, is_installed, load, missing, names, run
from .page import write_page
from .report import Report, Row, judged, number, write_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="the experiment; --list shows them")
    parser.add_argument("--list", action="store_true", help="names, sources, what each needs")
    parser.add_argument("--all", action="store_true", help="run every experiment; needs --out")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="write JSON, pictures and an HTML index there"
    )
    parser.add_argument("--quick", action="store_true", help="a small run, at most 10 s each")
    parser.add_argument(
        "--check",
        type=Path,
        metavar="DIR",
        help="compare with the reports in DIR; list rows that changed sides, and fail on "
        "them and on rows with a goal that are gone",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the figure (needs matplotlib)"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder of YCB meshes instead of the hulls of the package",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of all random numbers (default 0)"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="processes; more than one disturbs timings (default 1)",
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="keep the results of tasks there, so that the same command goes on after a kill; they "
        "are pickles, so give a folder that only you write to",
    )


def run_command(arguments: argparse.Namespace) -> int:
    """Returns the exit code, 1 where check.changes() has one that counts. Raises ValueError on
    arguments that do not go together."""
    if arguments.list:
        list_experiments()
        return 0
    if arguments.all == bool(arguments.name):
        raise ValueError(
            "give the name of an experiment, or --all --out DIR; --list shows the names"
        )
    if arguments.all and (arguments.out is None or arguments.json or arguments.plot):
        raise ValueError(
            "--all writes everything to the folder of --out, and takes neither --json nor --plot"
        )
    if arguments.jobs < 1:
        raise ValueError(f"--jobs: got {arguments.jobs}; give a number >= 1")
    if arguments.seed < 0:
        raise ValueError(f"--seed: got {arguments.seed}; give a number >= 0")
    if arguments.plot and not is_installed("matplotlib"):
        raise ValueError("--plot needs matplotlib: pip install matplotlib")
    if arguments.check is not None and not arguments.check.is_dir():
        raise ValueError(f"--check: {arguments.check} is not a folder of reports")
    chosen = [load(name) for name in (names() if arguments.all else [arguments.name])]
    settings = Settings(arguments.quick, arguments.seed, data_folder(arguments.data))
    committed = read_committed(arguments.check, [experiment.name for experiment in chosen])
    reports, changed = [], 0
    with executor_for(arguments.jobs) as executor:
        for experiment in chosen:
            kept = None if arguments.keep is None else arguments.keep / experiment.name
            outcome = run_one(experiment, settings, executor, kept)
            print_report(experiment, outcome.report)
            for path in write_files(outcome, arguments.out, arguments.json, arguments.plot):
                print(f"wrote {path}")
            reports.append(outcome.report)
            if arguments.out:  # after each, so that a run that is stopped has an index of its part
                print(f"wrote {write_page(arguments.out, reports)}")
            if experiment.name in committed:
                changed += print_changes(committed[experiment.name], outcome.report)
    return 1 if changed else 0


def read_committed(folder: Path | None, chosen: list[str]) -> dict[str, Report]:
    """The committed reports, before anything runs; with --all only of the names that have one."""
    if folder is None:
        return {}
    if len(chosen) == 1:
        return {chosen[0]: read_report(folder, chosen[0])}
    return {
        name: read_report(folder, name) for name in chosen if (folder / f"{name}.json").exists()
    }


def print_changes(old: Report, new: Report) -> int:
    """Prints what differs; returns the number of changes that count."""
    found = changes(old, new)
    for change in found:
        print(change.text)
    if not found:
        print(f"{new['name']}: no row changed sides")
    return sum(change.counts for change in found)


def data_folder(given: Path | None) -> Path | None:
    """--data, or else the folder that TACTUM_DATA names."""
    chosen = given or (Path(os.environ["TACTUM_DATA"]) if os.environ.get("TACTUM_DATA") else None)
    if chosen is not None and not chosen.is_dir():
        raise ValueError(f"{'--data' if given else 'TACTUM_DATA'}: {chosen} is not a folder")
    return chosen


@contextlib.contextmanager
def executor_for(jobs: int) -> Iterator[Executor | None]:
    """Processes that start from nothing: they inherit no threads."""
    if jobs == 1:
        yield None
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as executor:
        yield executor


def run_one(
    experiment: Experiment, settings: Settings, executor: Executor | None, kept: Path | None
) -> Outcome:
    """With a progress bar. kept: the folder for results of tasks."""
    bar: list[Progress] = []

    def on_step(done: int, total: int) -> None:
        if not bar:
            bar.append(Progress(total))
        if done > 0:
            bar[0].done = done - 1  # kept results are done at the first call
            bar[0].step(experiment.name)

    try:
        return run(experiment, settings, executor, on_step, kept)
    except SweepError as error:  # a task failed; what is done is kept
        raise ValueError(f"--keep: {error}") from error
    finally:
        for one in bar:
            one.close()


def write_files(
    outcome: Outcome, out: Path | None, json: Path | None, plot: Path | None
) -> list[Path]:
    """The report and the figure, where they are wanted."""
    name = outcome.report["name"]
    written = [path for path in (json, out and out / f"{name}.json") if path]
    for path in written:
        write_report(path, outcome.report)
    pictures = [path for path in (plot, out and out / f"{name}.png") if path]
    if pictures and not is_installed("matplotlib"):
        print("matplotlib is not installed: no pictures (pip install matplotlib)")
        return written
    for path in pictures:
        outcome.save_figure(path)
    return written + pictures


def list_experiments() -> None:
    """A line each."""
    width = max(map(len, names())) + 2
    for name in names():
        experiment = load(name)
        absent = missing(experiment)
        print(
            f"{name:<{width}}{experiment.source}: {experiment.title}"
            + (f" [not installed: {', '.join(absent)}]" if absent else "")
        )


def print_report(experiment: Experiment, report: Report) -> None:
    """The rows with a goal or a published number; the others are in the JSON."""
    print(
        f"{report['name']}: {experiment.title}\n{report['source']}; {report['machine']}; seed {report['seed']}"
    )
    for package in report["missing"]:
        print(f"{package} is not installed: what needs it is left out (pip install {package})")
    shown = [
        row for row in report["rows"] if row["goal"] is not None or row["published"] is not None
    ]
    header = (
        f"{'case':<40}{'quantity':<33}",
        f"{'ours':>11}{'spread':>11}{'published':>11}{'coal':>11}{'goal':>13}  holds",
    )
    print("".join(header))
    for row in shown:
        print(format_row(row))
    met, total = judged(report["rows"])
    print(
        f"{met} of {total} goals hold; {len(report['rows']) - len(shown)} more rows; {report['seconds']} s",
        flush=True,
    )
    sys.stdout.flush()


def format_row(row: Row) -> str:
    """One line of the table."""
    goal = "" if row["goal"] is None else f"{row['relation']} {number(row['goal'])}"
    outcome = {True: "yes", False: "NO", None: ""}[row["holds"]]
    name = f"{row['quantity']} [{row['unit']}]" if row["unit"] != "1" else row["quantity"]
    numbers = (number(row[field]) for field in ("ours", "spread", "published"))
    line = f"{row['case']:<40}{name:<33}" + "".join(f"{text:>11}" for text in numbers)
    return f"{line}{number(row['peers'].get('coal')):>11}{goal:>13}  {outcome}"
