# SPDX-License-Identifier: BSD-2-Clause
"""Pairs of objects in contact, nearly in contact and overlapping, with what is proved of each.

A *contact record* starts from a random pose of B in the frame of A. Where the two are apart, B slides
along the shortest vector between them until they touch. Let s be the offset of B from there along
the normal:

    0 < s <= reach   the distance is exactly s: it can shrink no faster than B moves, and the two
                     nearest points show that it shrinks as fast
    s = probe < 0    one exact query says whether the solids overlap there, and a bound of depth or
                     distance, `margin`: any motion that moves no point by more keeps the answer

So a record gives as many training examples as wanted. Where the random pose itself overlaps, the
normal and the reach are 0 and the probe is that pose.

*Test records* are single poses with a signed distance: exact where the solids are apart, in
penetration the smallest proved upper bound of the depth, with the proved lower bound beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

Array = npt.NDArray[np.float64]
SLIDE = 0.02  #: m, standard deviation of the offset along the normal
CHUNK = 1 << 16  #: rows of one batch of queries


@dataclass(frozen=True)
class ContactRecords:
    """Contact records of pairs of objects, equally many of each: leading axes (pairs, count)."""

    pairs: npt.NDArray[np.int32]  #: (pairs, 2) objects A and B
    rotation: npt.NDArray[np.float32]  #: (..., 4) quaternion xyzw of B in A
    translation: npt.NDArray[np.float32]  #: (..., 3) of B in A where they touch, m
    normal: npt.NDArray[np.float32]  #: (..., 3) in A, from A to B
    reach: npt.NDArray[np.float32]  #: (...) largest offset with a known distance, m
    probe: npt.NDArray[np.float32]  #: (...) the offset that was queried, not positive, m
    margin: npt.NDArray[np.float32]  #: (...) proved depth (> 0) or minus the distance there, m


@dataclass(frozen=True)
class TestRecords:
    """Poses with their signed distance."""

    __test__ = False  # no class of tests

    pairs: npt.NDArray[np.int32]  #: (n, 2) objects A and B
    rotation: npt.NDArray[np.float32]  #: (n, 4) quaternion xyzw of B in A
    translation: npt.NDArray[np.float32]  #: (n, 3) of B in A, m
    normal: npt.NDArray[np.float32]  #: (n, 3) in A, from A to B; zeros: unknown
    distance: npt.NDArray[np.float32]  #: (n,) signed; in penetration minus a bound of the depth, m
    depth_lower: npt.NDArray[np.float32]  #: (n,) proved depth; 0 apart, m


Records = ContactRecords | TestRecords
Progress = Callable[[int, int], None]


def random_rotations(rng: np.random.Generator, n: int) -> Array:
    """(n, 4) uniform unit quaternions xyzw."""
    q = rng.standard_normal((n, 4))
    norm = np.linalg.norm(q, axis=1, keepdims=True)
    return q / np.where(norm > 0.0, norm, 1.0) + np.where(norm > 0.0, 0.0, [0.0, 0.0, 0.0, 1.0])


def held_back(pairs: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Which pairs of known objects are kept for tests: about one in ten, in either order."""
    a, b = pairs.min(axis=1).astype(np.uint64), pairs.max(axis=1).astype(np.uint64)
    mixed = (a * np.uint64(1000003) + b) * np.uint64(0x9E3779B97F4A7C15)
    return np.asarray((mixed >> np.uint64(40)) % np.uint64(10) == 0)


def _starts(rng: np.random.Generator, reach: Array, uniform: bool) -> Array:
    """(n, 7) poses of B. The origin of B is uniform in the ball in which the bounding balls meet
    or, for half of the rows unless `uniform`, near its surface."""
    n = len(reach)
    direction = rng.standard_normal((n, 3))
    direction /= np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-12)
    inside = np.cbrt(rng.uniform(size=n))
    near = rng.uniform(0.9, 1.1, size=n)
    share = inside if uniform else np.where(rng.uniform(size=n) < 0.5, inside, near)
    # rounded to 32 bits before any query, so that the files hold what was asked
    pose = np.hstack([direction * (share * reach)[:, None], random_rotations(rng, n)])
    rounded = pose.astype(np.float32).astype(np.float64)
    rounded[:, 3:] /= np.linalg.norm(rounded[:, 3:], axis=1, keepdims=True)
    return rounded


def _query(
    table: tactum.ShapeTable, a: Any, b: Any, poses: Array, threads: int
) -> tactum.Distances:
    return tactum.distances(
        (table, np.asarray(a, dtype=np.int32)),
        np.eye(4),
        (table, np.asarray(b, dtype=np.int32)),
        poses,
        fields=("distance", "normal", "lower", "upper", "status"),
        num_threads=threads,
    )


def _slid(poses: Array, normal: Array, offset: Array) -> Array:
    moved = poses.copy()
    moved[:, :3] = (poses[:, :3] + normal * offset[:, None]).astype(np.float32)
    return moved


def label_contacts(
    table: tactum.ShapeTable,
    radii: Array,
    pairs: npt.NDArray[np.int32],
    count: int,
    seed: int,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> ContactRecords:
    """`count` contact records of each pair. A pair's records depend on the seed and its objects
    alone."""
    rows = max(1, CHUNK // max(1, count))
    parts = []
    for first in range(0, len(pairs), rows):
        part = pairs[first : first + rows]
        parts.append(_label_chunk(table, radii, part, count, seed, threads))
        if progress is not None:
            progress(min(first + rows, len(pairs)), len(pairs))
    columns = [field.name for field in fields(ContactRecords)]
    return ContactRecords(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in columns)
    )


def _label_chunk(
    table: tactum.ShapeTable,
    radii: Array,
    pairs: npt.NDArray[np.int32],
    count: int,
    seed: int,
    threads: int,
) -> ContactRecords:
    a, b = np.repeat(pairs[:, 0], count), np.repeat(pairs[:, 1], count)
    poses, offset = [], []
    for first, second in pairs:
        rng = np.random.default_rng([seed, int(first), int(second)])
        poses.append(_starts(rng, np.full(count, radii[first] + radii[second]), False))
        offset.append(-np.abs(rng.normal(scale=SLIDE, size=count)))
    start, probe = np.concatenate(poses), np.concatenate(offset)
    found = _query(table, a, b, start, threads)
    apart = found.lower > 0.0
    normal = np.where(apart[:, None], found.normal, 0.0)
    reach = np.where(apart, found.lower, 0.0)
    touch = _slid(start, normal, -reach)
    probe = np.where(apart, probe, 0.0)
    margin = np.maximum(-found.upper, 0.0)
    margin[apart] = _margins(table, a[apart], b[apart], _slid(touch, normal, probe)[apart], threads)
    shape = (len(pairs), count)
    return ContactRecords(
        pairs,
        start[:, 3:].reshape(*shape, 4).astype(np.float32),
        touch[:, :3].reshape(*shape, 3).astype(np.float32),
        normal.reshape(*shape, 3).astype(np.float32),
        reach.reshape(shape).astype(np.float32),
        probe.reshape(shape).astype(np.float32),
        margin.reshape(shape).astype(np.float32),
    )


def _margins(table: tactum.ShapeTable, a: Any, b: Any, poses: Array, threads: int) -> Array:
    """Proved depth where the solids overlap, minus the proved distance where they are apart, 0 where
    neither is proved."""
    found = _query(table, a, b, poses, threads)
    return np.where(found.upper < 0.0, -found.upper, np.minimum(-found.lower, 0.0))


def label_tests(
    table: tactum.ShapeTable,
    radii: Array,
    pairs: npt.NDArray[np.int32],
    seed: int,
    *,
    uniform: bool,
    threads: int = 0,
) -> TestRecords:
    """One test record for each row of `pairs`: uniform poses, or poses that slid to a signed offset
    from N(0, 20 mm); of the latter those are left out that overlap at the start."""
    rng = np.random.default_rng([seed, len(pairs), int(uniform)])
    a, b = pairs[:, 0], pairs[:, 1]
    start = _starts(rng, radii[a] + radii[b], uniform)
    offset = rng.normal(scale=SLIDE, size=len(pairs))
    found = _query(table, a, b, start, threads)
    if uniform:
        depth_lower = np.maximum(-found.upper, 0.0)
        distance = np.where(found.upper < 0.0, np.minimum(found.lower, -1e-9), found.lower)
        known = (found.lower > 0.0) | (found.upper < 0.0)
        return _kept(known, pairs, start, found.normal, distance, depth_lower)
    apart = found.lower > 0.0
    offset = np.minimum(offset, found.lower)
    pose = _slid(start, np.where(apart[:, None], found.normal, 0.0), offset - found.lower)
    inside = _query(table, a, b, pose, threads)
    depth = np.minimum(np.abs(offset), np.maximum(-inside.lower, 1e-9))
    distance = np.where(inside.upper < 0.0, -depth, inside.lower)
    known = apart & ((inside.lower > 0.0) | (inside.upper < 0.0))
    return _kept(known, pairs, pose, found.normal, distance, np.maximum(-inside.upper, 0.0))


def _kept(
    rows: Any, pairs: Any, poses: Array, normal: Array, distance: Array, depth_lower: Array
) -> TestRecords:
    return TestRecords(
        pairs[rows].astype(np.int32),
        poses[rows, 3:].astype(np.float32),
        poses[rows, :3].astype(np.float32),
        normal[rows].astype(np.float32),
        distance[rows].astype(np.float32),
        depth_lower[rows].astype(np.float32),
    )


def save_records(records: Records, path: Path) -> str:
    """Writes an .npz file and returns the digest of its content."""
    arrays = {field.name: getattr(records, field.name) for field in fields(records)}
    np.savez(path, **arrays)
    return digest(records)


def digest(records: Records) -> str:
    """SHA-256 of all columns, in their order."""
    state = hashlib.sha256()
    for field in fields(records):
        state.update(np.ascontiguousarray(getattr(records, field.name)).tobytes())
    return state.hexdigest()


def load_contacts(path: Path) -> ContactRecords:
    """Contact records that save_records() wrote."""
    with np.load(path, allow_pickle=False) as file:
        return ContactRecords(*(file[field.name] for field in fields(ContactRecords)))


def load_tests(path: Path) -> TestRecords:
    """Test records that save_records() wrote."""
    with np.load(path, allow_pickle=False) as file:
        return TestRecords(*(file[field.name] for field in fields(TestRecords)))
