# SPDX-License-Identifier: BSD-2-Clause
"""A stand-in for the compiled part of tactum.gpu that computes on the CPU, and batches to ask."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
import tactum

WIDTHS: dict[str, tuple[int, ...]] = {"normal": (3,), "point_a": (3,), "point_b": (3,)}
WIDTHS |= {"distance_jacobian": (12,), "gradient": (3,)}
WIDTHS |= {f"{name}_jacobian": (3, 12) for name in ("normal", "point_a", "point_b")}
SHAPES = [
    tactum.Sphere(radius=0.5),
    tactum.Box(half_extents=(0.3, 0.4, 0.5)),
    tactum.Cylinder(radius=0.3, half_length=0.6),
    tactum.Convex.from_points(np.random.default_rng(5).normal(size=(30, 3)) * 0.4),
]


def random_poses(size: int, seed: int, spread: float) -> np.ndarray:
    random = np.random.default_rng(seed)
    poses = random.normal(size=(size, 7))
    poses[:, :3] *= spread
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    return poses


def is_torch(value: Any) -> bool:
    return type(value).__module__ == "torch"


class DeviceArray:
    """Stands for an array on a GPU."""

    def __init__(self, array: np.ndarray, device: int = 0) -> None:
        self.array = array
        self.device = device


def numbers_at(address: int, shape: tuple[int, ...], kind: Any) -> np.ndarray:
    size = int(np.prod(shape))
    return np.ctypeslib.as_array((kind * size).from_address(address)).reshape(shape)


class StandIn:
    """What the compiled part does, on the CPU."""

    class Table:
        def __init__(self, shapes: list[tactum.Shape]) -> None:
            self.shapes = tactum.ShapeTable(shapes)
            self.nbytes, self.device = 8, 0

        def __len__(self) -> int:
            return len(self.shapes)

    class Workspace:
        on_cpu = 0

        def counts(self, stream: int) -> tuple[int, int, int, int]:
            return (stream, 2, 1, self.on_cpu)

    @staticmethod
    def num_devices() -> int:
        return 1

    @staticmethod
    def describe(value: Any, writable: bool) -> Any:
        device = 0 if is_torch(value) else getattr(value, "device", -1)
        array = value.detach().numpy() if is_torch(value) else getattr(value, "array", value)
        if not isinstance(array, np.ndarray):
            return None
        device = device if isinstance(device, int) else -1
        contiguous = array.flags.c_contiguous
        return array.ctypes.data, array.shape, array.dtype.name, device, contiguous, array

    @staticmethod
    def empty(shape: list[int], dtype: str) -> DeviceArray:
        return DeviceArray(np.full(shape, 77, dtype=dtype))

    @staticmethod
    def to_device(array: np.ndarray) -> DeviceArray:
        return DeviceArray(np.array(array))

    @staticmethod
    def to_host(address: int, host: np.ndarray, stream: int) -> None:
        ctypes.memmove(host.ctypes.data, address, host.nbytes)

    @staticmethod
    def rows(table: Any, size: int, a: Any, b: Any, **options: Any) -> tactum.Distances:
        sides = []
        for index, poses, one_pose in (a, b):
            places = (
                numbers_at(index, (size,), ctypes.c_int32) if index else np.zeros(size, np.int32)
            )
            sides += [
                (table.shapes, places),
                numbers_at(poses, (7,) if one_pose else (size, 7), ctypes.c_double),
            ]
        return tactum.distances(*sides, **options)

    @staticmethod
    def distances(
        table: Any,
        size: int,
        a: Any,
        b: Any,
        tolerance: float,
        depth: bool,
        work: Any,
        columns: dict[str, int],
        stream: int,
    ) -> None:
        asked = any(name.endswith("_jacobian") for name in columns)
        derivative = tactum.Exact() if asked else None
        answer = StandIn.rows(table, size, a, b, tolerance=tolerance, derivative=derivative)
        StandIn.write(columns, size, answer)

    @staticmethod
    def write(columns: dict[str, int], size: int, answer: Any) -> None:
        for name, address in columns.items():
            kind: Any = ctypes.c_double
            kind = {"status": ctypes.c_uint8, "iterations": ctypes.c_int32}.get(name, kind)
            column = numbers_at(address, (size, *WIDTHS.get(name, ())), kind)
            column[...] = getattr(answer, name)

    @staticmethod
    def finish_on_cpu(
        table: Any,
        size: int,
        a: Any,
        b: Any,
        tolerance: float,
        work: Any,
        columns: dict[str, int],
        stream: int,
    ) -> None:
        assert "status" in columns
        work.on_cpu = 7

    @staticmethod
    def signed_distance(
        table: Any,
        size: int,
        shapes: Any,
        points: int,
        tolerance: float,
        depth: bool,
        work: Any,
        columns: dict[str, int],
        stream: int,
    ) -> None:
        index, poses, one_pose = shapes
        places = numbers_at(index, (size,), ctypes.c_int32) if index else np.zeros(size, np.int32)
        X = numbers_at(poses, (7,) if one_pose else (size, 7), ctypes.c_double)
        found = SimpleNamespace(distance=[], gradient=[], status=[])
        for i, point in enumerate(numbers_at(points, (size, 3), ctypes.c_double)):
            pose = X if one_pose else X[i]
            shape = table.shapes[int(places[i])]
            distance, gradient = tactum.signed_distance(shape, pose, point[None])
            found.distance.append(distance[0])
            found.gradient.append(gradient[0])
            found.status.append(int(tactum.Status.separated))
        StandIn.write(columns, size, found)

    @staticmethod
    def collides(
        table: Any, size: int, a: Any, b: Any, work: Any, status: int, stream: int
    ) -> None:
        numbers_at(status, (size,), ctypes.c_uint8)[...] = StandIn.rows(table, size, a, b).status

    @staticmethod
    def uniform_flow_collides(
        table: Any, size: int, a: Any, b: Any, iterations: int, hits: int, stream: int
    ) -> None:
        found = StandIn.rows(table, size, a, b).status == tactum.Status.penetrating
        numbers_at(hits, (size,), ctypes.c_uint8)[...] = iterations * found

    class ImplicitSurfaces:
        def __init__(self, meshes: list[tactum.Mesh], num_points: int, resolution: int) -> None:
            self.points = [mesh.sample(num_points, seed=0)[0] for mesh in meshes]
            self.shapes = tactum.ShapeTable([mesh.convex_hull() for mesh in meshes])
            self.nbytes, self.device = resolution**3, 0

        def __len__(self) -> int:
            return len(self.points)

    @staticmethod
    def implicit_surface_distances(
        surfaces: Any, size: int, a: Any, b: Any, distance: int, stream: int
    ) -> None:
        found = StandIn.rows(surfaces, size, a, b, fields=("distance",)).distance
        numbers_at(distance, (size,), ctypes.c_float)[...] = found


def batch(size: int = 50) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    index_a, index_b = (random.integers(0, len(SHAPES), size, dtype=np.int32) for _ in "ab")
    return index_a, random_poses(size, 2, 0.5), index_b, random_poses(size, 3, 0.8)
