# SPDX-License-Identifier: BSD-2-Clause
"""Tables and figures of papers again: `tactum reproduce NAME`, or from Python

    from tactum.reproduce import Settings, load, run
    outcome = run(load("gjk-simplex"), Settings(quick=True))

A run takes any concurrent.futures.Executor; what is not a timing does not depend on it.
"""

from .experiment import Experiment, Outcome, Settings, load, names, run
from .report import make_row, write_report

__all__ = ["Experiment", "Outcome", "Settings", "load", "make_row", "names", "run", "write_report"]
