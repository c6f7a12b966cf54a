# SPDX-License-Identifier: BSD-2-Clause
"""What users of robotics libraries expect, one test for each of twenty expectations. Other files
test most of them in depth; here each can be found by its number."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import inspect
import logging
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tactum
from expectation_cases import BRIDGE_CASES
from kept_values import TETRAHEDRON, WITH_SIM, fingerprint, geometries, results, simulation
from kinds import SHAPES, random_pose
from tactum import sweep, view

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(tactum.__file__).parent
needs_sim = pytest.mark.skipif(not WITH_SIM, reason="the simulator is built where Pinocchio is")
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A new interpreter, anywhere but here, with that environment alone."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env=environment,
    )


def test_01_a_small_package_that_imports_without_environment_variables() -> None:
    shown = python("import tactum; print(tactum.__version__)")
    assert shown.stdout.strip() == tactum.__version__, shown.stderr
    libraries = [p for p in PACKAGE.parent.glob("tactum*/**/*.so*") if p.is_file()]
    assert libraries and sum(p.stat().st_size for p in libraries) < 60e6


@pytest.mark.parametrize(
    "other",
    [
        "numpy",
        "jax",
        "scipy",
        "pinocchio",
        "mujoco",
        # the other order is in test_16, which imports PyTorch too: it takes seconds
        pytest.param("torch", marks=pytest.mark.torch),
    ],
)
def test_02_imports_beside_others_in_either_order(other: str) -> None:
    pytest.importorskip(other, reason=f"{other} is not installed here")
    orders = [(other, "tactum"), ("tactum", other)]
    for first, second in orders[:1] if other == "torch" else orders:
        shown = python(
            f"import {first}, {second}; import tactum as t; s = t.Sphere(radius=1.0);"
            "print(t.distance(s, None, s, (3.0, 0.0, 0.0)).distance)",
            JAX_PLATFORMS="cpu",
        )
        assert shown.stdout.strip() == "1.0", shown.stderr


def test_03_a_first_result_in_five_lines_without_compiling() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert found is not None
    lines = [line for line in found.group(1).splitlines() if line]
    assert "tactum.distance(" in lines[4], "the fifth line has the first result"
    # no process is started, and little is loaded, so that nothing has to be waited for; time is
    # that of the processor, as others may use the machine
    watch = "import sys\nsys.addaudithook(lambda e, a: e == 'subprocess.Popen' and sys.exit('started'))\n"
    clock = (
        "import time\nbegan = time.process_time()\nimport tactum\nloaded = time.process_time()\n"
    )
    after = """
print()
print(loaded - began, time.process_time() - loaded)
print(len([m for m in sys.modules if m.startswith('tactum')]))"""
    seconds = []
    for _ in range(3):
        shown = python(watch + clock + "\n".join(lines) + after)
        told = shown.stdout.splitlines()
        assert told[0].split()[0] == "separated", shown.stderr
        assert int(told[-1]) < 25
        seconds.append([float(word) for word in told[-2].split()])
    loading, asking = np.min(seconds, axis=0)
    assert loading < 0.3 and asking < 0.1


def test_04_types_are_declared() -> None:
    assert (PACKAGE / "py.typed").is_file()
    extensions = [path.name.partition(".")[0] for path in PACKAGE.glob("_*.so")]
    assert extensions and all((PACKAGE / f"{name}.pyi").is_file() for name in extensions)
    modules = ["tactum", "tactum.se3", "tactum.plot", "tactum.sweep", "tactum.view", "tactum.gpu"]
    modules += ["tactum.sim"] * WITH_SIM
    for name in modules:
        module = importlib.import_module(name)
        assert all(hasattr(module, public) for public in module.__all__), name


DOCUMENTED = ["", ".se3", ".sweep", ".view", ".plot", ".gpu", ".sim", ".envs", ".jax", ".torch"]
#: "(N, 3)", "(...)", "(nq,)" and the like, or in words what there is a number for
SHAPE_SAID = re.compile(
    r"\((?:\.\.\.|[A-Z0-9]|n|nq|nv|blocks)[^()]*\)|\bnumber|\bfor each\b|\bafter every\b|^By the sizes of",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.torch] if n == ".torch" else []) for n in DOCUMENTED],
)
def test_05_every_public_name_is_documented(name: str) -> None:
    """Functions, classes and their members have a text; arrays that are kept say their shape."""
    try:
        module = importlib.import_module(f"tactum{name}")
    except ImportError as error:
        pytest.skip(f"an optional part: {error}")
    for public in module.__all__:
        value = getattr(module, public)
        if inspect.isclass(value) or inspect.isroutine(value):
            assert len((value.__doc__ or "").strip()) > 15, f"{name}.{public}"
        for member, function in vars(value).items() if inspect.isclass(value) else ():
            if member.startswith("_") or not (
                callable(function) or inspect.isdatadescriptor(function)
            ):
                continue
            text = inspect.getdoc(function) or ""
            assert text, f"{name}.{public}.{member}"
            getter = getattr(function, "fget", None)
            said = str(getattr(getter, "__nb_signature__", ""))
            if "NDArray" in said:
                assert SHAPE_SAID.search(text), f"{name}.{public}.{member}: {text}"


URDF = """<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0 0 -0.5"/>
<mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 -0.5"/><geometry><box size="0.1 0.1 1"/></geometry></collision></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><origin xyz="0 0 1"/>
<axis xyz="0 1 0"/></joint></robot>"""
MJCF = """<mujoco><worldbody><body name="rod" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
<inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.01"/><geom type="box" pos="0 0 -0.5"
size="0.05 0.05 0.5"/></body></worldbody></mujoco>"""


@needs_sim
def test_06_the_same_robot_from_urdf_and_mjcf(tmp_path: Path) -> None:
    from tactum import sim

    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "arm.xml").write_text(MJCF)
    models = [sim.load_urdf(tmp_path / "arm.urdf"), sim.load_mjcf(tmp_path / "arm.xml")]
    ends = []
    for model in models:
        state = model.state()
        start = 0.3
        state.q = [start] if model.nq == 1 else [np.cos(start), np.sin(start)]
        for _ in range(100):
            state = sim.step(model, state, dt=1e-3).state
        ends.append((state.v.copy(), model.geometry_poses(state.q)[-1]))
    assert np.allclose(ends[0][0], ends[1][0], atol=1e-10) and abs(ends[0][0][0]) > 0.1
    assert np.allclose(ends[0][1], ends[1][1], atol=1e-10)
    assert ends[0][1][2, 3] < 1.0, "z is up: it hangs below its hinge"


def test_07_quaternions_say_their_order() -> None:
    from scipy.spatial.transform import Rotation

    for xyzw in Rotation.random(20, random_state=0).as_quat():
        X = tactum.pose_matrix([0.0, 0.0, 0.0, *xyzw])
        assert np.allclose(X[:3, :3], Rotation.from_quat(xyzw).as_matrix())
        assert abs(tactum.pose_xyz_xyzw(X)[3:] @ xyzw) == pytest.approx(1.0)
        wxyz = tactum.quat_wxyz_from_xyzw(xyzw)
        assert np.array_equal(wxyz, np.roll(xyzw, 1))
        assert np.array_equal(tactum.quat_xyzw_from_wxyz(wxyz), xyzw)
        if importlib.util.find_spec("mujoco") is not None:
            import mujoco

            matrix = np.zeros(9)
            mujoco.mju_quat2Mat(matrix, wxyz)
            assert np.allclose(matrix.reshape(3, 3), X[:3, :3])
        if importlib.util.find_spec("pinocchio") is not None:
            import pinocchio

            se3 = pinocchio.XYZQUATToSE3(np.array([1.0, 2.0, 3.0, *xyzw]))
            assert np.allclose(tactum.pose_matrix(se3)[:3, :3], X[:3, :3])


def test_08_shapes_from_arrays_and_files(tmp_path: Path) -> None:
    hull = tactum.Convex.from_points(np.array(TETRAHEDRON))
    (tmp_path / "part.obj").write_text(OBJ)
    mesh = tactum.Mesh.from_file(tmp_path / "part.obj")
    assert hull.volume() == pytest.approx(1.0 / 6.0) == mesh.convex_hull().volume()


@pytest.mark.parametrize(
    "triangles",
    [
        [[0, 1, 9]],
        [[0, 1]],
        [],
        [[0, 0, 0]],
        [[0, 1, -1]],
        [[0.5, 1, 2]],
    ],
)
def test_09_bad_meshes_raise(triangles: Any) -> None:
    with pytest.raises((tactum.InvalidInput, TypeError)) as raised:
        mesh = tactum.Mesh(vertices=TETRAHEDRON, triangles=triangles, solid=True)
        raise AssertionError(mesh)
    assert len(str(raised.value)) > 20
    with pytest.raises(tactum.InvalidInput, match="vert"):
        tactum.Mesh(vertices=[[np.nan, 0.0, 0.0]] * 3, triangles=[[0, 1, 2]])


@needs_sim
@pytest.mark.parametrize(
    "written",
    ["package://robot/meshes/a.obj", "meshes/a.obj", "./meshes/a.obj", "file://{}/meshes/a.obj"],
)
def test_10_paths_of_robots(written: str, tmp_path: Path) -> None:
    from tactum import sim

    folder = tmp_path / "robot"
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "a.obj").write_text(OBJ)
    text = (
        '<robot name="r"><link name="l"><collision><geometry><mesh filename="{}"/></geometry>'
        "</collision></link></robot>"
    )
    robot = folder / "r.urdf"
    robot.write_text(text.format(written.format(folder)))
    assert sim.load_urdf(robot, [tmp_path]).num_geometries == 1
    robot.write_text(text.format(written.format(folder).replace("a.obj", "b.obj")))
    with pytest.raises(tactum.InvalidInput) as raised:
        sim.load_urdf(robot, [tmp_path])
    assert str(tmp_path) in str(raised.value) and "b.obj" in str(raised.value)


def test_11_a_status_that_is_good_comes_with_its_proof() -> None:
    rng = np.random.default_rng(0)
    shapes = [shape for name, shape in SHAPES.items() if name != "half_space"]
    proved = 0
    for _ in range(300):
        a, b = (shapes[int(k)] for k in rng.integers(len(shapes), size=2))
        X_WA, X_WB = random_pose(rng), random_pose(rng)
        found = tactum.distance(a, X_WA, b, X_WB, tolerance=1e-8)
        assert found.lower <= found.distance <= found.upper
        if found.status != tactum.Status.not_converged:
            assert found.upper - found.lower <= 2e-8 * tactum.pair_scale(a, X_WA, b, X_WB)
            proved += 1
    assert proved >= 295, "hardly any query ends without a proof"


def test_12_arrays_are_not_copied(tmp_path: Path) -> None:
    hull = tactum.Convex.from_points(np.random.default_rng(0).normal(size=(200, 3)))
    X = np.tile(np.eye(4), (10, 1, 1))
    X[:, 0, 3] = np.arange(10) + 9.0
    # results: arrays that the caller keeps are written to, and reading one again is no copy
    first = tactum.distances(hull, None, hull, X, derivative=tactum.Exact())
    kept = {name: getattr(first, name) for name in ("distance", "normal", "distance_jacobian")}
    again = tactum.distances(hull, None, hull, X, derivative=tactum.Exact(), out=first)
    for name, array in kept.items():
        assert np.shares_memory(array, getattr(again, name)), name
        assert array.dtype == np.float64
    # meshes: views of what the library holds
    (tmp_path / "part.obj").write_text(OBJ)
    mesh = tactum.Mesh.from_file(tmp_path / "part.obj")
    assert np.shares_memory(mesh.vertices, mesh.vertices) and not mesh.vertices.flags.owndata
    assert np.shares_memory(mesh.triangles, mesh.triangles) and not mesh.triangles.flags.writeable
    if WITH_SIM:
        from tactum import sim

        builder = sim.ModelBuilder()
        builder.add_body(tactum.Sphere(radius=0.1), mass=1.0)
        state = builder.build().state()
        assert np.shares_memory(state.q, state.q) and np.shares_memory(state.v, state.v)
        view_of_it = state.v
        view_of_it[0] = 7.0
        assert state.v[0] == 7.0, "a view of the state, not of a copy"
    # float32 is taken for what it is, and computed with in float64
    given = X.astype(np.float32)
    assert np.array_equal(tactum.distances(hull, None, hull, given).distance, first.distance)


def test_12_arguments_are_not_copied() -> None:
    """256 MB of poses are looked at without memory for a second array of them."""
    code = """
import resource, numpy as np, tactum
ball, X = tactum.Sphere(radius=0.1), np.zeros((2_000_000, 4, 4))
X[:] = np.eye(4)
X[:, 0, 3] = 1.0
tactum.distances(ball, None, ball, X[:1000], fields=("distance",))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = tactum.distances(ball, None, ball, X, fields=("distance",))
more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(len(found.distance), more < X.nbytes / 1024 / 2, more)
"""
    shown = python(code)
    assert shown.stdout.split()[:2] == ["2000000", "True"], shown.stdout + shown.stderr


def test_13_python_goes_on_while_a_batch_runs() -> None:
    box = tactum.Box(half_extents=(1.0, 1.0, 1.0))
    X = np.tile(np.eye(4), (200_000, 1, 1))
    X[:, 0, 3] = np.linspace(1.0, 3.0, len(X))
    done: list[bool] = []
    thread = threading.Thread(
        target=lambda: (tactum.distances(box, None, box, X, num_threads=1), done.append(True))
    )
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)  # nobody is asked to let go of the GIL
    try:
        thread.start()
        went_on = not done
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    assert went_on


def test_14_the_same_bits_for_any_number_of_threads(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    hull = tactum.Convex.from_points(rng.normal(size=(40, 3)))
    X = np.array([random_pose(rng) for _ in range(500)])
    answers = [
        tactum.distances(hull, None, hull, X, num_threads=n, derivative=tactum.Exact())
        for n in (1, 2, 5)
    ]
    for other in answers[1:]:
        assert answers[0].distance.tobytes() == other.distance.tobytes()
        assert answers[0].distance_jacobian.tobytes() == other.distance_jacobian.tobytes()
    seeds = [tactum.ZerothOrder(samples=20, seed=s) for s in (0, 0, 1)]
    found = [
        tactum.distance_derivative(hull, None, hull, X[0], estimator=e).normal_jacobian.tobytes()
        for e in seeds
    ]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("kept", [geometries, results, simulation])
def test_15_everything_is_pickled_copied_and_sent_to_processes(kept: Callable[[], Any]) -> None:
    objects = kept()
    for name, value in objects.items():
        for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
            assert fingerprint(again) == fingerprint(value), name
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        for value, there in zip(objects.values(), pool.map(copy.copy, objects.values())):
            assert fingerprint(there) == fingerprint(value)


@pytest.mark.parametrize("kind", geometries())
def test_15_scenes_are_saved_with_everything_in_them(kind: str, tmp_path: Path) -> None:
    geometry, X = geometries()[kind], tactum.pose(xyz=(0.1, 0.2, 0.3))
    if kind == "mesh":
        geometry.save(str(tmp_path / "a.obj"))  # scenes refer to mesh files
        geometry = tactum.Mesh.from_file(tmp_path / "a.obj", solid=True)
    scene = tactum.Scene()
    number = scene.add(geometry, X, name="it")
    scene.save(str(tmp_path / "a.scene"))
    again = tactum.Scene.load(str(tmp_path / "a.scene"))
    assert again.to_text() == scene.to_text() and np.array_equal(again.poses, scene.poses)
    there = again.shape(int(again.ids[0]))
    assert there == scene.shape(number)


@needs_sim
def test_15_models_and_states_are_saved(tmp_path: Path) -> None:
    from tactum import sim

    kept = simulation()
    for name, kind in (("model", sim.Model), ("state", sim.State)):
        kept[name].save(str(tmp_path / name))
        assert fingerprint(kind.load(str(tmp_path / name))) == fingerprint(kept[name])


@needs_sim
def test_16_jax_differentiates() -> None:
    """Every function of the bridge: both modes against differences, under jit, and under vmap of the
    gradient against single gradients."""
    code = f"""
import jax, jax.numpy as jnp, numpy as np, tactum, tactum.jax
from jax.test_util import check_grads
from tactum import sim
jax.config.update("jax_enable_x64", True)
bridge = tactum.jax
{BRIDGE_CASES}
total = lambda f: lambda x: sum(jnp.sum(jnp.sin(part)) for part in jax.tree_util.tree_leaves(f(x)))
for name, (f, start) in cases.items():
    start = jnp.asarray(start)
    check_grads(jax.jit(f), (start,), order=1, atol=1e-5, rtol=1e-5, eps=1e-6)
    slope = jax.jit(jax.grad(total(f)))
    rows = jnp.stack([start, start + 0.01, start - 0.01])
    many = jax.vmap(jax.grad(total(f)))(rows)
    assert jnp.allclose(many, jnp.stack([slope(row) for row in rows]), atol=1e-10), name
print(sorted(cases) == sorted(functions))
"""
    shown = python(code, JAX_PLATFORMS="cpu")
    assert shown.stdout.strip() == "True", shown.stderr


@needs_sim
@pytest.mark.torch
def test_16_torch_differentiates() -> None:
    """Every function of the bridge, against differences."""
    code = f"""
import numpy as np, tactum, tactum.torch, torch
from tactum import sim
torch.set_default_dtype(torch.float64)
bridge = tactum.torch
{BRIDGE_CASES}
for name, (f, start) in cases.items():
    x = torch.tensor(start, requires_grad=True)
    assert torch.autograd.gradcheck(f, (x,), eps=1e-6, atol=1e-5, rtol=1e-5), name
print(sorted(cases) == sorted(functions))
"""
    shown = python(code)
    assert shown.stdout.strip() == "True", shown.stderr


def test_17_jacobians_are_those_of_differences_on_the_manifold() -> None:
    from tactum import se3

    a, b = SHAPES["ellipsoid"], tactum.Ellipsoid(semi_axes=(0.4, 0.3, 0.5))
    X_WA, X_WB = np.eye(4), tactum.pose_matrix([2.0, 1.0, 0.5, 0.1, 0.5, 0.5, 0.7])
    found = tactum.distance_derivative(a, X_WA, b, X_WB)
    step = 1e-6
    for k, tangent in enumerate(step * np.eye(6)):
        ahead, behind = (
            tactum.distance(a, X_WA, b, X_WB @ se3.exp(sign * tangent)) for sign in (1.0, -1.0)
        )
        for name in ("distance", "normal", "point_a", "point_b"):
            change = (getattr(ahead, name) - np.asarray(getattr(behind, name))) / (2 * step)
            assert np.allclose(change, getattr(found, f"{name}_jacobian")[..., 6 + k], atol=1e-5)


@needs_sim
def test_18_gymnasium_environments() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="pip install tactum[learn]")
    from gymnasium.utils.env_checker import check_env
    from tactum import envs

    for name in envs.IDS:
        check_env(gymnasium.make(name).unwrapped, skip_render_check=True)
        many = gymnasium.make_vec(name, num_envs=3)
        seen, _ = many.reset(seed=0)
        assert many.observation_space.contains(seen)
        assert many.step(many.action_space.sample())[1].shape == (3,)


def test_19_a_viewer_without_a_screen(tmp_path: Path) -> None:
    # test_view_browser.py opens these pages in a real browser
    shown = view.NullBackend()
    viewer = view.Viewer(shown)
    viewer.add(SHAPES["box"])
    assert len(shown.bodies) == 1
    pytest.importorskip("viser", reason="pip install tactum[view]")
    motion = {"geometries": [SHAPES["box"]], "poses": np.eye(4)[None, None], "time": [0.0]}
    page = view.record(motion).to_html(tmp_path / "page.html")
    assert not re.search(r'<(script|link|img)[^>]+(src|href)="?(https?:)?//', page)
    assert "<iframe" in view.record(motion)._repr_html_()


def quiet_chunk(chunk: int, rng: np.random.Generator) -> Any:
    return rng.random(2)


def test_20_progress_interrupts_logs_and_silence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[tuple[int, int]] = []
    sweep.run(quiet_chunk, 3, tmp_path, progress=lambda *at: heard.append(at))
    assert heard[0] == (0, 3) and heard[-1] == (3, 3)
    (tmp_path / "chunk-00000001.npz").write_bytes(b"damaged")
    with caplog.at_level(logging.WARNING, "tactum"):
        sweep.run(quiet_chunk, 3, tmp_path)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    rng = np.random.default_rng(0)
    hull = tactum.Convex.from_points(rng.normal(size=(50, 3)))
    tactum.distances(hull, None, hull, np.tile(np.eye(4), (100, 1, 1)))
    assert capfd.readouterr() == ("", ""), "nothing is printed"
    code = """
import os, signal, threading, numpy as np, tactum
signal.signal(signal.SIGINT, signal.default_int_handler)
hull = tactum.Convex.from_points(np.random.default_rng(0).normal(size=(500, 3)))
threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    tactum.distance_derivative(hull, None, hull, None, estimator=tactum.ZerothOrder(samples=10**6))
except KeyboardInterrupt:
    print("stopped")
"""
    shown = python(code, PATH=os.environ.get("PATH", ""))
    assert shown.stdout.strip() == "stopped", shown.stderr


def test_all_twenty_are_here() -> None:
    names = [name for name in globals() if re.match(r"test_\d\d_", name)]
    assert {int(name[5:7]) for name in names} == set(range(1, 21))
