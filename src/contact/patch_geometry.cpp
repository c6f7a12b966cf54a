// SPDX-License-Identifier: BSD-2-Clause
#include "contact/patch_geometry.hpp"

#include <algorithm>

#include "contact/point_reduction.hpp"
#include "core/format_number.hpp"
#include "math/epsilon.hpp"
#include "narrow/pair/bounds_and_status.hpp"
#include "narrow/pair/pair_frame.hpp"

namespace tactum {
namespace {

using Kind = OverlapPoint::Kind;
constexpr double kSameLevel = 1e-9;   // of the scale: distances that count as equal
constexpr double kSamePlace = 1e-10;  // of the smaller shape: places that count as one

double size_of(const CoreShape& core) {
  return core.kind == CoreShape::Kind::half_space ? std::numeric_limits<double>::infinity()
                                                  : core.bounding_radius;
}

/// The radius swept around the core of a feature: zero for a half-space, whose plane includes its
/// margin; for an ellipsoid with its inner radius.
double swept(const CoreShape& core) {
  return core.kind == CoreShape::Kind::half_space ? 0.0 : core.radius + core.inner_radius;
}

std::uint64_t joined(std::uint32_t a, std::uint32_t b) { return (std::uint64_t{a} << 32U) | b; }

/// Sets the heights and the name of a point of the overlap.
void place(const PatchGeometry& patch, const OverlapPoint& overlap, PatchPoint& point) {
  const FlatFeature &a = patch.a, &b = patch.b;
  const auto i = static_cast<std::size_t>(overlap.a), j = static_cast<std::size_t>(overlap.b);
  point.overlap = overlap;
  switch (overlap.kind) {
    case Kind::corner_a:
      point.height_a = a.height[i];
      point.height_b = height_at(patch.seen_b, b, overlap.at).height;
      point.id = joined(a.name_of_corner(overlap.a), b.name());
      break;
    case Kind::corner_b:
      point.height_a = height_at(patch.seen_a, a, overlap.at).height;
      point.height_b = b.height[j];
      point.id = joined(a.name(), b.name_of_corner(overlap.b));
      break;
    case Kind::corners:
      point.height_a = a.height[i];
      point.height_b = b.height[j];
      point.id = joined(a.name_of_corner(overlap.a), b.name_of_corner(overlap.b));
      break;
    case Kind::crossing:
      point.height_a = height_over_edge(patch.seen_a, a, overlap.a, overlap.fraction_a, overlap.at);
      point.height_b = height_over_edge(patch.seen_b, b, overlap.b, overlap.fraction_b, overlap.at);
      point.id = joined(a.name_of_edge(overlap.a), b.name_of_edge(overlap.b));
      break;
    case Kind::line_a:
    case Kind::line_b:
    case Kind::lines:
      point.height_a = height_over_edge(patch.seen_a, a, 0, overlap.fraction_a, overlap.at);
      point.height_b = height_over_edge(patch.seen_b, b, 0, overlap.fraction_b, overlap.at);
      point.id = joined(overlap.kind == Kind::line_b ? a.name() : a.name_of_corner(overlap.a),
                        overlap.kind == Kind::line_a ? b.name() : b.name_of_corner(overlap.b));
      break;
    case Kind::witness: break;
  }
  point.distance = point.height_b - point.height_a - (patch.radius_a + patch.radius_b);
}

/// Adds the witness pair of the query; the origin of the plane is its point of A.
PatchPoint witness_point(const PatchGeometry& patch, const Distance& value) {
  return {{{0.0, 0.0}, Kind::witness, -1, -1, 0.0, 0.0},
          -patch.radius_a,
          value.distance + patch.radius_b,
          value.distance,
          joined(patch.a.name(), patch.b.name())};
}

/// Keeps at most `most` of the points, besides `taken`.
void reduce(PatchGeometry& patch, int most, const Double2* taken) {
  std::array<RingPoint, PolygonOverlap::kCapacity> ring;
  std::array<bool, PolygonOverlap::kCapacity> keep;
  const auto n = static_cast<std::size_t>(patch.count);
  for (std::size_t i = 0; i < n; ++i)
    ring[i] = {patch.points[i].overlap.at, patch.points[i].distance, patch.points[i].id};
  patch.borderline |= choose_points({ring.data(), n}, most, patch.level, taken, keep);
  patch.count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (keep[i]) patch.points[static_cast<std::size_t>(patch.count++)] = patch.points[i];
  }
}

/// Finds the points of the overlap that are within the cutoff. Returns the least distance among
/// them.
double place_all(const PolygonOverlap& overlap, double cutoff, PatchGeometry& patch) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < overlap.count; ++i) {
    PatchPoint& point = patch.points[static_cast<std::size_t>(patch.count)];
    place(patch, overlap[i], point);
    patch.borderline |= std::abs(point.distance - cutoff) <= patch.level ||
                        (overlap[i].on_border && !patch.is_at_witness(point));
    if (!(point.distance <= cutoff)) continue;
    least = std::min(least, point.distance);
    ++patch.count;
  }
  return least;
}

/// Whether a pair counts as within a cutoff: it is not proved to be farther apart, or some query
/// may call it touching. So shapes for which collide() is true have a contact at a cutoff of zero.
bool is_within(const Distance& value, double cutoff, double contact_reach) {
  return value.status != Status::beyond_cutoff &&
         (value.lower <= cutoff || value.distance <= contact_reach);
}

}  // namespace

// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): points are filled as they are found
PatchGeometry::PatchGeometry(const CoreShape& core_a, const Pose& X_WA, const CoreShape& core_b,
                             const Pose& X_WB, const Distance& value)
    : plane(to_double3(value.normal)),
      origin(to_double3(value.point_a)),
      seen_a(core_a, X_WA, plane, origin, 1.0),
      seen_b(core_b, X_WB, plane, origin, -1.0),
      radius_a(swept(core_a)),
      radius_b(swept(core_b)),
      least_distance(value.distance) {
  const double scale = pair_scale(core_a, core_b,
                                  to_double3(X_WB.translation) - to_double3(X_WA.translation));
  size = std::max(std::min(size_of(core_a), size_of(core_b)), 64.0 * kEpsilon / kSamePlace * scale);
  level = kSameLevel * scale;
  rounding = 64.0 * kEpsilon * scale;
  contact_reach = tactum::contact_reach(scale, core_a.support_error + core_b.support_error);
  same_place = kSamePlace * size;
}

bool PatchGeometry::is_at_witness(const PatchPoint& point) const {
  const Double2 at = point.overlap.at;
  return std::max(std::abs(at.x), std::abs(at.y)) <= 2.0 * same_place &&
         point.distance <= least_distance + level;
}

void find_patch(const Distance& value, const ContactPatchOptions& options, PatchGeometry& patch) {
  if (!is_within(value, options.cutoff, patch.contact_reach)) return;
  // a pair that the bounds of the query do not prove to be beyond the cutoff is within it
  const double unproved = std::max(0.0, value.distance - value.lower);
  const double cutoff = std::max(options.cutoff + unproved, value.distance) + patch.rounding;
  // a vertex below its support plane is that much farther from the other shape
  patch.reach = {std::sin(options.max_angle), cutoff - value.distance + patch.level};
  find_flat_feature(patch.seen_a, patch.reach, patch.a);
  find_flat_feature(patch.seen_b, patch.reach, patch.b);
  patch.borderline = patch.a.borderline || patch.b.borderline;
  // the ends of a generator follow the normal, with its rounding
  const double curvature_radius = std::max(
      std::max(patch.a.curvature_radius[0], patch.a.curvature_radius[1]),
      std::max(patch.b.curvature_radius[0], patch.b.curvature_radius[1]));
  patch.same_place = std::max(kSamePlace * patch.size, 256.0 * kEpsilon * curvature_radius);
  const bool flat = (patch.a.count > 1 || patch.a.unbounded) &&
                    (patch.b.count > 1 || patch.b.unbounded);
  double least = std::numeric_limits<double>::infinity();
  if (flat && options.max_points > 1) {
    PolygonOverlap overlap;
    find_overlap(patch.a, patch.b, patch.same_place, overlap);
    patch.borderline |= overlap.ambiguous;
    least = place_all(overlap, cutoff, patch);
  }
  const double above = least - value.distance;
  const bool add_witness = !(above <= patch.level);
  patch.borderline |= std::abs(above - patch.level) <= 0.1 * patch.level;
  const int most = options.max_points - (add_witness ? 1 : 0);
  const Double2 middle{0.0, 0.0};
  if (patch.count > most) reduce(patch, most, add_witness ? &middle : nullptr);
  if (add_witness) {
    patch.points[static_cast<std::size_t>(patch.count++)] = witness_point(patch, value);
    patch.borderline |= std::abs(value.distance - options.cutoff) <= patch.level;
  }
}

int append_patch(const Distance& value, const Shape& a, const Pose& X_WA, const Shape& b,
                 const Pose& X_WB, const ContactPatchOptions& options,
                 std::span<PatchContact> out) {
  PatchGeometry patch(a.core(), X_WA, b.core(), X_WB, value);
  find_patch(value, options, patch);
  for (int i = 0; i < patch.count; ++i) {
    const PatchPoint& point = patch.points[static_cast<std::size_t>(i)];
    const Double3 on_a = patch.point_a(point);
    out[static_cast<std::size_t>(i)] = {to_vector3(on_a),
                                        to_vector3(on_a + point.distance * patch.plane.normal),
                                        point.distance, point.id};
  }
  return patch.count;
}

void check_patch_options(const ContactPatchOptions& options) {
  if (options.max_points < 1 || options.max_points > ContactPatch::capacity) {
    throw InvalidInput("max_points", std::to_string(options.max_points),
                       "give a whole number from 1 to " + std::to_string(ContactPatch::capacity));
  }
  if (!(options.max_angle >= 1e-6 && options.max_angle <= 0.5))
    throw InvalidInput("max_angle", exact_text(options.max_angle),
                       "give an angle from 1e-6 to 0.5 rad");
  if (!(options.cutoff >= 0.0))
    throw InvalidInput("cutoff", exact_text(options.cutoff),
                       "give a length >= 0 in metres, or infinity for none");
}

}  // namespace tactum
