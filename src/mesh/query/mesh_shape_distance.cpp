// SPDX-License-Identifier: BSD-2-Clause
// A mesh and a convex shape: branch and bound over triangles, in the frame of the mesh.
//
// The hull of the mesh comes first: where it is apart from the shape and nearest to it at a point
// of the mesh, it proves the answer. Else a box of triangles is bounded by the box of the shape,
// and by the separation along the normal of the nearest triangle so far, which is sharp next to it.
// Cores that overlap a triangle go to the query of two convex shapes, with the triangle as a hull.
#include <optional>

#include "math/constants.hpp"
#include "mesh/query/hull_proof.hpp"
#include "mesh/query/mesh_answer.hpp"
#include "mesh/query/mesh_distance.hpp"
#include "mesh/query/nearest_triangle.hpp"
#include "mesh/query/solid_overlap.hpp"
#include "mesh/query/triangle_core.hpp"
#include "mesh/surface/hull_fill.hpp"
#include "narrow/query/try_distance.hpp"

namespace tactum {
namespace {

/// A mesh A and a convex shape B in the frame of A.
class PlacedShape {
 public:
  PlacedShape(const Mesh& a_, const Pose& X_WA, const Shape& b_, const Pose& X_WB)
      : checked_a(check_pose(X_WA, "X_WA")),
        checked_b(check_pose(X_WB, "X_WB")),
        a(a_),
        b(b_),
        X_AB(pose_in_frame(checked_a.pose, checked_b.pose)),
        is_half_space(b.kind() == ShapeKind::half_space),
        frame(checked_a.pose, checked_a.corrected || checked_b.corrected, a.reach(),
              is_half_space ? std::abs(b.core().offset) : b.core().bounding_radius,
              X_AB.translation) {
    if (!is_half_space) box_ = b.aabb(X_AB);
  }

  /// Below the signed distance of every triangle in the box from the shape.
  double bound(const MeshTree::Node& node, Double3 n, double lowest) const {
    const Double3 low = to_double3(box_.lower) - node.high(),
                  high = node.low() - to_double3(box_.upper);
    const Double3 gap = {std::max(low.x, high.x), std::max(low.y, high.y), std::max(low.z, high.z)};
    const Double3 apart = {std::max(gap.x, 0.0), std::max(gap.y, 0.0), std::max(gap.z, 0.0)};
    const double boxes = gap.largest() > 0.0 ? apart.norm() : gap.largest();
    const Double3 half = node.half();
    const double along = lowest - dot(n, node.center()) - std::abs(n.x) * half.x -
                         std::abs(n.y) * half.y - std::abs(n.z) * half.z;
    return std::max(boxes, along) - 2.0 * frame.slack;
  }

  const CheckedPose checked_a, checked_b;
  const Mesh& a;
  const Shape& b;
  const Pose X_AB;
  const bool is_half_space;
  const MeshFrame frame;

 private:
  Aabb box_{Vector3::Zero(), Vector3::Zero()};
};

/// The triangle as a hull, against the shape: for those that its core meets.
TrianglePair deep_pair(const PlacedShape& pair, const Triangle3& triangle, double tolerance) {
  Points corners(3, 3);
  for (int k = 0; k < 3; ++k) corners.col(k) = to_vector3(triangle[static_cast<std::size_t>(k)]);
  const Distance found = distance(Shape(Convex::from_points(corners)), Pose{}, pair.b, pair.X_AB,
                                  {.tolerance = tolerance});
  return {found.lower, found.upper, to_double3(found.normal), to_double3(found.point_a),
          to_double3(found.point_b)};
}

class ShapeSearch {
 public:
  ShapeSearch(const PlacedShape& pair, NearestPair& nearest, double tolerance, int max_iterations)
      : pair_(pair), nearest_(nearest), tolerance_(tolerance), max_iterations_(max_iterations) {}

  void look(std::int32_t index) {
    const Triangle3 triangle = mesh_triangle(pair_.a, index);
    if (nearest_.found()) {
      const double top = std::max(dot(normal_, triangle[0]),
                                  std::max(dot(normal_, triangle[1]), dot(normal_, triangle[2])));
      if (nearest_.settles(lowest_ - top)) return;
    }
    // half of the tolerance is for the slack of the bounds
    const TriangleCoreLimits limits{.gap = 0.25 * tolerance_ * pair_.frame.scale,
                                    .max_iterations = max_iterations_,
                                    .stop_above = nearest_.largest(),
                                    .scale = pair_.frame.scale};
    TrianglePair found;
    switch (triangle_core_distance(triangle, pair_.b.core(), pair_.X_AB, limits, found)) {
      case TriangleCoreOutcome::farther: nearest_.leave_out(found.lower); return;
      case TriangleCoreOutcome::overlaps: found = deep_pair(pair_, triangle, tolerance_); break;
      case TriangleCoreOutcome::unfinished:
      case TriangleCoreOutcome::solved: break;
    }
    if (nearest_.take(found, index, 0)) {
      normal_ = found.normal;
      lowest_ = lowest_of_core(pair_.b.core(), pair_.X_AB, normal_);
    }
  }

  /// Goes on until `stop()` or the end.
  template <class Stop>
  void search(Stop&& stop) {
    double left_out = kInfinity;
    struct Entry {
      double bound;
      std::int32_t node;
    };
    const MeshTree& tree = pair_.a.tree();
    Entry stack[MeshTree::kMostDepth + 2];
    int size = 0;
    const auto bounded = [&](std::int32_t i) {
      return Entry{pair_.bound(tree.node(i), normal_, lowest_), i};
    };
    stack[size++] = bounded(0);
    for (unsigned step = 0; size > 0 && !stop(); ++step) {
      if (step % 64 == 0) check_interrupt();
      const Entry entry = stack[--size];
      if (entry.bound > nearest_.largest()) {
        left_out = std::min(left_out, entry.bound);
        continue;
      }
      const MeshTree::Node& node = tree.node(entry.node);
      if (node.is_leaf()) {
        look(node.triangle);
        continue;
      }
      Entry first = bounded(entry.node + 1), second = bounded(node.second);
      if (second.bound < first.bound) std::swap(first, second);
      stack[size++] = second;
      stack[size++] = first;
    }
    nearest_.leave_out(left_out);
  }

 private:
  const PlacedShape& pair_;
  NearestPair& nearest_;
  double tolerance_;
  int max_iterations_;
  Double3 normal_ = {0.0, 0.0, 1.0};
  double lowest_ = -kInfinity;  ///< of the shape along the normal
};

std::optional<HullPair> hulls_of(const PlacedShape& pair) {
  const Shape* const hull = pair.a.hull();
  if (hull == nullptr) return std::nullopt;
  return HullPair{*hull, pair.b, pair.X_AB, hull_slack(pair.a) + pair.b.core().support_error};
}

/// Whether the hull proves that the nearest triangle is found, or that all are beyond the cutoff.
bool is_proved_by_hull(const PlacedShape& pair, const DistanceOptions& options, ShapeSearch& search,
                       NearestPair& nearest) {
  const std::optional<HullPair> hulls = hulls_of(pair);
  if (!hulls) return false;
  const double gap = 0.5 * options.tolerance * pair.frame.scale - 2.0 * pair.frame.slack;
  const bool tracked = nearest.found() && nearest.best().lower > 0.0;
  if (tracked) {
    const double separation = hull_separation(*hulls, nearest.best().normal);
    if (nearest.is_attained(separation, gap)) return nearest.leave_out(separation), true;
  }
  const Vector3 direction = tracked ? to_vector3(nearest.best().normal) : Vector3(Vector3::Zero());
  const HullProof proof = hull_distance(*hulls, options.cutoff, direction);
  if (!(proof.lower > pair.frame.band())) return false;
  if (!(proof.lower > options.cutoff)) {
    search.look(nearest_triangle(pair.a, proof.point_a).triangle);
    if (!nearest.is_attained(proof.lower, gap)) return false;
  }
  nearest.leave_out_all(proof.lower, proof.normal);
  return true;
}

/// The lowest vertex over a half-space is the whole answer, apart and in penetration.
TrianglePair half_space_pair(const PlacedShape& pair) {
  const CoreShape& core = pair.b.core();
  const Double3 up = to_double3(Vector3(pair.X_AB.rotation * core.size));
  const double plane = core.offset + dot(up, to_double3(pair.X_AB.translation));
  const MeshSupport lowest = mesh_support(pair.a, -up);
  TrianglePair result;
  result.lower = result.upper = dot(up, lowest.point) - plane;
  result.normal = -up;
  result.point_a = lowest.point;
  result.point_b = lowest.point - result.lower * up;
  return result;
}

/// A point in the middle of the shape, in its frame.
Vector3 middle_of(const Shape& shape) {
  if (const Convex* const hull = std::get_if<Convex>(&shape.parameters())) {
    Vector3 sum = Vector3::Zero();
    for (int i = 0; i < hull->num_vertices(); ++i) sum += hull->vertex(i);
    return sum / hull->num_vertices();
  }
  Vector3 sum = Vector3::Zero();
  int visited = 0;
  for (int k = 0; k < 6; ++k) {
    const Vector3 axis = (k % 2 == 0 ? 1.0 : -1.0) * Vector3::Unit(k / 2);
    sum += to_vector3(core_support(shape.core(), to_double3(axis), visited).point);
  }
  return sum / 6.0;
}

/// The depth of the shape inside a solid mesh that its surface does not cross: then all of it is
/// where its middle is.
double depth_inside(const PlacedShape& pair) {
  if (!pair.a.is_solid() || pair.is_half_space) return 0.0;
  const double depth = depth_of_point(pair.a, pair.X_AB * middle_of(pair.b));
  return depth > pair.frame.band() ? depth : 0.0;
}

/// How deep the point of the shape that is farthest against a normal from A to B is inside A.
double depth_of_support(const PlacedShape& pair, Double3 n) {
  int visited = 0;
  const CoreShape& core = pair.b.core();
  const Double3 down = -transposed_product(pair.X_AB.rotation, n);
  const double radius = core.radius + core.inner_radius - core.support_error;
  const Double3 point = core_support(core, down, visited).point + std::max(0.0, radius) * down;
  return depth_of_point(pair.a, pair.X_AB * to_vector3(point));
}

/// Where the hull is not proved, the axes of both frames and the line of centers are tried.
Parting parting_of(const PlacedShape& pair, Double3 pair_normal) {
  if (const std::optional<HullPair> hulls = hulls_of(pair)) {
    const HullProof depth = hull_depth(*hulls);
    Parting parting{depth.lower, depth.normal, depth.point_a};
    if (pair.a.fills_hull()) parting.upper = depth.upper + hull_fill_slack(pair.a.reach());
    return parting;
  }
  const Double3 middle = placed(pair.X_AB, to_double3(pair.b.core().center)) -
                         pair.a.tree().node(0).center();
  const double length = middle.norm();
  const Matrix3& R = pair.X_AB.rotation;
  const Double3 directions[] = {
      {1.0, 0.0, 0.0},      {0.0, 1.0, 0.0},
      {0.0, 0.0, 1.0},      to_double3(R.col(0)),
      to_double3(R.col(1)), to_double3(R.col(2)),
      pair_normal,          length > 0.0 ? (1.0 / length) * middle : pair_normal};
  return best_parting(pair.a, directions,
                      [&](Double3 n) { return lowest_of_core(pair.b.core(), pair.X_AB, n); });
}

}  // namespace

GeometryDistance mesh_distance(const Mesh& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                               const DistanceOptions& options) {
  check_distance_options(options);
  const PlacedShape pair(a, X_WA, b, X_WB);
  NearestPair nearest(pair.frame, options.cutoff);
  if (pair.is_half_space) {
    nearest.take(half_space_pair(pair), 0, 0);
    return nearest.surface_answer(options);
  }
  ShapeSearch search(pair, nearest, options.tolerance, options.max_iterations);
  if (options.warm_start != nullptr) {
    const std::int32_t last = options.warm_start->vertices[0];
    if (last >= 0 && last < a.triangles().cols()) search.look(last);
  }
  if (is_proved_by_hull(pair, options, search, nearest)) return nearest.surface_answer(options);
  search.search([] { return false; });
  if (!a.is_solid()) return nearest.surface_answer(options);
  double depth = nearest.crosses() ? 0.0 : depth_inside(pair);
  if (!nearest.crosses() && !(depth > 0.0)) return nearest.surface_answer(options);
  const Parting parting = parting_of(pair, nearest.best().normal);
  depth = std::max(depth, std::isfinite(parting.upper) ? -parting.upper
                                                       : depth_of_support(pair, parting.normal));
  return nearest.overlap_answer(options, parting, depth, true);
}

Collision mesh_collide(const Mesh& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                       const CollideOptions& options) {
  check_options(options.tolerance, options.max_iterations, options.initial_direction,
                options.warm_start);
  const PlacedShape pair(a, X_WA, b, X_WB);
  NearestPair nearest(pair.frame, 0.0);
  if (pair.is_half_space) {
    nearest.take(half_space_pair(pair), 0, 0);
    return nearest.collision(false);
  }
  ShapeSearch search(pair, nearest, options.tolerance, options.max_iterations);
  if (const std::optional<HullPair> hulls = hulls_of(pair)) {
    const bool tracked = options.warm_start != nullptr;
    const Vector3 direction = tracked ? options.warm_start->direction_A : Vector3(Vector3::Zero());
    const HullProof plane = hull_plane(*hulls, direction);
    if (plane.lower > pair.frame.band()) {
      nearest.leave_out_all(plane.lower, plane.normal);
      Collision result = nearest.collision(false);
      if (tracked) result.warm_start.vertices = options.warm_start->vertices;
      return result;
    }
  }
  if (options.warm_start != nullptr) {
    const std::int32_t last = options.warm_start->vertices[0];
    if (last >= 0 && last < a.triangles().cols()) search.look(last);
  }
  if (!nearest.touches()) search.search([&] { return nearest.touches(); });
  return nearest.collision(!nearest.touches() && depth_inside(pair) > 0.0);
}

}  // namespace tactum
