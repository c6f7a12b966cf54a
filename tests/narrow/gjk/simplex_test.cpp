// SPDX-License-Identifier: BSD-2-Clause
// Projection of the origin on a simplex against all of its faces in extended precision.
#include "narrow/gjk/simplex.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::simplex_test {
namespace {

using namespace tactum::testing;

/// Nearest point of the affine hull of some of the points, accepted when all weights are
/// non-negative.
struct BruteForce {
  Real distance = infinite;
  Vec3 point = Vec3::Zero();
  unsigned face = 0;

  /// Orthonormalizes the edges twice (Gram-Schmidt), projects the origin on their span, and solves
  /// back for the weights.
  void offer(const std::vector<Vec3>& points, unsigned mask) {
    std::vector<Vec3> vertices;
    for (unsigned i = 0; i < points.size(); ++i) {
      if (mask >> i & 1U) vertices.push_back(points[i]);
    }
    const int edges = static_cast<int>(vertices.size()) - 1;
    std::array<Vec3, 3> q;
    Mat3 r = Mat3::Zero();
    for (int k = 0; k < edges; ++k) {
      const Vec3 edge = vertices[static_cast<std::size_t>(k) + 1] - vertices[0];
      Vec3 v = edge;
      for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < k; ++j) {
          const Real c = q[static_cast<std::size_t>(j)].dot(v);
          r(j, k) += c;
          v -= c * q[static_cast<std::size_t>(j)];
        }
      }
      r(k, k) = v.norm();
      // a flat simplex: its own faces contain the nearest point
      if (!(r(k, k) > 1e-17L * edge.norm()) || edge.norm() == 0) return;
      q[static_cast<std::size_t>(k)] = v / r(k, k);
    }
    Vec3 right = Vec3::Zero(), weights = Vec3::Zero(), projection = vertices[0];
    for (int k = 0; k < edges; ++k) {
      right[k] = -q[static_cast<std::size_t>(k)].dot(projection);
      projection += right[k] * q[static_cast<std::size_t>(k)];
    }
    for (int k = edges - 1; k >= 0; --k) {
      Real sum = right[k];
      for (int j = k + 1; j < edges; ++j) sum -= r(k, j) * weights[j];
      weights[k] = sum / r(k, k);
    }
    if (weights.head(edges).minCoeff() < 0 || weights.head(edges).sum() > 1) return;
    if (projection.norm() < distance) *this = {projection.norm(), projection, mask};
  }
};

BruteForce nearest_by_enumeration(const std::vector<Vec3>& points) {
  BruteForce best;
  for (unsigned i = 0; i < points.size(); ++i) {
    if (points[i].norm() < best.distance) best = {points[i].norm(), points[i], 1U << i};
  }
  for (unsigned mask = 1; mask < 1U << points.size(); ++mask) {
    if ((mask & (mask - 1)) != 0) best.offer(points, mask);
  }
  return best;
}

MinkowskiPoint point_of(const Vector3& w) {
  // any split into b - a will do: the projection must keep both
  const Vector3 a(0.25, -0.5, 0.125);
  return {w, a, {0, 0}, w + a};
}

Simplex simplex_of(const std::vector<Vector3>& points) {
  Simplex simplex;
  for (const Vector3& w : points) simplex.push(point_of(w));
  return simplex;
}

std::vector<Vec3> widened(const std::vector<Vector3>& points) {
  std::vector<Vec3> result;
  for (const Vector3& w : points) result.push_back(widen(w));
  return result;
}

double scale_of(const std::vector<Vector3>& points) {
  double scale = 0.0;
  for (const Vector3& w : points) scale = std::max(scale, w.norm());
  return scale;
}

/// Checks that the weights are positive with sum one and give the projection.
void expect_weights_valid(const Simplex& simplex, const SimplexProjection& projection,
                          double scale) {
  ASSERT_GE(simplex.size, 1);
  double sum = 0.0;
  Vec3 point = Vec3::Zero();
  for (std::size_t i = 0; i < static_cast<std::size_t>(simplex.size); ++i) {
    EXPECT_GE(simplex.weights[i], 0.0);
    sum += simplex.weights[i];
    point += Real(simplex.weights[i]) * widen(simplex.points[i].w);
  }
  EXPECT_NEAR(sum, 1.0, 4.0 * kEps);
  EXPECT_LE((point - widen(to_vector3(projection.point))).norm(), 16.0 * kEps * scale);
  EXPECT_LE((simplex.point_b() - simplex.point_a() - to_vector3(projection.point)).norm(),
            16.0 * kEps * std::max(1.0, scale));
}

/// Checks the nearest point. `tolerance` is relative to the scale: well shaped simplices allow a
/// few rounding errors only.
void expect_nearest(const std::vector<Vector3>& points, double tolerance) {
  const double scale = scale_of(points);
  Simplex simplex = simplex_of(points);
  const SimplexProjection projection = project_origin(simplex, scale);
  const BruteForce truth = nearest_by_enumeration(widened(points));
  expect_weights_valid(simplex, projection, scale);
  EXPECT_NEAR(projection.point.norm(), static_cast<double>(truth.distance), tolerance * scale);
  EXPECT_NEAR(projection.normal.norm(), to_vector3(projection.normal).isZero() ? 0.0 : 1.0,
              4.0 * kEps);
  if (projection.contains_origin) {
    EXPECT_LE(static_cast<double>(truth.distance), 4.0 * kEps * scale);
    return;
  }
  EXPECT_LE(
      (to_vector3(projection.along).stableNormalized() - to_vector3(projection.normal)).norm(),
      8.0 * kEps);
  // the normal proves the distance: no point of the simplex lies lower along it
  for (const Vector3& w : points)
    EXPECT_GE(to_vector3(projection.normal).dot(w),
              static_cast<double>(truth.distance) - tolerance * scale);
}

/// Points in the order of GJK: the last one lies beyond the plane through the nearest point of the
/// others, so the face with the nearest point of all contains it. `draw` makes one point.
template <class Draw>
std::vector<Vector3> gjk_like(int size, Random& random, const Draw& draw) {
  while (true) {
    std::vector<Vector3> points;
    for (int i = 0; i + 1 < size; ++i) points.push_back(draw(random));
    if (!points.empty()) {
      const BruteForce previous = nearest_by_enumeration(widened(points));
      if (previous.face != (1U << points.size()) - 1 || previous.distance == 0) continue;
      const Vector3 newest = draw(random);
      // the direction of a short projection is rounding, so a triangle uses its normal
      Vec3 normal = previous.point.normalized();
      if (points.size() == 3) {
        normal = (widen(points[1]) - widen(points[0]))
                     .cross(widen(points[2]) - widen(points[0]))
                     .normalized();
        if (normal.dot(widen(points[0])) < 0) normal = -normal;
      }
      if (normal.dot(widen(newest)) >= previous.distance) continue;
      points.push_back(newest);
    } else {
      points.push_back(draw(random));
    }
    return points;
  }
}

TEST(Simplex, RandomPointsAgreeWithEnumeration) {
  Random random(11);
  int inside = 0;
  for (int size = 1; size <= 4; ++size) {
    for (int i = 0; i < 3000; ++i) {
      const auto points = gjk_like(size, random, [](Random& r) { return r.in_box(1.0); });
      SCOPED_TRACE(::testing::Message() << "size " << size << " sample " << i);
      expect_nearest(points, 256.0 * kEps);
      inside += nearest_by_enumeration(widened(points)).face == 15 ? 1 : 0;
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(inside, 300);  // the sample contains the four-point case too
}

TEST(Simplex, KeepsTheFaceOfTheProjectionAlone) {
  Random random(12);
  for (int i = 0; i < 2000; ++i) {
    const auto points = gjk_like(1 + random.below(4), random,
                                 [](Random& r) { return r.in_box(1.0); });
    Simplex simplex = simplex_of(points);
    const SimplexProjection projection = project_origin(simplex, scale_of(points));
    const BruteForce truth = nearest_by_enumeration(widened(points));
    EXPECT_EQ(projection.contains_origin, truth.face == 15);
    unsigned kept = 0;
    for (int k = 0; k < simplex.size; ++k) {
      for (unsigned j = 0; j < points.size(); ++j) {
        if (simplex.points[static_cast<std::size_t>(k)].w == points[j]) kept |= 1U << j;
      }
    }
    EXPECT_EQ(kept, truth.face) << "sample " << i;
  }
}

TEST(Simplex, TetrahedronHoldsTheOriginExactlyWhenAllVolumesAgree) {
  Random random(13);
  int inside = 0;
  for (int i = 0; i < 5000; ++i) {
    std::vector<Vector3> points;
    for (int k = 0; k < 4; ++k) points.push_back(random.in_box(1.0));
    const auto wide = widened(points);
    // signs of the four volumes with the origin in place of a vertex
    bool agree = true, unsure = false;
    const Real volume = (wide[1] - wide[0]).cross(wide[2] - wide[0]).dot(wide[3] - wide[0]);
    for (std::size_t k = 0; k < 4; ++k) {
      auto moved = wide;
      moved[k] = Vec3::Zero();
      const Real part = (moved[1] - moved[0]).cross(moved[2] - moved[0]).dot(moved[3] - moved[0]);
      agree = agree && (part > 0) == (volume > 0);
      unsure = unsure || std::abs(part) < 1e-13L;
    }
    if (unsure) continue;
    Simplex simplex = simplex_of(points);
    EXPECT_EQ(project_origin(simplex, 1.8).contains_origin && simplex.size == 4, agree) << i;
    inside += agree ? 1 : 0;
  }
  EXPECT_GT(inside, 200);
}

TEST(Simplex, WeightsOfAHoldingTetrahedronGiveTheOrigin) {
  Random random(14);
  for (int i = 0; i < 2000; ++i) {
    // four random points moved so that known weights give the origin
    std::vector<Vector3> points;
    Vector3 mean = Vector3::Zero();
    std::array<double, 4> weights;
    double sum = 0.0;
    for (double& weight : weights) sum += weight = random.uniform(0.05, 1.0);
    for (std::size_t k = 0; k < 4; ++k) {
      points.push_back(random.in_box(1.0));
      mean += weights[k] / sum * points[k];
    }
    for (Vector3& w : points) w -= mean;
    const double volume =
        (points[1] - points[0]).cross(points[2] - points[0]).dot(points[3] - points[0]);
    if (std::abs(volume) < 1e-3) continue;
    Simplex simplex = simplex_of(points);
    ASSERT_TRUE(project_origin(simplex, 2.0).contains_origin);
    ASSERT_EQ(simplex.size, 4);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(simplex.weights[k], weights[k] / sum, 1e-11);
    EXPECT_LE((simplex.point_b() - simplex.point_a()).norm(), 64.0 * kEps / std::abs(volume));
  }
}

TEST(Simplex, OriginOnAVertexAnEdgeAFace) {
  Random random(15);
  for (int i = 0; i < 500; ++i) {
    for (int size = 1; size <= 3; ++size) {
      std::vector<Vector3> points;
      for (int k = 0; k < size; ++k) points.push_back(random.in_box(1.0));
      Vector3 mean = Vector3::Zero();
      for (const Vector3& w : points) mean += w / size;
      for (Vector3& w : points) w -= mean;
      const double scale = std::max(1.0, scale_of(points));
      Simplex simplex = simplex_of(points);
      const SimplexProjection projection = project_origin(simplex, scale);
      EXPECT_TRUE(projection.contains_origin);
      EXPECT_LE(projection.point.norm(), 4.0 * kEps * scale);
    }
  }
  Simplex origin = simplex_of({Vector3::Zero()});
  EXPECT_TRUE(project_origin(origin, 1.0).contains_origin);
}

TEST(Simplex, NeedleTriangles) {
  Random random(16);
  for (int i = 0; i < 4000; ++i) {
    const double thickness = random.log_uniform(1e-12, 1e-2);
    const Vector3 along = random.direction(), base = random.direction() * random.uniform(0.1, 1.0);
    const auto draw = [&](Random& r) {
      return Vector3(base + r.uniform(-1.0, 1.0) * along + thickness * r.in_box(1.0));
    };
    SCOPED_TRACE(::testing::Message() << "sample " << i << " thickness " << thickness);
    expect_nearest(gjk_like(3, random, draw), 256.0 * kEps);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Simplex, NearlyFlatTetrahedra) {
  Random random(17);
  for (int i = 0; i < 4000; ++i) {
    const double thickness = random.chance(0.2) ? 0.0 : random.log_uniform(1e-16, 1e-2);
    const Matrix3 frame = random.rotation();
    const Vector3 base = random.chance(0.5)
                             ? Vector3::Zero()
                             : Vector3(frame.col(2) * random.log_uniform(1e-16, 1.0));
    const auto draw = [&](Random& r) {
      return Vector3(base + frame * Vector3(r.uniform(-1.0, 1.0), r.uniform(-1.0, 1.0),
                                            thickness * r.uniform(-1.0, 1.0)));
    };
    SCOPED_TRACE(::testing::Message() << "sample " << i << " thickness " << thickness);
    expect_nearest(gjk_like(4, random, draw), 256.0 * kEps);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Simplex, TinySimplicesFarFromTheOrigin) {
  Random random(18);
  for (int i = 0; i < 4000; ++i) {
    const double size = random.log_uniform(1e-14, 1e-2);
    const Vector3 base = random.direction();
    const int count = 2 + random.below(3);
    const auto draw = [&](Random& r) { return Vector3(base + size * r.in_box(1.0)); };
    std::vector<Vector3> points;
    for (int k = 0; k < count; ++k) points.push_back(draw(random));
    // the newest point is the lowest along the direction of the others, like the result of a
    // support call
    std::sort(points.begin(), points.end(),
              [&](const Vector3& p, const Vector3& q) { return p.dot(base) > q.dot(base); });
    Simplex simplex = simplex_of(points);
    const SimplexProjection projection = project_origin(simplex, 1.0);
    SCOPED_TRACE(::testing::Message() << "sample " << i << " size " << size);
    expect_weights_valid(simplex, projection, 1.0);
    EXPECT_FALSE(projection.contains_origin);
    // never above the newest point, never below the truth
    EXPECT_GE(projection.point.norm(),
              static_cast<double>(nearest_by_enumeration(widened(points)).distance) - 8.0 * kEps);
    EXPECT_LE(projection.point.norm(), points.back().norm() + 8.0 * kEps);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Simplex, DuplicatePoints) {
  Random random(19);
  for (int i = 0; i < 1000; ++i) {
    const Vector3 p = random.in_box(1.0), q = random.in_box(1.0), r = random.in_box(1.0);
    for (const std::vector<Vector3>& points :
         {std::vector{p, p}, std::vector{p, q, q}, std::vector{q, p, q}, std::vector{p, q, r, r},
          std::vector{p, p, p, p}, std::vector{p, r, q, r}}) {
      Simplex simplex = simplex_of(points);
      const SimplexProjection projection = project_origin(simplex, scale_of(points));
      expect_weights_valid(simplex, projection, scale_of(points));
      EXPECT_LE(projection.point.norm(), points.back().norm());
      for (int k = 0; k < simplex.size; ++k) {
        for (int j = 0; j < k; ++j)
          EXPECT_NE(simplex.points[static_cast<std::size_t>(k)].w,
                    simplex.points[static_cast<std::size_t>(j)].w);
      }
    }
  }
}

TEST(Simplex, CollinearPointsFallBackToTheirEdges) {
  for (const double height : {0.0, 1e-9, 0.5}) {
    const std::vector<Vector3> points = {
        {-1.0, height, 0.0}, {3.0, height, 0.0}, {1.0, height, 0.0}, {0.25, height, 0.0}};
    Simplex simplex = simplex_of(points);
    const SimplexProjection projection = project_origin(simplex, 3.0);
    EXPECT_NEAR(projection.point.norm(), height, 4.0 * kEps);
    EXPECT_EQ(simplex.size, 2);
  }
}

TEST(Simplex, PowersOfTwoChangeNothingButTheUnits) {
  Random random(20);
  for (int i = 0; i < 1000; ++i) {
    const auto points = gjk_like(1 + random.below(4), random,
                                 [](Random& r) { return r.in_box(1.0); });
    Simplex plain = simplex_of(points);
    const SimplexProjection expected = project_origin(plain, 2.0);
    for (const double unit : {0x1p-90, 0x1p90}) {
      std::vector<Vector3> scaled;
      for (const Vector3& w : points) scaled.push_back(unit * w);
      Simplex simplex = simplex_of(scaled);
      const SimplexProjection projection = project_origin(simplex, 2.0 * unit);
      EXPECT_EQ(projection.contains_origin, expected.contains_origin);
      EXPECT_EQ(to_vector3(projection.point), unit * to_vector3(expected.point));
      EXPECT_EQ(to_vector3(projection.normal), to_vector3(expected.normal));
      EXPECT_EQ(simplex.weights, plain.weights);
    }
  }
}

}  // namespace
}  // namespace tactum::simplex_test
