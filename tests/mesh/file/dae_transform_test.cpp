// SPDX-License-Identifier: BSD-2-Clause
// Transforms of Collada: products in order, exact right angles, units and up axes.
#include "mesh/file/dae_transform.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "support/random.hpp"
#include "tactum/status.hpp"

namespace tactum::dae_transform_test {
namespace {

AffineMap map_of(const std::string& children) {
  return node_transform(parse_xml("<node>" + children + "</node>", "a.dae"));
}

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(DaeTransform, IsTheProductInTheOrderOfTheFile) {
  const AffineMap map = map_of(
      "<translate>1 2 3</translate><rotate>0 0 1 90</rotate><scale>2 3 4</scale><extra/>");
  EXPECT_EQ(map * Vector3(1, 1, 1), Vector3(1 - 3, 2 + 2, 3 + 4));
  const AffineMap matrix = map_of("<matrix>1 2 3 4 5 6 7 8 9 10 12 11 0 0 0 1</matrix>");
  EXPECT_EQ(matrix * Vector3(1, 0, 0), Vector3(5, 13, 20));
}

TEST(DaeTransform, RotatesLikeAnAngleAndAnAxis) {
  testing::Random random(31);
  for (int i = 0; i < 200; ++i) {
    const Vector3 axis = random.direction() * random.uniform(0.1, 10.0);
    const double degrees = random.uniform(-1000.0, 1000.0);
    std::ostringstream text;
    text.precision(17);
    text << "<rotate>" << axis.x() << " " << axis.y() << " " << axis.z() << " " << degrees
         << "</rotate>";
    const Matrix3 expected =
        Eigen::AngleAxisd(degrees * std::numbers::pi / 180.0, axis.normalized()).toRotationMatrix();
    EXPECT_LT((map_of(text.str()).linear - expected).cwiseAbs().maxCoeff(), 1e-13);
  }
  for (const double quarters : {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0}) {
    const Matrix3 R =
        map_of("<rotate>0 1 0 " + std::to_string(90.0 * quarters) + "</rotate>").linear;
    EXPECT_EQ(R, R.array().round().matrix());
    EXPECT_EQ(R.determinant(), 1.0);
  }
  EXPECT_EQ(map_of("<rotate>0 0 0 0</rotate>").linear, Matrix3::Identity());
}

TEST(DaeTransform, RefusesWhatIsNoTransform) {
  EXPECT_EQ(message_of([] { map_of("<translate>1 2</translate>"); }),
            "a.dae:1: got 2 numbers in <translate>; give 3");
  EXPECT_NE(message_of([] { map_of("<rotate>0 0 0 10</rotate>"); }), "");
  EXPECT_NE(message_of([] { map_of("<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix>"); }), "");
  EXPECT_NE(message_of([] { map_of("<lookat>0 0 1 0 0 0 0 1 0</lookat>"); }), "");
  EXPECT_NE(message_of([] { map_of("<scale>1e20 1 1</scale><scale>1e20 1 1</scale>"); }), "");
}

AffineMap document_of(const std::string& asset, bool apply_up_axis = true) {
  return document_transform(parse_xml("<COLLADA>" + asset + "</COLLADA>", "a.dae"), apply_up_axis);
}

TEST(DaeTransform, UpBecomesZ) {
  const auto up_of = [](const std::string& up) {
    return document_of("<asset><up_axis>" + up + "</up_axis></asset>").linear;
  };
  EXPECT_EQ(up_of("Z_UP"), Matrix3::Identity());
  EXPECT_EQ(up_of(" X_UP\n") * Vector3::UnitX(), Vector3::UnitZ());
  EXPECT_EQ(up_of("Y_UP") * Vector3::UnitY(), Vector3::UnitZ());
  EXPECT_EQ(document_of("").linear, up_of("Y_UP"));
  EXPECT_EQ(document_of("<asset/>").linear, up_of("Y_UP"));
  // what the format calls right stays right: -y of X_UP, x of the others
  EXPECT_EQ(up_of("X_UP") * -Vector3::UnitY(), Vector3::UnitX());
  EXPECT_EQ(up_of("Y_UP") * Vector3::UnitX(), Vector3::UnitX());
  for (const char* const up : {"X_UP", "Y_UP"}) EXPECT_EQ(up_of(up).determinant(), 1.0);
  EXPECT_EQ(document_of("<asset><up_axis>X_UP</up_axis></asset>", false).linear,
            Matrix3::Identity());
  EXPECT_NE(message_of([&] { up_of("W_UP"); }), "");
}

TEST(DaeTransform, UnitsBecomeMetres) {
  EXPECT_EQ(document_of("<asset><unit meter='0.001'/><up_axis>Z_UP</up_axis></asset>").linear,
            0.001 * Matrix3::Identity());
  EXPECT_EQ(document_of("<asset><unit name='yard'/></asset>", false).linear, Matrix3::Identity());
  for (const char* const meters : {"0", "-1", "inf", "a", "1 2", ""})
    EXPECT_NE(message_of([&] {
                document_of(std::string("<asset><unit meter='") + meters + "'/></asset>");
              }),
              "")
        << meters;
}

}  // namespace
}  // namespace tactum::dae_transform_test
