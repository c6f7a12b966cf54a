// SPDX-License-Identifier: BSD-2-Clause
// Tables of objects: parts in the frame of their object, bounds that hold them, and what kernels do
// not take is refused.
#include "gpu/packed_objects.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/support.hpp"
#include "support/random.hpp"
#include "tactum/status.hpp"

namespace tactum::gpu {
namespace packed_objects_tests {

std::vector<CompoundPart> some_parts(testing::Random& random) {
  Points points(3, 9);
  for (int i = 0; i < 9; ++i) points.col(i) = random.direction();
  const auto pose = [&random] { return Pose{random.rotation(), 3.0 * random.direction()}; };
  return {{Sphere{.radius = 0.3}, pose()},
          {Capsule{.radius = 0.2, .half_length = 0.4, .margin = 0.1}, pose()},
          {Box{.half_extents = {0.2, 0.3, 0.4}, .margin = 0.05}, pose()},
          {Convex::from_points(points), pose()},
          {Cylinder{.radius = 0.2, .half_length = 0.5}, pose()},
          {Cone{.radius = 0.3, .half_length = 0.5}, pose()},
          {Ellipsoid{.semi_axes = {0.2, 0.3, 0.5}, .margin = 0.02}, pose()}};
}

TEST(GpuPackedObjects, BoundsHoldEveryPart) {
  testing::Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<CompoundPart> parts = some_parts(random);
    const std::vector<Geometry> objects = {Compound(parts)};
    const PackedObjects packed = pack_objects(objects);
    ASSERT_EQ(packed.bounds.size(), parts.size());
    const ObjectRecord& object = packed.objects[0];
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (int k = 0; k < 50; ++k) {
        const Vector3 direction = random.direction();
        const Vector3 point = parts[i].X_CP * parts[i].shape.support(
                                                  parts[i].X_CP.rotation.transpose() * direction);
        for (const PartBounds& bounds : {packed.bounds[i], object.whole}) {
          const Vector3 center(bounds.center.x, bounds.center.y, bounds.center.z),
              half(bounds.half.x, bounds.half.y, bounds.half.z);
          EXPECT_LE((point - center).norm(), static_cast<double>(bounds.radius)) << i;
          EXPECT_TRUE(((point - center).cwiseAbs().array() <= half.array()).all());
        }
        EXPECT_LE(point.norm(), object.reach * (1.0 + 1e-14));
      }
    }
  }
}

TEST(GpuPackedObjects, PartsAreInTheFrameOfTheirObject) {
  testing::Random random(4);
  const std::vector<CompoundPart> parts = some_parts(random);
  const std::vector<Geometry> objects = {Compound(parts)};
  const PackedObjects packed = pack_objects(objects);
  const VertexView<1> view{packed.shapes.blocks.data(), packed.shapes.vertices.data(), 0};
  EXPECT_TRUE(packed.is_posed);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const CoreRecord<double>& record = packed.shapes.exact[i];
    const Pose left = pose_from_xyz_xyzw(Eigen::Map<const Vector7>(&packed.poses[7 * i]));
    for (int k = 0; k < 50; ++k) {
      const Vector3 u = random.direction(), in_part = left.rotation.transpose() * u;
      const Vector<double> core =
          exact_support<kAllKinds>(record, view, {in_part.x(), in_part.y(), in_part.z()}).point;
      const double height = u.dot(left * Vector3(core.x, core.y, core.z)) + record.radius;
      const Vector3 expected = parts[i].X_CP *
                               parts[i].shape.support(parts[i].X_CP.rotation.transpose() * u);
      EXPECT_NEAR(height, u.dot(expected), 1e-13) << i;
    }
  }
}

TEST(GpuPackedObjects, RefusesWhatTheKernelsDoNotTake) {
  const std::vector<CompoundPart> many(65, CompoundPart{Sphere{.radius = 0.1}, {}});
  const std::vector<Geometry> objects = {Shape(Sphere{.radius = 1.0}), Compound(many)};
  try {
    pack_objects(objects);
    FAIL() << "65 parts were taken";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("shapes[1]"), std::string::npos) << error.what();
  }
}

}  // namespace packed_objects_tests
}  // namespace tactum::gpu
