// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/geometry.hpp"

namespace tactum {

int Geometry::num_parts() const {
  if (compound() != nullptr) return static_cast<int>(compound()->parts().size());
  return mesh() != nullptr ? static_cast<int>(mesh()->triangles().cols()) : 1;
}

Aabb Geometry::aabb(const Pose& X) const {
  return std::visit([&](const auto& value) { return value.aabb(X); }, value_);
}

std::size_t Geometry::nbytes() const {
  return std::visit([](const auto& value) { return value.nbytes(); }, value_);
}

}  // namespace tactum
