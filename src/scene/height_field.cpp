// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/height_field.hpp"

#include <cmath>
#include <utility>

#include "core/format_number.hpp"
#include "tactum/interrupt.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr Eigen::Index kMostCells = 262144;
constexpr double kLargestLength = 1e30;

void check_heights(const Eigen::MatrixXd& heights) {
  const Eigen::Index rows = heights.rows(), columns = heights.cols();
  const auto size = [&] { return std::to_string(rows) + " by " + std::to_string(columns); };
  if (rows < 2 || columns < 2)
    throw InvalidInput("HeightField.heights", size(), "give 2 by 2 heights or more");
  if (rows - 1 > kMostCells / (columns - 1))
    throw InvalidInput("HeightField.heights", size(), "give at most 262144 cells");
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) {
      if (!std::isfinite(heights(i, j)) || std::abs(heights(i, j)) > kLargestLength)
        throw InvalidInput(
            "HeightField.heights[" + std::to_string(i) + ", " + std::to_string(j) + "]",
            exact_text(heights(i, j)), "give finite heights of at most 1e30 m");
    }
  }
}

void check_spacing(const Eigen::Vector2d& spacing) {
  for (int k = 0; k < 2; ++k) {
    if (!std::isfinite(spacing[k]) || spacing[k] <= 0.0 || spacing[k] > kLargestLength)
      throw InvalidInput("HeightField.spacing[" + std::to_string(k) + "]", exact_text(spacing[k]),
                         "give a positive length of at most 1e30 m");
  }
}

double checked_base(const Eigen::MatrixXd& heights, const Eigen::Vector2d& spacing,
                    std::optional<double> base) {
  const double lowest = heights.minCoeff();
  if (!base) {
    const double length = std::max(static_cast<double>(heights.rows() - 1) * spacing[0],
                                   static_cast<double>(heights.cols() - 1) * spacing[1]);
    return lowest - std::max(length, heights.maxCoeff() - lowest);
  }
  if (!std::isfinite(*base) || std::abs(*base) > kLargestLength || !(*base < lowest))
    throw InvalidInput("HeightField.base", exact_text(*base),
                       "give a height below the lowest one, " + exact_text(lowest));
  return *base;
}

HeightGrid checked_grid(Eigen::MatrixXd heights, const Eigen::Vector2d& spacing,
                        std::optional<double> base) {
  check_heights(heights);
  check_spacing(spacing);
  const double bottom = checked_base(heights, spacing, base);
  return {.heights = std::move(heights), .spacing = spacing, .base = bottom};
}

/// The prism between three points and the base, counter-clockwise seen from above. Its vertices are
/// about `center`, so that a cell far out is as exact as one in the middle.
CompoundPart prism(const Vector3& p, const Vector3& q, const Vector3& r, double base,
                   const Vector3& center) {
  Points vertices(3, 6);
  vertices << p, q, r, p, q, r;
  vertices.row(2).head<3>().setConstant(base);
  vertices.colwise() -= center;
  Triangles faces(3, 8);
  faces << 0, 3, 0, 0, 1, 1, 2, 2,  //
      2, 4, 1, 4, 2, 5, 0, 3,       //
      1, 5, 4, 3, 5, 4, 3, 5;
  return {Shape(Convex::from_mesh(vertices, faces)), {.translation = center}};
}

class Grid {
 public:
  Grid(const Eigen::MatrixXd& heights, const Eigen::Vector2d& spacing, double base)
      : heights_(heights), spacing_(spacing), base_(base) {}

  std::vector<CompoundPart> parts() const {
    std::vector<CompoundPart> parts;
    for (Eigen::Index i = 0; i + 1 < heights_.rows(); ++i) {
      check_interrupt();
      for (Eigen::Index j = 0; j + 1 < heights_.cols();) {
        Eigen::Index end = j;
        while (end + 1 < heights_.cols() && is_level(i, end, heights_(i, j))) ++end;
        if (end > j) {
          parts.push_back(box(i, j, end));
          j = end;
        } else {
          add_prisms(i, j++, parts);
        }
      }
    }
    return parts;
  }

 private:
  Vector3 point(Eigen::Index i, Eigen::Index j) const {
    return {(static_cast<double>(i) - 0.5 * static_cast<double>(heights_.rows() - 1)) * spacing_[0],
            (static_cast<double>(j) - 0.5 * static_cast<double>(heights_.cols() - 1)) * spacing_[1],
            heights_(i, j)};
  }

  bool is_level(Eigen::Index i, Eigen::Index j, double height) const {
    return heights_(i, j) == height && heights_(i + 1, j) == height &&
           heights_(i, j + 1) == height && heights_(i + 1, j + 1) == height;
  }

  CompoundPart box(Eigen::Index i, Eigen::Index begin, Eigen::Index end) const {
    Vector3 lower = point(i, begin);
    const Vector3 upper = point(i + 1, end);
    lower.z() = base_;
    return {Shape(Box{.half_extents = 0.5 * (upper - lower)}),
            {.translation = 0.5 * (lower + upper)}};
  }

  void add_prisms(Eigen::Index i, Eigen::Index j, std::vector<CompoundPart>& parts) const {
    const Vector3 corner = point(i, j), opposite = point(i + 1, j + 1);
    Vector3 center = 0.5 * (corner + opposite);
    center.z() = 0.5 * (base_ + std::max(corner.z(), opposite.z()));
    parts.push_back(prism(corner, point(i + 1, j), opposite, base_, center));
    parts.push_back(prism(corner, opposite, point(i, j + 1), base_, center));
  }

  const Eigen::MatrixXd& heights_;
  const Eigen::Vector2d& spacing_;
  double base_;
};

}  // namespace

HeightField::HeightField(Eigen::MatrixXd heights, const Eigen::Vector2d& spacing,
                         std::optional<double> base)
    : HeightField(checked_grid(std::move(heights), spacing, base)) {}

HeightField::HeightField(const HeightGrid& checked)
    : Compound(Grid(checked.heights, checked.spacing, checked.base).parts(), checked) {}

HeightField::HeightField(const Compound& compound) : Compound(compound) {
  if (height_grid() == nullptr)
    throw InvalidInput("HeightField.compound", compound.to_string(), "give a height field");
}

}  // namespace tactum
