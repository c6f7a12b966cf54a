# SPDX-License-Identifier: BSD-2-Clause
"""Sweeps: the same shards from every executor, on after a kill, a dead worker or a damaged
shard."""

from __future__ import annotations

import functools
import json
import logging
import multiprocessing
import multiprocessing.pool
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sweep_work
import tactum
from tactum import sweep

SPAWN = multiprocessing.get_context("spawn")


def shards(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("chunk-*")}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("threads")
    sweep.run(sweep_work.distances, 6, folder, ThreadPoolExecutor(3), seed=7)
    return shards(folder)


def test_a_chunk_is_what_its_number_and_the_seed_decide(tmp_path: Path) -> None:
    answers = sweep.run(sweep_work.distances, 4, tmp_path, seed=7)
    assert len(answers) == 4 and answers.missing == []
    for chunk, shard in enumerate(answers):
        rng = np.random.Generator(np.random.Philox(key=np.array([7, chunk], dtype=np.uint64)))
        want = sweep_work.distances(chunk, rng)
        assert np.array_equal(shard["distance"], want["distance"])
        assert shard["first"] == want["first"]
    joined = answers.concatenate()
    assert joined["distance"].shape == (200,) and joined["first"].shape == (4,)
    assert len(set(joined["first"].tolist())) == 4
    again = sweep.load(tmp_path)
    assert np.array_equal(again[-1]["distance"], answers[3]["distance"])
    assert [len(one["distance"]) for one in again[1:3]] == [50, 50]
    assert "4 chunks" in repr(again)


def test_another_seed_gives_other_numbers(tmp_path: Path, expected: dict[str, bytes]) -> None:
    sweep.run(sweep_work.distances, 6, tmp_path, seed=8)
    assert shards(tmp_path).keys() == expected.keys()
    assert all(data != expected[name] for name, data in shards(tmp_path).items())


def executors(kind: str) -> Iterator[Any]:
    if kind == "one thread":
        with ThreadPoolExecutor(1) as pool:
            yield pool
    elif kind == "processes":
        with ProcessPoolExecutor(2, mp_context=SPAWN) as pool:
            yield pool
    elif kind == "pool":
        with multiprocessing.pool.ThreadPool(2) as pool:
            yield pool
    elif kind == "dask":
        distributed = pytest.importorskip("distributed", reason="pip install tactum[cluster]")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address=None, protocol="tcp"
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            client.run(sys.path.insert, 0, str(Path(__file__).parent))
            yield client
    else:
        ray = pytest.importorskip("ray", reason="pip install tactum[cluster]")
        from ray.util.multiprocessing import Pool

        ray.init(
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            runtime_env={"env_vars": {"PYTHONPATH": str(Path(__file__).parent)}},
        )
        try:
            with Pool(2) as pool:
                yield pool
        finally:
            ray.shutdown()


@pytest.mark.parametrize("kind", ["one thread", "processes", "pool", "dask", "ray"])
@pytest.mark.filterwarnings("default")  # of the clusters
def test_every_executor_writes_the_same_bytes(
    kind: str, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    for executor in executors(kind):
        sweep.run(sweep_work.distances, 6, tmp_path, executor, seed=7)
    assert shards(tmp_path) == expected


def test_resume_computes_what_is_missing(tmp_path: Path) -> None:
    calls, out = tmp_path / "calls", tmp_path / "out"
    calls.mkdir()
    chunks = [(str(calls), i) for i in range(5)]
    sweep.run(sweep_work.slow, chunks, out)
    before = shards(out)
    (out / "chunk-00000002.npz").unlink()
    for mark in calls.iterdir():
        mark.unlink()
    heard: list[tuple[int, int]] = []
    sweep.run(sweep_work.slow, chunks, out, progress=lambda *at: heard.append(at))
    assert [path.name.split("-")[1] for path in calls.iterdir()] == ["2"]
    assert shards(out) == before and heard == [(4, 5), (5, 5)]
    sweep.run(sweep_work.slow, chunks, out, resume=False)
    assert len(list(calls.iterdir())) == 5 and shards(out) == before


def test_a_killed_sweep_goes_on(tmp_path: Path) -> None:
    calls, out = tmp_path / "calls", tmp_path / "out"
    calls.mkdir()
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import sweep_work; from concurrent.futures import ThreadPoolExecutor; from tactum import sweep\n"
        "chunks = [(sys.argv[2], i) for i in range(40)]\n"
        "sweep.run(sweep_work.slow, chunks, sys.argv[3], ThreadPoolExecutor(2), seed=5)\n"
    )
    command = [sys.executable, "-c", code, str(Path(__file__).parent), str(calls), str(out)]
    child = subprocess.Popen(command)
    deadline = time.monotonic() + 60.0
    while len(shards(out)) < 3 and time.monotonic() < deadline:
        time.sleep(0.005)
    child.kill()
    child.wait()
    kept = shards(out)
    assert 3 <= len(kept) < 40, "killed in the middle"
    times = {path.name: path.stat().st_mtime_ns for path in out.glob("chunk-*.npz")}
    chunks = [(str(calls), i) for i in range(40)]
    answers = sweep.run(sweep_work.slow, chunks, out, ThreadPoolExecutor(8), seed=5)
    assert answers.missing == []
    for name, stamp in times.items():
        assert (out / name).stat().st_mtime_ns == stamp, "a shard that was there stays"
    clean = tmp_path / "clean"
    sweep.run(sweep_work.slow, chunks, clean, ThreadPoolExecutor(8), seed=5)
    assert shards(out) == shards(clean)


def test_a_worker_that_dies_loses_its_own_chunks_alone(tmp_path: Path) -> None:
    chunks = [(str(tmp_path), i) for i in range(6)]
    out = tmp_path / "out"
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        with pytest.raises(sweep.SweepError, match="the same call goes on") as raised:
            sweep.run(sweep_work.dies_once, chunks, out, pool)
    assert 2 in raised.value.chunks and set(raised.value.chunks).isdisjoint({0, 1})
    assert sweep.load(out).missing == raised.value.chunks
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        assert sweep.run(sweep_work.dies_once, chunks, out, pool).missing == []


def test_a_pool_that_hides_dead_workers_is_refused(tmp_path: Path) -> None:
    # it never calls back for the chunk of a process that was killed, so run() would wait for ever
    with SPAWN.Pool(1) as pool:
        with pytest.raises(tactum.InvalidInput, match=r"executor.*ProcessPoolExecutor"):
            sweep.run(sweep_work.numbered, 3, tmp_path, pool)


def test_a_chunk_that_raises_does_not_stop_the_others(tmp_path: Path) -> None:
    with pytest.raises(
        sweep.SweepError, match=r"1 of 5 chunks .* chunk 3: ValueError: three"
    ) as raised:
        sweep.run(sweep_work.fails_at_three, 5, tmp_path)
    assert raised.value.chunks == [3] and list(raised.value.errors) == [3]
    assert isinstance(raised.value.__cause__, ValueError)
    assert sorted(shards(tmp_path)) == [f"chunk-{i:08d}.npz" for i in (0, 1, 2, 4)]
    with pytest.raises(sweep.SweepError, match="chunk 3 has no shard"):
        sweep.load(tmp_path)[3]


@pytest.mark.parametrize("damage", ["truncated", "empty", "text", "flipped"])
def test_a_corrupt_shard_is_put_aside(
    damage: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sweep.run(sweep_work.numbered, 3, tmp_path)
    path = tmp_path / "chunk-00000001.npz"
    good = path.read_bytes()
    middle = len(good) // 3
    bad = {
        "truncated": good[: len(good) // 2],
        "empty": b"",
        "text": b"no shard",
        "flipped": good[:middle] + bytes([good[middle] ^ 0xFF]) + good[middle + 1 :],
    }[damage]
    path.write_bytes(bad)
    with pytest.raises(sweep.SweepError, match="not a readable shard"):
        sweep.load(tmp_path)[1]
    with caplog.at_level(logging.WARNING, "tactum.sweep"):
        sweep.run(sweep_work.numbered, 3, tmp_path)
    assert path.read_bytes() == good
    assert [kept.read_bytes() for kept in tmp_path.glob("*.corrupt")] == [bad]
    assert "chunk 1 is computed again" in caplog.text


def test_no_flipped_byte_changes_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "shard.npz"
    arrays = {"a": np.arange(40.0), "b": np.array([[1, 2], [3, 4]])}
    sweep.write_shard(path, arrays)
    good = path.read_bytes()
    rng = np.random.default_rng(0)
    for at in rng.integers(len(good), size=300):
        bad = bytearray(good)
        bad[at] ^= int(rng.integers(1, 256))
        path.write_bytes(bad)
        try:
            found = sweep.read_shard(path)
        except sweep.SweepError:
            continue
        for name in found.keys() & arrays.keys():
            assert np.array_equal(found[name], arrays[name])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"seed": 1}, "seed"),
        ({"chunks": 4}, "chunks"),
        ({"chunks": [0, 1, 5]}, "contents"),
        ({"function": sweep_work.distances}, "function"),
    ],
)
def test_a_folder_of_another_sweep_is_refused(
    change: dict[str, Any], field: str, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"function": sweep_work.numbered, "chunks": 3, "seed": 0}
    sweep.run(out_dir=tmp_path, **given)
    before = shards(tmp_path)
    with pytest.raises(tactum.InvalidInput, match=f"a sweep with {field}"):
        sweep.run(out_dir=tmp_path, **(given | change))
    assert shards(tmp_path) == before
    assert len(sweep.run(out_dir=tmp_path, resume=False, **(given | change))) >= 3
    assert sweep.load(tmp_path).missing == []


def add(chunk: Any, rng: np.random.Generator, more: Any = 0.0) -> Any:
    return np.array([chunk + more])


def capture(value: Any) -> Any:
    return lambda chunk, rng: np.array([chunk + value])


class Adder:
    """Adds what it was made with; in two ways."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __call__(self, chunk: Any, rng: np.random.Generator) -> Any:
        return np.array([chunk + self.value])

    def method(self, chunk: Any, rng: np.random.Generator) -> Any:
        return self(chunk, rng)


FUNCTIONS = {
    "partial": lambda value: functools.partial(add, more=value),
    "partial of a partial": lambda value: functools.partial(functools.partial(add), more=value),
    "array": lambda value: functools.partial(add, more=np.array(value)),
    "captured": capture,
    "object": Adder,
    "method": lambda value: Adder(value).method,
    "partial of a lambda": lambda value: functools.partial(
        lambda chunk, rng, more: np.array([chunk + more]), more=value
    ),
}


@pytest.mark.parametrize("make", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_another_function_of_the_same_name_is_another_sweep(make: Any, tmp_path: Path) -> None:
    first = sweep.run(make(1.0), 2, tmp_path)
    with pytest.raises(tactum.InvalidInput, match="a sweep with code"):
        sweep.run(make(2.0), 2, tmp_path)
    assert sweep.run(make(1.0), 2, tmp_path).concatenate().keys() == first[0].keys()
    assert sweep.run(make(2.0), 2, tmp_path, resume=False)[1]["result"] == 3.0


def test_changed_code_is_another_sweep(tmp_path: Path) -> None:
    sources = (
        "lambda chunk, rng: chunk + 1",
        "lambda chunk, rng: chunk + 2",
        "lambda chunk, rng: chunk - 2",
        "lambda chunk, rng: abs(chunk)",
        "lambda chunk, rng: repr(chunk)",
        "lambda chunk, rng: [k + 2 for k in [chunk]]",
        "lambda chunk, rng: [k + 3 for k in [chunk]]",
        "lambda chunk, rng, more=1: chunk",
        "lambda chunk, rng, more=2: chunk",
        "lambda chunk, rng, *, more=2: chunk",
        "lambda chunk, rng: chunk in {1, 'two'}",
    )
    functions = [eval(source) for source in sources]
    found = {sweep.manifest_of(one, [0], 0, "")["code"] for one in functions}
    assert len(found) == len(sources)
    assert found == {sweep.manifest_of(eval(one), [0], 0, "")["code"] for one in sources}


def test_a_function_has_the_same_code_in_every_process() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import functools, sweep_work\n"
        "from tactum import sweep\n"
        "given = functools.partial(sweep_work.distances, more={'b', 'a', 'c'})\n"
        "print(sweep.manifest_of(given, [0], 0, '')['code'])\n"
    )
    folder = str(Path(__file__).parent)
    found = {
        subprocess.run(
            [sys.executable, "-c", code, folder],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "123"
    }
    assert len(found) == 1


def test_a_function_may_capture_itself(tmp_path: Path) -> None:
    def factorial(chunk: Any, rng: Any) -> Any:
        return np.array([1.0]) if chunk < 2 else chunk * factorial(chunk - 1, rng)

    assert sweep.run(factorial, 5, tmp_path)[4]["result"] == 24.0
    assert sweep.run(factorial, 5, tmp_path).missing == []


def test_another_version_is_another_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep.run(sweep_work.numbered, 3, tmp_path, version="one")
    with pytest.raises(tactum.InvalidInput, match="a sweep with version 'one', and now ''"):
        sweep.run(sweep_work.numbered, 3, tmp_path)
    monkeypatch.setattr(sweep, "build_info", lambda: {"version": "next"})
    with pytest.raises(tactum.InvalidInput, match=r"a sweep with tactum .*, and now 'next'"):
        sweep.run(sweep_work.numbered, 3, tmp_path, version="one")
    assert len(sweep.load(tmp_path)) == 3


@pytest.mark.parametrize("field", ["function", "chunks"])
def test_what_cannot_be_told_from_others_is_refused(field: str, tmp_path: Path) -> None:
    lock = threading.Lock()
    bad = {"function": capture(lock), "chunks": [lock]}[field]
    with pytest.raises(tactum.InvalidInput, match=f"{field}.*can be pickled"):
        sweep.run(
            **({"function": sweep_work.numbered, "chunks": 3} | {field: bad}), out_dir=tmp_path
        )


def test_bad_input(tmp_path: Path) -> None:
    for bad in (-1, 2**64, 0.5, True, "1"):
        with pytest.raises(tactum.InvalidInput, match="seed"):
            sweep.run(sweep_work.numbered, 3, tmp_path, seed=bad)  # type: ignore[arg-type]
    for count in (-1, True):
        with pytest.raises(tactum.InvalidInput, match="chunks"):
            sweep.run(sweep_work.numbered, count, tmp_path)
    with pytest.raises(tactum.InvalidInput, match="executor: got a int"):
        sweep.run(sweep_work.numbered, 3, tmp_path, 4)
    with pytest.raises(sweep.SweepError, match="object array"):
        sweep.run(sweep_work.objects, 1, tmp_path / "objects")
    with pytest.raises(tactum.InvalidInput, match=r"sweep\.json"):
        sweep.load(tmp_path / "nowhere")
    for text in ("{", "[]", json.dumps({"format": "tactum-sweep 1", "chunks": -3})):
        (tmp_path / "sweep.json").write_text(text)
        with pytest.raises(tactum.InvalidInput, match="not one of a sweep"):
            sweep.run(sweep_work.numbered, 3, tmp_path)
    assert len(sweep.run(sweep_work.numbered, 0, tmp_path / "none").concatenate()) == 0


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    code = (
        "import signal, sys; sys.path.insert(0, sys.argv[1])\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import sweep_work; from tactum import sweep\n"
        "chunks = [(sys.argv[2], i) for i in range(400)]\n"
        "try: sweep.run(sweep_work.slow, chunks, sys.argv[2] + '/out')\n"
        "except KeyboardInterrupt: print('stopped')\n"
    )
    command = [sys.executable, "-c", code, str(Path(__file__).parent), str(tmp_path)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    out, deadline = tmp_path / "out", time.monotonic() + 60.0
    while len(shards(out)) < 2 and time.monotonic() < deadline:
        time.sleep(0.005)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=60)[0].strip() == "stopped"
    done = shards(out)
    assert 2 <= len(done) < 400
    assert all(len(sweep.read_shard(out / name)["result"]) == 4 for name in done)
    assert not list(out.glob("*.partial"))
