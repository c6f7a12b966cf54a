// SPDX-License-Identifier: BSD-2-Clause
#include "scene_derivative.hpp"

#include <exception>
#include <mutex>

#include "buffer.hpp"
#include "convert.hpp"
#include "core/thread_team.hpp"
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

/// The error of the first row that has one, whichever thread met it first.
class FirstError {
 public:
  /// Keeps the exception that is being handled, unless a row before has one.
  void keep(std::size_t row) {
    const std::lock_guard lock(mutex_);
    if (error_ && row_ < row) return;
    row_ = row;
    error_ = std::current_exception();
  }
  void raise() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::size_t row_ = 0;
  std::exception_ptr error_;
};

/// (M, 12) or (M, 3, 12) numbers of one field.
template <class Field>
nb::object field_array(const SceneJacobians& jacobians, Field DistanceJacobians::*field) {
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
                               const Estimator& estimator, TangentFrame frame, int num_threads,
                               BatchWorkspace& work) {
  const std::size_t count = found.pairs.size();
  SceneJacobians result{std::vector<DistanceJacobians>(count), std::vector<std::uint8_t>(count)};
  FirstError error;
  const auto find = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      check_interrupt();
      if (found.distances[i].status == Status::invalid_input) {
        result.rows[i] = zeros();
        continue;
      }
      const auto [a, b] = found.pairs[i];
      try {
        const DistanceDerivative row = derivative_of(scene.object(a), scene.object(b),
                                                     found.distances[i],
                                                     {.estimator = estimator, .frame = frame});
        result.rows[i] = row;
        result.smooth[i] = row.smooth ? 1 : 0;
      } catch (const InvalidInput&) {
        error.keep(i);
      }
    }
  };
  constexpr std::size_t kPairsInChunk = 64;
  parallel_for(work.team(), count, {.num_threads = num_threads, .largest_chunk = kPairsInChunk},
               find);
  error.raise();
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
  for (const std::uint8_t value : jacobians.smooth) smooth.append(value != 0);
  fields["smooth"] = frozen(numpy().attr("array")(smooth, "bool"));
  return fields;
}

}  // namespace tactum::python
