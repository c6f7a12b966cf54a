// SPDX-License-Identifier: BSD-2-Clause
// Objects of convex parts, one group of an OBJ file a part: Boolean collisions near contact.
//
// Poses      B is turned at random and moved towards A until the parts touch, then by up to 1 cm
//            along the normal of contact, in or out. About half of the pairs collide.
// Check      every answer against the sign of the distance of the same pair.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "mesh_side.hpp"
#include "stopwatch.hpp"
#include "support/random.hpp"
#include "tactum/geometry.hpp"

namespace tactum::compare {
namespace {

Compound parts_of(const std::string& file) {
  std::ifstream stream(file);
  std::vector<std::vector<Vector3>> groups;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string keyword;
    words >> keyword;
    if (keyword == "o") groups.emplace_back();
    if (keyword != "v" || groups.empty()) continue;
    Vector3 v;
    words >> v.x() >> v.y() >> v.z();
    groups.back().push_back(v);
  }
  std::vector<CompoundPart> parts;
  for (const std::vector<Vector3>& group : groups) {
    Points points(3, static_cast<Eigen::Index>(group.size()));
    for (std::size_t i = 0; i < group.size(); ++i)
      points.col(static_cast<Eigen::Index>(i)) = group[i];
    parts.push_back({Shape(Convex::from_points(points)), Pose{}});
  }
  if (parts.empty()) throw std::invalid_argument(file + " has no groups");
  return Compound(std::move(parts));
}

Pose near_contact(const Geometry& a, const Geometry& b, testing::Random& random) {
  const double reach = a.compound()->reach() + b.compound()->reach();
  Pose X{random.rotation(), reach * random.direction()};
  GeometryDistance found;
  for (int i = 0; i < 20; ++i) {
    found = distance(a, {}, b, X);
    X.translation -= found.distance * found.normal;
    if (std::abs(found.distance) < 1e-6) break;
  }
  X.translation += random.uniform(-0.01, 0.01) * found.normal;
  return X;
}

}  // namespace

void measure_parts(const std::string& file_a, const std::string& file_b, bool quick,
                   std::uint64_t seed) {
  const Geometry a(parts_of(file_a)), b(parts_of(file_b));
  testing::Random random(seed, 23);
  std::vector<Pose> poses;
  for (int i = 0; i < (quick ? 200 : 2000); ++i) poses.push_back(near_contact(a, b, random));
  int colliding = 0, wrong = 0;
  for (const Pose& X : poses) {
    const bool found = collide(a, {}, b, X).colliding;
    colliding += found ? 1 : 0;
    wrong += found == (distance(a, {}, b, X).distance <= 0.0) ? 0 : 1;
  }
  double best = HUGE_VAL;
  for (int round = 0; round < 5; ++round) {
    const std::uint64_t start = Stopwatch::now();
    for (const Pose& X : poses) colliding += collide(a, {}, b, X).colliding ? 1 : 0;
    best = std::min(best, Stopwatch::nanoseconds(start, Stopwatch::now()));
  }
  const auto count = static_cast<double>(poses.size());
  std::printf(
      "{\"case\": \"parts\", \"parts_a\": %d, \"parts_b\": %d, \"collide\": %.6g, \"wrong\": %d, "
      "\"colliding_share\": %.6g}\n",
      a.num_parts(), b.num_parts(), 1e-3 * best / count, wrong, colliding / (6.0 * count));
}

}  // namespace tactum::compare
