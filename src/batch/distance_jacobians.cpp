// SPDX-License-Identifier: BSD-2-Clause
#include "batch/distance_jacobians.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "batch/check_columns.hpp"
#include "batch/side_rows.hpp"
#include "math/double3.hpp"
#include "math/exact_pose.hpp"
#include "math/pose_check.hpp"
#include "narrow/derivative/derivative_options.hpp"
#include "narrow/derivative/parameter_derivative.hpp"
#include "narrow/gjkpp/methods.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "narrow/query/try_distance.hpp"

namespace tactum {
namespace {

constexpr std::array kJacobianFields = {
    &JacobianColumns::normal_jacobian, &JacobianColumns::point_a_jacobian,
    &JacobianColumns::point_b_jacobian, &JacobianColumns::separation_jacobian};
constexpr std::array kParameterFields = {
    &ParameterColumns::normal_jacobian, &ParameterColumns::point_a_jacobian,
    &ParameterColumns::point_b_jacobian, &ParameterColumns::separation_jacobian};

bool are_poses(const Pose& X_WA, const Pose& X_WB) {
  return are_exact_poses(X_WA, X_WB, 1e-12) ||
         (pose_quality(X_WA) != PoseQuality::bad && pose_quality(X_WB) != PoseQuality::bad);
}

bool is_half_space(const Shape& shape) { return shape.kind() == ShapeKind::half_space; }

bool has_curved_column(const JacobianColumns& columns) {
  return std::ranges::any_of(kJacobianFields,
                             [&](auto field) { return !(columns.*field).empty(); });
}
bool has_column(const JacobianColumns& columns) {
  return !columns.distance_jacobian.empty() || has_curved_column(columns);
}
bool has_column(const ParameterColumns& columns) {
  return !columns.distance_jacobian.empty() ||
         std::ranges::any_of(kParameterFields,
                             [&](auto field) { return !(columns.*field).empty(); });
}

void check_columns(const JacobianColumns& columns, std::size_t size, const char* prefix) {
  check_column(columns.distance_jacobian, size, "distance_jacobian", prefix);
  check_column(columns.normal_jacobian, size, "normal_jacobian", prefix);
  check_column(columns.point_a_jacobian, size, "point_a_jacobian", prefix);
  check_column(columns.point_b_jacobian, size, "point_b_jacobian", prefix);
  check_column(columns.separation_jacobian, size, "separation_jacobian", prefix);
}

void check_columns(const ParameterColumns& columns, std::size_t size, std::size_t num_parameters) {
  const char* const prefix = "out.parameter.";
  check_column(columns.distance_jacobian, size * num_parameters, "distance_jacobian", prefix);
  check_column(columns.normal_jacobian, 3 * size * num_parameters, "normal_jacobian", prefix);
  check_column(columns.point_a_jacobian, 3 * size * num_parameters, "point_a_jacobian", prefix);
  check_column(columns.point_b_jacobian, 3 * size * num_parameters, "point_b_jacobian", prefix);
  check_column(columns.separation_jacobian, 3 * size * num_parameters, "separation_jacobian",
               prefix);
}

/// Calls f(shape) for every convex part of everything that a row refers to, once or more; the parts
/// of meshes are left out, because every estimator accepts them.
template <class F>
void for_each_shape(const BatchSide& side, F f) {
  const auto visit = [&](std::size_t i) {
    if (side.geometries.empty()) return f(side.shapes[i]);
    if (const Shape* const shape = side.geometries[i].shape()) f(*shape);
    if (const Compound* const compound = side.geometries[i].compound())
      for (const CompoundPart& part : compound->parts()) f(part.shape);
  };
  if (side.index.empty() && num_geometries(side) > 0) visit(0);
  for (const std::int32_t i : side.index) visit(static_cast<std::size_t>(i));
}

void write_cell(std::span<Packed3x12> column, std::size_t row, const Matrix3x12& value) {
  if (!column.empty()) column[row] = value;
}
void write_cell(const JacobianColumns& columns, std::size_t row, const DistanceJacobians& value) {
  if (!columns.distance_jacobian.empty()) columns.distance_jacobian[row] = value.distance_jacobian;
  write_cell(columns.normal_jacobian, row, value.normal_jacobian);
  write_cell(columns.point_a_jacobian, row, value.point_a_jacobian);
  write_cell(columns.point_b_jacobian, row, value.point_b_jacobian);
  write_cell(columns.separation_jacobian, row, value.separation_jacobian);
}
void write_zeros(const JacobianColumns& columns, std::size_t row) {
  if (!columns.distance_jacobian.empty()) columns.distance_jacobian[row].setZero();
  for (const auto field : kJacobianFields)
    if (!(columns.*field).empty()) (columns.*field)[row].setZero();
}

/// Writes the columns of A and then of B, row after row.
template <class Matrix>
void write_cell(std::span<double> column, std::size_t row, const Matrix& a, const Matrix& b) {
  if (column.empty()) return;
  double* to = column.data() + row * static_cast<std::size_t>(a.size() + b.size());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j < a.cols(); ++j) *to++ = a(i, j);
    for (Eigen::Index j = 0; j < b.cols(); ++j) *to++ = b(i, j);
  }
}

}  // namespace

bool has_standard_error(const Estimator& estimator) {
  // a pair of opposite samples counts once
  const auto enough = [](const auto& e) { return e.samples >= (e.variance_reduction ? 3 : 2); };
  if (const auto* sampled = std::get_if<ZerothOrder>(&estimator)) return enough(*sampled);
  const auto* const sampled = std::get_if<Gaussian>(&estimator);
  return sampled != nullptr && enough(*sampled);
}

std::vector<std::string> parameter_names(const BatchSide& side, const char* field) {
  if (!side.geometries.empty())
    throw InvalidInput(std::string(field) + ".geometries", "a compound or a mesh",
                       "derivatives by sizes need convex shapes");
  const Shape* first = nullptr;
  const auto num_vertices = [](const Shape& shape) {
    const auto* const hull = std::get_if<Convex>(&shape.parameters());
    return hull != nullptr ? hull->num_vertices() : 0;
  };
  for_each_shape(side, [&](const Shape& shape) {
    if (first == nullptr) first = &shape;
    if (shape.kind() != first->kind() || num_vertices(shape) != num_vertices(*first))
      throw InvalidInput(
          std::string(field) + ".index",
          first->to_string().substr(0, 80) + " and " + shape.to_string().substr(0, 80),
          "derivatives by sizes need shapes of one kind, hulls with equally many vertices");
  });
  if (first == nullptr) return {};
  return parameter_derivative(*first, {}, Shape{Sphere{}}, {}).a.names;
}

RowDerivative::Need RowDerivative::need_of(const Estimator& estimator, const DistanceColumns& out) {
  if (!out.smooth.empty() || has_curved_column(out.jacobian) || has_column(out.standard_error))
    return Need::everything;
  if (out.jacobian.distance_jacobian.empty()) return Need::nothing;
  const bool queries = std::holds_alternative<FiniteDifference>(estimator) ||
                       std::holds_alternative<ZerothOrder>(estimator);
  return queries ? Need::everything : Need::distance_alone;
}

RowDerivative::RowDerivative(const PairBatch& pairs, const DistancesOptions& options,
                             const DistanceColumns& out)
    : options_(options), out_(out), need_(need_of(options.derivative, out)) {
  check_column(out.smooth, pairs.size, "smooth");
  check_columns(out.jacobian, pairs.size, "out.");
  check_columns(out.standard_error, pairs.size, "out.standard_error.");
  if (need_ != Need::nothing) check_estimator(pairs);
  if (!has_column(out.parameter) || pairs.size == 0) return;
  num_parameters_ = parameter_names(pairs.a, "a").size() + parameter_names(pairs.b, "b").size();
  check_columns(out.parameter, pairs.size, num_parameters_);
}

void RowDerivative::check_estimator(const PairBatch& pairs) const {
  check_derivative_options({.estimator = options_.derivative, .frame = options_.frame});
  if (has_column(out_.standard_error) && !has_standard_error(options_.derivative))
    throw InvalidInput("out.standard_error", "an estimator without standard errors",
                       "leave it out, or sample more: ZerothOrder and Gaussian have it");
  if (!std::holds_alternative<Gumbel>(options_.derivative)) return;
  for (const BatchSide* side : {&pairs.a, &pairs.b})
    for_each_shape(*side,
                   [&](const Shape& shape) { check_estimator_takes(options_.derivative, shape); });
}

bool RowDerivative::solve(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                          const DistanceOptions& query, std::size_t row, Distance& value) const {
  if (need_ == Need::everything) {
    const bool solved = method_applies(query.method, a.core(), b.core()) &&
                        !(is_half_space(a) && is_half_space(b)) && are_poses(X_WA, X_WB);
    if (!solved) return false;
    const DistanceDerivative derivative = distance_derivative(
        a, X_WA, b, X_WB,
        {.estimator = options_.derivative, .frame = options_.frame, .query = query});
    value = derivative.value;
    const bool smooth = num_parameters_ == 0 || write_parameters(a, X_WA, b, X_WB, value, row);
    write_cell(derivative, smooth && derivative.smooth, row);
    return true;
  }
  if (!try_distance(a, X_WA, b, X_WB, query, value)) return false;
  if (num_parameters_ > 0) write_parameters(a, X_WA, b, X_WB, value, row);
  if (need_ == Need::distance_alone) {
    // a rotation that was not quite orthonormal was corrected for the query
    const bool corrected = value.pose_corrected;
    out_.jacobian.distance_jacobian[row] = distance_jacobian(
        corrected ? check_pose(X_WA, "X_WA").pose : X_WA,
        corrected ? check_pose(X_WB, "X_WB").pose : X_WB, value, options_.frame);
  }
  return true;
}

void RowDerivative::solve(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                          const DistanceOptions& query, std::size_t row, Distance& value) const {
  if (need_ == Need::everything) {
    const DistanceDerivative derivative = distance_derivative(
        a, X_WA, b, X_WB,
        {.estimator = options_.derivative, .frame = options_.frame, .query = query});
    write_cell(derivative, derivative.smooth, row);
    value = derivative.value;
    return;
  }
  value = distance(a, X_WA, b, X_WB, query);
  if (need_ == Need::distance_alone)
    out_.jacobian.distance_jacobian[row] = distance_jacobian(
        check_pose(X_WA, "X_WA").pose, check_pose(X_WB, "X_WB").pose, value, options_.frame);
}

void RowDerivative::write_cell(const DistanceDerivative& derivative, bool smooth,
                               std::size_t row) const {
  if (!out_.smooth.empty()) out_.smooth[row] = smooth;
  tactum::write_cell(out_.jacobian, row, derivative);
  if (derivative.standard_error)
    tactum::write_cell(out_.standard_error, row, *derivative.standard_error);
  else
    write_zeros(out_.standard_error, row);
}

bool RowDerivative::write_parameters(const Shape& a, const Pose& X_WA, const Shape& b,
                                     const Pose& X_WB, const Distance& value,
                                     std::size_t row) const {
  const DistanceParameterDerivative derivative = parameter_derivative(a, X_WA, b, X_WB, value,
                                                                      ValueOrigin::computed);
  const auto write_field = [&](std::span<double> column, auto field) {
    tactum::write_cell(column, row, derivative.a.*field, derivative.b.*field);
  };
  write_field(out_.parameter.distance_jacobian, &ParameterDerivative::distance_jacobian);
  write_field(out_.parameter.normal_jacobian, &ParameterDerivative::normal_jacobian);
  write_field(out_.parameter.point_a_jacobian, &ParameterDerivative::point_a_jacobian);
  write_field(out_.parameter.point_b_jacobian, &ParameterDerivative::point_b_jacobian);
  write_field(out_.parameter.separation_jacobian, &ParameterDerivative::separation_jacobian);
  return derivative.smooth;
}

void RowDerivative::clear(std::size_t row) const {
  if (!out_.smooth.empty()) out_.smooth[row] = false;
  write_zeros(out_.jacobian, row);
  write_zeros(out_.standard_error, row);
  const auto clear_field = [&](std::span<double> column, std::size_t width) {
    if (!column.empty()) std::ranges::fill(column.subspan(row * width, width), 0.0);
  };
  clear_field(out_.parameter.distance_jacobian, num_parameters_);
  for (const auto field : kParameterFields) clear_field(out_.parameter.*field, 3 * num_parameters_);
}

}  // namespace tactum
