// SPDX-License-Identifier: BSD-2-Clause
// Tables against their definitions; supports against a full scan of the vertices.
#include "shape/hull/convex_polytope.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "shape/point_clouds.hpp"

namespace tactum::convex_polytope_test {
namespace {

using testing::Random;

std::vector<testing::PointCloud> all_clouds() {
  std::vector<testing::PointCloud> clouds = testing::solid_clouds();
  Random random(21);
  const auto flat = [&](int corners) -> Points {
    return testing::prism_points(corners)(Eigen::all, Eigen::seq(0, Eigen::last, 2));
  };
  clouds.push_back({"point", Points::Constant(3, 1, 2.0)});
  clouds.push_back({"segment", testing::box_points(2, random)});
  clouds.push_back({"triangle", testing::box_points(3, random)});
  clouds.push_back({"polygon of 64", random.rotation() * flat(64)});
  clouds.push_back({"polygon of 1000", random.rotation() * flat(1000)});
  return clouds;
}

TEST(ConvexPolytope, VerticesAreThePointsBitByBit) {
  Random random(22);
  const Points points = random.rotation() * testing::sphere_points(50, random);
  const ConvexPolytope polytope = ConvexPolytope::from_points(points);
  ASSERT_EQ(polytope.num_vertices(), 50);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(polytope.vertex(i), points.col(i));
}

TEST(ConvexPolytope, FacesEdgesAndNeighborsAgree) {
  for (const auto& [name, points] : all_clouds()) {
    SCOPED_TRACE(name);
    const ConvexPolytope p = ConvexPolytope::from_points(points);
    const int boundary = p.dimension() == 3 ? 0 : 1;
    if (p.dimension() == 3) {
      EXPECT_EQ(p.num_vertices() - static_cast<int>(p.edges().size()) +
                    static_cast<int>(p.faces().size()),
                2);
    }
    if (p.dimension() == 2) {
      EXPECT_EQ(static_cast<int>(p.edges().size()), p.num_vertices());
      EXPECT_EQ(static_cast<int>(p.faces().size()), p.num_vertices() - 2);
    }
    for (std::size_t f = 0; f < p.faces().size(); ++f) {
      for (int k = 0; k < 3; ++k) {
        const std::int32_t across = p.faces()[f].neighbors[k];
        if (across < 0) {
          ASSERT_EQ(boundary, 1);
          continue;
        }
        const auto& other = p.faces()[across];
        const int from = p.faces()[f].vertices[k];
        const int to = p.faces()[f].vertices[(k + 1) % 3];
        int matches = 0;
        for (int j = 0; j < 3; ++j) {
          if (other.vertices[j] != to || other.vertices[(j + 1) % 3] != from) continue;
          ++matches;
          EXPECT_EQ(other.neighbors[j], static_cast<std::int32_t>(f));
        }
        ASSERT_EQ(matches, 1);
      }
    }
    std::size_t ends = 0;
    for (const auto& edge : p.edges()) {
      ASSERT_LT(edge.vertices[0], edge.vertices[1]);
      for (int side = 0; side < 2; ++side) {
        const int from = edge.vertices[side];
        const int to = edge.vertices[1 - side];
        EXPECT_TRUE(std::ranges::binary_search(p.neighbors(from), to));
        if (edge.faces[side] < 0) {
          ASSERT_EQ(boundary, 1);
          continue;
        }
        const auto& corners = p.faces()[edge.faces[side]].vertices;
        const auto at = std::find(corners.begin(), corners.end(), from);
        ASSERT_NE(at, corners.end());
        EXPECT_EQ(corners[(at - corners.begin() + 1) % 3], to);
      }
    }
    for (int i = 0; i < p.num_vertices(); ++i) {
      EXPECT_TRUE(std::ranges::is_sorted(p.neighbors(i)));
      ends += p.neighbors(i).size();
    }
    EXPECT_EQ(ends, 2 * p.edges().size());
  }
}

TEST(ConvexPolytope, PlanesBoundEveryVertexExactlyAndTouchTheirFace) {
  for (const auto& [name, points] : all_clouds()) {
    SCOPED_TRACE(name);
    const ConvexPolytope p = ConvexPolytope::from_points(points);
    const double rounding = testing::rounding_of(points);
    for (std::size_t f = 0; f < p.planes().size(); ++f) {
      const auto& plane = p.planes()[f];
      EXPECT_NEAR(plane.normal.norm(), 1.0, 1e-15);
      double highest = -1e300;
      for (int i = 0; i < p.num_vertices(); ++i) {
        highest = std::max(highest, plane.normal.x() * p.x()[i] + plane.normal.y() * p.y()[i] +
                                        plane.normal.z() * p.z()[i]);
      }
      ASSERT_EQ(highest, plane.offset);
      const auto& v = p.faces()[f].vertices;
      const Vector3 a = p.vertex(v[0]);
      const Vector3 area = (p.vertex(v[1]) - a).cross(p.vertex(v[2]) - a);
      const double longest = std::max({(p.vertex(v[1]) - a).norm(),
                                       (p.vertex(v[2]) - p.vertex(v[1])).norm(),
                                       (a - p.vertex(v[2])).norm()});
      const double height = area.norm() / longest;
      // faces with a plane of their own lie in it, up to what rounding of the corners can turn it
      if (height > 1e6 * rounding) {
        EXPECT_GT(plane.normal.dot(area), 0.0);
        const double extent = (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
        EXPECT_LE(plane.offset - plane.normal.dot(a), 16.0 * rounding * (1.0 + extent / height));
      }
    }
  }
}

TEST(ConvexPolytope, PolygonHasOneNormal) {
  Random random(23);
  Points needle(3, 4);
  needle << 0, 1, 0.4, 0.6, 0, 0, 1e-8, -1e-8, 0, 0, 0, 0;
  const Matrix3 R = random.rotation();
  const ConvexPolytope p = ConvexPolytope::from_points(R * needle);
  ASSERT_EQ(p.dimension(), 2);
  for (const auto& plane : p.planes()) {
    EXPECT_EQ(plane.normal, p.planes()[0].normal);
    EXPECT_NEAR(std::abs(plane.normal.dot(R.col(2))), 1.0, 1e-15);
    EXPECT_NEAR(plane.normal.dot(R.col(0)), 0.0, 1e-15);  // no tilt along the needle
  }
}

TEST(ConvexPolytope, CentroidIsTheMeanOfTheVertices) {
  Points far = Points::Zero(3, 4);
  far.rightCols(3).setIdentity();
  far.colwise() += Vector3(1e6, 0, 0);
  EXPECT_LT((ConvexPolytope::from_points(far).centroid() - Vector3(1e6 + 0.25, 0.25, 0.25)).norm(),
            1e-9);
}

TEST(ConvexPolytope, MemoryIsBounded) {
  Random random(24);
  for (const int count : {4, 5, 10, 64, 65, 300, 1000, 5000, 10000}) {
    const ConvexPolytope p = ConvexPolytope::from_points(testing::sphere_points(count, random));
    ASSERT_EQ(p.num_vertices(), count);
    EXPECT_LE(p.nbytes(), 256U * count + 16384U);
    EXPECT_GE(p.nbytes(), 24U * count);
  }
  const ConvexPolytope prism = ConvexPolytope::from_points(testing::prism_points(1000));
  EXPECT_LE(prism.nbytes(), 256U * 2000U + 16384U);
}

// -------------------------------------------------------------------------------------------------
// support

class Supports {
 public:
  explicit Supports(const Points& points) : polytope_(ConvexPolytope::from_points(points)) {
    for (int i = 0; i < polytope_.num_vertices(); ++i)
      largest_ = std::max(largest_, polytope_.vertex(i).norm());
  }
  const ConvexPolytope& polytope() const { return polytope_; }

  void check(const Vector3& direction) const {
    double best = -1e300;
    int first = 0;
    for (int i = 0; i < polytope_.num_vertices(); ++i) {
      const double height = direction.x() * polytope_.x()[i] + direction.y() * polytope_.y()[i] +
                            direction.z() * polytope_.z()[i];
      if (height > best) best = height, first = i;
    }
    int visited = 0;
    const int vertex = polytope_.support_vertex(direction, visited);
    EXPECT_GT(visited, 0);
    ASSERT_GE(vertex, 0);
    ASSERT_LT(vertex, polytope_.num_vertices());
    const double height = direction.dot(polytope_.vertex(vertex));
    ASSERT_LE(best - height, 8.0 * 0x1p-52 * direction.norm() * largest_);
    ASSERT_EQ(vertex, first) << "ties go to the lowest index";
  }

 private:
  ConvexPolytope polytope_;
  double largest_ = 0.0;
};

TEST(SupportVertex, IsThatOfAFullScan) {
  Random random(25);
  for (const auto& [name, points] : all_clouds()) {
    SCOPED_TRACE(name);
    const Supports supports(points);
    for (int i = 0; i < 2000; ++i) {
      const Vector3 direction = random.log_uniform(1e-3, 1e3) * random.direction();
      supports.check(direction);
    }
  }
}

TEST(SupportVertex, NearFaceNormalsAndEdgesItIsStillThatOfAFullScan) {
  Random random(26);
  for (const auto& [name, points] : all_clouds()) {
    SCOPED_TRACE(name);
    const Supports supports(points);
    const auto planes = supports.polytope().planes();
    for (std::size_t f = 0; f < planes.size(); f += 1 + planes.size() / 200) {
      supports.check(planes[f].normal);
      supports.check(-planes[f].normal);
      for (const double tilt : {1e-16, 1e-14, 1e-12, 1e-9, 1e-6})
        supports.check(planes[f].normal + tilt * random.direction());
      const Vector3 edge_normal = planes[f].normal +
                                  planes[random.below(static_cast<int>(planes.size()))].normal;
      if (edge_normal.norm() > 1e-3) supports.check(edge_normal);
    }
  }
}

TEST(SupportVertex, BadStartsAreHarmless) {
  Random random(27);
  const Supports supports(testing::sphere_points(500, random));
  supports.check(Vector3(1.0, 2.0, 3.0));
}

TEST(SupportVertex, LooksAtFewVertices) {
  Random random(28);
  const ConvexPolytope p = ConvexPolytope::from_points(testing::sphere_points(5000, random));
  int visited = 0;
  for (int i = 0; i < 1000; ++i) p.support_vertex(random.direction(), visited);
  EXPECT_GT(visited, 1000);
  EXPECT_LT(visited, 1000 * 40);
}

}  // namespace
}  // namespace tactum::convex_polytope_test
