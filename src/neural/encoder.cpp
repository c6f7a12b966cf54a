// SPDX-License-Identifier: BSD-2-Clause
#include "neural/encoder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "neural/distance_field.hpp"

namespace tactum {
namespace {

using Matrix = Eigen::MatrixXd;

/// Numbers of cells: one column for each cell of a cube, z fastest.
struct Grid {
  int cells = 0;  // along an axis
  Matrix values;
};

Matrix apply(const LinearLayer& layer, const Matrix& x) {
  return (layer.weight * x).colwise() + layer.bias;
}

void relu(Matrix& x) { x = x.cwiseMax(0.0); }

void normalize_columns(const NormLayer& layer, Matrix& x) {
  for (Eigen::Index i = 0; i < x.cols(); ++i) {
    auto column = x.col(i).array();
    column -= column.mean();
    column /= std::sqrt(column.square().mean() + kNormEpsilon);
    column = column * layer.scale.array() + layer.shift.array();
  }
}

enum class Padding { none, same, full };  // the cube shrinks by two cells, keeps its size, grows

/// Convolution, ReLU and LayerNorm. A full padding is the transposed convolution.
Grid convolve(const GridLayer& layer, const Grid& in, Padding padding) {
  const int change = padding == Padding::none ? -2 : padding == Padding::full ? 2 : 0;
  Grid out{in.cells + change, {}};
  const int n = out.cells;
  out.values = layer.bias.replicate(1, n * n * n);
  for (int offset = 0; offset < 27; ++offset) {
    const int kx = offset / 9, ky = offset / 3 % 3, kz = offset % 3;
    // the cell of the input that output cell o takes at this offset
    const auto source = [&](int o, int k) {
      return padding == Padding::none ? o + k : padding == Padding::same ? o + k - 1 : o - k;
    };
    const Matrix product = layer.weight[static_cast<std::size_t>(offset)] * in.values;
    for (int x = 0; x < n; ++x) {
      for (int y = 0; y < n; ++y) {
        for (int z = 0; z < n; ++z) {
          const int i = source(x, kx), j = source(y, ky), k = source(z, kz);
          if (std::min({i, j, k}) < 0 || std::max({i, j, k}) >= in.cells) continue;
          out.values.col((x * n + y) * n + z) += product.col((i * in.cells + j) * in.cells + k);
        }
      }
    }
  }
  relu(out.values);
  normalize_columns(layer.norm, out.values);
  return out;
}

Grid joined(const Grid& a, const Grid& b) {
  Grid both{a.cells, Matrix(a.values.rows() + b.values.rows(), a.values.cols())};
  both.values << a.values, b.values;
  return both;
}

/// Features of all cells from what is known about each.
Matrix cell_features(const NetworkWeights& w, const Grid& grid) {
  const Grid down1 = convolve(w.down1, grid, Padding::none);
  const Grid down2 = convolve(w.down2, down1, Padding::same);
  const Grid down3 = convolve(w.down3, down2, Padding::same);
  const Eigen::VectorXd whole = down3.values.rowwise().mean();
  const Grid up3 = convolve(w.up3, down3, Padding::same);
  const Grid up2 = convolve(w.up2, joined(up3, down2), Padding::same);
  const Grid up1 = convolve(w.up1, joined(up2, down1), Padding::full);
  Matrix all(up1.values.rows() + whole.size() + grid.values.rows(), grid.values.cols());
  all << up1.values, whole.replicate(1, grid.values.cols()), grid.values;
  return apply(w.cell, all);
}

/// Numbers of all points: the first layer is added to the third.
Matrix point_features(const NetworkWeights& w, const Matrix& inputs) {
  Matrix first = apply(w.point1, inputs);
  relu(first);
  Matrix second = apply(w.point2, first);
  relu(second);
  return apply(w.point3, second) + first;
}

}  // namespace

ObjectCode encode_points(const NetworkWeights& weights, const Points& points,
                         const Points& normals) {
  const int cells = weights.size.cells, H = weights.size.width;
  const Vector3 lower = points.rowwise().minCoeff(), upper = points.rowwise().maxCoeff();
  ObjectCode code;
  code.origin = 0.5 * (lower + upper);
  code.extents = (0.5 * (upper - lower)).array() + kBoxGrowth;
  code.half_side = code.extents.maxCoeff();
  code.cell_size = 2.0 * code.half_side / cells;

  const Points centered = points.colwise() - code.origin;
  Matrix inputs(9, points.cols());
  std::vector<int> cell_of(static_cast<std::size_t>(points.cols()));
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    int flat = 0;
    for (int k = 0; k < 3; ++k) {
      const double place = centered(k, i) / code.cell_size + 0.5 * cells;
      const int index = std::clamp(static_cast<int>(std::floor(place)), 0, cells - 1);
      inputs(3 + k, i) = 2.0 * (place - index) - 1.0;
      flat = flat * cells + index;
    }
    cell_of[static_cast<std::size_t>(i)] = flat;
  }
  inputs.topRows(3) = centered / kNetworkUnit;
  inputs.bottomRows(3) = normals;
  const Matrix found = point_features(weights, inputs);

  Grid grid{cells, Matrix::Zero(H + 7, cells * cells * cells)};
  Points sums = Points::Zero(3, grid.values.cols());
  Eigen::VectorXd counts = Eigen::VectorXd::Zero(grid.values.cols());
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    const int cell = cell_of[static_cast<std::size_t>(i)];
    sums.col(cell) += centered.col(i);
    counts[cell] += 1.0;
    auto column = grid.values.col(cell);
    auto largest = column.segment(1, H);
    if (counts[cell] == 1.0) {
      column[0] = 1.0;
      largest = found.col(i);
    } else {
      largest = largest.cwiseMax(found.col(i));
    }
  }
  const auto center = [&](int i) { return (i - 0.5 * (cells - 1)) * code.cell_size; };
  for (int i = 0; i < grid.values.cols(); ++i) {
    const Vector3 middle(center(i / (cells * cells)), center(i / cells % cells), center(i % cells));
    grid.values.col(i).segment(1 + H, 3) = middle / kNetworkUnit;
    grid.values.col(i).tail(3) = code.extents / kNetworkUnit;
  }

  const Matrix features = cell_features(weights, grid);
  const Eigen::Index occupied = (counts.array() > 0.0).count();
  code.features.resize(features.rows(), occupied);
  code.centers.resize(3, occupied);
  for (Eigen::Index i = 0, next = 0; i < features.cols(); ++i) {
    if (counts[i] == 0.0) continue;
    code.features.col(next) = features.col(i);
    code.centers.col(next) = sums.col(i) / counts[i];
    ++next;
  }
  code.field = distance_field(centered, normals, code.half_side);
  return code;
}

}  // namespace tactum
