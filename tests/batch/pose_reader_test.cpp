// SPDX-License-Identifier: BSD-2-Clause
// Poses of a batch in their three forms, against the functions that make them.
#include "batch/pose_reader.hpp"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "support/random.hpp"

namespace tactum::pose_reader_test {
namespace {

using testing::Random;

struct Forms {
  std::vector<Pose> poses;
  std::vector<double> matrices, seven;
};

Forms random_forms(std::size_t count) {
  Random random(7);
  Forms forms;
  for (std::size_t i = 0; i < count; ++i) {
    forms.poses.push_back({random.rotation(), random.in_box(1.0)});
    const Matrix4 matrix = pose_matrix(forms.poses.back());
    for (int k = 0; k < 16; ++k) forms.matrices.push_back(matrix(k / 4, k % 4));
    const Vector7 numbers = pose_xyz_xyzw(forms.poses.back());
    forms.seven.insert(forms.seven.end(), numbers.begin(), numbers.end());
  }
  return forms;
}

void expect_rows(const PoseSpan& span, const std::vector<Pose>& expected, double error) {
  const PoseReader reader(span);
  PoseBlock block(reader);
  for (std::size_t begin = 0; begin < expected.size();) {
    const std::size_t end = block.read(begin, expected.size());
    ASSERT_GT(end, begin);
    for (std::size_t row = begin; row < end; ++row) {
      CheckedPose scratch;
      const Pose* const one = reader.read(row, scratch);
      ASSERT_NE(one, nullptr);
      ASSERT_TRUE(block.is_good(row - begin));
      EXPECT_FALSE(block.is_corrected(row - begin));
      EXPECT_EQ(pose_matrix(*one), pose_matrix(block.pose(row - begin)));
      EXPECT_LE((pose_matrix(*one) - pose_matrix(expected[row])).norm(), error) << row;
    }
    begin = end;
  }
}

TEST(PoseReader, ReadsTheThreeForms) {
  const Forms forms = random_forms(40);  // more than two blocks, and a part of one
  expect_rows(std::span<const Pose>(forms.poses), forms.poses, 0.0);
  expect_rows(PoseSpan::from_matrices(forms.matrices), forms.poses, 0.0);
  expect_rows(PoseSpan::from_xyz_xyzw(forms.seven), forms.poses, 4e-15);
}

TEST(PoseReader, OnePoseIsThatOfEveryRow) {
  const Forms forms = random_forms(1);
  const PoseReader reader(PoseSpan::from_matrices(forms.matrices));
  PoseBlock block(reader);
  EXPECT_EQ(block.read(0, 1000), 1000U);
  CheckedPose scratch;
  for (const std::size_t row : {std::size_t{0}, std::size_t{999}}) {
    EXPECT_EQ(pose_matrix(*reader.read(row, scratch)), pose_matrix(forms.poses[0]));
    EXPECT_EQ(pose_matrix(block.pose(row)), pose_matrix(forms.poses[0]));
  }
}

TEST(PoseReader, BadRowsAreSaidToBeBad) {
  Forms forms = random_forms(3);
  forms.matrices[16 + 12] = 0.5;  // last row of the second matrix
  forms.seven[2 * 7 + 6] += 0.5;  // a quaternion of another length
  const PoseReader matrices(PoseSpan::from_matrices(forms.matrices)),
      seven(PoseSpan::from_xyz_xyzw(forms.seven));
  CheckedPose scratch;
  EXPECT_NE(matrices.read(0, scratch), nullptr);
  EXPECT_EQ(matrices.read(1, scratch), nullptr);
  EXPECT_NE(seven.read(1, scratch), nullptr);
  EXPECT_EQ(seven.read(2, scratch), nullptr);
  PoseBlock block(matrices);
  block.read(0, 3);
  EXPECT_TRUE(block.is_good(0));
  EXPECT_FALSE(block.is_good(1));
}

TEST(PoseReader, ALengthThatIsALittleOffIsCorrected) {
  Forms forms = random_forms(2);
  for (int k = 3; k < 7; ++k) forms.seven[static_cast<std::size_t>(7 + k)] *= 1.0 + 1e-8;
  const PoseReader reader(PoseSpan::from_xyz_xyzw(forms.seven));
  CheckedPose scratch;
  ASSERT_NE(reader.read(1, scratch), nullptr);
  EXPECT_TRUE(scratch.corrected);
  EXPECT_LE((pose_matrix(scratch.pose) - pose_matrix(forms.poses[1])).norm(), 1e-14);
  reader.read(0, scratch);
  EXPECT_FALSE(scratch.corrected);
}

}  // namespace
}  // namespace tactum::pose_reader_test
