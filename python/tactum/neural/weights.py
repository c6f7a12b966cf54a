# SPDX-License-Identifier: BSD-2-Clause
"""Files of weights in the safetensors format: eight bytes with the length of a header, the header in
JSON, then the numbers. Ours hold little-endian 32-bit floats alone."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_BYTES = 64 * 1024 * 1024


def save_weights(path: Path, tensors: Mapping[str, Any], metadata: Mapping[str, str]) -> None:
    """Writes arrays, or tensors of PyTorch, under their names."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    blocks, offset = [], 0
    for name in sorted(tensors):
        value = tensors[name]
        array = np.ascontiguousarray(
            value.detach().cpu().numpy() if hasattr(value, "detach") else value, dtype="<f4"
        )
        header[name] = {
            "dtype": "F32",
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        blocks.append(array.tobytes())
        offset += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blocks))


def load_weights(path: Path) -> tuple[dict[str, npt.NDArray[np.float32]], dict[str, str]]:
    """Arrays and metadata of a file. Raises ValueError on a file that is not one of ours."""
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise ValueError(f"{path}: {size} bytes are no file of weights")
    content = path.read_bytes()
    header, body = _parts(content, str(path))
    arrays = {}
    try:
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            first, last = (int(value) for value in entry["data_offsets"])
            if entry["dtype"] != "F32" or not 0 <= first <= last <= len(body):
                raise ValueError(f"{name} is not an array of 32-bit floats inside the file")
            array = np.frombuffer(body[first:last], dtype="<f4")
            arrays[name] = array.reshape([int(value) for value in entry["shape"]]).copy()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: not a file of weights: {error}") from None
    if not arrays:
        raise ValueError(f"{path}: a file without arrays")
    return arrays, metadata_of(content, str(path))


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal: it names the weights that a report is about."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def metadata_of(content: bytes, name: str) -> dict[str, str]:
    """The metadata of the bytes of a file."""
    header, _ = _parts(content, name)
    metadata = header.get("__metadata__", {})
    if not isinstance(metadata, dict):
        raise ValueError(f"{name}: not a file of weights")
    return {str(key): str(value) for key, value in metadata.items()}


def _parts(content: bytes, name: str) -> tuple[dict[str, Any], bytes]:
    """Header and numbers."""
    length = struct.unpack_from("<Q", content)[0] if len(content) >= 8 else MAX_BYTES
    if length > len(content) - 8:
        raise ValueError(f"{name}: the header is longer than the file")
    try:
        header = json.loads(content[8 : 8 + length])
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise ValueError(f"{name}: not a file of weights: {error}") from None
    if not isinstance(header, dict):
        raise ValueError(f"{name}: not a file of weights")
    return header, content[8 + length :]
