// SPDX-License-Identifier: BSD-2-Clause
// Ground as a grid of heights, solid below.
//
// Grid       heights(i, j) is the height z of the point at x = (i - (rows - 1) / 2) * spacing.x and
//            y = (j - (columns - 1) / 2) * spacing.y, so the middle of the grid is at the origin.
//            Each cell is cut along the diagonal from (i, j) to (i + 1, j + 1).
// Solid      prisms from the surface down to a flat base. Level cells of equal height in a row are
//            one box.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "tactum/compound.hpp"

namespace tactum {

/// A compound of prisms under a grid of heights, for whatever takes compounds. Its queries look at
/// the cells under the other shape alone. A cell that is not level takes about 5 kB.
class HeightField : public Compound {
 public:
  /// Metres. 2 by 2 heights or more, finite, up to 1e30, with at most 262144 cells; positive
  /// spacing along x and y. The base has to be below every height; without one it is deeper than
  /// the grid is long. Throws InvalidInput that names the field.
  HeightField(Eigen::MatrixXd heights, const Eigen::Vector2d& spacing,
              std::optional<double> base = std::nullopt);

  /// The height field that a compound is: one taken from a geometry or a scene, say. Throws
  /// InvalidInput for a compound without heights.
  explicit HeightField(const Compound& compound);

  const Eigen::MatrixXd& heights() const { return height_grid()->heights; }
  const Eigen::Vector2d& spacing() const { return height_grid()->spacing; }
  double base() const { return height_grid()->base; }

 private:
  explicit HeightField(const HeightGrid& checked);
};

}  // namespace tactum
