// SPDX-License-Identifier: BSD-2-Clause
// Building models: inertia of shapes against closed forms, layout of coordinates, refusals.
#include "tactum/sim/model.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sim/model/model_data.hpp"
#include "sim/scenes.hpp"

namespace tactum::sim::model_builder_test {
namespace {

using scenes::at;
using scenes::ball;
using scenes::body;
using scenes::cube;

template <class Call>
std::string refused_field(const Call& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.field();
  }
  return "accepted";
}

TEST(ModelBuilder, InertiaIsThatOfTheUniformSolid) {
  ModelBuilder builder;
  BodyOptions options;
  options.density = 500.0;
  builder.add_body(Shape{Box{.half_extents = {0.1, 0.2, 0.3}}}, options);
  options.density = {};
  options.mass = 3.0;
  builder.add_body(ball(0.5), options);
  const ModelData& data = builder.data();
  const BodyInertia& box = data.free_bodies[0].inertia;
  EXPECT_NEAR(box.mass, 500.0 * 0.2 * 0.4 * 0.6, 1e-12);
  EXPECT_NEAR(box.inertia(0, 0), box.mass / 3.0 * (0.04 + 0.09), 1e-12);
  const BodyInertia& sphere = data.free_bodies[1].inertia;
  EXPECT_NEAR(sphere.mass, 3.0, 1e-12);
  EXPECT_NEAR(sphere.inertia(1, 1), 0.4 * 3.0 * 0.25, 1e-12);
}

TEST(ModelBuilder, LaysBodiesOutInTheOrderOfTheirAddition) {
  ModelBuilder builder;
  builder.add_ground();
  EXPECT_EQ(builder.add_body(cube(0.1), body(1.0, at(1, 2, 3), "first")), 1);
  EXPECT_EQ(builder.add_body(cube(0.1), body(1.0, at(4, 5, 6))), 2);
  const Model model = builder.build();
  EXPECT_EQ(model.nq(), 14);
  EXPECT_EQ(model.nv(), 12);
  EXPECT_EQ(model.names(), (std::vector<std::string>{"first", "body2"}));
  const State state = model.state();
  EXPECT_EQ(state.q[0], 1.0);
  EXPECT_EQ(state.q[6], 1.0);
  EXPECT_EQ(state.q[9], 6.0);
  EXPECT_EQ(builder.find_body("first"), 1);
  EXPECT_EQ(builder.find_body("none"), -1);
  EXPECT_EQ(builder.find_geometry("ground"), 0);
}

TEST(ModelBuilder, AModelDoesNotSeeWhatIsAddedLater) {
  ModelBuilder builder;
  builder.add_body(cube(0.1), body(1.0, {}));
  const Model model = builder.build();
  builder.add_body(cube(0.1), body(1.0, {}));
  EXPECT_EQ(model.nv(), 6);
  EXPECT_EQ(builder.build().nv(), 12);
}

TEST(ModelBuilder, RefusesWhatCannotBe) {
  ModelBuilder builder;
  const auto add = [&](const BodyOptions& options) {
    return refused_field([&] { builder.add_body(cube(0.1), options); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(add({}), "mass, density, inertia");
  EXPECT_EQ(add(body(0.0, {})), "mass");
  EXPECT_EQ(add(body(nan, {})), "mass");
  BodyOptions options = body(1.0, {});
  options.density = 1.0;
  EXPECT_EQ(add(options), "mass, density, inertia");
  options = body(1.0, {});
  options.X.translation.x() = nan;
  EXPECT_EQ(add(options).substr(0, 1), "X");
  options = body(1.0, {});
  options.surface.restitution = 1.5;
  EXPECT_EQ(add(options), "restitution");
  options = body(1.0, {});
  options.surface.friction = -0.1;
  EXPECT_EQ(add(options), "friction");
  options = {};
  options.inertia = BodyInertia{.mass = 1.0, .inertia = Vector3(1.0, 1.0, 3.0).asDiagonal()};
  EXPECT_EQ(add(options), "inertia");  // no body has it: 3 > 1 + 1
  options.inertia->inertia = Vector3(1.0, -1.0, 1.0).asDiagonal();
  EXPECT_EQ(add(options), "inertia");
  EXPECT_EQ(builder.build().nv(), 0);
  EXPECT_EQ(add(body(1.0, {}, "a")), "accepted");
  EXPECT_EQ(add(body(1.0, {}, "a")), "name");
  EXPECT_EQ(refused_field([&] { builder.add_body(Shape{HalfSpace{}}, body(1.0, {})); }),
            "HalfSpace");
  EXPECT_EQ(refused_field([&] { builder.forbid(0, 9); }), "geometry");
  EXPECT_EQ(refused_field([&] { builder.add_geometry(7, cube(0.1), {}); }), "body");
  EXPECT_EQ(refused_field([&] { ModelBuilder(Vector3(0, 0, nan)); }), "gravity");
}

}  // namespace
}  // namespace tactum::sim::model_builder_test
