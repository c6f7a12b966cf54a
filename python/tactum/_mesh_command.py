# SPDX-License-Identifier: BSD-2-Clause
"""`tactum mesh FILE...`, `tactum decompose FILE`, and mesh files as shapes of `tactum distance`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import tactum

SUFFIXES = {".obj", ".stl", ".ply", ".dae"}

MESH_DESCRIPTION = """Says what meshes are like: closed, manifold, oriented, their volume and where the first fault is.

Lengths are in metres; --scale 1e-3 is for files in millimetres."""

DECOMPOSE_DESCRIPTION = """Cuts a mesh into convex parts with CoACD (pip install tactum[decompose]) and says how well they stand for it.

Parts are kept on disk; the second call with the same mesh and parameters reads them."""


def read_mesh(path: Path, scale: float = 1.0) -> tactum.Mesh:
    """The mesh of a file; solid where it is closed and oriented outward."""
    mesh = tactum.Mesh.from_file(path, scale=scale)
    report = mesh.report()
    if not (report.closed and report.oriented and report.volume > 0.0):
        return mesh
    return tactum.Mesh(vertices=mesh.vertices, triangles=mesh.triangles, solid=True)


def add_mesh_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tactum mesh`."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=".obj, .stl, .ply or .dae")
    parser.add_argument(
        "--scale", type=float, default=1.0, metavar="S", help="factor on all lengths"
    )
    parser.add_argument(
        "--self-intersections",
        action="store_true",
        help="count the pairs of triangles that meet where they should not",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON list")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="write a picture of all files")


def run_mesh(arguments: argparse.Namespace) -> None:
    """Prints the reports of files."""
    meshes = [(name, read_mesh(Path(name), arguments.scale)) for name in arguments.files]
    reports = [report_of(name, mesh, arguments.self_intersections) for name, mesh in meshes]
    if arguments.json:
        print(json.dumps(reports, allow_nan=False))
    else:
        print("\n\n".join(_text_of(report) for report in reports))
    if arguments.plot is not None:
        from . import _plot_mesh

        _plot_mesh.draw_panels(
            arguments.plot,
            [
                _plot_mesh.Panel(Path(name).name, [_plot_mesh.body_of_mesh(mesh)])
                for name, mesh in meshes
            ],
        )
        print(f"picture: {arguments.plot}", file=sys.stderr)


def report_of(name: str, mesh: tactum.Mesh, self_intersections: bool = False) -> dict[str, Any]:
    """The report of one mesh as a JSON object."""
    report = mesh.report(self_intersections=self_intersections)
    lower, upper = mesh.aabb()
    edge = report.first_offending_edge
    return {
        "file": name,
        "vertices": len(mesh.vertices),
        "triangles": len(mesh.triangles),
        "size": [float(x) for x in upper - lower],
        "solid": mesh.solid,
        "closed": report.closed,
        "manifold": report.manifold,
        "oriented": report.oriented,
        "components": report.num_components,
        "volume": report.volume,
        "area": report.area,
        "boundary_edges": report.num_boundary_edges,
        "non_manifold_edges": report.num_non_manifold_edges,
        "misoriented_edges": report.num_misoriented_edges,
        "duplicate_vertices": report.num_duplicate_vertices,
        "duplicate_triangles": report.num_duplicate_triangles,
        "degenerate_triangles": report.num_degenerate_triangles,
        "unused_vertices": report.num_unused_vertices,
        "self_intersections": report.num_self_intersections,
        "first_offending_edge": None if edge is None else [int(v) for v in edge],
        "bytes": mesh.nbytes,
    }


def _text_of(report: dict[str, Any]) -> str:
    def yes(value: bool) -> str:
        return "yes" if value else "no"

    size = " x ".join(f"{x:.4g}" for x in report["size"])
    lines = [
        f"{report['file']}",
        f"  size        {size} m, {report['vertices']} vertices, {report['triangles']} triangles",
        f"  closed      {yes(report['closed'])}, manifold {yes(report['manifold'])}, "
        f"oriented {yes(report['oriented'])}, {report['components']} components",
        f"  volume      {report['volume']:.6g} m^3, area {report['area']:.6g} m^2",
    ]
    faults = [
        f"{report[name]} {name.replace('_', ' ')}"
        for name in (
            "boundary_edges",
            "non_manifold_edges",
            "misoriented_edges",
            "duplicate_vertices",
            "duplicate_triangles",
            "degenerate_triangles",
            "unused_vertices",
            "self_intersections",
        )
        if report[name]
    ]
    if faults:
        lines.append(f"  faults      {', '.join(faults)}")
    if report["first_offending_edge"] is not None:
        first, second = report["first_offending_edge"]
        lines.append(f"  first       edge of vertices {first} and {second}, counted from 0")
    return "\n".join(lines)


def add_decompose_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tactum decompose`."""
    parser.add_argument("file", metavar="FILE", help=".obj, .stl, .ply or .dae")
    parser.add_argument(
        "--scale", type=float, default=1.0, metavar="S", help="factor on all lengths"
    )
    parser.add_argument("--max-parts", type=int, default=32, metavar="N", help="default: 32")
    parser.add_argument("--concavity", type=float, default=0.05, metavar="C", help="default: 0.05")
    parser.add_argument("--seed", type=int, default=0, metavar="K", help="default: 0")
    parser.add_argument("--timeout", type=float, default=600.0, metavar="T", help="seconds")
    parser.add_argument("--parts", metavar="FILE", help="take the parts of this OBJ file instead")
    parser.add_argument("--out", type=Path, metavar="OBJ", help="write the parts, one group each")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--plot", type=Path, metavar="PNG", help="write a picture of mesh and parts"
    )


def run_decompose(arguments: argparse.Namespace) -> None:
    """Prints the report of the parts of a mesh."""
    mesh = read_mesh(Path(arguments.file), arguments.scale)
    if arguments.parts is not None:
        parts = tactum.load_parts(arguments.parts, mesh, scale=arguments.scale)
    else:
        parts = _decompose(mesh, arguments)
    report = parts.report()
    if arguments.json:
        names = (
            "num_parts num_vertices mesh_volume parts_volume covered added standard_error"
            " distance_to_parts distance_to_mesh largest_distance"
        )
        print(json.dumps({name: getattr(report, name) for name in names.split()}, allow_nan=False))
    else:
        print(report)
    if arguments.out is not None:
        write_parts(parts, arguments.out)
    if arguments.plot is not None:
        from . import _plot_mesh

        _plot_mesh.draw_panels(
            arguments.plot,
            [
                _plot_mesh.Panel("mesh", [_plot_mesh.body_of_mesh(mesh)]),
                _plot_mesh.Panel(f"{len(parts)} parts", _plot_mesh.bodies_of_parts(parts)),
            ],
        )


def _decompose(mesh: tactum.Mesh, arguments: argparse.Namespace) -> tactum.Decomposition:
    show = sys.stderr.isatty()
    try:
        return tactum.decompose(
            mesh,
            max_parts=arguments.max_parts,
            concavity=arguments.concavity,
            seed=arguments.seed,
            timeout=arguments.timeout,
            progress=(lambda line: print(f"\r{line:<60}", end="", file=sys.stderr))
            if show
            else None,
        )
    except (ImportError, RuntimeError) as error:
        raise ValueError(str(error)) from None
    finally:
        if show:
            print("\r" + " " * 60 + "\r", end="", file=sys.stderr)


def write_parts(parts: tactum.Compound, path: Path) -> None:
    """Writes an OBJ file with one group a part, which load_parts() reads."""
    lines = []
    count = 1
    for index, (shape, _) in enumerate(parts.parts):
        if not isinstance(shape, tactum.Convex):
            raise TypeError(f"parts[{index}]: got {type(shape).__name__}; give convex hulls")
        lines.append(f"o part_{index}")
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in shape.vertices.tolist()]
        lines += [f"f {a + count} {b + count} {c + count}" for a, b, c in shape.faces.tolist()]
        count += len(shape.vertices)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
