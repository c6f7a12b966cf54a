# SPDX-License-Identifier: BSD-2-Clause
"""python -m tactum: the command line tool."""

import sys

from .cli import main

sys.exit(main())
