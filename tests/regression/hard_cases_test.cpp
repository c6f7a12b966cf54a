// SPDX-License-Identifier: BSD-2-Clause
// The public hard cases of tests/data/hard_cases.txt: every query against its truth and against its
// own expectation.
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "regression/hard_case_file.hpp"
#include "regression/result_checks.hpp"

namespace tactum::regression::hard_cases_test {
namespace {

const std::string kDataFile = std::string(TACTUM_TEST_DATA) + "/hard_cases.txt";

std::vector<HardCase> cases_with_queries() {
  std::vector<HardCase> selected;
  for (const HardCase& hard_case : read_hard_cases(kDataFile).cases) {
    if (!hard_case.program) selected.push_back(hard_case);
  }
  return selected;
}

std::string test_name(const ::testing::TestParamInfo<HardCase>& info) {
  std::string name = info.param.id;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

void check_point(const std::string& name, const std::vector<double>& v, const Vector3& p) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_GE(p[i], v.at(static_cast<std::size_t>(i)) - v.at(6)) << name << " coordinate " << i;
    EXPECT_LE(p[i], v.at(static_cast<std::size_t>(i + 3)) + v.at(6)) << name << " coordinate " << i;
  }
}

/// Moving B by 1.01 times the depth along the normal must separate the shapes, by 0.99 times must
/// not.
void check_separates(const Pair& pair, const Distance& r) {
  for (const double factor : {0.99, 1.01}) {
    Pair moved = pair;
    moved.X_WB.translation -= factor * r.distance * r.normal;
    EXPECT_EQ(moved.distance().status, factor < 1 ? Status::penetrating : Status::separated);
    EXPECT_EQ(collide(moved.a, moved.X_WA, moved.b, moved.X_WB).colliding, factor < 1);
  }
}

/// One expectation of a case; the words are listed in tests/data/README.md.
void check_expectation(const std::string& text, const Pair& pair, const Distance& r) {
  SCOPED_TRACE(text);
  const std::string word = text.substr(0, text.find(' '));
  const std::string rest = word.size() < text.size() ? text.substr(word.size() + 1) : "";
  if (word == "status") {
    const bool holds = rest == "not_separated"
                           ? r.status == Status::touching || r.status == Status::penetrating
                           : to_string(r.status) == rest;
    EXPECT_TRUE(holds) << "got " << to_string(r.status) << " at " << r.distance;
    return;
  }
  if (word == "separates") return check_separates(pair, r);
  const std::vector<double> v = read_numbers(rest);
  if (word == "distance") {
    EXPECT_NEAR(r.distance, v.at(0), v.at(1));
  } else if (word == "distance_at_least") {
    EXPECT_GE(r.distance, v.at(0));
  } else if (word == "normal") {
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(r.normal[i], v.at(static_cast<std::size_t>(i)), v.at(3)) << "component " << i;
  } else if (word == "normal_component") {
    EXPECT_NEAR(r.normal[static_cast<int>(v.at(0))], v.at(1), v.at(2));
  } else if (word == "point_a_in") {
    check_point(word, v, r.point_a);
  } else if (word == "point_b_in") {
    check_point(word, v, r.point_b);
  } else if (word == "midpoint_in") {
    check_point(word, v, (r.point_a + r.point_b) / 2);
  } else if (word == "witness") {
    EXPECT_LE(outside(pair.a, pair.X_WA, r.point_a), v.at(0));
    EXPECT_LE(outside(pair.b, pair.X_WB, r.point_b), v.at(0));
  } else {
    ADD_FAILURE() << "unknown check";
  }
}

class HardCases : public ::testing::TestWithParam<HardCase> {};

TEST_P(HardCases, HoldAsExpected) {
  const HardCase& hard_case = GetParam();
  SCOPED_TRACE("what failed elsewhere: " + hard_case.failure);
  ASSERT_FALSE(hard_case.queries.empty());
  const Shape a = make_shape(hard_case.shape_a), b = make_shape(hard_case.shape_b);
  for (const HardQuery& query : hard_case.queries) {
    SCOPED_TRACE("query " + query.label);
    const Pair pair{a, query.X_WA, b, query.X_WB};
    expect_answer(pair, query.truth, allowed_error(pair), query.normal);
    for (const Method method : {Method::automatic, Method::gjk}) {
      const Distance r = pair.distance({.method = method, .initial_direction = query.start});
      for (const std::string& check : query.checks) check_expectation(check, pair, r);
      if (query.published) {
        EXPECT_NEAR(r.distance, *query.published, allowed_error(pair) + query.published_slack);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Public, HardCases, ::testing::ValuesIn(cases_with_queries()), test_name);

TEST(HardCaseData, IsComplete) {
  const HardCaseFile file = read_hard_cases(kDataFile);
  EXPECT_EQ(file.cases.size(), 111U);
  EXPECT_EQ(file.families.size(), 20U);
  std::size_t queries = 0, programs = 0;
  for (const HardCase& hard_case : file.cases) {
    queries += hard_case.queries.size();
    programs += hard_case.program ? 1 : 0;
  }
  EXPECT_EQ(programs, 3U);
  EXPECT_EQ(queries, 134U);
}

}  // namespace
}  // namespace tactum::regression::hard_cases_test
