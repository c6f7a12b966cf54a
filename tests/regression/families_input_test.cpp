// SPDX-License-Identifier: BSD-2-Clause
// Degenerate families, part 4: input that is not finite, not rigid or not a size. Each is refused
// by field, value and remedy. Each test is one family of tests/data/hard_cases.txt and is named
// after it.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "regression/result_checks.hpp"
#include "support/random.hpp"

namespace tactum::regression::families_input_test {
namespace {

using testing::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kNotFinite = {std::numeric_limits<double>::quiet_NaN(), kInfinity,
                                        -kInfinity};

/// The call throws InvalidInput whose field contains `field`, with a value and a remedy.
void expect_refused(const std::function<void()>& call, const std::string& field) {
  try {
    call();
    ADD_FAILURE() << "accepted a bad " << field;
  } catch (const InvalidInput& error) {
    EXPECT_NE(error.field().find(field), std::string::npos) << "field is " << error.field();
    EXPECT_FALSE(error.value().empty());
    EXPECT_FALSE(error.remedy().empty());
    EXPECT_NE(std::string(error.what()).find(error.field()), std::string::npos);
  }
}

Distance marked() {
  Distance r;
  r.distance = 123.25;
  r.normal = Vector3(0.5, 0.25, 0.125);
  r.iterations = 77;
  return r;
}

void expect_untouched(const Distance& r) {
  EXPECT_EQ(r.distance, 123.25);
  EXPECT_EQ(r.normal, Vector3(0.5, 0.25, 0.125));
  EXPECT_EQ(r.iterations, 77);
  EXPECT_EQ(r.status, Status::not_converged);
}

/// A size field of a shape: its name, and a shape with that field set to x.
struct SizeField {
  std::string name;
  std::function<Shape(double)> make;
  bool zero_allowed = false;
  bool is_size = true;  ///< positive and bounded; otherwise any finite number will do
};

std::vector<SizeField> size_fields() {
  std::vector<SizeField> fields = {
      {"Sphere.radius", [](double x) { return Shape(Sphere{.radius = x}); }, true},
      {"Capsule.radius", [](double x) { return Shape(Capsule{.radius = x, .half_length = 1}); }},
      {"Capsule.half_length",
       [](double x) { return Shape(Capsule{.radius = 1, .half_length = x}); }, true},
      {"Cylinder.radius", [](double x) { return Shape(Cylinder{.radius = x, .half_length = 1}); }},
      {"Cylinder.half_length",
       [](double x) { return Shape(Cylinder{.radius = 1, .half_length = x}); }},
      {"Cone.radius", [](double x) { return Shape(Cone{.radius = x, .half_length = 1}); }},
      {"Cone.half_length", [](double x) { return Shape(Cone{.radius = 1, .half_length = x}); }},
      {"HalfSpace.offset", [](double x) { return Shape(HalfSpace{.offset = x}); }, true, false},
      {"Sphere.margin", [](double x) { return Shape(Sphere{.radius = 1, .margin = x}); }, true},
      {"Ellipsoid.margin",
       [](double x) { return Shape(Ellipsoid{.semi_axes = {1, 1, 2}, .margin = x}); }, true},
      {"Box.margin", [](double x) { return Shape(Box{.half_extents = {1, 1, 1}, .margin = x}); },
       true},
      {"Capsule.margin",
       [](double x) { return Shape(Capsule{.radius = 1, .half_length = 1, .margin = x}); }, true},
      {"Cylinder.margin",
       [](double x) { return Shape(Cylinder{.radius = 1, .half_length = 1, .margin = x}); }, true},
      {"Cone.margin",
       [](double x) { return Shape(Cone{.radius = 1, .half_length = 1, .margin = x}); }, true},
      {"HalfSpace.margin", [](double x) { return Shape(HalfSpace{.margin = x}); }, true},
      {"Convex.margin",
       [](double x) { return Shape(Convex::from_points(Points(Matrix3::Identity()), x)); }, true},
  };
  for (int i = 0; i < 3; ++i) {
    const std::string index = "[" + std::to_string(i) + "]";
    const auto with = [i](double x) {
      Vector3 v(1, 1, 1);
      v[i] = x;
      return v;
    };
    fields.push_back({"Box.half_extents" + index,
                      [with](double x) { return Shape(Box{.half_extents = with(x)}); }});
    fields.push_back({"Ellipsoid.semi_axes" + index,
                      [with](double x) { return Shape(Ellipsoid{.semi_axes = with(x)}); }});
    fields.push_back({"HalfSpace.normal",
                      [with](double x) { return Shape(HalfSpace{.normal = with(x)}); }, true,
                      false});
    fields.push_back({"Convex",
                      [i](double x) {
                        Points points = Matrix3::Identity();
                        points(i, 1) = x;
                        return Shape(Convex::from_points(points));
                      },
                      true, false});
  }
  return fields;
}

// NaN and both infinities in every scalar of a pose, a shape and a request
TEST(Families, Nonfinite) {
  const Shape box = Box{.half_extents = {1, 2, 3}}, ball = Sphere{.radius = 1};
  for (const double bad : kNotFinite) {
    for (int k = 0; k < 24; ++k) {
      Pose X_WA, X_WB{Matrix3::Identity(), {4, 0, 0}};
      Pose& broken = k < 12 ? X_WA : X_WB;
      (k % 12 < 9 ? broken.rotation(k % 12 / 3, k % 3) : broken.translation[k % 12 - 9]) = bad;
      Distance r = marked();
      const std::string field = k < 12 ? "X_WA" : "X_WB";
      expect_refused([&] { r = distance(box, X_WA, ball, X_WB); }, field);
      expect_untouched(r);
      expect_refused([&] { collide(box, X_WA, ball, X_WB); }, field);
    }
    for (const SizeField& field : size_fields())
      expect_refused([&] { field.make(bad); }, field.name);
    for (int k = 0; k < 3; ++k) {
      DistanceOptions options;
      options.initial_direction = Vector3::UnitX();
      options.initial_direction[k] = bad;
      Distance r = marked();
      expect_refused([&] { r = distance(box, Pose{}, ball, Pose{}, options); },
                     "initial_direction");
      expect_untouched(r);
    }
    expect_refused([&] { distance(box, Pose{}, ball, Pose{}, {.tolerance = bad}); }, "tolerance");
    if (bad != kInfinity)
      expect_refused([&] { distance(box, Pose{}, ball, Pose{}, {.cutoff = bad}); }, "cutoff");
  }
  expect_refused([&] { distance(box, Pose{}, ball, Pose{}, {.max_iterations = 0}); },
                 "max_iterations");
  expect_refused([&] { distance(box, Pose{}, ball, Pose{}, {.cutoff = -1}); }, "cutoff");
}

// scaled, sheared, mirrored and zero rotations; quaternions that are not unit
TEST(Families, NonrigidPose) {
  Random random(16);
  const Shape a = Box{.half_extents = {0.3, 0.4, 0.5}}, b = Box{.half_extents = {0.5, 0.2, 0.3}};
  for (int sample = 0; sample < 60; ++sample) {
    const Pose X_WA{random.rotation(), random.in_box(1)}, X_WB{random.rotation(), random.in_box(1)};
    const Distance good = distance(a, X_WA, b, X_WB);
    EXPECT_FALSE(good.pose_corrected);
    for (const double e : {1e-16, 1e-9, 1e-7, 4e-7, 1e-6, 1e-3, 1.0}) {
      for (const bool shear : {false, true}) {
        Pose bent = X_WB;
        bent.rotation *= shear ? Matrix3((Matrix3() << 1, e, 0, 0, 1, 0, 0, 0, 1).finished())
                               : Matrix3(Matrix3::Identity() * (1 + e));
        const double error = shear ? 0.5 * e : e;  // half of R^T R - I, to first order
        if (error <= 1e-6) {
          const Distance r = distance(a, X_WA, b, bent);
          EXPECT_EQ(r.pose_corrected, error > 1e-12);
          EXPECT_NEAR(r.distance, good.distance, 8 * error + 64 * kEpsilon);
          EXPECT_EQ(collide(a, X_WA, b, bent).pose_corrected, error > 1e-12);
        } else {
          expect_refused([&] { distance(a, X_WA, b, bent); }, "X_WB");
          expect_refused([&] { collide(b, bent, a, X_WA); }, "X_WA");
        }
      }
    }
    Pose mirrored = X_WA;
    mirrored.rotation.col(0) *= -1;
    expect_refused([&] { distance(a, mirrored, b, X_WB); }, "X_WA");
    expect_refused([&] { distance(a, X_WA, b, {Matrix3::Zero(), Vector3::Zero()}); }, "X_WB");
  }
  Vector7 unit;
  unit << 1, 2, 3, 0.1, 0.5, -0.7, 0.5;
  for (const double scale : {0.0, 1e-200, 1 - 1e-3, 1 + 2e-6, 2.0}) {
    Vector7 bent = unit;
    bent.tail<4>() *= scale;
    expect_refused([&] { pose_from_xyz_xyzw(bent, "X_WC"); }, "X_WC");
  }
  for (const double scale : {1.0, 1 + 5e-7, 1 - 5e-7}) {
    Vector7 bent = unit;
    bent.tail<4>() *= scale;
    const Pose X = pose_from_xyz_xyzw(bent);
    EXPECT_LE((X.rotation.transpose() * X.rotation - Matrix3::Identity()).cwiseAbs().maxCoeff(),
              4 * kEpsilon);
    EXPECT_EQ(X.translation, Vector3(1, 2, 3));
  }
}

// zero, negative, denormal and huge sizes
TEST(Families, BadSizes) {
  for (const SizeField& field : size_fields()) {
    if (!field.is_size) continue;
    for (const double bad : {-1.0, -1e-310, -1e300, 1e300, 1e31})
      expect_refused([&] { field.make(bad); }, field.name);
    for (const double good : {1e-20, 1e-6, 1.0, 1e6, 1e20})
      EXPECT_NO_THROW(field.make(good)) << field.name << " " << good;
    if (field.zero_allowed) {
      EXPECT_NO_THROW(field.make(0.0)) << field.name;
    } else if (field.name != "Capsule.radius") {
      for (const double bad : {0.0, 1e-310, 1e-31})
        expect_refused([&] { field.make(bad); }, field.name);
    }
  }
  expect_refused([] { Shape(HalfSpace{.normal = Vector3::Zero()}); }, "HalfSpace.normal");
  expect_refused([] { Convex::from_points(Points(3, 0)); }, "Convex");
  // zero sizes that mean something give the simpler shape
  const Pose X{Matrix3::Identity(), {3, 0, 0}};
  const Shape ball = Sphere{.radius = 1};
  EXPECT_EQ(distance(Sphere{.radius = 0}, Pose{}, ball, X).distance, 2.0);
  EXPECT_EQ(distance(Capsule{.radius = 0.5, .half_length = 0}, Pose{}, ball, X).distance, 1.5);
}

}  // namespace
}  // namespace tactum::regression::families_input_test
