// SPDX-License-Identifier: BSD-2-Clause
#include "scene_derivative.hpp"

#include "buffer.hpp"
#include "convert.hpp"
#include "tactum/geometry.hpp"
#include "tactum/interrupt.hpp"

namespace nb = nanobind;

namespace tactum::python {
namespace {

/// Two convex shapes start from the distance that the scene knows.
DistanceDerivative derivative_of(const SceneObject& a, const SceneObject& b, const Distance& known,
                                 DistanceDerivativeOptions options) {
  if (a.geometry.shape() == nullptr || b.geometry.shape() == nullptr)
    return distance_derivative(a.geometry, a.X, b.geometry, b.X, options);
  options.value = &known;
  return distance_derivative(*a.geometry.shape(), a.X, *b.geometry.shape(), b.X, options);
}

DistanceJacobians zeros() {
  return {RowVector12::Zero(), Matrix3x12::Zero(), Matrix3x12::Zero(), Matrix3x12::Zero(),
          Matrix3x12::Zero()};
}

/// (M, 12) or (M, 3, 12) numbers of one field.
template <class Field>
nb::object field_array(const SceneJacobians& jacobians, Field DistanceJacobians::* field) {
  constexpr int kRows = Field::RowsAtCompileTime;
  const std::size_t count = jacobians.rows.size();
  const nb::object shape = kRows == 1 ? nb::object(nb::make_tuple(count, 12))
                                      : nb::object(nb::make_tuple(count, 3, 12));
  const nb::object array = numpy().attr("empty")(shape);
  double* out = count == 0 ? nullptr : float_span(array).data;
  for (const DistanceJacobians& row : jacobians.rows) {
    Eigen::Map<Eigen::Matrix<double, kRows, 12, Eigen::RowMajor>>{out} = row.*field;
    out += 12 * kRows;
  }
  return frozen(array);
}

}  // namespace

SceneJacobians scene_jacobians(const Scene& scene, const SceneDistances& found,
                               const Estimator& estimator, TangentFrame frame) {
  SceneJacobians result;
  for (std::size_t i = 0; i < found.pairs.size(); ++i) {
    check_interrupt();
    if (found.distances[i].status == Status::invalid_input) {
      result.rows.push_back(zeros());
      result.smooth.push_back(false);
      continue;
    }
    const auto [a, b] = found.pairs[i];
    const SceneObject &of_a = scene.object(a), &of_b = scene.object(b);
    const DistanceDerivative row = derivative_of(of_a, of_b, found.distances[i],
                                                 {.estimator = estimator, .frame = frame});
    result.rows.push_back(row);
    result.smooth.push_back(row.smooth);
  }
  return result;
}

nb::object jacobians_dict(const SceneJacobians& jacobians) {
  nb::dict fields;
  fields["distance_jacobian"] = field_array(jacobians, &DistanceJacobians::distance_jacobian);
  fields["normal_jacobian"] = field_array(jacobians, &DistanceJacobians::normal_jacobian);
  fields["point_a_jacobian"] = field_array(jacobians, &DistanceJacobians::point_a_jacobian);
  fields["point_b_jacobian"] = field_array(jacobians, &DistanceJacobians::point_b_jacobian);
  fields["separation_jacobian"] = field_array(jacobians, &DistanceJacobians::separation_jacobian);
  nb::list smooth;
  for (const bool value : jacobians.smooth) smooth.append(value);
  fields["smooth"] = frozen(numpy().attr("array")(smooth, "bool"));
  return fields;
}

}  // namespace tactum::python
