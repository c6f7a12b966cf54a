# SPDX-License-Identifier: BSD-2-Clause
"""One experiment a file; the list is in tactum.reproduce.experiment."""
