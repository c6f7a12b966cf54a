// SPDX-License-Identifier: BSD-2-Clause
// Random boxes of every sort of trouble, brute force over all pairs, and random sequences of
// operations.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <vector>

#include "support/random.hpp"
#include "tactum/broad_phase.hpp"
#include "tactum/status.hpp"

namespace tactum::testing {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Closed boxes by definition, written apart from the library.
inline bool meet(const Aabb& a, const Aabb& b) {
  for (int i = 0; i < 3; ++i) {
    if (a.upper[i] < b.lower[i] || b.upper[i] < a.lower[i]) return false;
  }
  return true;
}

enum class BoxSort { plain, point, lattice, coincident, far_out, thin, huge, infinite };
inline constexpr int kBoxSorts = 8;

/// `size`: of the cube that plain boxes fill loosely.
inline Aabb random_box(Random& random, double size, BoxSort sort) {
  const Vector3 center = random.in_box(size / 2);
  const Vector3 half(random.uniform(0, 0.5), random.uniform(0, 0.5), random.uniform(0, 0.5));
  switch (sort) {
    case BoxSort::plain: break;
    case BoxSort::point: return {center, center};
    case BoxSort::lattice: {  // many exact touches
      const Vector3 corner = center.array().round();
      return {corner, corner + Vector3(random.below(3), random.below(3), random.below(3))};
    }
    case BoxSort::coincident: return {Vector3(-0.25, -0.25, -0.25), Vector3(0.25, 0.25, 0.25)};
    case BoxSort::far_out: {  // float cannot tell these apart
      const Vector3 far = Vector3::Constant(1e7) + 1e-3 * center;
      return {far, far + 1e-3 * half};
    }
    case BoxSort::thin: return {center - Vector3(1e-9, 3, 0), center + Vector3(1e-9, 3, 0)};
    case BoxSort::huge: {
      const double edge = random.log_uniform(1e30, 1e300);
      return random.chance(0.5) ? Aabb{Vector3::Constant(-edge), Vector3::Constant(edge)}
                                : Aabb{Vector3(edge, 0, 0), Vector3(1.5 * edge, 1, 1)};
    }
    case BoxSort::infinite: {
      Aabb box{center - half, center + half};
      for (int i = 0; i < 3; ++i) {
        if (random.chance(0.6)) box.lower[i] = -kInfinite;
        if (random.chance(0.6)) box.upper[i] = kInfinite;
      }
      return box;
    }
  }
  return {center - half, center + half};
}

/// Mostly plain boxes.
inline Aabb random_box(Random& random, double size) {
  return random_box(
      random, size,
      random.chance(0.6) ? BoxSort::plain : static_cast<BoxSort>(random.below(kBoxSorts)));
}

/// The boxes that a structure should hold, and the pairs by trying all.
struct BoxModel {
  std::map<BoxId, Aabb> boxes;

  BoxId lowest_free() const {
    BoxId id = 0;
    while (boxes.contains(id)) ++id;
    return id;
  }

  BoxPairs pairs() const {
    BoxPairs found;
    for (auto a = boxes.begin(); a != boxes.end(); ++a) {
      for (auto b = std::next(a); b != boxes.end(); ++b) {
        if (meet(a->second, b->second)) found.emplace_back(a->first, b->first);
      }
    }
    return found;
  }

  std::vector<BoxId> overlapping(const Aabb& box) const {
    std::vector<BoxId> found;
    for (const auto& [id, own] : boxes) {
      if (meet(own, box)) found.push_back(id);
    }
    return found;
  }

  BoxId any(Random& random) const {
    return std::next(boxes.begin(), random.below(static_cast<int>(boxes.size())))->first;
  }
};

template <class Structure>
std::vector<BoxId> queried(const Structure& structure, const Aabb& box) {
  std::vector<BoxId> found;
  structure.query(box, [&](BoxId id) { found.push_back(id); });
  std::ranges::sort(found);
  return found;
}

/// Inserts, moves and removes, one at a time and in bulk, at random; after each, everything is
/// compared with brute force.
template <class Structure, class Check>
void run_sequence(std::uint64_t seed, int operations, double size, Check&& check) {
  Random random(seed, 77);
  Structure structure;
  BoxModel model;
  BoxPairs found;
  const bool plain = random.chance(0.5);
  const auto draw = [&] {
    return plain ? random_box(random, size, BoxSort::plain) : random_box(random, size);
  };
  for (int k = 0; k < operations; ++k) {
    const int what = random.below(10);
    if (what < 3 || model.boxes.empty()) {
      const Aabb box = draw();
      const BoxId id = model.lowest_free();
      ASSERT_EQ(structure.insert(box), id);
      model.boxes[id] = box;
    } else if (what == 3) {
      std::vector<Aabb> boxes(static_cast<std::size_t>(random.below(30)));
      std::vector<BoxId> ids(boxes.size());
      for (Aabb& box : boxes) box = draw();
      structure.insert(boxes, ids);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        ASSERT_EQ(ids[i], model.lowest_free());
        model.boxes[ids[i]] = boxes[i];
      }
    } else if (what < 6) {
      const BoxId id = model.any(random);
      Aabb box = draw();
      if (random.chance(0.7)) {  // a small motion
        const Vector3 step = 0.03 * random.direction();
        box = {model.boxes[id].lower + step, model.boxes[id].upper + step};
      }
      structure.update(id, box);
      model.boxes[id] = box;
    } else if (what == 6) {
      std::vector<BoxId> ids;
      std::vector<Aabb> boxes;
      const double share = random.uniform();
      for (auto& [id, box] : model.boxes) {
        if (!random.chance(share)) continue;
        const Vector3 step = 0.3 * random.direction();
        box = random.chance(0.2) ? draw() : Aabb{box.lower + step, box.upper + step};
        ids.push_back(id);
        boxes.push_back(box);
      }
      structure.update(ids, boxes);
    } else {
      const BoxId id = model.any(random);
      structure.remove(id);
      model.boxes.erase(id);
    }
    structure.pairs(found);
    ASSERT_EQ(found, model.pairs()) << "seed " << seed << ", operation " << k;
    ASSERT_EQ(structure.size(), model.boxes.size());
    const Aabb box = draw();
    ASSERT_EQ(queried(structure, box), model.overlapping(box))
        << "seed " << seed << ", operation " << k;
    check(structure, model);
  }
}

/// Field and value of the InvalidInput that `call` throws.
template <class Call>
std::string complaint(Call&& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.field() + " = " + error.value();
  }
  return "nothing";
}

/// Bad input of every call is named, and nothing has changed.
template <class Structure>
void expect_bad_input_is_named() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Structure structure;
  const Aabb unit{Vector3::Zero(), Vector3::Ones()};
  const std::vector<Aabb> start{unit, unit, {Vector3::Constant(5), Vector3::Constant(6)}};
  std::vector<BoxId> ids(3);
  structure.insert(start, ids);
  BoxPairs before, after;
  structure.pairs(before);

  Aabb bad = unit;
  bad.upper[1] = nan;
  EXPECT_EQ(complaint([&] { structure.insert(bad); }), "box.upper[1] = nan");
  EXPECT_EQ(complaint([&] { structure.update(1, bad); }), "box.upper[1] = nan");
  EXPECT_EQ(complaint([&] { structure.query(bad, [](BoxId) {}); }), "box.upper[1] = nan");
  bad.upper[1] = -2.5;
  EXPECT_EQ(complaint([&] { structure.insert(bad); }), "box.lower[1] = 0");
  bad = unit;
  bad.lower[2] = bad.upper[2] = kInfinite;
  EXPECT_EQ(complaint([&] { structure.insert(bad); }), "box.lower[2] = inf");
  bad.lower[2] = bad.upper[2] = -kInfinite;
  EXPECT_EQ(complaint([&] { structure.insert(bad); }), "box.upper[2] = -inf");
  EXPECT_EQ(complaint([&] { structure.update(3, unit); }), "id = 3");
  EXPECT_EQ(complaint([&] { structure.remove(-1); }), "id = -1");
  EXPECT_EQ(complaint([&] { static_cast<void>(structure.box(7)); }), "id = 7");

  std::vector<Aabb> many(3, Aabb{Vector3::Constant(5), Vector3::Constant(7)});
  many[2].lower[0] = nan;
  EXPECT_EQ(complaint([&] { structure.insert(many, ids); }), "boxes[2].lower[0] = nan");
  EXPECT_EQ(complaint([&] { structure.update(std::vector<BoxId>{0, 1, 2}, many); }),
            "boxes[2].lower[0] = nan");
  many[2].lower[0] = 0.0;
  EXPECT_EQ(complaint([&] { structure.update(std::vector<BoxId>{0, 1, 9}, many); }), "ids[2] = 9");
  EXPECT_EQ(complaint([&] { structure.update(std::vector<BoxId>{0, 1}, many); }),
            "ids = 2 ids for 3 boxes");

  structure.pairs(after);
  EXPECT_EQ(after, before);
  EXPECT_EQ(after, (BoxPairs{{0, 1}}));
  EXPECT_EQ(structure.size(), 3U);
  EXPECT_EQ(structure.insert(unit), 3);
}

}  // namespace tactum::testing
