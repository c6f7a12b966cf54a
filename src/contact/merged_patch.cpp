// SPDX-License-Identifier: BSD-2-Clause
#include "contact/merged_patch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <vector>

#include "contact/point_reduction.hpp"
#include "math/tangent_plane.hpp"

namespace tactum {
namespace {

constexpr std::size_t kLargestRing = 64;  // of the choice of points
constexpr double kSamePoint = 1e-9;       // of the extent of all points

struct PlacedPoint {
  Double2 at;
  double distance;
  std::uint64_t id;
  MergedPatch::Source source;
};

/// All points in the plane orthogonal to the normal, around the first, in ascending order.
std::vector<PlacedPoint> placed_points(std::span<const PartPatch* const> patches) {
  const ContactPatch& first = patches[0]->patch;
  const TangentPlane plane(to_double3(first.normal));
  std::vector<PlacedPoint> points;
  for (std::size_t p = 0; p < patches.size(); ++p) {
    const ContactPatch& patch = patches[p]->patch;
    for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i) {
      const Double3 offset = to_double3(Vector3(patch.points_a[i] - first.points_a[0]));
      points.push_back({plane.project(offset),
                        patch.distances[i],
                        patch.feature_ids[i],
                        {static_cast<std::int32_t>(p), static_cast<std::int32_t>(i)}});
    }
  }
  std::ranges::sort(points, {}, [](const PlacedPoint& p) {
    return std::tuple(p.at.x, p.at.y, p.distance, p.id);
  });
  return points;
}

/// The corners of the convex outline, counter-clockwise (Andrew 1979); points on its sides and in
/// one place within `tolerance` are left out.
std::vector<PlacedPoint> outline(std::span<const PlacedPoint> points, double tolerance) {
  const auto turns = [&](const PlacedPoint& a, const PlacedPoint& b, const PlacedPoint& c) {
    const Double2 ab = b.at - a.at, ac = c.at - a.at;
    return cross(ab, ac) > tolerance * std::sqrt(dot(ac, ac));
  };
  std::vector<PlacedPoint> ring;
  const auto half = [&](auto begin, auto end) {
    const std::size_t start = ring.size();
    for (auto point = begin; point != end; ++point) {
      while (ring.size() >= start + 2 && !turns(ring[ring.size() - 2], ring.back(), *point))
        ring.pop_back();
      ring.push_back(*point);
    }
    ring.pop_back();  // the first of the other half
  };
  if (points.size() < 2) return {points.begin(), points.end()};
  half(points.begin(), points.end());
  half(points.rbegin(), points.rend());
  const auto apart = [&](const PlacedPoint& a, const PlacedPoint& b) {
    const Double2 between = b.at - a.at;
    return dot(between, between) > tolerance * tolerance;
  };
  std::vector<PlacedPoint> kept;
  for (const PlacedPoint& point : ring)
    if (kept.empty() || (apart(kept.back(), point) && apart(kept.front(), point)))
      kept.push_back(point);
  return kept;
}

/// At most so many corners of a ring: those that are farthest along as many directions.
std::vector<PlacedPoint> thinned(const std::vector<PlacedPoint>& ring) {
  if (ring.size() <= kLargestRing) return ring;
  std::vector<bool> keep(ring.size(), false);
  for (std::size_t k = 0; k < kLargestRing; ++k) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) /
                         static_cast<double>(kLargestRing);
    const Double2 along{std::cos(angle), std::sin(angle)};
    const auto farthest = std::ranges::max_element(
        ring, {}, [&](const PlacedPoint& p) { return dot(along, p.at); });
    keep[static_cast<std::size_t>(farthest - ring.begin())] = true;
  }
  std::vector<PlacedPoint> kept;
  for (std::size_t i = 0; i < ring.size(); ++i)
    if (keep[i]) kept.push_back(ring[i]);
  return kept;
}

double extent_of(std::span<const PlacedPoint> points) {
  double extent = 0.0;
  for (const PlacedPoint& point : points)
    extent = std::max({extent, std::abs(point.at.x), std::abs(point.at.y)});
  return extent;
}

}  // namespace

std::uint64_t feature_of_parts(std::uint64_t feature_id, std::int32_t part_a, std::int32_t part_b) {
  constexpr std::uint32_t kSpread = 0x9e3779b1U;  // odd: different parts shift differently
  const auto of_a = static_cast<std::uint32_t>(feature_id >> 32) +
                    kSpread * static_cast<std::uint32_t>(part_a);
  const auto of_b = static_cast<std::uint32_t>(feature_id) +
                    kSpread * static_cast<std::uint32_t>(part_b);
  return (static_cast<std::uint64_t>(of_a) << 32) | of_b;
}

MergedPatch merged_patch(std::span<const PartPatch* const> patches, int max_points) {
  const std::vector<PlacedPoint> points = placed_points(patches);
  const double extent = extent_of(points), level = kSamePoint * extent;
  const std::vector<PlacedPoint> ring = thinned(outline(points, kSamePoint * extent));
  const PlacedPoint& deepest = *std::ranges::min_element(points, {}, &PlacedPoint::distance);
  const bool inside = std::ranges::all_of(
      ring, [&](const PlacedPoint& p) { return p.distance > deepest.distance + level; });
  std::array<RingPoint, kLargestRing> choice;
  std::array<bool, kLargestRing> keep;
  for (std::size_t i = 0; i < ring.size(); ++i)
    choice[i] = {ring[i].at, ring[i].distance, ring[i].id};
  MergedPatch result;
  const int most = max_points - (inside ? 1 : 0);
  if (most > 0)
    result.tied = choose_points({choice.data(), ring.size()}, most, level,
                                inside ? &deepest.at : nullptr, keep);
  else
    keep.fill(false);

  const PartPatch& first = *patches[0];
  ContactPatch& merged = result.patch;
  merged.status = first.patch.status;
  merged.normal = first.patch.normal;
  merged.distance = first.patch.distance;
  const auto add = [&](const PlacedPoint& point) {
    const PartPatch& from = *patches[static_cast<std::size_t>(point.source.patch)];
    const auto i = static_cast<std::size_t>(point.source.point),
               at = static_cast<std::size_t>(merged.count++);
    merged.points_a[at] = from.patch.points_a[i];
    merged.points_b[at] = from.patch.points_a[i] + point.distance * merged.normal;
    merged.distances[at] = point.distance;
    merged.feature_ids[at] = point.id;
    result.sources[at] = point.source;
  };
  for (std::size_t i = 0; i < ring.size(); ++i)
    if (keep[i]) add(ring[i]);
  if (inside) add(deepest);
  return result;
}

}  // namespace tactum
