# SPDX-License-Identifier: BSD-2-Clause
"""`tactum play`: the playground in the browser, or a recording of it as one HTML file."""

from __future__ import annotations

import argparse
from typing import Any

from . import _view_command, view

DESCRIPTION = """Opens a page with two shapes to drag. It shows distance, proved bounds, witness points and normal; the
gradient by each estimator as an arrow; the cloud of perturbed witness points and the weights of the
smoothed support; and, in a second tab, a throw with the landings that its derivative predicts, and
a target that is hit by following it.

A and B are written as for `tactum distance`: box:half_extents=0.1,0.2,0.3, stp:points.npy,...,
part.obj. Needs viser: pip install 'tactum[view]'; the throw needs tactum[sim]."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tactum play`."""
    parser.add_argument("a", nargs="?", metavar="A", help="first shape (default: a hull)")
    parser.add_argument("b", nargs="?", metavar="B", help="second shape (default: a box)")
    parser.add_argument("--html", metavar="OUT", help="write a recorded tour as one HTML file")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0: other computers may look")
    parser.add_argument(
        "--port", type=int, metavar="N", help="default: the first free one from 8080 on"
    )
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="end after this time (default: at Ctrl-C)"
    )


def shapes_of(arguments: argparse.Namespace) -> tuple[Any, Any]:
    """A and B."""
    from ._playground import default_shapes
    from .cli import parse_geometry

    a: Any
    b: Any
    a, b = default_shapes()
    try:
        if arguments.a is not None:
            a = parse_geometry(arguments.a)
        if arguments.b is not None:
            b = parse_geometry(arguments.b)
    except ValueError as error:
        raise ValueError(f"A, B: {error}") from None
    return a, b


def run_command(arguments: argparse.Namespace) -> None:
    """Serves the page, or writes it."""
    try:
        from ._playground import Playground
    except ImportError as error:
        raise ValueError(str(error)) from None
    a, b = shapes_of(arguments)
    port = 0 if arguments.html is not None else arguments.port
    playground = Playground(a, b, arguments.host, port)
    try:
        if arguments.html is not None:
            view.write_html(playground.backend.to_html(playground.tour()), arguments.html)
            print(f"wrote {arguments.html}")
            return
        print(f"{playground.backend.url}   (Ctrl-C ends it)", flush=True)
        _view_command.wait(arguments.seconds)
    finally:
        playground.close()
