# SPDX-License-Identifier: BSD-2-Clause
"""python -m tactum.neural: the same as `tactum neural`."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
