# SPDX-License-Identifier: BSD-2-Clause
"""Signed distances of convex pairs in 60-digit arithmetic, by enumeration: slow, and independent of
the library.

The signed distance is the largest separation s(n) = -h_A(n) - h_B(-n) over unit directions n (from
A to B), where h is the support function: the distance when it is positive, minus the depth when it
is negative. Each oracle enumerates a set of directions that is known to hold the best one.

Polytopes   Directions of the facets of A - B: face normals of both and cross products of their
            edges. When apart, the smallest vertex-face and edge-edge distance. Points and segments
            count as polytopes, so spheres and capsules are a core and a radius.
Cylinder    with a polytope: face normals, the axis, axis x edge, the direction to each vertex, and
            for each edge the best direction in the plane across it (a scan of the circle, then
            golden section).
Ellipsoids  every local maximum of s found by a scan of the sphere, refined by Newton's method on
the tangent plane.
"""

from itertools import combinations

from mpmath import cos, lu_solve, matrix, mp, mpf, pi, sin, sqrt

mp.dps = 60
ZERO, ONE = mpf(0), mpf(1)
TINY = mpf(10) ** -40  # below every length that matters, above the rounding of 60 digits


def vec(values):
    return tuple(mpf(v) for v in values)


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def mul(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a):
    return sqrt(dot(a, a))


def unit(a):
    return mul(a, 1 / norm(a))


def apply(rotation, v):
    return tuple(dot(row, v) for row in rotation)


def apply_transposed(rotation, v):
    return tuple(sum(rotation[k][i] * v[k] for k in range(3)) for i in range(3))


class Pose:
    """Rotation (rows) and translation; the rotation is used as an affine map, exactly as its
    doubles say."""

    def __init__(self, rotation, translation):
        self.rotation = [vec(row) for row in rotation]
        self.translation = vec(translation)

    def point(self, p):
        return add(apply(self.rotation, p), self.translation)


class Polytope:
    """Hull of points given in the world: faces as (normal, triangles), edges as vertex pairs.
    Dimension 0 to 3."""

    def __init__(self, points):
        self.vertices = self.distinct(points)
        self.size = max(norm(sub(p, self.vertices[0])) for p in self.vertices) + TINY
        self.normals, self.triangles, self.edges = [], [], []
        self.build()

    @staticmethod
    def distinct(points):
        kept = []
        for p in points:
            if all(norm(sub(p, q)) > TINY for q in kept):
                kept.append(p)
        return kept

    def build(self):
        v = self.vertices
        planes = []  # unit normal outwards, vertices on it
        on_pair = {}
        for i, j, k in combinations(range(len(v)), 3):
            c = cross(sub(v[j], v[i]), sub(v[k], v[i]))
            length = norm(c)
            if length <= TINY * self.size:
                continue
            n = mul(c, 1 / length)
            heights = [dot(n, sub(p, v[i])) for p in v]
            low, high = min(heights), max(heights)
            if low < -TINY and high > TINY:
                continue
            self.triangles.append((v[i], v[j], v[k]))
            for outward in ([n] if high <= TINY else []) + ([mul(n, -ONE)] if low >= -TINY else []):
                if all(norm(sub(outward, other)) > TINY for other, _ in planes):
                    planes.append(
                        (outward, frozenset(m for m, h in enumerate(heights) if abs(h) <= TINY))
                    )
        self.normals = [n for n, _ in planes]
        flat = len(planes) == 2
        for n, on in planes:
            for i, j in combinations(sorted(on), 2):
                side = [dot(cross(n, sub(v[j], v[i])), sub(v[m], v[i])) for m in on]
                if min(side) >= -TINY * self.size or max(side) <= TINY * self.size:
                    on_pair.setdefault((i, j), 0)
                    on_pair[i, j] += 1
        self.edges = [(v[i], v[j]) for (i, j), count in on_pair.items() if count >= 2 or flat]
        if not planes and len(v) > 1:  # a segment: its ends are the farthest pair
            self.edges = [max(combinations(v, 2), key=lambda e: norm(sub(*e)))]

    def support(self, n):
        return max(dot(n, p) for p in self.vertices)


def closest_on_triangle(p, a, b, c):
    """Closest point of a triangle: the foot of p when it lies inside, else the best of the three
    edges."""
    n = cross(sub(b, a), sub(c, a))
    if all(dot(cross(n, sub(y, x)), sub(p, x)) >= 0 for x, y in ((a, b), (b, c), (c, a))):
        return sub(p, mul(n, dot(n, sub(p, a)) / dot(n, n)))
    feet = [closest_on_segment(p, x, y) for x, y in ((a, b), (b, c), (c, a))]
    return min(feet, key=lambda q: norm(sub(p, q)))


def closest_on_segment(p, a, b):
    d = sub(b, a)
    t = min(ONE, max(ZERO, dot(sub(p, a), d) / dot(d, d)))
    return add(a, mul(d, t))


def closest_of_segments(p, q, r, s):
    """Closest points of two segments: inside both, or an end of one against the other."""
    d, e, w = sub(q, p), sub(s, r), sub(p, r)
    best = [(closest_on_segment(x, p, q), x) for x in (r, s)] + [
        (x, closest_on_segment(x, r, s)) for x in (p, q)
    ]
    a, b, c = dot(d, d), dot(d, e), dot(e, e)
    determinant = a * c - b * b
    if determinant > TINY * a * c:
        t = (b * dot(e, w) - c * dot(d, w)) / determinant
        u = (a * dot(e, w) - b * dot(d, w)) / determinant
        if 0 <= t <= 1 and 0 <= u <= 1:
            best.append((add(p, mul(d, t)), add(r, mul(e, u))))
    return min(best, key=lambda pair: norm(sub(*pair)))


def closest_of_polytopes(a, b):
    pairs = [(p, q) for p in a.vertices for q in b.vertices]
    pairs += [(p, closest_on_triangle(p, *t)) for p in a.vertices for t in b.triangles]
    pairs += [(closest_on_triangle(q, *t), q) for q in b.vertices for t in a.triangles]
    pairs += [(p, closest_on_segment(p, *e)) for p in a.vertices for e in b.edges]
    pairs += [(closest_on_segment(q, *e), q) for q in b.vertices for e in a.edges]
    pairs += [closest_of_segments(*e, *f) for e in a.edges for f in b.edges]
    return min(pairs, key=lambda pair: norm(sub(*pair)))


def separation(n, a, b):
    return -a.support(n) - b.support(mul(n, -ONE))


class Truth:
    """signed: signed distance. normal: direction from A to B when only one is best (None
    otherwise). method: how."""

    def __init__(self, signed, normal, method):
        self.signed, self.normal, self.method = signed, normal, method


def best_direction(candidates, scale):
    """The best (separation, direction), and the direction alone when no other comes within 1e-6
    scale of it."""
    value, direction = max(candidates, key=lambda c: c[0])
    rivals = [
        n
        for s, n in candidates
        if s > value - scale * mpf(10) ** -6 and norm(sub(n, direction)) > mpf(10) ** -6
    ]
    return value, (None if rivals else direction)


def facet_directions(a, b):
    directions = list(a.normals) + list(b.normals)
    for e in a.edges:
        for f in b.edges:
            c = cross(sub(e[1], e[0]), sub(f[1], f[0]))
            if norm(c) > TINY * a.size * b.size:
                directions.append(unit(c))
    return directions


def polytope_truth(a, b, radius=ZERO):
    """Two polytopes, swept by spheres whose radii add up to `radius`. The normal of a flat
    difference is among the directions."""
    scale = a.size + b.size + norm(sub(a.vertices[0], b.vertices[0]))
    candidates = [
        (separation(s, a, b), s) for n in facet_directions(a, b) for s in (n, mul(n, -ONE))
    ]
    value, normal = best_direction(candidates, scale) if candidates else (ZERO, None)
    flat = (
        any(
            abs(separation(n, a, b) + separation(mul(n, -ONE), a, b)) <= TINY for _, n in candidates
        )
        or not candidates
    )
    if value <= TINY and not flat:
        return Truth(
            value - radius, normal, "facet directions of the Minkowski difference, 60 digits"
        )
    p, q = closest_of_polytopes(a, b)
    gap = norm(sub(q, p))
    if gap > scale * mpf(10) ** -6:
        normal = unit(sub(q, p))
    elif gap - value > gap * mpf(10) ** -9:
        normal = None
    return Truth(gap - radius, normal, "vertex-face and edge-edge enumeration, 60 digits")


class Cylinder:
    """Axis z, in the world by its pose."""

    def __init__(self, radius, half_length, pose):
        self.radius, self.half_length, self.pose = mpf(radius), mpf(half_length), pose
        self.axis = unit(apply(pose.rotation, (ZERO, ZERO, ONE)))
        self.center = pose.translation

    def support(self, n):
        along = dot(n, self.axis)
        across = sqrt(max(ZERO, dot(n, n) - along * along))
        return dot(n, self.center) + self.radius * across + self.half_length * abs(along)

    def signed(self, p):
        """Signed distance of a point and the direction from the cylinder to it (None when not
        unique)."""
        r = sub(p, self.center)
        along = dot(r, self.axis)
        radial = sub(r, mul(self.axis, along))
        rho = norm(radial)
        over, out = abs(along) - self.half_length, rho - self.radius
        cap = mul(self.axis, ONE if along > 0 else -ONE)
        if over <= 0 and out <= 0:
            if rho <= TINY or abs(over - out) < TINY:
                return max(over, out), None
            return max(over, out), (cap if over > out else unit(radial))
        step = add(
            mul(cap, max(over, ZERO)),
            mul(unit(radial), max(out, ZERO)) if rho > TINY else (ZERO,) * 3,
        )
        return norm(step), unit(step)


def circle_maxima(f, samples=720):
    """Local maxima of f over [0, 2 pi): a scan, then golden section around every local maximum
    of the scan."""
    step = 2 * pi / samples
    values = [f(step * k) for k in range(samples)]
    ratio = (sqrt(mpf(5)) - 1) / 2
    found = []
    for k in range(samples):
        if values[k] < values[k - 1] or values[k] < values[(k + 1) % samples]:
            continue
        low, high = step * (k - 1), step * (k + 1)
        x, y = high - ratio * (high - low), low + ratio * (high - low)
        fx, fy = f(x), f(y)
        for _ in range(130):
            if fx > fy:
                high, y, fy = y, x, fx
                x = high - ratio * (high - low)
                fx = f(x)
            else:
                low, x, fx = x, y, fy
                y = low + ratio * (high - low)
                fy = f(y)
        found.append((low + high) / 2)
    return found


def cylinder_polytope_truth(cylinder, polytope, radius=ZERO):
    """A cylinder (A) and a polytope (B), swept by spheres whose radii add up to `radius`."""
    directions = [s for n in polytope.normals for s in (n, mul(n, -ONE))] + [
        cylinder.axis,
        mul(cylinder.axis, -ONE),
    ]
    for p in polytope.vertices:
        distance, toward = cylinder.signed(p)
        if distance > TINY and toward is not None:
            directions.append(toward)
    for tail, head in polytope.edges:
        e = unit(sub(head, tail))
        across = cross(cylinder.axis, e)
        u = (
            unit(across)
            if norm(across) > TINY
            else unit(cross(e, (ONE, ZERO, ZERO) if abs(e[0]) < 0.5 else (ZERO, ONE, ZERO)))
        )
        w = cross(e, u)
        if norm(across) > TINY:
            directions += [u, mul(u, -ONE)]

        def turn(angle, u=u, w=w):
            return add(mul(u, cos(angle)), mul(w, sin(angle)))

        directions += [
            turn(t) for t in circle_maxima(lambda t: separation(turn(t), cylinder, polytope))
        ]
    scale = (
        polytope.size
        + norm(sub(polytope.vertices[0], cylinder.center))
        + cylinder.radius
        + cylinder.half_length
    )
    value, normal = best_direction(
        [(separation(n, cylinder, polytope), n) for n in directions], scale
    )
    return Truth(
        value - radius, normal, "best of face, axis, vertex and edge-circle directions, 60 digits"
    )


def sphere_cylinder_truth(point, radius, cylinder):
    """A sphere (A) and a cylinder (B)."""
    signed, outward = cylinder.signed(point)
    return Truth(
        signed - radius, None if outward is None else mul(outward, -ONE), "closed form, 60 digits"
    )


class Ellipsoid:
    def __init__(self, semi_axes, pose):
        self.semi_axes, self.pose = vec(semi_axes), pose
        rows = [mul(row, ONE) for row in pose.rotation]
        self.shape = [
            [
                sum(rows[i][k] * self.semi_axes[k] ** 2 * rows[j][k] for k in range(3))
                for j in range(3)
            ]
            for i in range(3)
        ]

    def support_point(self, n):
        w = apply(self.shape, n)
        return add(self.pose.translation, mul(w, 1 / sqrt(dot(n, w))))

    def support(self, n):
        return dot(n, self.pose.translation) + sqrt(dot(n, apply(self.shape, n)))

    def hessian(self, n):
        w = apply(self.shape, n)
        h = sqrt(dot(n, w))
        return [[self.shape[i][j] / h - w[i] * w[j] / h**3 for j in range(3)] for i in range(3)]


def ellipsoid_truth(a, b, radius=ZERO, samples=3000):
    """Two ellipsoids, swept by spheres whose radii add up to `radius`."""
    golden = pi * (3 - sqrt(mpf(5)))
    with_precision = mp.dps
    mp.dps = 20  # enough to choose the starts
    directions = []
    for k in range(samples):
        z = 1 - mpf(2 * k + 1) / samples
        r = sqrt(1 - z * z)
        directions.append((r * cos(golden * k), r * sin(golden * k), z))
    starts = sorted(directions, key=lambda n: -separation(n, a, b))[:40]
    mp.dps = with_precision
    candidates = [(separation(n, a, b), n) for n in (newton_on_sphere(a, b, s) for s in starts)]
    value, normal = best_direction(candidates, a.semi_axes[0] + b.semi_axes[0])
    return Truth(
        value - radius,
        normal,
        "40 best of 3000 directions refined by Newton's method on the sphere, 60 digits",
    )


def newton_on_sphere(a, b, n):
    """Maximises s on the sphere: steps along the gradient until Newton's step is one of ascent,
    then Newton to 55 digits."""
    n = unit(n)
    for _ in range(200):
        u = unit(cross(n, (ONE, ZERO, ZERO) if abs(n[0]) < 0.6 else (ZERO, ONE, ZERO)))
        w = cross(n, u)
        gradient = sub(b.support_point(mul(n, -ONE)), a.support_point(n))
        g = (dot(gradient, u), dot(gradient, w))
        if g[0] ** 2 + g[1] ** 2 < mpf(10) ** -110:
            break
        value = dot(gradient, n)
        ha, hb = a.hessian(n), b.hessian(n)
        basis = (u, w)
        H = matrix(2, 2)
        for i in range(2):
            for j in range(2):
                H[i, j] = (
                    dot(basis[i], apply(ha, basis[j]))
                    + dot(basis[i], apply(hb, basis[j]))
                    + (value if i == j else 0)
                )
        if (
            H[0, 0] <= 0 or H[0, 0] * H[1, 1] - H[0, 1] ** 2 <= 0
        ):  # not a maximum here: step along the gradient
            H = matrix([[a.semi_axes[0] + b.semi_axes[0], 0], [0, a.semi_axes[0] + b.semi_axes[0]]])
        step = lu_solve(H, matrix([g[0], g[1]]))
        length = ONE
        while length > mpf(10) ** -20:
            trial = unit(add(n, mul(add(mul(u, step[0]), mul(w, step[1])), length)))
            if separation(trial, a, b) >= value - mpf(10) ** -55:
                break
            length /= 2
        n = trial
    return n
