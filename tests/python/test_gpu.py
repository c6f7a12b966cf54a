# SPDX-License-Identifier: BSD-2-Clause
"""tactum.gpu with a stand-in for the compiled part that computes on the CPU: arguments,
broadcasting, fields and errors. On a machine with a GPU, values against tactum.distances in
PyTorch, CuPy and JAX."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
import tactum
from tactum import gpu

WIDTHS = {"normal": 3, "point_a": 3, "point_b": 3, "distance_jacobian": 12}
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
        def counts(self, stream: int) -> tuple[int, int, int]:
            return (stream, 2, 1)

    @staticmethod
    def num_devices() -> int:
        return 1

    @staticmethod
    def describe(value: Any, writable: bool) -> Any:
        device = value.device if isinstance(value, DeviceArray) else -1
        array = value.array if isinstance(value, DeviceArray) else value
        if not isinstance(array, np.ndarray):
            return None
        contiguous = array.flags.c_contiguous
        return array.ctypes.data, array.shape, array.dtype.name, device, contiguous, array

    @staticmethod
    def empty(shape: list[int], dtype: str) -> DeviceArray:
        return DeviceArray(np.full(shape, 77, dtype=dtype))

    @staticmethod
    def upload(numbers: list[float]) -> DeviceArray:
        return DeviceArray(np.array(numbers))

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
        derivative = tactum.Exact() if "distance_jacobian" in columns else None
        answer = StandIn.rows(table, size, a, b, tolerance=tolerance, derivative=derivative)
        for name, address in columns.items():
            kind: Any = ctypes.c_double
            kind = {"status": ctypes.c_uint8, "iterations": ctypes.c_int32}.get(name, kind)
            shape = (size, WIDTHS[name]) if name in WIDTHS else (size,)
            numbers_at(address, shape, kind)[...] = getattr(answer, name)

    @staticmethod
    def collides(
        table: Any, size: int, a: Any, b: Any, work: Any, status: int, stream: int
    ) -> None:
        numbers_at(status, (size,), ctypes.c_uint8)[...] = StandIn.rows(table, size, a, b).status


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "_gpu", StandIn)


def batch(size: int = 50) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    index_a, index_b = (random.integers(0, len(SHAPES), size, dtype=np.int32) for _ in "ab")
    return index_a, random_poses(size, 2, 0.5), index_b, random_poses(size, 3, 0.8)


def test_without_the_compiled_part_a_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gpu, "_gpu", None)
    assert not gpu.available()
    with pytest.raises(RuntimeError, match=r"built without its GPU part.*TACTUM_BUILD_GPU"):
        gpu.ShapeTable(SHAPES)


def test_without_a_device_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoDevice(StandIn):
        @staticmethod
        def num_devices() -> int:
            return 0

    monkeypatch.setattr(gpu, "_gpu", NoDevice)
    assert not gpu.available()
    with pytest.raises(RuntimeError, match="no NVIDIA GPU"):
        gpu.ShapeTable(SHAPES)


@pytest.mark.usefixtures("stand_in")
def test_all_fields_are_those_of_the_library() -> None:
    index_a, X_WA, index_b, X_WB = batch()
    table = gpu.ShapeTable(SHAPES)
    assert gpu.available() and len(table) == 4 and table.nbytes == 8 and table.device == 0
    assert repr(table) == "ShapeTable(4 shapes on device 0)"
    answer = gpu.distances(
        (table, DeviceArray(index_a)),
        DeviceArray(X_WA),
        (table, DeviceArray(index_b)),
        DeviceArray(X_WB),
        derivative=tactum.Exact(),
        tolerance=1e-10,
        stream=5,
    )
    library = tactum.ShapeTable(SHAPES)
    expected = tactum.distances(
        (library, index_a), X_WA, (library, index_b), X_WB, derivative=tactum.Exact()
    )
    for name in gpu._FIELDS:
        np.testing.assert_array_equal(getattr(answer, name).array, getattr(expected, name))
    assert answer.counts() == gpu.Counts(searched_again=5, not_converged=2, overlapping=1)
    status = gpu.collides(
        (table, DeviceArray(index_a)),
        DeviceArray(X_WA),
        (table, DeviceArray(index_b)),
        DeviceArray(X_WB),
    )
    np.testing.assert_array_equal(status.array, expected.status)


@pytest.mark.usefixtures("stand_in")
def test_one_pose_fits_to_many_and_only_fields_asked_for_are_there() -> None:
    _, _, index_b, X_WB = batch()
    table = gpu.ShapeTable(SHAPES)
    library = tactum.ShapeTable(SHAPES)
    one = random_poses(1, 9, 0.5)[0]
    expected = tactum.distances(
        (library, np.zeros(50, np.int32)), one, (library, index_b), X_WB, tolerance=1e-6
    )
    # one pose on the device, on the host as seven numbers, and as a matrix
    for pose in (DeviceArray(one), one, tactum.pose_matrix(one)):
        answer = gpu.distances(
            table,
            pose,
            (table, DeviceArray(index_b)),
            DeviceArray(X_WB),
            fields=("distance", "normal"),
        )
        np.testing.assert_allclose(answer.distance.array, expected.distance, atol=1e-12)
        np.testing.assert_allclose(answer.normal.array, expected.normal, atol=1e-9)
        assert answer.status is None and answer.distance_jacobian is None
    alone = gpu.distances(table, one, table, one, fields=["status"])
    assert alone.status.array.shape == (1,)


@pytest.mark.usefixtures("stand_in")
def test_results_go_to_the_arrays_given() -> None:
    index_a, X_WA, index_b, X_WB = batch()
    table = gpu.ShapeTable(SHAPES)
    sides = (
        (table, DeviceArray(index_a)),
        DeviceArray(X_WA),
        (table, DeviceArray(index_b)),
        DeviceArray(X_WB),
    )
    mine = DeviceArray(np.zeros(50))
    answer = gpu.distances(*sides, out={"distance": mine})
    assert answer.distance is mine and answer.normal is None
    assert np.any(mine.array != 0.0)
    status = DeviceArray(np.zeros(50, np.uint8))
    assert gpu.collides(*sides, out=status) is status


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"X_WA": np.zeros((50, 7))}, tactum.InvalidInput, "X_WA.*on the GPU"),
        ({"X_WA": DeviceArray(np.zeros((50, 7), np.float32))}, tactum.InvalidInput, "float32"),
        ({"X_WA": DeviceArray(np.zeros((50, 4, 4)))}, tactum.InvalidInput, r"\(N, 7\)"),
        ({"X_WA": DeviceArray(np.zeros((7, 50)).T)}, tactum.InvalidInput, "contiguous"),
        ({"X_WA": DeviceArray(np.zeros((50, 7)), device=1)}, tactum.InvalidInput, "device 1"),
        ({"X_WB": DeviceArray(np.zeros((49, 7)))}, tactum.InvalidInput, "49 rows"),
        ({"X_WB": object()}, TypeError, "X_WB: got object"),
        ({"index": DeviceArray(np.zeros(50, np.int64))}, tactum.InvalidInput, "int64"),
        ({"index": np.zeros(50, np.int32)}, tactum.InvalidInput, "memory of the host"),
        ({"index": DeviceArray(np.zeros((50, 1), np.int32))}, tactum.InvalidInput, r"\(N,\)"),
        ({"a": SHAPES[0]}, TypeError, "a: got Sphere"),
        ({"fields": ["depth"]}, tactum.InvalidInput, "'depth'"),
        ({"derivative": tactum.FiniteDifference()}, TypeError, "FiniteDifference"),
        ({"out": {"normal": DeviceArray(np.zeros((50, 2)))}}, tactum.InvalidInput, r"\(50, 3\)"),
        ({"stream": "fast"}, TypeError, "stream: got str"),
    ],
)
def test_bad_arguments_are_named(change: dict[str, Any], error: type, text: str) -> None:
    index_a, X_WA, index_b, X_WB = batch()
    table = gpu.ShapeTable(SHAPES)
    index = change.pop("index", DeviceArray(index_a))
    call = {
        "a": (table, index),
        "X_WA": DeviceArray(X_WA),
        "b": (table, DeviceArray(index_b)),
        "X_WB": DeviceArray(X_WB),
    }
    with pytest.raises(error, match=text):
        gpu.distances(**(call | change))


@pytest.mark.usefixtures("stand_in")
def test_two_tables_are_refused() -> None:
    first, second = gpu.ShapeTable(SHAPES), gpu.ShapeTable(SHAPES)
    one = random_poses(1, 9, 0.5)[0]
    with pytest.raises(tactum.InvalidInput, match="one table"):
        gpu.distances(first, one, second, one)


def on_device(package: str, array: np.ndarray) -> Any:
    module = pytest.importorskip(package)
    if package == "torch":
        return module.from_numpy(array).cuda()
    if package == "jax":
        module.config.update("jax_enable_x64", True)
        return module.device_put(array)
    return module.asarray(array)


def on_host(package: str, array: Any) -> np.ndarray:
    if package == "torch":
        return array.cpu().numpy()
    if package == "jax":
        return np.asarray(pytest.importorskip("jax.dlpack").from_dlpack(array))
    return array.get()


@pytest.mark.skipif(not gpu.available(), reason="needs the GPU part and a GPU")
@pytest.mark.parametrize("package", ["torch", "cupy", "jax"])
def test_on_a_gpu_the_answers_are_those_of_the_library(package: str) -> None:
    index_a, X_WA, index_b, X_WB = batch(20000)
    table, library = gpu.ShapeTable(SHAPES), tactum.ShapeTable(SHAPES)
    arrays = [on_device(package, array) for array in (index_a, X_WA, index_b, X_WB)]
    answer = gpu.distances(
        (table, arrays[0]), arrays[1], (table, arrays[2]), arrays[3], derivative=tactum.Exact()
    )
    expected = tactum.distances((library, index_a), X_WA, (library, index_b), X_WB)
    found = {name: on_host(package, getattr(answer, name)) for name in gpu._FIELDS}
    assert np.all(found["lower"] <= expected.upper) and np.all(expected.lower <= found["upper"])
    proved = found["status"] != int(tactum.Status.not_converged)
    assert np.mean(proved) > 0.99
    error = np.abs(found["distance"] - expected.distance)[proved]
    assert np.max(error) < 2e-5
    assert found["distance_jacobian"].shape == (20000, 12)
    status = on_host(
        package, gpu.collides((table, arrays[0]), arrays[1], (table, arrays[2]), arrays[3])
    )
    clear = np.abs(expected.distance) > 1e-6
    penetrating = int(tactum.Status.penetrating)
    np.testing.assert_array_equal(
        status[clear] == penetrating, np.asarray(expected.status)[clear] == penetrating
    )
    assert answer.counts().overlapping <= 200
    # an array on the host is refused, not read
    with pytest.raises(tactum.InvalidInput, match="memory of the host"):
        gpu.distances((table, index_a), arrays[1], (table, arrays[2]), arrays[3])


@pytest.mark.skipif(not gpu.available(), reason="needs the GPU part and a GPU")
def test_on_a_gpu_a_call_is_captured_in_a_graph() -> None:
    torch = pytest.importorskip("torch")
    index_a, X_WA, index_b, X_WB = batch(5000)
    table = gpu.ShapeTable(SHAPES)
    arrays = [torch.from_numpy(array).cuda() for array in (index_a, X_WA, index_b, X_WB)]
    sides = ((table, arrays[0]), arrays[1], (table, arrays[2]), arrays[3])
    out = {"distance": torch.zeros(5000, dtype=torch.float64, device="cuda")}
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        gpu.distances(*sides, out=out)
    stream.synchronize()
    expected = out["distance"].clone()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        gpu.distances(*sides, out=out)
    out["distance"].zero_()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(out["distance"], expected)
