// SPDX-License-Identifier: BSD-2-Clause
// Every row of a batch against the single search, bit by bit, for any number of threads.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "support/allocation_guard.hpp"
#include "support/random_shapes.hpp"
#include "tactum/contact_pose.hpp"

namespace tactum::contact_poses_test {
namespace {

constexpr std::size_t kRows = 60;
constexpr std::size_t kLength = 21;

/// Problems between a few shapes, with poses in the form of matrices.
struct Problems {
  Problems() {
    testing::Random random(801);
    for (const ShapeKind kind :
         {ShapeKind::convex, ShapeKind::box, ShapeKind::cylinder, ShapeKind::ellipsoid})
      shapes.push_back(testing::random_shape(kind, random));
    for (std::size_t i = 0; i < kRows; ++i) {
      index_a.push_back(random.below(4));
      index_b.push_back(random.below(4));
      targets_a.push_back(shapes[static_cast<std::size_t>(index_a[i])].support(random.direction()));
      targets_b.push_back(shapes[static_cast<std::size_t>(index_b[i])].support(random.direction()));
      start.push_back({random.rotation(), 1.5 * random.direction()});
    }
  }
  ContactPoseBatch batch() const {
    return {.size = kRows,
            .a = {shapes, index_a, targets_a},
            .b = {shapes, index_b, targets_b},
            .start = start};
  }
  std::vector<Shape> shapes;
  std::vector<std::int32_t> index_a, index_b;
  std::vector<Vector3> targets_a, targets_b;
  std::vector<Pose> start;
};

ContactPosesOptions options_with(int num_threads) {
  ContactPosesOptions options;
  options.max_iterations = static_cast<int>(kLength) - 1;
  options.num_threads = num_threads;
  return options;
}

void expect_same(const ContactPose& a, const ContactPose& b, std::size_t row) {
  EXPECT_EQ(a.pose.rotation, b.pose.rotation) << row;
  EXPECT_EQ(a.pose.translation, b.pose.translation) << row;
  EXPECT_EQ(a.cost, b.cost) << row;
  EXPECT_EQ(a.residual_a, b.residual_a) << row;
  EXPECT_EQ(a.residual_b, b.residual_b) << row;
  EXPECT_EQ(a.separation, b.separation) << row;
  EXPECT_EQ(a.status, b.status) << row;
  EXPECT_EQ(a.iterations, b.iterations) << row;
  EXPECT_EQ(a.queries, b.queries) << row;
}

TEST(ContactPoses, RowsAreSingleSearchesForAnyNumberOfThreads) {
  const Problems problems;
  BatchWorkspace work;
  std::vector<ContactPose> answers(kRows);
  std::vector<double> history(kRows * kLength), one(kLength);
  for (const int num_threads : {1, 2, 5}) {
    for (int round = 0; round < 2; ++round) {
      const testing::AllocationGuard guard;
      ASSERT_TRUE(
          contact_poses(problems.batch(), options_with(num_threads), work, {answers, history}));
      EXPECT_TRUE(round == 0 || guard.count() == 0);  // the first round starts the threads
    }
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto shape = [&](std::int32_t k) {
        return problems.shapes[static_cast<std::size_t>(k)];
      };
      expect_same(answers[i],
                  contact_pose(shape(problems.index_a[i]), shape(problems.index_b[i]),
                               problems.targets_a[i], problems.targets_b[i], problems.start[i],
                               options_with(1), one),
                  i);
      EXPECT_TRUE(std::equal(one.begin(), one.end(),
                             history.begin() + static_cast<std::ptrdiff_t>(i * kLength)))
          << i;
    }
  }
}

TEST(ContactPoses, BadRowsAreStatuses) {
  Problems problems;
  problems.targets_a[3].y() = std::numeric_limits<double>::quiet_NaN();
  problems.start[7].rotation *= 2.0;
  BatchWorkspace work;
  std::vector<ContactPose> answers(kRows);
  ASSERT_TRUE(contact_poses(problems.batch(), options_with(2), work, {.answer = answers}));
  for (std::size_t i = 0; i < kRows; ++i)
    EXPECT_EQ(answers[i].status == ContactPoseStatus::invalid_input, i == 3 || i == 7) << i;
  EXPECT_EQ(answers[3].cost, 0.0);
}

TEST(ContactPoses, ErrorsNameWhatIsWrong) {
  BatchWorkspace work;
  std::vector<ContactPose> answers(kRows), shorter(kRows - 1);
  const auto field = [&](auto change,
                         ContactPosesOptions options = options_with(1)) -> std::string {
    Problems problems;
    ContactPoseBatch batch = problems.batch();
    ContactPoseColumns out{.answer = answers};
    change(problems, batch, out);
    try {
      contact_poses(batch, options, work, out);
    } catch (const InvalidInput& error) {
      return error.field();
    }
    return "nothing";
  };
  EXPECT_EQ(field([](Problems& p, ContactPoseBatch&, ContactPoseColumns&) { p.index_b[5] = 4; }),
            "b.index[5]");
  EXPECT_EQ(field([](Problems&, ContactPoseBatch& b, ContactPoseColumns&) { b.a.index = {}; }),
            "a.index");
  EXPECT_EQ(field([](Problems&, ContactPoseBatch& b, ContactPoseColumns&) {
              b.a.targets = b.a.targets.subspan(1);
            }),
            "a.targets");
  EXPECT_EQ(
      field([&](Problems&, ContactPoseBatch&, ContactPoseColumns& out) { out.answer = shorter; }),
      "out.answer");
  ContactPosesOptions gumbel = options_with(1);
  gumbel.estimator = Gumbel{};  // the table has a cylinder
  EXPECT_EQ(field([](Problems&, ContactPoseBatch&, ContactPoseColumns&) {}, gumbel), "estimator");
  EXPECT_EQ(field([](Problems&, ContactPoseBatch&, ContactPoseColumns&) {}, options_with(-1)),
            "num_threads");
}

TEST(ContactPoses, CanBeInterrupted) {
  const Problems problems;
  BatchWorkspace work;
  std::vector<ContactPose> answers(kRows);
  ContactPosesOptions options = options_with(1);
  options.estimator = ZerothOrder{.samples = 200};
  options.interrupted = [] { return true; };
  EXPECT_FALSE(contact_poses(problems.batch(), options, work, {.answer = answers}));
}

}  // namespace
}  // namespace tactum::contact_poses_test
