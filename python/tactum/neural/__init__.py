# SPDX-License-Identifier: BSD-2-Clause
"""A learned collision check of non-convex objects, with an exact check behind it."""
