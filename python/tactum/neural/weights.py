# SPDX-License-Identifier: BSD-2-Clause
"""Files of weights in the safetensors format: eight bytes with the length of a header, the header in
JSON, then the numbers. Ours hold little-endian 32-bit floats alone."""

from __future__ import annotations

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
    if not 8 <= size <= MAX_BYTES:
        raise ValueError(f"{path}: {size} bytes are no file of weights")
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    if length > len(content) - 8:
        raise ValueError(f"{path}: the header is longer than the file")
    try:
        header = json.loads(content[8 : 8 + length])
        metadata = {str(k): str(v) for k, v in header.pop("__metadata__", {}).items()}
        body, arrays = content[8 + length :], {}
        for name, entry in header.items():
            first, last = (int(value) for value in entry["data_offsets"])
            if entry["dtype"] != "F32" or not 0 <= first <= last <= len(body):
                raise ValueError(f"{name} is not an array of 32-bit floats inside the file")
            array = np.frombuffer(body[first:last], dtype="<f4")
            arrays[name] = array.reshape([int(value) for value in entry["shape"]]).copy()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: not a file of weights: {error}") from None
    return arrays, metadata
