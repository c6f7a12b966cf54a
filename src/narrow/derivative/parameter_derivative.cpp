// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/parameter_derivative.hpp"

#include "narrow/derivative/size_motion.hpp"

namespace tactum {
namespace {

void fill(const WitnessPair& pair, const MotionResponse& response, const Shape& shape, bool is_a,
          ParameterDerivative& out, bool& has_kink) {
  std::vector<SizeMotion> motions = size_motions(pair, shape, is_a ? pair.a : pair.b, is_a,
                                                 has_kink);
  const auto count = static_cast<Eigen::Index>(motions.size());
  out.distance_jacobian.resize(count);
  for (auto* matrix : {&out.normal_jacobian, &out.point_a_jacobian, &out.point_b_jacobian,
                       &out.separation_jacobian})
    matrix->resize(3, count);
  out.names.reserve(motions.size());
  for (Eigen::Index i = 0; i < count; ++i) {
    SizeMotion& motion = motions[static_cast<std::size_t>(i)];
    const MotionColumn c = is_a ? column_a(pair, response, motion.shift, motion.turn)
                                : column_b(pair, response, motion.shift, motion.turn);
    out.distance_jacobian[i] = c.distance;
    out.normal_jacobian.col(i) = to_vector3(c.normal);
    out.point_a_jacobian.col(i) = to_vector3(c.point_a);
    out.point_b_jacobian.col(i) = to_vector3(c.point_b);
    out.separation_jacobian.col(i) = to_vector3(c.separation);
    out.names.push_back(std::move(motion.name));
  }
}

}  // namespace

DistanceParameterDerivative parameter_derivative(const Shape& a, const Pose& X_WA, const Shape& b,
                                                 const Pose& X_WB, const Distance& value,
                                                 ValueOrigin origin) {
  const WitnessPair pair = make_witness_pair(a, X_WA, b, X_WB, value, origin);
  const MotionResponse response = response_of(pair.a.feature, pair.b.feature, pair.distance,
                                              pair.scale);
  DistanceParameterDerivative result;
  bool has_kink = false;
  fill(pair, response, a, true, result.a, has_kink);
  fill(pair, response, b, false, result.b, has_kink);
  result.smooth = pair.smooth && response.unique && !has_kink;
  return result;
}

DistanceParameterDerivative parameter_derivative(const Shape& a, const Pose& X_WA, const Shape& b,
                                                 const Pose& X_WB, const Distance* value,
                                                 const DistanceOptions& query) {
  if (value != nullptr) return parameter_derivative(a, X_WA, b, X_WB, *value, ValueOrigin::given);
  return parameter_derivative(a, X_WA, b, X_WB, distance(a, X_WA, b, X_WB, query),
                              ValueOrigin::computed);
}

}  // namespace tactum
