// SPDX-License-Identifier: BSD-2-Clause
// Moments of solids of revolution about z, margin included. All are about the origin of the shape.
#pragma once

#include "shape/mass/moments.hpp"

namespace tactum {

/// Capsule of the given radius; half_length may be zero (a ball), and so may the radius.
Moments capsule_moments(double radius, double half_length);

/// Cylinder with a ball of radius `margin` swept around it.
Moments cylinder_moments(double radius, double half_length, double margin);

/// Cone (apex at +half_length) with a ball of radius `margin` swept around it.
Moments cone_moments(double radius, double half_length, double margin);

}  // namespace tactum
