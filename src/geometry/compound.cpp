// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/compound.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/format_number.hpp"
#include "geometry/part_tree.hpp"
#include "math/epsilon.hpp"
#include "shape/hull/convex_polytope.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

/// Checks the parts and makes their poses exact.
std::vector<CompoundPart> checked(std::vector<CompoundPart> parts) {
  if (parts.empty())
    throw InvalidInput("Compound.parts", "no parts", "give at least one convex shape");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string field = "Compound.parts[" + std::to_string(i) + "]";
    if (parts[i].shape.kind() == ShapeKind::half_space) {
      throw InvalidInput(field, "a half-space",
                         "give bounded parts; add a half-space to a scene by itself");
    }
    parts[i].X_CP = check_pose(parts[i].X_CP, (field + ".X_CP").c_str()).pose;
  }
  return parts;
}

bool are_equal(const CompoundPart& p, const CompoundPart& q) {
  return p.shape == q.shape && p.X_CP.rotation == q.X_CP.rotation &&
         p.X_CP.translation == q.X_CP.translation;
}

std::size_t hash_of(const CompoundPart& part) {
  std::size_t state = part.shape.hash();
  for (const double number : part.X_CP.translation)
    state = std::rotl(state, 9) ^ std::hash<double>{}(number);
  for (const double number : part.X_CP.rotation.reshaped())
    state = std::rotl(state, 9) ^ std::hash<double>{}(number);
  return state;
}

/// For every part the next one that has the same shape and pose; -1 for the last.
std::vector<std::int32_t> next_equal_parts(std::span<const CompoundPart> parts) {
  std::vector<std::int32_t> next(parts.size(), -1);
  const auto part = [&](std::int32_t i) -> const CompoundPart& {
    return parts[static_cast<std::size_t>(i)];
  };
  const auto hash = [&](std::int32_t i) { return hash_of(part(i)); };
  const auto equal = [&](std::int32_t i, std::int32_t j) { return are_equal(part(i), part(j)); };
  // the last part so far of each set of equal ones, found by its contents
  std::unordered_map<std::int32_t, std::int32_t, decltype(hash), decltype(equal)> last(parts.size(),
                                                                                       hash, equal);
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(parts.size()); ++i) {
    const auto [found, is_new] = last.try_emplace(i, i);
    if (is_new) continue;
    next[static_cast<std::size_t>(found->second)] = i;
    found->second = i;
  }
  return next;
}

/// A tree over the first of every set of equal parts: the others cannot change the distance.
PartTree tree_of(std::span<const CompoundPart> parts, std::span<const std::int32_t> next_equal) {
  std::vector<bool> is_first(parts.size(), true);
  for (const std::int32_t next : next_equal) {
    if (next >= 0) is_first[static_cast<std::size_t>(next)] = false;
  }
  std::vector<Aabb> boxes;
  std::vector<std::int32_t> firsts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!is_first[i]) continue;
    boxes.push_back(parts[i].shape.aabb(parts[i].X_CP));
    firsts.push_back(static_cast<std::int32_t>(i));
  }
  return PartTree(boxes, firsts);
}

double reach_of(std::span<const CompoundPart> parts) {
  double reach = 0.0;
  for (const CompoundPart& part : parts)
    reach = std::max(reach, part.X_CP.translation.stableNorm() + part.shape.core().bounding_radius);
  return reach;
}

double support_error_of(std::span<const CompoundPart> parts) {
  double error = 0.0;
  for (const CompoundPart& part : parts) error = std::max(error, part.shape.core().support_error);
  return error;
}

Matrix3 inertia_of_point(const Vector3& p) {
  return p.squaredNorm() * Matrix3::Identity() - p * p.transpose();
}

}  // namespace

struct Compound::Data {
  Data(std::vector<CompoundPart> given, std::optional<HeightGrid> given_grid)
      : parts(checked(std::move(given))),
        next_equal(next_equal_parts(parts)),
        tree(tree_of(parts, next_equal)),
        reach(reach_of(parts)),
        support_error(support_error_of(parts)),
        grid(std::move(given_grid)) {}
  std::vector<CompoundPart> parts;
  std::vector<std::int32_t> next_equal;
  PartTree tree;
  double reach;
  double support_error;
  std::optional<HeightGrid> grid;
};

Compound::Compound(std::vector<CompoundPart> parts)
    : data_(std::make_shared<const Data>(std::move(parts), std::nullopt)) {}

Compound::Compound(std::vector<CompoundPart> parts, const HeightGrid& grid)
    : data_(std::make_shared<const Data>(std::move(parts), grid)) {}

const HeightGrid* Compound::height_grid() const { return data_->grid ? &*data_->grid : nullptr; }

std::span<const CompoundPart> Compound::parts() const { return data_->parts; }

std::vector<CompoundPart> Compound::parts_at(const Pose& X) const {
  std::vector<CompoundPart> placed = data_->parts;
  for (CompoundPart& part : placed) part.X_CP = X * part.X_CP;
  return placed;
}

const PartTree& Compound::tree() const { return data_->tree; }

std::span<const std::int32_t> Compound::next_equal() const { return data_->next_equal; }

double Compound::reach() const { return data_->reach; }
double Compound::support_error() const { return data_->support_error; }

Vector3 Compound::support(const Vector3& direction) const {
  Vector3 best = Vector3::Zero();
  double height = -std::numeric_limits<double>::infinity();
  for (const CompoundPart& part : parts()) {
    const Vector3 point = part.X_CP *
                          part.shape.support(part.X_CP.rotation.transpose() * direction);
    if (direction.dot(point) > height) best = point, height = direction.dot(point);
  }
  return best;
}

Aabb Compound::aabb(const Pose& X) const {
  // the product of two poses has rounded, unless one of them is the identity
  const bool exact = X.rotation.isIdentity(0.0) && X.translation.isZero(0.0);
  const auto box_of = [&](const CompoundPart& part) {
    Aabb box = part.shape.aabb(X * part.X_CP);
    if (exact) return box;
    const double moved = part.shape.core().bounding_radius + part.X_CP.translation.lpNorm<1>();
    const Vector3 error = 4.0 * kEpsilon * (X.translation.cwiseAbs().array() + moved).matrix();
    return Aabb{box.lower - error, box.upper + error};
  };
  Aabb around = box_of(parts().front());
  for (const CompoundPart& part : parts().subspan(1)) {
    const Aabb box = box_of(part);
    around = {around.lower.cwiseMin(box.lower), around.upper.cwiseMax(box.upper)};
  }
  return around;
}

double Compound::volume() const {
  double sum = 0.0;
  for (const CompoundPart& part : parts()) sum += part.shape.volume();
  return sum;
}

MassProperties Compound::mass_properties(double density) const {
  MassProperties total;
  Vector3 first = Vector3::Zero();
  std::vector<MassProperties> placed;
  placed.reserve(parts().size());
  for (const CompoundPart& part : parts()) {
    MassProperties own = part.shape.mass_properties(density);
    own.center_of_mass = part.X_CP * own.center_of_mass;
    own.inertia = part.X_CP.rotation * own.inertia * part.X_CP.rotation.transpose();
    total.mass += own.mass;
    first += own.mass * own.center_of_mass;
    placed.push_back(own);
  }
  total.center_of_mass = total.mass > 0.0 ? Vector3(first / total.mass)
                                          : placed.front().center_of_mass;
  for (const MassProperties& own : placed) {  // parallel axis theorem
    total.inertia += own.inertia +
                     own.mass * inertia_of_point(own.center_of_mass - total.center_of_mass);
  }
  total.inertia = (0.5 * (total.inertia + total.inertia.transpose())).eval();
  return total;
}

std::size_t Compound::nbytes() const {
  std::size_t total = sizeof(*this) + sizeof(Data) + data_->tree.nodes().size_bytes() +
                      data_->next_equal.size() * sizeof(std::int32_t);
  if (data_->grid) total += static_cast<std::size_t>(data_->grid->heights.size()) * sizeof(double);
  std::unordered_set<const ConvexPolytope*> counted;
  for (const CompoundPart& part : parts()) {
    const auto* const hull = std::get_if<Convex>(&part.shape.parameters());
    const bool shared = hull != nullptr && !counted.insert(&hull->polytope()).second;
    total += sizeof(CompoundPart) + (shared ? 0 : part.shape.nbytes() - sizeof(Shape));
  }
  return total;
}

std::string Compound::to_string() const {
  return "Compound(" + std::to_string(parts().size()) +
         (parts().size() == 1 ? " part)" : " parts)");
}

std::size_t Compound::hash() const {
  std::size_t state = parts().size();
  for (const CompoundPart& part : parts()) {
    state = std::rotl(state, 9) * 0x9e3779b97f4a7c15U + hash_of(part);
  }
  return state;
}

bool operator==(const Compound& a, const Compound& b) {
  if (a.data_ == b.data_) return true;
  return std::ranges::equal(a.parts(), b.parts(), are_equal);
}

}  // namespace tactum
