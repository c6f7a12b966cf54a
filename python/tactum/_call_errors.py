# SPDX-License-Identifier: BSD-2-Clause
"""One line that says which argument of a call does not fit, and the wrappers that ask for it.

The functions of the extension know their signatures as text; the wrappers read them when they are
asked for, so that importing the package stays fast."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core

if TYPE_CHECKING:
    import ast
    import inspect
    from collections.abc import Callable

    Called = TypeVar("Called", bound=Callable[..., Any])

#: What users of other libraries write, and what it is called here.
SYNONYMS = {
    "tol": "tolerance",
    "eps": "tolerance",
    "max_iter": "max_iterations",
    "maxiter": "max_iterations",
    "max_distance": "cutoff",
    "distance_upper_bound": "cutoff",
    "size": "half_extents",
    "extents": "half_extents",
    "half_size": "half_extents",
    "halfSide": "half_extents",
    "radii": "semi_axes",
    "length": "half_length",
    "height": "half_length",
    "lz": "half_length",
    "d": "offset",
    "n": "normal",
    "pose": "X",
    "transform": "X",
    "threshold": "margin",
    "security_margin": "margin",
    "margin": "cutoff",
    "cutoff": "margin",
    "triangles": "faces",
    "faces": "triangles",
    "quat": "quat_wxyz",
    "quaternion": "quat_wxyz",
    "mu": "friction",
    "timestep": "dt",
    "time_step": "dt",
    "threads": "num_threads",
}
SIZES = {"Sphere", "Ellipsoid", "Box", "Capsule", "Cylinder", "Cone", "HalfSpace"}


def _node(signature: str) -> ast.arguments:
    import ast

    function = ast.parse(signature + ": ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    return function.args


def signature_of(text: str) -> inspect.Signature:
    """The signature that a text such as "def f(a: int, *, b: float = 1.0) -> str" declares, with
    its annotations as text."""
    import ast
    import inspect

    node = _node(text)
    parameters = []

    def add(arg: ast.arg, kind: Any, default: ast.expr | None) -> None:
        parameters.append(
            inspect.Parameter(
                arg.arg,
                kind,
                default=inspect.Parameter.empty if default is None else _value(default),
                annotation=inspect.Parameter.empty
                if arg.annotation is None
                else ast.unparse(arg.annotation),
            )
        )

    ordinary = [*node.posonlyargs, *node.args]
    defaults = [None] * (len(ordinary) - len(node.defaults)) + list(node.defaults)
    for index, (arg, default) in enumerate(zip(ordinary, defaults, strict=True)):
        positional_only = index < len(node.posonlyargs)
        add(
            arg,
            inspect.Parameter.POSITIONAL_ONLY
            if positional_only
            else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default,
        )
    for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
        add(arg, inspect.Parameter.KEYWORD_ONLY, default)
    return inspect.Signature(parameters)


class _Shown:
    """A default that is shown as it is written in the signature."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _value(node: ast.expr) -> Any:
    import ast

    try:
        return ast.literal_eval(node)
    except ValueError:
        return _Shown(ast.unparse(node))


def explain(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Why these arguments do not fit a function of the extension."""
    signatures = [signature_of(entry[0]) for entry in target.__nb_signature__]
    if next(iter(signatures[0].parameters), "") == "self":
        args = args[1:]
    reasons = [_misfit(target.__name__, signature, args, kwargs) for signature in signatures]
    known = [reason for reason in reasons if reason is not None]
    # the overloads of a function have the same arguments, or fewer: the first is the fullest
    return known[0] if known else _wrong_types(target.__name__, signatures[0], args, kwargs)


def _wrong_types(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str:
    """The types that were given, where the names fit, and those that are taken."""
    given = [type(value).__name__ for value in args]
    given += [f"{key}={type(value).__name__}" for key, value in kwargs.items()]
    takes = [f"{p.name}: {p.annotation}" for p in signature.parameters.values() if p.name != "self"]
    return f"{name}: got {', '.join(given)}; it takes {', '.join(takes)}"


def misfit(name: str, signature: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Why these arguments do not fit a constructor."""
    reason = _misfit(name, signature_of(signature), args, kwargs)
    return reason or f"{name}: the arguments do not fit {signature}"


def _misfit(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str | None:
    import inspect

    parameters = list(signature.parameters.values())
    if parameters and parameters[0].name == "self":
        parameters = parameters[1:]
    names = [p.name for p in parameters]
    for key in kwargs:
        if key not in names:
            return f"{name}: there is no argument {key!r}{_meant(key, names)}"
    places = [p for p in parameters if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    if len(args) > len(places):
        keywords = [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
        if not places and keywords:
            example = ", ".join(
                f"{p.name}=..." for p in parameters if p.default is inspect.Parameter.empty
            )
            what = "sizes" if name in SIZES else "arguments"
            return f"{name}: {what} are keywords; write {name}({example or keywords[0] + '=...'})"
        takes = ", ".join(p.name for p in places) or "none"
        rest = f"; {keywords[0]} and what follows are keywords" if keywords else ""
        count = f"{len(args)} argument{'' if len(args) == 1 else 's'}"
        return f"{name}: got {count} without a name; it takes {takes}{rest}"
    given = {p.name for p in places[: len(args)]}
    for key in kwargs:
        if key in given:
            return f"{name}: {key!r} is given twice"
    missing = [
        p.name
        for p in parameters
        if p.default is inspect.Parameter.empty and p.name not in given and p.name not in kwargs
    ]
    if missing:
        return f"{name}: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
    return None


def _meant(key: str, names: list[str]) -> str:
    import difflib

    if SYNONYMS.get(key) in names:
        return f"; did you mean {SYNONYMS[key]!r}?"
    near = difflib.get_close_matches(key, names, n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else f"; it takes {', '.join(names) or 'none'}"


def explained(function: Called) -> Called:
    """The Python function, whose wrong calls are explained like those of the extension."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            trace = error.__traceback__
            if trace is not None and trace.tb_next is not None:
                raise  # it began to run
            import inspect

            reason = _misfit(function.__name__, inspect.signature(function), args, kwargs)
            raise (error if reason is None else TypeError(reason)) from None

    return wrapper  # type: ignore[return-value]


def document(target: Any) -> str:
    """The texts of a function and of its overloads."""
    import inspect

    texts = [inspect.cleandoc(entry[1]) for entry in target.__nb_signature__ if entry[1]]
    return "\n\n".join(dict.fromkeys(texts))


def first_signature(target: Any) -> inspect.Signature:
    """The signature of a function, or of its first overload."""
    return signature_of(target.__nb_signature__[0][0])


def entries(target: Any) -> Any:
    """What nanobind says of the overloads: signature and text of each."""
    return target.__nb_signature__


def _wrap(target: Any, kind: Any, module: str, qualname: str) -> Any:
    wrapper = kind(target)
    wrapper.__name__ = target.__name__
    wrapper.__qualname__ = qualname
    wrapper.__module__ = module
    return wrapper


# before anything is wrapped
_FUNCTION_TYPE = type(_core.distance)
_METHOD_TYPE = type(vars(_core.Shape)["support"])


def wrap_all(names: dict[str, Any], extension: Any = _core, module: str = "tactum") -> None:
    """Wraps the functions of an extension among these names, and the methods of its classes.

    module: where the names are public.
    """
    for name, value in list(names.items()):
        if name.startswith("_"):
            continue
        if isinstance(value, _FUNCTION_TYPE):
            names[name] = _wrap(value, _core._Function, module, name)  # type: ignore[attr-defined]
        elif isinstance(value, type) and value.__module__ == extension.__name__:
            for key, member in list(vars(value).items()):
                target = member.__func__ if isinstance(member, staticmethod) else member
                if key.startswith("_") or not isinstance(target, (_FUNCTION_TYPE, _METHOD_TYPE)):
                    continue
                bound = isinstance(target, _METHOD_TYPE)
                kind = _core._Method if bound else _core._Function  # type: ignore[attr-defined]
                setattr(value, key, _wrap(target, kind, module, f"{name}.{key}"))
