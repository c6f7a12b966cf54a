// SPDX-License-Identifier: BSD-2-Clause
// Checks of what enters a scene. The rest of its state is private and seen through scene_test.cpp.
#include "scene/scene_state.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tactum::scene_state_test {
namespace {

/// The argument that the check of an object names, or nothing where it passes.
std::string wrong_field(SceneObject object) {
  try {
    check_object(object);
  } catch (const InvalidInput& error) {
    return error.field();
  }
  return "";
}

SceneObject ball() { return {.geometry = Shape(Sphere{.radius = 0.1})}; }

TEST(SceneState, NamesArePrintableTextOfAtMost255Bytes) {
  SceneObject object = ball();
  for (const std::string& name :
       {std::string(), std::string(255, 'a'), std::string("Kn\u00f6rr")}) {
    object.name = name;
    EXPECT_EQ(wrong_field(object), "") << name;
  }
  for (const std::string& name : {std::string(256, 'a'), std::string("a\nb"), std::string("\x7F"),
                                  std::string("\xFF"), std::string("a\0b", 3)}) {
    object.name = name;
    EXPECT_EQ(wrong_field(object), "name") << name;
  }
}

TEST(SceneState, MarginsAreFiniteAndNotNegative) {
  for (const double margin : {0.0, 0.5, 1e30}) EXPECT_NO_THROW(check_margin(margin));
  for (const double margin :
       {-1e-300, 1.1e30, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_THROW(check_margin(margin), InvalidInput) << margin;
    SceneObject object = ball();
    object.margin = margin;
    EXPECT_EQ(wrong_field(object), "margin");
  }
}

TEST(SceneState, PosesBecomeExact) {
  SceneObject object = ball();
  object.X.rotation(0, 0) += 1e-9;
  check_object(object);
  EXPECT_NEAR((object.X.rotation.transpose() * object.X.rotation - Matrix3::Identity()).norm(), 0.0,
              1e-15);
  object.X.rotation *= 2.0;
  EXPECT_EQ(wrong_field(object).substr(0, 1), "X");
}

}  // namespace
}  // namespace tactum::scene_state_test
