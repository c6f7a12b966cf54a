// SPDX-License-Identifier: BSD-2-Clause
// What a polytope proves: bounds against the certified library, closed forms of boxes, and that
// surfaces with holes prove nothing.
#include "gpu/depth_proof.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gpu/distance_pair.hpp"
#include "gpu/packed_shapes.hpp"
#include "support/random_shapes.hpp"
#include "tactum/distance.hpp"

namespace tactum::gpu {
namespace depth_proof_tests {

constexpr KindSet kHulls = set_of(CoreKind::polytope);

Shape random_hull(testing::Random& random, int num_vertices) {
  Points points(3, num_vertices);
  const Vector3 axes(0.2 + random.uniform(0.0, 1.0), 0.2 + random.uniform(0.0, 1.0),
                     0.2 + random.uniform(0.0, 1.0));
  for (int i = 0; i < num_vertices; ++i) points.col(i) = axes.cwiseProduct(random.direction());
  return Convex::from_points(points);
}

/// Two shapes, packed, at poses in the world.
struct Packed {
  Packed(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB)
      : shapes{a, b},
        packed(pack_shapes(shapes)),
        pose_a(pose_xyz_xyzw(X_WA)),
        pose_b(pose_xyz_xyzw(X_WB)) {}
  TableView<1> table() const {
    return {packed.single.data(),
            packed.exact.data(),
            {packed.blocks.data(), packed.vertices.data(), 0}};
  }
  DoublePair pair(double tolerance) const {
    return double_pair(table(), 0, read_pose(pose_a.data()), 1, read_pose(pose_b.data()),
                       tolerance);
  }
  Distance exact() const {
    return distance(shapes[0], pose_from_xyz_xyzw(pose_a), shapes[1], pose_from_xyz_xyzw(pose_b),
                    {.method = Method::gjk});
  }
  std::vector<Shape> shapes;
  PackedShapes packed;
  Vector7 pose_a, pose_b;
};

template <class Real>
void check_hulls(int num_vertices, double tolerance, double share) {
  testing::Random random(31 + num_vertices);
  int overlapping = 0, proved = 0;
  for (int i = 0; i < 300; ++i) {
    const Packed two(random_hull(random, num_vertices), {random.rotation(), random.in_box(0.3)},
                     random_hull(random, num_vertices), {random.rotation(), random.in_box(0.5)});
    const DoublePair pair = two.pair(tolerance);
    const TableView<1> table = two.table();
    const auto result = searched_again<kHulls>(pair, table.vertices);
    if (result.state != LaneState::overlapping) continue;
    ++overlapping;
    PairAnswer answer = refused_answer();
    if constexpr (sizeof(Real) == sizeof(float)) {
      answer = depth_of_pair<kHulls>(pair, table.single[0], table.single[1], table.vertices,
                                     result);
    } else {
      answer = depth_of_pair<kHulls>(pair, pair.a, pair.b, table.vertices, result);
    }
    const Distance exact = two.exact();
    EXPECT_LE(answer.lower, exact.upper) << i;
    EXPECT_GE(answer.upper, exact.lower) << i;
    if (answer.status == Status::not_converged) continue;
    ++proved;
    EXPECT_NEAR(answer.distance, exact.distance, tolerance * pair.scale) << i;
    const Vector<double> off = answer.point_b - answer.point_a - answer.distance * answer.normal;
    EXPECT_LE(norm(off), 2.0 * std::sqrt(tolerance) * pair.scale) << i;
  }
  EXPECT_GT(overlapping, 100);
  EXPECT_GE(proved, static_cast<int>(share * overlapping));
}

TEST(GpuDepthProof, HullsInSinglePrecision) { check_hulls<float>(27, 1e-6, 0.99); }
TEST(GpuDepthProof, SmallHullsInSinglePrecision) { check_hulls<float>(5, 1e-6, 0.99); }
TEST(GpuDepthProof, LargeHullsInSinglePrecision) { check_hulls<float>(200, 1e-6, 0.8); }
TEST(GpuDepthProof, HullsInSinglePrecisionToTenDigits) { check_hulls<float>(27, 1e-10, 0.99); }
TEST(GpuDepthProof, HullsInDouble) { check_hulls<double>(27, 1e-10, 1.0); }
TEST(GpuDepthProof, LargeHullsInDouble) { check_hulls<double>(200, 1e-10, 0.99); }

TEST(GpuDepthProof, AlignedShapesOfEveryKind) {
  // where axes meet, a search ends with a segment or a triangle through the origin
  const std::vector<Shape> shapes = {
      Box{.half_extents = {0.5, 0.6, 0.7}}, Cylinder{.radius = 0.5, .half_length = 0.8},
      Cone{.radius = 0.5, .half_length = 0.6}, Ellipsoid{.semi_axes = {0.5, 0.7, 0.4}},
      Capsule{.radius = 0.2, .half_length = 0.6}};
  int pairs = 0, proved = 0;
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      for (const Vector3& shift : {Vector3(0, 0, 0), Vector3(0, 0, 0.3), Vector3(0.2, 0, 0),
                                   Vector3(0.1, 0.2, 0), Vector3(0.1, -0.2, 0.3)}) {
        const Packed two(a, {}, b, {.translation = shift});
        const PairAnswer answer = distance_of_pair<kAllKinds>(
            two.table(), 0, read_pose(two.pose_a.data()), 1, read_pose(two.pose_b.data()), 1e-6);
        const Distance exact = two.exact();
        EXPECT_LE(answer.lower, exact.upper);
        EXPECT_GE(answer.upper, exact.lower);
        ++pairs;
        if (answer.status == Status::not_converged) continue;
        ++proved;
        EXPECT_EQ(answer.status, Status::penetrating);
        EXPECT_NEAR(answer.distance, exact.distance, 2e-6);
      }
    }
  }
  RecordProperty("proved", proved);
  EXPECT_GE(proved, pairs / 2);
}

TEST(GpuDepthProof, BoxesAgainstTheirClosedForm) {
  // aligned boxes: faces of four corners and ties of all kinds
  for (const double shift : {0.0, 0.1, 0.25, 0.7}) {
    const Shape a = Box{.half_extents = {1.0, 0.8, 0.6}}, b = Box{.half_extents = {0.5, 0.4, 0.3}};
    const Packed two(a, {}, b, {.translation = {0.0, 0.0, shift}});
    const PairAnswer answer = distance_of_pair<set_of(CoreKind::box)>(
        two.table(), 0, read_pose(two.pose_a.data()), 1, read_pose(two.pose_b.data()), 1e-10);
    EXPECT_EQ(answer.status, Status::penetrating) << shift;
    EXPECT_NEAR(answer.distance, -(0.6 + 0.3 - shift), 1e-12) << shift;
  }
}

/// The polytope of two hulls that overlap, as the search leaves it.
struct Grown {
  Grown() : random(77), two(random_hull(random, 27), {}, random_hull(random, 27), {}) {
    const TableView<1> table = two.table();
    const DoublePair pair = two.pair(1e-6);
    WarpPair<HostWarp, double, 1> warp_pair{
        pair.a, pair.b, table.vertices, pair.X_AB, pair.scale, 1e-8, {}, {}};
    keep_vertices<kHulls>(warp, warp_pair);
    size = begin_polytope<kHulls>(warp, room.polytope, warp_pair, pair,
                                  searched_again<kHulls>(pair, table.vertices));
    while (size.state == PolytopeState::growing)
      grow_polytope<kHulls>(warp, room.polytope, size, warp_pair);
  }
  double inside() {
    const DoublePair pair = two.pair(1e-6);
    return deepest_face<kHulls>(warp, room.polytope, size, {pair.a, pair.b, pair.X_AB},
                                two.table().vertices, room.points, 1e-6)
        .inside;
  }
  testing::Random random;
  Packed two;
  HostWarp warp;
  DepthRoomOf<double, kHulls>::Type room;
  PolytopeSize size;
};

TEST(GpuDepthProof, ABallInsideNeedsAClosedSurface) {
  Grown whole;
  ASSERT_EQ(whole.size.state, PolytopeState::converged);
  EXPECT_NEAR(whole.inside(), -whole.two.exact().distance, 1e-9);
  // any face that is missing, turned over or there twice is noticed
  for (int face = 0; face < whole.size.num_rounds * kWarpLanes; ++face) {
    const std::uint32_t corners = whole.room.polytope.faces[face];
    if (corners == decltype(whole.room.polytope)::kNoFace) continue;
    whole.room.polytope.faces[face] = decltype(whole.room.polytope)::kNoFace;
    EXPECT_LE(whole.inside(), 0.0);
    whole.room.polytope.faces[face] = face_of(corner_in(corners, 0), corner_in(corners, 2),
                                              corner_in(corners, 1));
    EXPECT_LE(whole.inside(), 0.0);
    whole.room.polytope.faces[face] = corners;
  }
  EXPECT_GT(whole.inside(), 0.0);
}

TEST(GpuDepthProof, NoFaceProvesNothing) {
  Grown whole;
  for (std::uint32_t& corners : whole.room.polytope.faces)
    corners = decltype(whole.room.polytope)::kNoFace;
  EXPECT_LE(whole.inside(), 0.0);
}

TEST(GpuDepthProof, ATurnedSurfaceProvesNothing) {
  // all faces seen from inside: closed, but the origin is in front of each
  Grown whole;
  for (int face = 0; face < whole.size.num_rounds * kWarpLanes; ++face) {
    std::uint32_t& corners = whole.room.polytope.faces[face];
    if (corners == decltype(whole.room.polytope)::kNoFace) continue;
    corners = face_of(corner_in(corners, 0), corner_in(corners, 2), corner_in(corners, 1));
  }
  EXPECT_LE(whole.inside(), 0.0);
}

}  // namespace depth_proof_tests
}  // namespace tactum::gpu
