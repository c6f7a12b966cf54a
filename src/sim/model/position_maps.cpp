// SPDX-License-Identifier: BSD-2-Clause
// Quaternion For q = (x, y, z, w) a rotation by dw in the axes of the body changes it by B dw / 2
//            with B = [w I + [xyz]x; -xyz^T], whose columns are orthonormal for a unit quaternion.
//            So dw = 2 B^T dq, and the part of dq along q, which normalizing takes away, does not
//            count.
#include <Eigen/Geometry>

#include "sim/model/model_data.hpp"
#include "tactum/sim/step_derivative.hpp"

namespace tactum::sim {
namespace {

using QuaternionMap = Eigen::Matrix<double, 4, 3>;

QuaternionMap quaternion_map(const Eigen::Vector4d& q) {
  const Vector3 imaginary = q.head<3>();
  QuaternionMap out;
  out << q[3] * Matrix3::Identity() + cross_matrix(imaginary), -imaginary.transpose();
  return out;
}

/// Normalizes numbers in place and returns what their norm was.
template <class Numbers>
double normalize(Numbers&& numbers) {
  const double norm = numbers.norm();
  if (!(norm > 0.0))
    throw InvalidInput("q", "a rotation of norm 0", "give a unit quaternion, or cos and sin");
  numbers /= norm;
  return norm;
}

void add_rotation(int q, int v, PositionMaps& out) {
  const double norm = normalize(out.normalized.segment<4>(q));
  const QuaternionMap map = quaternion_map(out.normalized.segment<4>(q));
  out.numbers_by_tangent.block<4, 3>(q, v) = 0.5 * map;
  out.tangent_by_numbers.block<3, 4>(v, q) = 2.0 / norm * map.transpose();
}

void add_free(int q, int v, PositionMaps& out) {
  add_rotation(q + 3, v + 3, out);
  const Matrix3 R = free_pose(out.normalized, q).rotation;
  out.numbers_by_tangent.block<3, 3>(q, v) = R;
  out.tangent_by_numbers.block<3, 3>(v, q) = R.transpose();
}

/// An angle as its cosine and sine.
void add_angle(int q, int v, PositionMaps& out) {
  const double norm = normalize(out.normalized.segment<2>(q));
  const Eigen::Vector2d along(-out.normalized[q + 1], out.normalized[q]);
  out.numbers_by_tangent.block<2, 1>(q, v) = along;
  out.tangent_by_numbers.block<1, 2>(v, q) = along.transpose() / norm;
}

void add_planar(int q, int v, PositionMaps& out) {
  add_angle(q + 2, v + 2, out);
  const double c = out.normalized[q + 2], s = out.normalized[q + 3];
  Eigen::Matrix2d R;
  R << c, -s, s, c;
  out.numbers_by_tangent.block<2, 2>(q, v) = R;
  out.tangent_by_numbers.block<2, 2>(v, q) = R.transpose();
}

void add_joint(JointKind kind, int q, int v, PositionMaps& out) {
  switch (kind) {
    case JointKind::free: return add_free(q, v, out);
    case JointKind::spherical: return add_rotation(q, v, out);
    case JointKind::planar: return add_planar(q, v, out);
    case JointKind::continuous: return add_angle(q, v, out);
    case JointKind::revolute:
    case JointKind::prismatic: break;
  }
  out.numbers_by_tangent(q, v) = out.tangent_by_numbers(v, q) = 1.0;
}

}  // namespace

PositionMaps position_maps(const Model& handle, const Eigen::VectorXd& q) {
  const ModelData& model = handle.data();
  check_size(q.size(), model.nq, "q");
  check_finite(q, "q");
  PositionMaps out{q, Eigen::MatrixXd::Zero(model.nq, model.nv),
                   Eigen::MatrixXd::Zero(model.nv, model.nq)};
  for (const FreeBody& body : model.free_bodies) add_free(body.q, body.v, out);
  for (const PlacedArticulation& placed : model.robots) {
    const auto& joints = placed.robot->joints();
    for (std::size_t j = 1; j < joints.size(); ++j)
      add_joint(placed.description[j - 1].kind, placed.q + joints[j].q, placed.v + joints[j].v,
                out);
  }
  return out;
}

}  // namespace tactum::sim
