// SPDX-License-Identifier: BSD-2-Clause
// Pairs of geometries that may meet in this step, and their contact points.
//
// Reach      A geometry is looked at as far around it as it may move in one step: its margin and
//            dt times a bound of the speed of its points, gravity included.
// Purity     Every pair is queried afresh, so that contacts depend on the state alone.
#include <algorithm>
#include <array>
#include <limits>

#include "contact/contact_frame.hpp"
#include "contact/patch_geometry.hpp"
#include "narrow/query/try_distance.hpp"
#include "sim/step/step_data.hpp"

namespace tactum::sim {
namespace {

bool overlap(const Aabb& a, const Aabb& b) {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

/// A box around a geometry: that around its own box where it has one, which is cheaper than a tight
/// one and as good for what meets next.
Aabb box_around(const ModelGeometry& geometry, const Pose& X) {
  if (!(geometry.half_extents.x() < std::numeric_limits<double>::infinity()))
    return geometry.geometry.aabb(X);
  const Vector3 center = X * geometry.center;
  const Vector3 half = X.rotation.cwiseAbs() * geometry.half_extents;
  // rounding of the products
  const double slack = 8.0 * std::numeric_limits<double>::epsilon() *
                       (center.cwiseAbs().maxCoeff() + half.maxCoeff());
  return {center - half - Vector3::Constant(slack), center + half + Vector3::Constant(slack)};
}

/// Sets the boxes of all geometries, each grown by the reach of the geometry.
void set_boxes(const ModelData& model, double dt, StepData& work) {
  const double fall = dt * dt * model.gravity.norm();
  for (std::size_t i = 0; i < model.geometries.size(); ++i) {
    const ModelGeometry& geometry = model.geometries[i];
    const auto body = static_cast<std::size_t>(geometry.body);
    work.reach[i] = geometry.margin;
    if (geometry.body != 0) work.reach[i] += fall + dt * work.linear_speed[body];
    if (work.angular_speed[body] > 0.0)  // a half-space reaches to infinity
      work.reach[i] += dt * work.angular_speed[body] * geometry.reach;
    Aabb box = box_around(geometry, work.geometry_poses[i]);
    box.lower.array() -= work.reach[i];
    box.upper.array() += work.reach[i];
    work.boxes[i] = box;
  }
}

void append_points(const ModelData& model, const StepOptions& options, int a, int b,
                   StepData& work) {
  const ModelGeometry &first = model.geometries[static_cast<std::size_t>(a)],
                      &second = model.geometries[static_cast<std::size_t>(b)];
  const Pose &X_WA = work.geometry_poses[static_cast<std::size_t>(a)],
             &X_WB = work.geometry_poses[static_cast<std::size_t>(b)];
  const double cutoff = work.reach[static_cast<std::size_t>(a)] +
                        work.reach[static_cast<std::size_t>(b)];
  const ContactPatchOptions patch_options{
      .max_points = options.max_contacts, .cutoff = cutoff, .max_angle = options.max_angle};
  const Material material = combined(first.surface, second.surface);
  const auto append = [&](const Vector3& on_a, const Vector3& on_b, const Matrix3& frame,
                          double distance, std::uint64_t feature_id) {
    work.contacts.push_back({a, b, 0.5 * (on_a + on_b), distance, feature_id, frame, material});
  };
  if (first.geometry.shape() != nullptr && second.geometry.shape() != nullptr) {
    const Shape &shape_a = *first.geometry.shape(), &shape_b = *second.geometry.shape();
    Distance value;
    if (!try_distance(shape_a, X_WA, shape_b, X_WB, {.cutoff = cutoff}, value)) return;
    std::array<PatchContact, ContactPatch::capacity> points;
    const int count = append_patch(value, shape_a, X_WA, shape_b, X_WB, patch_options, points);
    const Matrix3 frame = contact_frame(value.normal);
    if (options.tape && count > 0) work.queries.push_back({work.contacts.size(), value});
    for (int i = 0; i < count; ++i) {
      const PatchContact& point = points[static_cast<std::size_t>(i)];
      append(point.point_a, point.point_b, frame, point.distance, point.feature_id);
    }
    return;
  }
  work.patches.clear();
  contact_patches(first.geometry, X_WA, second.geometry, X_WB, patch_options, work.patches);
  for (const PartPatch& part : work.patches) {
    const Matrix3 frame = contact_frame(part.patch.normal);
    for (std::size_t i = 0; i < static_cast<std::size_t>(part.patch.count); ++i)
      append(part.patch.points_a[i], part.patch.points_b[i], frame, part.patch.distances[i],
             part.patch.feature_ids[i]);
  }
}

}  // namespace

void find_pairs(const ModelData& model, double dt, StepData& work) {
  set_boxes(model, dt, work);
  const std::size_t count = model.geometries.size();
  if (count <= kFewGeometries) {
    work.pairs.clear();
    for (const auto& [a, b] : work.candidates)
      if (overlap(work.boxes[static_cast<std::size_t>(a)], work.boxes[static_cast<std::size_t>(b)]))
        work.pairs.emplace_back(a, b);
  } else {
    if (work.box_ids.empty()) {
      work.box_ids.resize(count);
      work.tree.insert(work.boxes, work.box_ids);
    } else {
      work.tree.update(work.box_ids, work.boxes);
    }
    work.tree.pairs(work.pairs);
    std::erase_if(work.pairs,
                  [&](const auto& pair) { return !model.may_meet(pair.first, pair.second); });
  }
}

void find_contacts(const ModelData& model, const StepOptions& options, StepData& work) {
  work.contacts.clear();
  work.queries.clear();
  for (const auto& [a, b] : work.pairs) append_points(model, options, a, b, work);
  if (options.as_printed)
    std::erase_if(work.contacts,
                  [&](const FoundContact& contact) { return contact.distance > options.slop; });
}

}  // namespace tactum::sim
