// SPDX-License-Identifier: BSD-2-Clause
// Boxes by id against a map, and the checks of input.
#include "broad/box_list.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <vector>

#include "support/random.hpp"

namespace tactum::box_list_test {
namespace {

using testing::Random;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(BoxList, GivesTheLowestFreeId) {
  Random random(27);
  BoxList list;
  std::map<BoxId, double> known;
  for (int k = 0; k < 2000; ++k) {
    if (known.empty() || random.chance(0.55)) {
      BoxId lowest = 0;
      while (known.contains(lowest)) ++lowest;
      const double mark = random.uniform();
      EXPECT_EQ(list.add({Vector3::Constant(mark), Vector3::Constant(mark)}), lowest);
      known[lowest] = mark;
    } else {
      auto at = known.begin();
      std::advance(at, random.below(static_cast<int>(known.size())));
      list.remove(at->first);
      known.erase(at);
    }
    ASSERT_EQ(list.size(), known.size());
    for (BoxId id = -1; id <= list.num_ids(); ++id)
      ASSERT_EQ(list.contains(id), known.contains(id));
  }
  for (const auto& [id, mark] : known) EXPECT_EQ(list[id].lower.x(), mark);
  EXPECT_EQ(list.boxes().size(), static_cast<std::size_t>(list.num_ids()));
  EXPECT_GE(list.nbytes(), known.size() * sizeof(Aabb));
}

TEST(BoxList, RefusesBadInput) {
  BoxList list;
  const Aabb good{Vector3::Zero(), Vector3::Ones()};
  const BoxId id = list.add(good);
  const std::vector<BoxId> ids = {id, 7};
  EXPECT_NO_THROW(list.check_id(id, "id"));
  EXPECT_THROW(list.check_id(-1, "id"), InvalidInput);
  EXPECT_THROW(list.check_ids(ids), InvalidInput);
  EXPECT_THROW(BoxList::check_sizes(1, 2), InvalidInput);
  EXPECT_TRUE(BoxList::check_boxes(std::vector<Aabb>{good}));
  EXPECT_TRUE(BoxList::check_boxes({}));
  // an unbounded box is allowed, and is not ordinary
  const Aabb unbounded{Vector3::Constant(-kInfinity), Vector3::Ones()};
  EXPECT_FALSE(BoxList::check_boxes(std::vector<Aabb>{good, unbounded}));
  for (const Aabb& bad : {Aabb{Vector3::Constant(kInfinity), Vector3::Constant(kInfinity)},
                          Aabb{Vector3::Ones(), Vector3::Zero()},
                          Aabb{Vector3::Zero(), Vector3::Constant(std::nan(""))}})
    EXPECT_THROW(BoxList::check_boxes(std::vector<Aabb>{good, bad}), InvalidInput);
}

}  // namespace
}  // namespace tactum::box_list_test
