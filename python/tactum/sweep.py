# SPDX-License-Identifier: BSD-2-Clause
"""Large computations in chunks, on threads, processes or a cluster, that survive being killed.

    >>> import tempfile, tactum
    >>> from tactum import sweep
    >>> def depths(chunk, rng):
    ...     ball = tactum.Sphere(radius=1.0)
    ...     X = [tactum.pose(xyz=x) for x in rng.uniform(-1.0, 1.0, size=(100, 3))]
    ...     return {"distance": tactum.distances(ball, None, ball, X).distance}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     answers = sweep.run(depths, 8, folder, seed=3)
    ...     answers.concatenate()["distance"].shape
    (800,)

A chunk is computed from its number and from random numbers that only the seed and its number decide
(Philox, with both as its key), and its arrays become one file, a shard, that is renamed into place
once it is complete. Shards are therefore the same bytes for every executor, and a sweep that was
killed goes on with the chunks that are missing. Chunks of 1 to 10 s each waste little on either.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import logging
import multiprocessing.pool
import numbers
import os
import pickle
import types
import uuid
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ._core import build_info
from ._errors import InvalidInput

__all__ = ["Sweep", "SweepError", "load", "run"]

Arrays = dict[str, npt.NDArray[Any]]
Function = Callable[[Any, np.random.Generator], "Mapping[str, npt.ArrayLike] | npt.ArrayLike"]

MANIFEST = "sweep.json"
FORMAT = "tactum-sweep 1"
ONLY = "result"  #: name of the array of a function that returns just one
MOST_IN_FLIGHT = 4096  #: chunks handed to an executor and not finished
MOST_SEED = 2**64
LOG = logging.getLogger("tactum.sweep")


class SweepError(RuntimeError):
    """Some chunks failed, or their worker died. The shards of all others are on disk; the same call
    goes on with those that are missing.

    chunks: numbers of the chunks without a shard. errors: what those raised that ran.
    """

    def __init__(self, message: str, chunks: list[int], errors: dict[int, BaseException]) -> None:
        super().__init__(message)
        self.chunks = chunks
        self.errors = errors


class Sweep(Sequence[Arrays]):
    """The shards of a sweep: item i is the arrays of chunk i by name, read when it is asked for."""

    def __init__(self, out_dir: Path, count: int) -> None:
        self.out_dir = out_dir
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._count))]
        chunk = range(self._count)[index]
        path = shard_path(self.out_dir, chunk)
        if not path.is_file():
            raise SweepError(
                f"{path}: chunk {chunk} has no shard; run the sweep again", [chunk], {}
            )
        return read_shard(path)

    def __iter__(self) -> Iterator[Arrays]:
        return (self[i] for i in range(self._count))

    @property
    def missing(self) -> list[int]:
        """Numbers of the chunks without a shard."""
        return [i for i in range(self._count) if not shard_path(self.out_dir, i).is_file()]

    def concatenate(self) -> Arrays:
        """Arrays of all chunks, one after the other along their first axis."""
        shards = list(self)
        return {
            name: np.concatenate([np.atleast_1d(shard[name]) for shard in shards])
            for name in (shards[0] if shards else ())
        }

    def __repr__(self) -> str:
        return f"Sweep({str(self.out_dir)!r}, {self._count} chunks)"


def run(
    function: Function,
    chunks: int | Sequence[Any],
    out_dir: str | os.PathLike[str],
    executor: Any = None,
    seed: int = 0,
    resume: bool = True,
    *,
    progress: Callable[[int, int], object] | None = None,
    version: str = "",
) -> Sweep:
    """Compute all chunks and write a shard for each into a folder.

    function: called as function(chunk, rng); returns arrays by name, or one array. Processes and
    clusters find it by its name, so it belongs to a module. chunks: how many, and then a chunk is
    its number; or a list of what each chunk is. executor: None for as many threads as processors; a
    concurrent.futures.Executor; a Dask client; a pool of Ray. (A multiprocessing.Pool is refused: it
    does not say when one of its processes dies.) Workers write the shards, so the folder has to be
    one that they all see. seed: 0 to 2^64 - 1. resume: keep the shards of an earlier call; without it
    every shard is computed again and replaced. progress: called with the number of chunks that have a
    shard, and of all. version: any text about what the answers depend on besides the arguments.

    Shards are kept only for the same function, chunks, seed, version and version of tactum. A function
    is the same if its name, its own code, its default arguments, the arguments that a
    functools.partial adds and what it captured are. What it calls is not looked into: change `version`
    with that.

    A shard that cannot be read is put aside under the ending .corrupt, and computed again. Raises
    SweepError after all other chunks are done where some failed, InvalidInput where the folder
    belongs to another sweep. Ctrl-C ends it; what is done stays.
    """
    items, seed = items_of(chunks), checked_seed(seed)
    folder = Path(out_dir)
    claim(folder, manifest_of(function, items, seed, version), resume)
    kept = [] if not resume else [i for i in range(len(items)) if is_complete(folder, i)]
    todo = sorted(set(range(len(items))) - set(kept))
    errors = work(function, items, todo, folder, seed, executor, progress)
    if errors:
        raise failure(errors, folder, len(items))
    for leftover in folder.glob("chunk-*.partial"):  # of workers that were killed
        leftover.unlink(missing_ok=True)
    return Sweep(folder, len(items))


def items_of(chunks: Any) -> list[Any]:
    """What each chunk is."""
    if not isinstance(chunks, (numbers.Integral, bool)):
        return list(chunks)
    if chunks is True or chunks is False or int(chunks) < 0:
        raise InvalidInput("chunks", repr(chunks), "give how many there are, or a list of them")
    return list(range(int(chunks)))


def checked_seed(seed: Any) -> int:
    """The seed, if it is one."""
    is_integer = isinstance(seed, numbers.Integral) and not isinstance(seed, bool)
    if not is_integer or not 0 <= seed < MOST_SEED:
        raise InvalidInput("seed", repr(seed), "give an integer from 0 to 2^64 - 1")
    return int(seed)


def load(out_dir: str | os.PathLike[str]) -> Sweep:
    """The shards that run() wrote into a folder, all of them or those so far."""
    return Sweep(Path(out_dir), int(read_manifest(Path(out_dir))["chunks"]))


def shard_path(folder: Path, chunk: int) -> Path:
    """Where the shard of a chunk is."""
    return folder / f"chunk-{chunk:08d}.npz"


def generator(seed: int, chunk: int) -> np.random.Generator:
    """The random numbers of a chunk."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, chunk], dtype=np.uint64)))


def compute(function: Function, item: Any, chunk: int, folder: str, seed: int) -> int:
    """What a worker does: compute a chunk, write its shard, return its number."""
    answer = function(item, generator(seed, chunk))
    named = answer if isinstance(answer, Mapping) else {ONLY: answer}
    arrays = {str(name): np.asarray(value) for name, value in named.items()}
    for name, value in arrays.items():
        if value.dtype.hasobject:
            raise InvalidInput(
                f"chunk {chunk}: {name}", f"{value.dtype} array", "return arrays of numbers or text"
            )
    write_shard(shard_path(Path(folder), chunk), arrays)
    return chunk


def write_shard(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Arrays as an NPZ file: beside its place under a name of its own until all of it is on
    disk."""
    partial = path.with_name(f"{path.name}.{uuid.uuid4().hex}.partial")
    try:
        with partial.open("wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, value in arrays.items():
                    # a ZipInfo made from a name alone has no time of today: equal arrays, equal
                    # bytes
                    with archive.open(
                        zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True
                    ) as part:
                        np.lib.format.write_array(part, np.asarray(value), allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_shard(path: Path) -> Arrays:
    """Arrays of a shard. Raises SweepError where the file is damaged."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except Exception as error:  # a damaged file can raise nearly anything
        raise SweepError(f"{path}: not a readable shard ({error})", [], {}) from error


def is_complete(folder: Path, chunk: int) -> bool:
    """Whether a chunk has a shard that can be read; one that cannot is put aside."""
    path = shard_path(folder, chunk)
    if not path.is_file():
        return False
    try:
        read_shard(path)
    except SweepError as error:
        aside = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.corrupt")
        path.replace(aside)
        LOG.warning("%s; it is now %s, and chunk %d is computed again", error, aside.name, chunk)
        return False
    return True


def name_of(function: Any) -> str:
    """The name by which another process finds a function."""
    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    return f"{getattr(inner, '__module__', '?')}.{getattr(inner, '__qualname__', type(inner).__qualname__)}"


def parts_of(value: Any) -> tuple[Any, ...] | None:
    """What decides a value that is made of others, in an order that is the same in every process;
    None where it is not made of others. A function is its name, its code, its default arguments and
    what it captured, and not what it calls."""
    if isinstance(value, (list, tuple)):
        return tuple(value)
    if isinstance(value, dict):
        return tuple((key, value[key]) for key in sorted(value, key=repr))
    if isinstance(value, functools.partial):
        return value.func, value.args, value.keywords
    if isinstance(value, types.MethodType):
        return value.__func__, value.__self__
    if isinstance(value, types.FunctionType):
        captured = inspect.getclosurevars(value).nonlocals
        return name_of(value), value.__code__, value.__defaults__, value.__kwdefaults__, captured
    if isinstance(value, types.CodeType):
        return value.co_code, value.co_consts, value.co_names, value.co_varnames
    return None


def digest(value: Any, above: tuple[int, ...] = ()) -> bytes:
    """A hash of a value that is the same in every process. above: what the value is a part of, by
    id, because a function may capture itself."""
    found = hashlib.sha256(type(value).__name__.encode())
    parts = parts_of(value)
    if id(value) in above:
        found.update(str(above.index(id(value))).encode())
    elif parts is not None:
        for part in parts:
            found.update(digest(part, (*above, id(value))))
    elif isinstance(value, (set, frozenset)):
        found.update(b"".join(sorted(digest(item, above) for item in value)))
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        found.update(f"{value.dtype.str}{value.shape}".encode() + value.tobytes())
    elif value is None or isinstance(value, (int, float, complex, str, bytes, Path)):
        found.update(repr(value).encode())
    else:
        found.update(pickle.dumps(value, protocol=4))
    return found.digest()


def checked_digest(field: str, value: Any) -> str:
    """The hash of an argument, if it has one."""
    try:
        return digest(value).hex()
    except Exception as error:  # an object may raise anything when it is pickled
        raise InvalidInput(
            field,
            f"{value!r:.80}, which cannot be told from others ({type(error).__name__}: {error})",
            "use numbers, text, arrays, and objects that can be pickled",
        ) from error


def manifest_of(function: Function, items: list[Any], seed: int, version: str) -> dict[str, Any]:
    """What makes two sweeps the same."""
    return {
        "format": FORMAT,
        "function": name_of(function),
        "code": checked_digest("function", function),
        "tactum": build_info()["version"],
        "version": version,
        "seed": seed,
        "chunks": len(items),
        "contents": checked_digest("chunks", items),
    }


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder."""
    path = folder / MANIFEST
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InvalidInput("out_dir", repr(str(folder)), f"give a folder with {MANIFEST}") from None
    except ValueError:
        found = None
    if (
        not isinstance(found, dict)
        or found.get("format") != FORMAT
        or type(found.get("chunks")) is not int
        or found["chunks"] < 0
    ):
        raise InvalidInput(
            "out_dir",
            repr(str(folder)),
            f"{MANIFEST} there is not one of a sweep; give another folder",
        )
    return found


def claim(folder: Path, manifest: dict[str, Any], resume: bool) -> None:
    """Make the folder that of this sweep, unless it is that of another."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / MANIFEST
    if path.exists() and resume:
        there = read_manifest(folder)
        for key, value in manifest.items():
            if there.get(key) != value:
                raise InvalidInput(
                    "out_dir",
                    f"{str(folder)!r}, a sweep with {key} {there.get(key)!r}, and now {value!r}",
                    "give another folder, or resume=False to replace its shards",
                )
        return
    partial = folder / f"{MANIFEST}.{uuid.uuid4().hex}.partial"
    partial.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    for old in folder.glob("chunk-*.npz"):  # of a sweep that resume=False replaces
        old.unlink()
    partial.replace(path)


class PoolExecutor(Executor):
    """A pool of Ray, or of threads, as an executor; the pool stays open."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        self._pool.apply_async(
            fn, args, kwargs, callback=future.set_result, error_callback=future.set_exception
        )
        return future


def as_executor(given: Any) -> tuple[Executor, bool]:
    """An executor of what the user gave, and whether it is ours to close."""
    if given is None:
        return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="tactum-sweep"), True
    if isinstance(given, Executor):
        return given, False
    if callable(getattr(given, "get_executor", None)):  # a client of Dask
        return given.get_executor(pure=False), False
    if isinstance(given, multiprocessing.pool.Pool) and not isinstance(
        given, multiprocessing.pool.ThreadPool
    ):
        raise InvalidInput(
            "executor",
            "a multiprocessing.Pool, which does not say when one of its processes dies",
            "give a concurrent.futures.ProcessPoolExecutor, which says it",
        )
    if callable(getattr(given, "apply_async", None)):
        return PoolExecutor(given), False
    if callable(getattr(given, "submit", None)):
        return given, False
    raise InvalidInput(
        "executor",
        f"a {type(given).__name__}",
        "give None, a concurrent.futures.Executor, a Dask client, or a pool of Ray",
    )


def work(
    function: Function,
    items: list[Any],
    todo: list[int],
    folder: Path,
    seed: int,
    executor: Any,
    progress: Callable[[int, int], object] | None,
) -> dict[int, BaseException]:
    """Compute the chunks `todo`; returns what went wrong, by chunk."""
    done, errors = len(items) - len(todo), dict[int, BaseException]()
    if progress is not None:
        progress(done, len(items))
    chosen, ours = as_executor(executor)
    waiting, running = iter(todo), dict[Future[int], int]()
    try:
        broken = False
        while True:
            while not broken and len(running) < MOST_IN_FLIGHT and (i := next(waiting, -1)) >= 0:
                try:
                    running[chosen.submit(compute, function, items[i], i, str(folder), seed)] = i
                except RuntimeError as refused:  # a pool that lost a process takes nothing more
                    errors[i], broken = refused, True
            if not running:
                return errors
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                chunk = running.pop(future)
                error = future.exception()
                if error is not None:
                    errors[chunk] = error
                    continue
                done += 1
                if progress is not None:
                    progress(done, len(items))
    finally:
        for future in running:
            future.cancel()
        if ours:
            chosen.shutdown(cancel_futures=True)


def failure(errors: dict[int, BaseException], folder: Path, count: int) -> SweepError:
    """What to tell the user about chunks that failed."""
    missing = Sweep(folder, count).missing
    chunk = min(errors)
    first = errors[chunk]
    message = (
        f"{len(missing)} of {count} chunks have no shard; chunk {chunk}: {type(first).__name__}: {first}. "
        f"The others are in {folder}: the same call goes on with those that are missing"
    )
    found = SweepError(message, missing, errors)
    found.__cause__ = first
    return found
