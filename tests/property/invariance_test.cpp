// SPDX-License-Identifier: BSD-2-Clause
// Invariance of answers against order, frame, unit of length, method, history, first direction; and
// what must not happen: allocation.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "math/epsilon.hpp"
#include "support/allocation_guard.hpp"
#include "support/claim_check.hpp"
#include "tactum/distance.hpp"

namespace tactum::testing::invariance_test {
namespace {

Distance ask(const PairSample& s, const DistanceOptions& options = {}) {
  return distance(s.a, s.X_WA, s.b, s.X_WB, options);
}
double scale_of(const PairSample& s) { return pair_scale(s.a, s.X_WA, s.b, s.X_WB); }

// two answers, each within the accuracy that is promised for the pair
double twice_limit(const PairSample& s) {
  return 2 * (is_smooth_pair(s.a, s.b) ? 1e-12 : 64 * kEpsilon) * scale_of(s);
}

class Invariance : public ::testing::TestWithParam<std::tuple<ShapeKind, ShapeKind>> {
 protected:
  // visits samples of every class; a pair of half-spaces has none
  void for_each_sample(std::uint64_t seed, int count,
                       const std::function<void(const PairSample&, Random&)>& visit) {
    const auto [kind_a, kind_b] = GetParam();
    if (kind_a == ShapeKind::half_space && kind_b == ShapeKind::half_space) return;
    const PairSampler sampler(kind_a, kind_b, seed, 24);
    for (int i = 0; i < count; ++i) {
      Random random(seed, static_cast<std::uint64_t>(i));
      const PairSample sample = sampler.sample(static_cast<std::uint64_t>(i));
      visit(sample, random);
      if (HasFatalFailure()) return;
    }
  }
};

void expect_same_distance(const PairSample& sample, const Distance& first, const Distance& second,
                          double slack, const char* what) {
  if (first.status == Status::not_converged || second.status == Status::not_converged) return;
  ASSERT_NEAR(first.distance, second.distance, slack)
      << what << ", in units of the scale " << (second.distance - first.distance) / scale_of(sample)
      << "\n"
      << sample.describe();
}

TEST_P(Invariance, OrderOfTheShapes) {
  for_each_sample(31, 90, [](const PairSample& s, Random&) {
    expect_same_distance(s, ask(s), distance(s.b, s.X_WB, s.a, s.X_WA), twice_limit(s), "swapped");
  });
}

TEST_P(Invariance, RigidMotionOfBoth) {
  for_each_sample(32, 90, [](const PairSample& s, Random& random) {
    const Pose motion{random.rotation(), random.in_box(10)};
    PairSample moved = s;
    moved.X_WA = motion * s.X_WA;
    moved.X_WB = motion * s.X_WB;
    // the moved translations are rounded at their own magnitude before the query sees them
    const double rounding = 8 * kEpsilon *
                            (moved.X_WA.translation.norm() + moved.X_WB.translation.norm() +
                             scale_of(s));
    expect_same_distance(s, ask(s), ask(moved), twice_limit(s) + rounding, "moved");
  });
}

Shape scaled(const Shape& shape, double factor) {
  struct Scaler {
    double f;
    Shape operator()(Sphere s) const {
      return Sphere{.radius = s.radius * f, .margin = s.margin * f};
    }
    Shape operator()(Ellipsoid s) const {
      return Ellipsoid{.semi_axes = s.semi_axes * f, .margin = s.margin * f};
    }
    Shape operator()(Box s) const {
      return Box{.half_extents = s.half_extents * f, .margin = s.margin * f};
    }
    Shape operator()(Capsule s) const {
      return Capsule{
          .radius = s.radius * f, .half_length = s.half_length * f, .margin = s.margin * f};
    }
    Shape operator()(Cylinder s) const {
      return Cylinder{
          .radius = s.radius * f, .half_length = s.half_length * f, .margin = s.margin * f};
    }
    Shape operator()(Cone s) const {
      return Cone{.radius = s.radius * f, .half_length = s.half_length * f, .margin = s.margin * f};
    }
    Shape operator()(HalfSpace s) const {
      return HalfSpace{.normal = s.normal, .offset = s.offset * f, .margin = s.margin * f};
    }
    Shape operator()(const Convex& s) const {
      return Convex::from_points(s.vertices() * f, s.margin * f);
    }
    Shape operator()(const Stp& s) const {
      return Stp::from_points(s.points() * f,
                              {s.small_radius() * f, s.big_radius() * f, s.margin * f});
    }
  };
  return std::visit(Scaler{factor}, shape.parameters());
}

TEST_P(Invariance, UnitOfLength) {
  for_each_sample(33, 45, [](const PairSample& s, Random& random) {
    const double factor = random.chance(0.5) ? std::ldexp(1.0, random.below(41) - 20)
                                             : random.log_uniform(1e-6, 1e6);
    PairSample other{scaled(s.a, factor), scaled(s.b, factor), s.X_WA, s.X_WB, s.pose_class};
    other.X_WA.translation *= factor;
    other.X_WB.translation *= factor;
    Distance back = ask(other);
    back.distance /= factor;
    const double rounding = 8 * kEpsilon *
                            (s.X_WA.translation.norm() + s.X_WB.translation.norm() + scale_of(s));
    expect_same_distance(s, ask(s), back, twice_limit(s) + rounding, "scaled");
  });
}

TEST_P(Invariance, DistanceFollowsTranslation) {
  for_each_sample(34, 45, [](const PairSample& s, Random& random) {
    PairSample moved = s;
    const double scale = scale_of(s);
    const Vector3 step = scale * random.log_uniform(1e-12, 0.3) * random.direction();
    Distance before = ask(s);
    for (int k = 0; k < 8; ++k) {
      const Vector3 from = moved.X_WB.translation;
      moved.X_WB.translation += step;
      const Distance after = ask(moved);
      const double way = (moved.X_WB.translation - from).norm();
      expect_same_distance(moved, before, after,
                           way * (1 + 4 * kEpsilon) + twice_limit(moved) +
                               8 * kEpsilon * moved.X_WB.translation.norm(),
                           "translated");
      before = after;
    }
  });
}

TEST_P(Invariance, Method) {
  for_each_sample(35, 90, [](const PairSample& s, Random&) {
    const Distance automatic = ask(s), gjk = ask(s, {.method = Method::gjk});
    expect_same_distance(s, automatic, gjk, 1e-10 * scale_of(s), "method");
    ASSERT_LE(automatic.lower, gjk.upper + 4 * kEpsilon * scale_of(s)) << s.describe();
    ASSERT_LE(gjk.lower, automatic.upper + 4 * kEpsilon * scale_of(s)) << s.describe();
    ASSERT_EQ(check_distance(s, gjk).failure, "") << s.describe();
  });
}

TEST_P(Invariance, WarmStart) {
  WarmStart stranger;
  for_each_sample(36, 90, [&](const PairSample& s, Random& random) {
    const Distance cold = ask(s);
    const WarmStart own = cold.warm_start;
    PairSample moved = s;
    moved.X_WB.translation += 0.01 * scale_of(s) * random.direction();
    const WarmStart near = ask(moved).warm_start;
    const WarmStart strange{.direction_A = random.direction(),
                            .vertices = {random.below(1000), -random.below(1000)}};
    for (const WarmStart* start :
         {&own, &near, static_cast<const WarmStart*>(&stranger), &strange}) {
      for (const Method method : {Method::automatic, Method::gjk}) {
        const Distance warm = ask(s, {.method = method, .warm_start = start});
        expect_same_distance(s, cold, warm,
                             method == Method::gjk ? 1e-10 * scale_of(s) : twice_limit(s),
                             "warm start");
      }
    }
    stranger = own;
  });
}

TEST_P(Invariance, FirstDirection) {
  for_each_sample(37, 45, [](const PairSample& s, Random& random) {
    const Distance usual = ask(s);
    const Vector3 across = usual.normal.unitOrthogonal();
    for (const Vector3& first :
         {Vector3(-usual.normal), across, Vector3(1e-320, 0, 0), Vector3(0, 1e300, 1e300),
          Vector3(1e-160 * across), random.direction()}) {
      expect_same_distance(s, usual, ask(s, {.initial_direction = first}), twice_limit(s),
                           "first direction");
      const Distance gjk = ask(s, {.method = Method::gjk, .initial_direction = first});
      expect_same_distance(s, usual, gjk, 1e-10 * scale_of(s), "first direction of gjk");
      const Collision hit = collide(s.a, s.X_WA, s.b, s.X_WB, {.initial_direction = first});
      if (hit.status != Status::not_converged &&
          std::abs(usual.distance) > 128 * kEpsilon * scale_of(s)) {
        ASSERT_EQ(hit.colliding, usual.distance < 0) << s.describe();
      }
    }
  });
}

bool same_bits(const Distance& x, const Distance& y) {
  const auto same = [](const auto& p, const auto& q) { return std::memcmp(&p, &q, sizeof p) == 0; };
  return x.status == y.status && same(x.distance, y.distance) && same(x.normal, y.normal) &&
         same(x.point_a, y.point_a) && same(x.point_b, y.point_b) && same(x.lower, y.lower) &&
         same(x.upper, y.upper) && x.iterations == y.iterations &&
         x.support_calls == y.support_calls && x.vertices_visited == y.vertices_visited &&
         x.pose_corrected == y.pose_corrected &&
         same(x.warm_start.direction_A, y.warm_start.direction_A) &&
         x.warm_start.vertices == y.warm_start.vertices;
}

TEST_P(Invariance, SameInputSameBits) {
  std::vector<std::pair<PairSample, Distance>> answers;
  for_each_sample(38, 90, [&](const PairSample& s, Random&) { answers.emplace_back(s, ask(s)); });
  // again in the opposite order, so that anything remembered between queries would show
  for (auto it = answers.rbegin(); it != answers.rend(); ++it)
    ASSERT_TRUE(same_bits(it->second, ask(it->first))) << it->first.describe();
}

TEST_P(Invariance, NoAllocation) {
  for_each_sample(39, 90, [](const PairSample& s, Random&) {
    const AllocationGuard guard;
    const Distance first = ask(s);
    const Distance second = ask(s, {.method = Method::gjk, .warm_start = &first.warm_start});
    const Collision third = collide(s.a, s.X_WA, s.b, s.X_WB, {.warm_start = &second.warm_start});
    const std::size_t allocations = guard.count();
    ASSERT_EQ(allocations, 0U) << to_string(third.status) << "\n" << s.describe();
  });
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<ShapeKind, ShapeKind>>& kinds) {
  return std::string(to_string(std::get<0>(kinds.param))) + "_" +
         std::string(to_string(std::get<1>(kinds.param)));
}

INSTANTIATE_TEST_SUITE_P(EveryPair, Invariance,
                         ::testing::Combine(::testing::ValuesIn(kAllKinds),
                                            ::testing::ValuesIn(kAllKinds)),
                         name_of);

}  // namespace
}  // namespace tactum::testing::invariance_test
