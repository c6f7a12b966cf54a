# SPDX-License-Identifier: BSD-2-Clause
"""Every function of the bridges to JAX and PyTorch with an argument to differentiate it by: text that
begins the programs of test_expectations.py, where `bridge` is one of the two."""

BRIDGE_CASES = """
egg, stone = (tactum.Ellipsoid(semi_axes=axes) for axes in ((0.3, 0.2, 0.1), (0.1, 0.2, 0.15)))
places = np.array([[0.5, 0.3, 0.2, 0.1, 0.5, 0.5, 0.7], [0.1, 0.6, 0.2, 0.3, 0.1, 0.5, 0.7]])
rng = np.random.default_rng(0)
root = rng.normal(size=(6, 6))
G, g, R = root @ root.T, rng.normal(size=6), 0.1
points = rng.normal(size=(4, 3))
options = sim.StepOptions(tolerance=1e-12)
builder = sim.ModelBuilder()
builder.add_ground(friction=0.4)
builder.add_body(tactum.Sphere(radius=0.1), mass=1.0, X=tactum.pose(xyz=(0.0, 0.0, 0.1)))
model = builder.build()
q, v = model.state().q, np.array([1.0, 0.2, -0.5, 0.5, 2.0, -1.0])
cases = {
    "distance": (lambda x: bridge.distance(egg, np.eye(4), stone, places[0], tangent_b=x)[:4], np.zeros(6)),
    "distances": (lambda x: bridge.distances(egg, np.eye(4), stone, places, tangent_b=x)[:4], np.zeros((2, 6))),
    "signed_distance": (lambda x: bridge.signed_distance(egg, np.eye(4), x), points),
    "solve": (lambda x: bridge.solve(G, x, 0.5, R, tolerance=1e-12)[:2], g),
    "step": (lambda x: bridge.step(model, q, x, options=options)[:2], v),
}
functions = {name for name in bridge.__all__ if name.islower()}
"""
