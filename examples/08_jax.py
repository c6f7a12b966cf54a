# SPDX-License-Identifier: BSD-2-Clause
"""JAX: gradients of distances under jit and vmap, a pose found by Newton's method, a shape that
is optimized."""

import jax
import jax.numpy as jnp
import tactum
import tactum.jax

jax.config.update("jax_enable_x64", True)

egg, drum = (
    tactum.Ellipsoid(semi_axes=(0.3, 0.2, 0.1)),
    tactum.Cylinder(radius=0.1, half_length=0.2),
)
X_WA = jnp.eye(4)
X_WB = jnp.array([0.5, 0.3, 0.2, 0.0, 0.0, 0.0, 1.0])  # x y z qx qy qz qw


def gap(tangent: jax.Array) -> jax.Array:
    """Distance after B has moved by a tangent [v; w]."""
    return tactum.jax.distance(egg, X_WA, drum, X_WB, tangent_b=tangent).distance


# value and gradient, compiled
value, gradient = jax.jit(jax.value_and_grad(gap))(jnp.zeros(6))
exact = tactum.distance_derivative(egg, X_WA, drum, X_WB).distance_jacobian[6:]
print(
    f"gap {value:.6f}, gradient as distance_derivative: {bool(jnp.allclose(gradient, exact, atol=1e-12))}"
)

# one gradient for each of many directions of approach
directions = jnp.eye(6)[:3] * jnp.array([[-0.1], [0.1], [0.2]])
print("gaps", " ".join(f"{g:.4f}" for g in jax.vmap(gap)(directions)))

# bring B to a gap of 1 mm along the line of steepest descent: Newton's method in one variable
line = jax.jit(jax.value_and_grad(lambda s: gap(-s * gradient) - 1e-3))
s = 0.0
for _ in range(10):
    f, slope = line(s)
    s = s - f / slope
print(f"gap after Newton {gap(-s * gradient) * 1e3:.6f} mm")


# the semi axes that touch the drum with the least volume added: gradient of a size
def with_axes(axes: jax.Array) -> jax.Array:
    """Gap as a function of the semi axes."""
    return tactum.jax.distance(egg, X_WA, drum, X_WB, parameters_a={"semi_axes": axes}).distance


axes = jnp.array([0.3, 0.2, 0.1])
for _ in range(20):
    f, g = jax.value_and_grad(with_axes)(axes)
    axes = axes - f * g / (g @ g)
print(
    "semi axes that touch",
    " ".join(f"{a:.4f}" for a in axes),
    f"gap below 1e-9: {bool(abs(with_axes(axes)) < 1e-9)}",
)
