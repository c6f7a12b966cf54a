// SPDX-License-Identifier: BSD-2-Clause
// Batches: thousands of pairs in one call, bad rows as statuses, the same bits for any number of
// threads, points in one go.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "tactum/distances.hpp"
#include "tactum/signed_distance.hpp"

int main() {
  const tactum::ShapeTable table(
      {tactum::Sphere{.radius = 0.5}, tactum::Box{.half_extents = {0.5, 0.5, 0.5}}});
  constexpr std::size_t n = 10'000;

  // shape A at the origin, alternating; B a ball on a line along x; row 7 has a pose that is none
  std::vector<std::int32_t> index(n);
  std::vector<tactum::Pose> X_WB(n);
  for (std::size_t i = 0; i < n; ++i) {
    index[i] = static_cast<std::int32_t>(i % 2);
    X_WB[i].translation.x() = 4.0 * static_cast<double>(i) / n;
  }
  X_WB[7].rotation(0, 0) = 2.0;
  const tactum::Shape ball = tactum::Sphere{.radius = 0.25};
  const tactum::Pose X_WA;

  const tactum::PairBatch pairs{.size = n,
                                .a = {.shapes = table, .index = index, .poses = X_WA},
                                .b = {.shapes = {&ball, 1}, .poses = X_WB}};
  std::vector<tactum::Status> status(n);
  std::vector<double> distance(n), again(n);
  tactum::BatchWorkspace work;
  tactum::distances(pairs, {}, work, {.status = status, .distance = distance});
  using enum tactum::Status;
  for (const tactum::Status s : {separated, touching, penetrating, invalid_input})
    std::printf("%s: %td\n", tactum::to_string(s).data(),
                std::count(status.begin(), status.end(), s));
  std::printf("last two rows %.4f %.4f\n", distance[n - 2], distance[n - 1]);

  // memory of the caller, used again and again; other numbers of threads give the same bits
  tactum::distances(pairs, {.num_threads = 2}, work, {.distance = again});
  std::printf("same bits: %s\n", again == distance ? "True" : "False");

  // signed distance of points, with its gradient
  const std::vector<tactum::Vector3> points = {{2.0, 0.0, 0.0}, {0.0, 0.4, 0.0}};
  std::vector<double> distances(2);
  std::vector<tactum::Vector3> gradients(2);
  tactum::signed_distance(table[1], X_WA, points, {}, work,
                          {.distance = distances, .gradient = gradients});
  for (int i = 0; i < 2; ++i) {
    std::printf("signed distance %.4f, gradient %.1f %.1f %.1f\n", distances[i], gradients[i].x(),
                gradients[i].y(), gradients[i].z());
  }
  return 0;
}
