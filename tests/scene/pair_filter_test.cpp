// SPDX-License-Identifier: BSD-2-Clause
// Rules of pairs against a plain table of them, under random rules, closed and forgotten slots.
#include "scene/pair_filter.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/random.hpp"

namespace tactum::pair_filter_test {
namespace {

constexpr int kSlots = 12;

/// What a filter should know, as the definition says it.
struct Table {
  std::map<std::pair<int, int>, PairRule> rules;
  std::set<int> closed;

  PairRule rule(int a, int b) const {
    const auto known = rules.find(std::minmax(a, b));
    if (known != rules.end()) return known->second;
    return closed.contains(a) && closed.contains(b) ? PairRule::avoid : PairRule::none;
  }
  void forget(int slot) {
    std::erase_if(rules, [&](const auto& item) {
      return item.first.first == slot || item.first.second == slot;
    });
    closed.erase(slot);
  }
};

void expect_same(const PairFilter& filter, const Table& table) {
  EXPECT_EQ(filter.num_closed(), table.closed.size());
  EXPECT_EQ(filter.num_rules(), table.rules.size());
  for (int a = 0; a < kSlots; ++a) {
    EXPECT_EQ(filter.is_closed(a), table.closed.contains(a));
    for (int b = 0; b < kSlots; ++b) {
      if (a == b) continue;
      EXPECT_EQ(filter.rule(a, b), table.rule(a, b)) << a << " " << b;
    }
  }
}

TEST(PairFilter, KnowsWhatItWasTold) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    testing::Random random(71, seed);
    PairFilter filter;
    Table table;
    for (int slot = 0; slot < kSlots; ++slot) filter.cover(slot);
    expect_same(filter, table);
    for (int step = 0; step < 100; ++step) {
      const int a = random.below(kSlots), b = (a + 1 + random.below(kSlots - 1)) % kSlots;
      if (random.chance(0.1)) {
        filter.forget(a);
        table.forget(a);
      } else if (random.chance(0.2)) {
        filter.close(a);
        table.closed.insert(a);
      } else {
        const auto rule = static_cast<PairRule>(random.below(3));
        filter.set(a, b, rule);
        if (rule == PairRule::none) {
          table.rules.erase(std::minmax(a, b));
        } else {
          table.rules[std::minmax(a, b)] = rule;
        }
      }
    }
    expect_same(filter, table);
    filter.clear();
    expect_same(filter, {});
  }
}

TEST(PairFilter, ManyRulesAtOnceAreThoseRulesInTheirOrder) {
  testing::Random random(72);
  PairFilter filter;
  for (int slot = 0; slot < kSlots; ++slot) filter.cover(slot);
  Table table;
  std::vector<PairFilter::Rule> rules;
  for (int i = 0; i < 200; ++i) {
    const int a = random.below(kSlots), b = (a + 1 + random.below(kSlots - 1)) % kSlots;
    const PairRule rule = random.chance(0.5) ? PairRule::meet : PairRule::avoid;
    rules.push_back({a, b, rule});
    table.rules[std::minmax(a, b)] = rule;
  }
  filter.set(rules);
  expect_same(filter, table);
  for (int slot = 0; slot < kSlots; ++slot)
    EXPECT_TRUE(std::ranges::is_sorted(filter.partners(slot), {}, &PairFilter::Partner::slot));
}

TEST(PairFilter, AHundredThousandRulesOfOneSlotAreTakenInAnyOrder) {
  // an insertion in the middle of a list for each of them would move 80 GB
  constexpr int kMany = 100'000;
  PairFilter filter;
  filter.cover(kMany);
  std::vector<PairFilter::Rule> rules;
  for (int slot = kMany; slot > 0; --slot) rules.push_back({0, slot, PairRule::avoid});
  filter.set(rules);
  EXPECT_EQ(filter.partners(0).size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(filter.rule(kMany, 0), PairRule::avoid);
  EXPECT_EQ(filter.rule(1, 2), PairRule::none);
  EXPECT_GT(filter.nbytes(), kMany * sizeof(PairFilter::Partner));
}

}  // namespace
}  // namespace tactum::pair_filter_test
