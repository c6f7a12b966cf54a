# SPDX-License-Identifier: BSD-2-Clause
"""The class of an experiment, the list of experiments, and how one runs.

An experiment is a list of tasks, a function that does one of them, and functions that turn all
results into rows and into a figure. Tasks carry their own random seed and share nothing, so that
the rows that are no timings are the same for every executor.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import pickle
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

from .. import sweep
from .._core import simd_level
from .report import Report, Row, make_report

# name on the command line: module in the folder experiments
MODULES = {
    "gjk-ellipsoids": "gjk_ellipsoids",
    "gjk-normalization": "gjk_normalization",
    "gjk-ycb": "gjk_ycb",
    "gjk-qp": "gjk_qp",
    "gjk-simplex": "gjk_simplex",
    "gjk-warm-start": "gjk_warm_start",
    "contact-pose": "contact_pose",
    "contact-pose-ycb": "contact_pose_ycb",
    "contact-pose-noise": "contact_pose_noise",
    "derivative-timings": "derivative_timings",
    "model-properties": "model_properties",
    "cube-slide": "cube_slide",
    "cube-drag": "cube_drag",
    "stack": "stack",
    "compliance": "compliance",
    "consistency-time-step": "consistency_time_step",
    "consistency-tolerance": "consistency_tolerance",
    "solver-timings": "solver_timings",
    "mpc-flat": "mpc_flat",
    "mpc-bumpy": "mpc_bumpy",
    "tosses": "tosses",
    "stp-gradient": "stp_gradient",
    "stp-small-moves": "stp_small_moves",
    "stp-large-moves": "stp_large_moves",
    "stp-big-radius": "stp_big_radius",
    "posture-fridge": "posture_fridge",
    "posture-car": "posture_car",
    "posture-at-work": "posture_at_work",
    "locc-accuracy-speed": "locc_accuracy_speed",
    "locc-generalization": "locc_generalization",
    "gpu-scaling": "gpu_scaling",
    "gradient-accuracy": "gradient_accuracy",
}
# modules whose package has another name
DISTRIBUTIONS = {"pinocchio": "pin"}


@dataclass(frozen=True)
class Settings:
    """Options that the user chose."""

    quick: bool = False
    seed: int = 0
    data: Path | None = None

    def pick(self, full: Any, quick: Any) -> Any:
        """The size for this run."""
        return quick if self.quick else full


@dataclass(frozen=True)
class Experiment:
    """One table or figure of a paper.

    tasks: the work, as values that can be pickled. work: does one task; a function of a module, so
    that processes find it.
    rows: the report. draw: fills an empty matplotlib figure of that size (inches).
    uses: packages that add something and may be missing. files: those of the package's data folder
    that the rows depend on; the report has their SHA-256.
    """

    name: str
    title: str
    source: str
    tasks: Callable[[Settings], Sequence[Any]]
    work: Callable[[Any], Any]
    rows: Callable[[Settings, Sequence[Any]], list[Row]]
    draw: Callable[[Any, Settings, Sequence[Any]], None]
    figure_size: tuple[float, float] = (11.0, 4.2)
    uses: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The report of a run, and its figure to be drawn when it is wanted."""

    report: Report
    save_figure: Callable[[Path], None]


def names() -> list[str]:
    """All experiments."""
    return list(MODULES)


def load(name: str) -> Experiment:
    """The experiment of that name."""
    if name not in MODULES:
        raise ValueError(f"there is no experiment {name[:60]!r}; there are {', '.join(MODULES)}")
    experiment: Experiment = importlib.import_module(
        f"{__package__}.experiments.{MODULES[name]}"
    ).EXPERIMENT
    return experiment


def is_installed(package: str) -> bool:
    """Whether an optional package can be imported."""
    return importlib.util.find_spec(package) is not None


def missing(experiment: Experiment) -> list[str]:
    """Names of the packages that it uses and that are not installed."""
    return [package for package in experiment.uses if not is_installed(package)]


def code_hash(*patterns: str) -> str:
    """Twelve digits of the SHA-256 of the package's files with such names: of each its path in the
    package, a zero byte, its size in bytes as text, a zero byte, and its bytes, in the order of the
    paths."""
    root, digest = Path(tactum.__file__).parent, hashlib.sha256()
    files = {path for pattern in patterns for path in root.rglob(pattern) if path.is_file()}
    for name, path in sorted((path.relative_to(root).as_posix(), path) for path in files):
        contents = path.read_bytes()
        digest.update(f"{name}\0{len(contents)}\0".encode() + contents)
    return digest.hexdigest()[:12]


def versions(experiment: Experiment) -> dict[str, str]:
    """Versions of the software that took part in the run, and hashes of the package's Python files
    and of its compiled modules."""
    found = {
        f"tactum {key}" if key != "version" else "tactum": value
        for key, value in tactum.build_info().items()
    }
    found |= {
        "tactum simd": simd_level(),
        "tactum python files": code_hash("*.py"),
        "tactum compiled modules": code_hash("*.so", "*.pyd", "*.dylib", "*.dll"),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    for package in experiment.uses:
        if is_installed(package):
            found[package] = importlib.metadata.version(DISTRIBUTIONS.get(package, package))
    return found


def digests(experiment: Experiment) -> dict[str, str]:
    """SHA-256 of the files of data that the experiment depends on, by name."""
    folder = Path(tactum.__file__).parent / "data"
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in experiment.files
    }


def task_seed(settings: Settings, *counters: int) -> list[int]:
    """The seed of one task: the user's and the task's own numbers, for numpy.random.default_rng."""
    return [settings.seed, *counters]


def task_result(chunk: tuple[str, Any], rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """A task of the experiment of that name as a chunk of a sweep: its result, pickled. Tasks have
    seeds of their own, so the random numbers of the sweep are not used."""
    name, task = chunk
    return np.frombuffer(pickle.dumps(load(name).work(task)), dtype=np.uint8)


def software(experiment: Experiment) -> str:
    """What decides the results of tasks besides the tasks: versions, and a hash of all code of the
    package, which may change without its version."""
    found = hashlib.sha256(json.dumps(versions(experiment), sort_keys=True).encode())
    package = Path(tactum.__file__).parent
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".so", ".pyd"):
            found.update(path.relative_to(package).as_posix().encode())
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def swept(
    experiment: Experiment,
    tasks: Sequence[Any],
    executor: Any,
    on_step: Callable[[int, int], object],
    folder: Path,
) -> list[Any]:
    """Results of all tasks, kept in the folder as they come; those that are there, of the same
    software, are not computed again. Without an executor, one after the other, as timings need
    it."""
    chunks = [(experiment.name, task) for task in tasks]
    with contextlib.ExitStack() as stack:
        chosen = executor or stack.enter_context(ThreadPoolExecutor(1))
        found = sweep.run(
            task_result, chunks, folder, chosen, progress=on_step, version=software(experiment)
        )
        return [pickle.loads(shard[sweep.ONLY].tobytes()) for shard in found]


def in_turn(
    experiment: Experiment,
    tasks: Sequence[Any],
    executor: Executor | None,
    on_step: Callable[[int, int], object],
) -> Iterator[Any]:
    """Results of all tasks, here or on the executor."""
    answers: Iterable[Any] = (
        map(experiment.work, tasks) if executor is None else executor.map(experiment.work, tasks)
    )
    for done, result in enumerate(answers, 1):
        on_step(done, len(tasks))
        yield result


def run(
    experiment: Experiment,
    settings: Settings,
    executor: Any = None,
    on_step: Callable[[int, int], object] = lambda done, total: None,
    folder: Path | None = None,
) -> Outcome:
    """All tasks, here or on the executor, then the report. on_step hears how many tasks are
    done, of how many. folder: where results of tasks are kept, so that a run that was killed goes
    on; then the executor is any that sweep.run takes. Results are pickles: use folders that you
    wrote."""
    start = time.monotonic()
    software = versions(experiment)  # before the work: files may change while it runs
    tasks = experiment.tasks(settings)
    if folder is None:
        results = list(in_turn(experiment, tasks, executor, on_step))
    else:
        results = swept(experiment, tasks, executor, on_step, folder)
    files = {"files": digests(experiment)} if experiment.files else {}
    report = make_report(
        experiment.name,
        experiment.source,
        quick=settings.quick,
        seed=settings.seed,
        seconds=time.monotonic() - start,
        rows=experiment.rows(settings, results),
        versions=software,
        missing=missing(experiment),
        **files,
    )

    def save_figure(path: Path) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(
            figsize=experiment.figure_size, dpi=110, facecolor="white", layout="constrained"
        )
        FigureCanvasAgg(figure)
        experiment.draw(figure, settings, results)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path)

    return Outcome(report, save_figure)
