// SPDX-License-Identifier: BSD-2-Clause
// Materials of surfaces, as far as contact forces depend on them, and the rule for two of them in
// contact.
//
// Friction     Coulomb's coefficient of a pair is the geometric mean of the two, so that equal
//              surfaces keep their value and a smooth one stays smooth against everything.
// Restitution  the larger of the two: a ball of rubber bounces on stone.
// Compliance   the sum: two springs in series yield by the sum of what each yields.
#pragma once

namespace tactum {

struct Material {
  double friction = 0.5;     ///< Coulomb's coefficient, >= 0 and finite
  double restitution = 0.0;  ///< share of the approach speed that comes back, 0 to 1
  double compliance = 0.0;   ///< m/N of one contact point, >= 0 and finite

  friend bool operator==(const Material& a, const Material& b) = default;
};

/// The material of a contact between two surfaces.
Material pair_material(const Material& a, const Material& b);

/// Throws InvalidInput that names the field.
void check_material(const Material& material);

}  // namespace tactum
