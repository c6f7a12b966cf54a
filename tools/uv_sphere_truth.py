# SPDX-License-Identifier: BSD-2-Clause
"""Depth of two deeply overlapping hulls of latitude-longitude spheres (some 930 vertices each).

The facets of A - B are found on the Gauss map: a face of A or B, or an edge of A and an edge of B
whose arcs cross. Arcs that only nearly cross are kept too: a direction too many does no harm, since
its separation is evaluated with true supports. The scan is in double precision, the best directions
of each pose are evaluated again in 60 digits.
"""

import math

import numpy as np
from hard_case_truth import ONE, Truth, apply, best_direction, cross, dot, mul, sub, unit, vec
from mpmath import mpf


class UvSphere:
    """Vertices on `polar` rings (both poles included) and `azimuth` columns (the last column
    repeats the first)."""

    def __init__(self, radius, polar, azimuth):
        step_p, step_a = math.pi / (polar - 1), 2 * math.pi / (azimuth - 1)
        self.points = [
            (
                radius * math.sin(p * step_p) * math.cos(a * step_a),
                radius * math.sin(p * step_p) * math.sin(a * step_a),
                radius * math.cos(p * step_p),
            )
            for p in range(polar)
            for a in range(azimuth)
        ]
        columns = azimuth - 1
        vertex = lambda p, a: p * azimuth + (a % columns)
        # faces: one normal per (band, column); edges: two vertices and the two faces beside them
        corner = np.array(self.points)
        face = lambda p, a: p * columns + a % columns
        normals = np.zeros(((polar - 1) * columns, 3))
        for p in range(polar - 1):
            for a in range(columns):
                across = corner[vertex(p + 1, a + 1)] - corner[vertex(p, a)]
                other = corner[vertex(p + 1, a)] - corner[vertex(p, a + 1)]
                n = np.cross(other, across)
                normals[face(p, a)] = n / np.linalg.norm(n)
        meridian = [
            (vertex(p, a), vertex(p + 1, a), face(p, a - 1), face(p, a))
            for p in range(polar - 1)
            for a in range(columns)
        ]
        parallel = [
            (vertex(p, a), vertex(p, a + 1), face(p - 1, a), face(p, a))
            for p in range(1, polar - 1)
            for a in range(columns)
        ]
        self.normals, self.edges = normals, np.array(meridian + parallel)
        self.corners = corner


def facet_directions(a, b, rotation):
    """Unit normals of the facets of A - B for B turned by `rotation` (3x3 array), with the edges
    that define each of them."""
    faces_b = -(b.normals @ rotation.T)
    n1, n2 = a.normals[a.edges[:, 2]], a.normals[a.edges[:, 3]]
    m1, m2 = faces_b[b.edges[:, 2]], faces_b[b.edges[:, 3]]
    ba, dc = np.cross(n2, n1), np.cross(m2, m1)
    cba, dba, adc, bdc = ba @ m1.T, ba @ m2.T, n1 @ dc.T, n2 @ dc.T
    slack = 1e-9
    hits = np.argwhere(
        (cba * dba <= slack**2)
        & (adc * bdc <= slack**2)
        & (cba * bdc >= -(slack**2))
        & ((n1 + n2) @ (m1 + m2).T > 0)
    )
    directions = [(n, None) for n in a.normals] + [(n, None) for n in faces_b]
    for i, j in hits:
        e = a.corners[a.edges[i, 1]] - a.corners[a.edges[i, 0]]
        f = rotation @ (b.corners[b.edges[j, 1]] - b.corners[b.edges[j, 0]])
        n = np.cross(e, f)
        length = np.linalg.norm(n)
        if length > 1e-12 * np.linalg.norm(e) * np.linalg.norm(f):
            directions.append((n / length, (tuple(a.edges[i, :2]), tuple(b.edges[j, :2]))))
    return directions


def uv_sphere_truth(a, b, rotation, translations):
    """One Truth per translation of B; A stands at the origin. `rotation` holds rows of doubles,
    used as an affine map."""
    turned = np.array(rotation)
    directions = facet_directions(a, b, turned)
    unit_normals = np.array([n for n, _ in directions])
    unit_normals = np.vstack([unit_normals, -unit_normals])
    h_a = (unit_normals @ a.corners.T).max(axis=1)
    h_b = (-unit_normals @ (b.corners @ turned.T).T).max(axis=1)
    exact_a, exact_b = (
        [vec(p) for p in a.points],
        [apply([vec(r) for r in rotation], vec(p)) for p in b.points],
    )
    results = []
    for t in translations:
        s = -h_a - h_b + unit_normals @ np.array(t)
        best = np.argsort(-s)[:12]
        candidates = []
        for k in best:
            normal, edges = directions[k % len(directions)]
            n = vec(normal)
            if edges:
                (i, j), (p, q) = edges
                c = unit(cross(sub(exact_a[j], exact_a[i]), sub(exact_b[q], exact_b[p])))
                n = c if dot(c, n) > 0 else mul(c, -ONE)
            if k >= len(directions):
                n = mul(n, -ONE)
            n = unit(n)
            value = (
                -max(dot(n, p) for p in exact_a) - max(-dot(n, p) for p in exact_b) + dot(n, vec(t))
            )
            candidates.append((value, n))
        value, normal = best_direction(candidates, mpf(3))
        results.append(
            Truth(
                value,
                normal,
                "facets of the Minkowski difference on the Gauss map, best ones in 60 digits",
            )
        )
    return results
