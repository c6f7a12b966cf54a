// SPDX-License-Identifier: BSD-2-Clause
#include "contact/polygon_overlap.hpp"

#include <algorithm>
#include <cmath>

namespace tactum {
namespace {

using Kind = OverlapPoint::Kind;
constexpr double kParallel = 1e-3;  // sine: two lines that overlap
constexpr std::size_t kMost = FlatFeature::kCapacity;

/// For every corner of one feature and every edge of the other: the distance from the edge times
/// its length, positive inside.
struct SideTable {
  std::array<double, kMost * kMost> sides;  // of corner i and edge j at i * num_edges + j
  std::array<double, kMost> limits;   // distance within which a corner is on the line of edge j
  std::array<bool, kMost> inside;     // of corner i: in the closed polygon
  std::array<bool, kMost> on_border;  // of corner i inside
  std::size_t num_corners, num_edges;

  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled as far as it is used
  SideTable(const FlatFeature& corners, const FlatFeature& edges, double tolerance)
      : num_corners(static_cast<std::size_t>(corners.count)),
        num_edges(static_cast<std::size_t>(edges.num_edges())) {
    for (std::size_t j = 0; j < num_edges; ++j) {
      const auto k = static_cast<std::size_t>(edges.next(static_cast<int>(j)));
      const double ex = edges.x[k] - edges.x[j], ey = edges.y[k] - edges.y[j], x = edges.x[j],
                   y = edges.y[j];
      limits[j] = tolerance * (std::abs(ex) + std::abs(ey));
      for (std::size_t i = 0; i < num_corners; ++i)
        sides[i * num_edges + j] = ex * (corners.y[i] - y) - ey * (corners.x[i] - x);
    }
  }
  double at(std::size_t corner, std::size_t edge) const { return sides[corner * num_edges + edge]; }

  /// Finds the corners inside, and those on the border; for a line, those on it.
  void find_inside(const FlatFeature& corners, const FlatFeature& edges) {
    if (num_edges == 1) {
      const Double2 from = edges.corner(0), along = edges.corner(1) - from;
      for (std::size_t i = 0; i < num_corners; ++i) {
        const double projection = dot(Double2{corners.x[i], corners.y[i]} - from, along),
                     squared = dot(along, along);
        inside[i] = std::abs(sides[i]) <= limits[0] && projection >= -limits[0] &&
                    projection <= squared + limits[0];
        on_border[i] = inside[i];
      }
      return;
    }
    for (std::size_t i = 0; i < num_corners; ++i) {
      bool in = true, on = false;
      for (std::size_t j = 0; j < num_edges; ++j) {
        in &= at(i, j) >= -limits[j];
        on |= at(i, j) <= limits[j];
      }
      inside[i] = in;
      on_border[i] = in && on;
    }
  }
};

/// Adds the crossings of edges whose ends lie clearly on both sides of each other.
void add_crossings(const FlatFeature& a, const SideTable& of_a, const SideTable& of_b,
                   PolygonOverlap& overlap) {
  for (std::size_t i = 0; i < of_b.num_edges; ++i) {
    const std::size_t i_end = i + 1 == of_a.num_corners ? 0 : i + 1;
    for (std::size_t j = 0; j < of_a.num_edges; ++j) {
      const std::size_t j_end = j + 1 == of_b.num_corners ? 0 : j + 1;
      const double a0 = of_a.at(i, j), a1 = of_a.at(i_end, j), b0 = of_b.at(j, i),
                   b1 = of_b.at(j_end, i);
      const double limit_a = of_a.limits[j], limit_b = of_b.limits[i];
      const bool crosses_b = ((a0 > limit_a) & (a1 < -limit_a)) |
                             ((a0 < -limit_a) & (a1 > limit_a));
      const bool crosses_a = ((b0 > limit_b) & (b1 < -limit_b)) |
                             ((b0 < -limit_b) & (b1 > limit_b));
      if (!(crosses_a & crosses_b)) continue;
      const double fraction_a = a0 / (a0 - a1), fraction_b = b0 / (b0 - b1);
      const Double2 at{a.x[i] + fraction_a * (a.x[i_end] - a.x[i]),
                       a.y[i] + fraction_a * (a.y[i_end] - a.y[i])};
      overlap.add({at, Kind::crossing, static_cast<std::int8_t>(i), static_cast<std::int8_t>(j),
                   fraction_a, fraction_b});
    }
  }
}

/// Sorts around the mean by a pseudo-angle: 0 to 4 as the direction turns once, without a
/// trigonometric function.
void sort_around(PolygonOverlap& overlap) {
  const int n = overlap.count;
  Double2 mean{0.0, 0.0};
  for (int i = 0; i < n; ++i) mean = mean + overlap[i].at;
  mean = (1.0 / n) * mean;
  std::array<double, PolygonOverlap::kCapacity> angles;
  for (int i = 0; i < n; ++i) {
    const Double2 from = overlap[i].at - mean;
    const double length = std::abs(from.x) + std::abs(from.y);
    const double turn = length > 0.0 ? from.x / length : 1.0;
    angles[static_cast<std::size_t>(i)] = from.y < 0.0 ? 3.0 + turn : 1.0 - turn;
  }
  for (int i = 1; i < n; ++i) {
    const OverlapPoint point = overlap[i];
    const double angle = angles[static_cast<std::size_t>(i)];
    int at = i;
    for (; at > 0 && angles[static_cast<std::size_t>(at - 1)] > angle; --at) {
      overlap[at] = overlap[at - 1];
      angles[static_cast<std::size_t>(at)] = angles[static_cast<std::size_t>(at - 1)];
    }
    overlap[at] = point;
    angles[static_cast<std::size_t>(at)] = angle;
  }
}

bool is_corner_of_a(const OverlapPoint& point) {
  return point.kind == Kind::corner_a || point.kind == Kind::corners;
}
bool is_corner_of_b(const OverlapPoint& point) {
  return point.kind == Kind::corner_b || point.kind == Kind::corners;
}

/// Merges two points that coincide: a corner replaces a crossing, and both corners are kept where
/// each has one.
OverlapPoint merged(const OverlapPoint& first, const OverlapPoint& second) {
  const OverlapPoint &a = is_corner_of_a(first) ? first : second,
                     &b = is_corner_of_b(first) ? first : second;
  if (is_corner_of_a(a) && is_corner_of_b(b))
    return {0.5 * (a.at + b.at), Kind::corners, a.a, b.b, 0.0, 0.0, true};
  if (is_corner_of_a(a)) return a;
  return is_corner_of_b(b) ? b : first;
}

void merge_neighbors(double tolerance, PolygonOverlap& overlap) {
  const auto merge = [&](int i, int j) {
    // of two crossings, or of two corners of one feature, rounding chooses
    overlap.ambiguous |= overlap[i].kind == overlap[j].kind;
    overlap[i] = merged(overlap[i], overlap[j]);
  };
  const auto coincide = [&](int i, int j) {
    const Double2 apart = overlap[i].at - overlap[j].at;
    return std::abs(apart.x) <= tolerance && std::abs(apart.y) <= tolerance;
  };
  int kept = 0;
  for (int i = 1; i < overlap.count; ++i) {
    if (coincide(kept, i))
      merge(kept, i);
    else
      overlap[++kept] = overlap[i];
  }
  if (kept > 0 && coincide(0, kept)) {
    merge(0, kept);
    --kept;
  }
  overlap.count = kept + 1;
}

/// Overlap of two lines that are nearly parallel: the ends of their common part along their mean
/// direction.
void overlap_lines(const FlatFeature& a, const FlatFeature& b, double tolerance,
                   PolygonOverlap& overlap) {
  const Double2 a0 = a.corner(0), b0 = b.corner(0), along_a = a.corner(1) - a0,
                along_b = b.corner(1) - b0;
  const double length_a = along_a.norm(), length_b = along_b.norm();
  if (!(length_a > tolerance && length_b > tolerance)) return;
  const double sine = std::abs(cross(along_a, along_b)) / (length_a * length_b);
  overlap.ambiguous = sine <= (1.0 + 1e-6) * kParallel;
  if (sine > kParallel) return;
  const double turn = dot(along_a, along_b) < 0.0 ? -1.0 : 1.0;
  Double2 mean = (1.0 / length_a) * along_a + (turn / length_b) * along_b;
  mean = (1.0 / mean.norm()) * mean;
  // where each end of B lies along A, as a fraction of A, and the other way round
  const double rate_a = dot(along_a, mean), rate_b = dot(along_b, mean),
               offset = dot(b0 - a0, mean);
  for (const bool low : {true, false}) {
    const int end_a = low ? 0 : 1, end_b = (low == (turn > 0.0)) ? 0 : 1;
    const double reach_a = end_a == 0 ? 0.0 : rate_a,
                 reach_b = offset + (end_b == 0 ? 0.0 : rate_b);
    // how far the end of B is inside A
    const double ahead = low ? reach_b - reach_a : reach_a - reach_b;
    const bool both = std::abs(ahead) <= tolerance;
    const double reach = both ? 0.5 * (reach_a + reach_b) : (ahead > 0.0 ? reach_b : reach_a);
    const double fraction_a = std::clamp(reach / rate_a, 0.0, 1.0),
                 fraction_b = std::clamp((reach - offset) / rate_b, 0.0, 1.0);
    const Double2 on_a = a0 + fraction_a * along_a, on_b = b0 + fraction_b * along_b;
    const Kind kind = both ? Kind::lines : (ahead > 0.0 ? Kind::line_b : Kind::line_a);
    overlap.add({0.5 * (on_a + on_b), kind, static_cast<std::int8_t>(end_a),
                 static_cast<std::int8_t>(end_b), fraction_a, fraction_b});
  }
  const double length = dot(overlap[1].at - overlap[0].at, mean);
  if (!(length > tolerance)) overlap.count = 0;
}

void add_all_corners(const FlatFeature& feature, bool of_a, PolygonOverlap& overlap) {
  for (int i = 0; i < feature.count; ++i) {
    const auto index = static_cast<std::int8_t>(i);
    overlap.add({feature.corner(i), of_a ? Kind::corner_a : Kind::corner_b,
                 of_a ? index : std::int8_t{-1}, of_a ? std::int8_t{-1} : index, 0.0, 0.0});
  }
}

void overlap_polygons(const FlatFeature& a, const FlatFeature& b, double tolerance,
                      PolygonOverlap& overlap) {
  SideTable of_a(a, b, tolerance), of_b(b, a, tolerance);
  of_a.find_inside(a, b);
  of_b.find_inside(b, a);
  for (std::size_t i = 0; i < of_a.num_corners; ++i) {
    if (of_a.inside[i])
      overlap.add({{a.x[i], a.y[i]},
                   Kind::corner_a,
                   static_cast<std::int8_t>(i),
                   -1,
                   0.0,
                   0.0,
                   of_a.on_border[i]});
  }
  for (std::size_t j = 0; j < of_b.num_corners; ++j) {
    if (of_b.inside[j])
      overlap.add({{b.x[j], b.y[j]},
                   Kind::corner_b,
                   -1,
                   static_cast<std::int8_t>(j),
                   0.0,
                   0.0,
                   of_b.on_border[j]});
  }
  add_crossings(a, of_a, of_b, overlap);
  if (overlap.count < 2) return;
  sort_around(overlap);
  merge_neighbors(2.0 * tolerance, overlap);
}

}  // namespace

void find_overlap(const FlatFeature& a, const FlatFeature& b, double tolerance,
                  PolygonOverlap& overlap) {
  if (a.unbounded) return add_all_corners(b, false, overlap);
  if (b.unbounded) return add_all_corners(a, true, overlap);
  if (a.count == 2 && b.count == 2) return overlap_lines(a, b, tolerance, overlap);
  overlap_polygons(a, b, tolerance, overlap);
}

bool lies_strictly_inside(const FlatFeature& inner, const FlatFeature& outer, double margin) {
  if (outer.unbounded) return true;
  if (inner.unbounded || outer.count < 3) return false;
  const SideTable table(inner, outer, margin);
  for (std::size_t i = 0; i < table.num_corners; ++i) {
    for (std::size_t j = 0; j < table.num_edges; ++j) {
      if (table.at(i, j) <= table.limits[j]) return false;
    }
  }
  return true;
}

}  // namespace tactum
