// SPDX-License-Identifier: BSD-2-Clause
// Contact patches: the area where faces meet, as points with their own distances and with ids that
// last from step to step.
#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include "tactum/tactum.hpp"

int main() {
  const tactum::Shape table{tactum::Box{.half_extents = {1.0, 1.0, 0.5}}};
  const tactum::Shape box{tactum::Box{.half_extents = {0.2, 0.3, 0.1}}};
  const tactum::Pose X_WA;
  tactum::Pose X_WB;
  X_WB.translation = {0.9, 0.2, 0.599};
  const auto text = [](bool value) { return value ? "True" : "False"; };
  const auto ids = [](const tactum::ContactPatch& patch) {
    return std::set<std::uint64_t>(patch.feature_ids.begin(),
                                   patch.feature_ids.begin() + patch.count);
  };

  // a box that hangs over the edge of a table: the overlap of both faces, 1 mm deep
  const tactum::ContactPatch patch = tactum::contact_patch(table, X_WA, box, X_WB);
  std::printf("%d points, depth %.6f\n", patch.count,
              -*std::min_element(patch.distances.begin(), patch.distances.begin() + patch.count));
  for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i) {
    const tactum::Vector3& point = patch.points_a[i];
    std::printf("(%.3f, %.3f, %.3f) feature %016llx\n", point.x(), point.y(), point.z(),
                static_cast<unsigned long long>(patch.feature_ids[i]));
  }

  // a little later the box has moved, and the ids are the same: forces of the last step are a good
  // start for this one
  X_WB.translation.x() += 0.01;
  const tactum::ContactPatch later = tactum::contact_patch(table, X_WA, box, X_WB);
  std::printf("same features: %s\n", text(ids(later) == ids(patch)));

  // a can standing on the ground: at most four points of its rim
  const tactum::Shape can{tactum::Cylinder{.radius = 0.3, .half_length = 0.5}};
  X_WB.translation = {0.0, 0.0, 0.5};
  std::printf("a can stands on %d points\n",
              tactum::contact_patch(tactum::HalfSpace{}, X_WA, can, X_WB, {.max_points = 4}).count);

  // how the gaps of a box inside the table's face change when it turns about x: linear in y, and
  // unique
  X_WB.translation = {0.1, 0.2, 0.6};
  const auto d = tactum::contact_patch_derivative(
      table, X_WA, box, X_WB, {.frame = tactum::TangentFrame::local_world_aligned});
  std::vector<double> gaps;
  for (std::size_t i = 0; i < static_cast<std::size_t>(d.value.count); ++i)
    gaps.push_back(d.distances_jacobian[i][9]);
  std::sort(gaps.begin(), gaps.end());
  std::printf("smooth %s, gaps by turning", text(d.smooth));
  for (const double gap : gaps) std::printf(" %.3f", gap);
  std::printf("\n");
  return 0;
}
