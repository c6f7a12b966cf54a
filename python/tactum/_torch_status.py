# SPDX-License-Identifier: BSD-2-Clause
"""Numbers of tactum.Status in a tensor of PyTorch that compares with names. A plain tensor differs
from any name in silence."""

from __future__ import annotations

from typing import Any

import torch

from ._bridge_status import number_of


class StatusTensor(torch.Tensor):
    """A tensor of uint8 whose comparison with a name or a value of Status is a mask. What is computed
    from it is a plain tensor."""

    __torch_function__ = torch._C._disabled_torch_function_impl
    __hash__ = torch.Tensor.__hash__

    def __eq__(self, other: object) -> Any:
        return self.as_subclass(torch.Tensor) == number_of(other)

    def __ne__(self, other: object) -> Any:
        return self.as_subclass(torch.Tensor) != number_of(other)
