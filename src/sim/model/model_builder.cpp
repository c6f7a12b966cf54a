// SPDX-License-Identifier: BSD-2-Clause
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/format_number.hpp"
#include "core/quote_text.hpp"
#include "math/constants.hpp"
#include "sim/model/model_data.hpp"

namespace tactum::sim {
namespace {

void check_surface(const Surface& surface) {
  check_material({surface.friction.value_or(0.0), surface.restitution, surface.compliance});
}

void check_margin(double margin) {
  if (!std::isfinite(margin) || margin < 0.0 || margin > 1e30)
    throw InvalidInput("margin", shortest_text(margin), "give a finite number of m, 0 or more");
}

MassProperties mass_properties(const Geometry& geometry, double density) {
  if (geometry.shape() != nullptr) return geometry.shape()->mass_properties(density);
  if (geometry.mesh() != nullptr) return geometry.mesh()->mass_properties(density);
  return geometry.compound()->mass_properties(density);
}

/// Checks that a body can have this inertia: positive definite, and no moment larger than the sum
/// of the other two.
void check_inertia(const BodyInertia& given) {
  if (!std::isfinite(given.mass) || given.mass <= 0.0 || given.mass > 1e30)
    throw InvalidInput("mass", shortest_text(given.mass), "give a finite mass in kg, more than 0");
  if (!given.center.allFinite())
    throw InvalidInput("center", "a number that is not finite", "give the center of mass in m");
  if (!given.inertia.allFinite() ||
      (given.inertia - given.inertia.transpose()).cwiseAbs().maxCoeff() >
          1e-8 * given.inertia.cwiseAbs().maxCoeff())
    throw InvalidInput("inertia", "a matrix that is not symmetric and finite",
                       "give a symmetric matrix in kg m^2, about the center of mass");
  const Vector3 moments =
      Eigen::SelfAdjointEigenSolver<Matrix3>(given.inertia, Eigen::EigenvaluesOnly).eigenvalues();
  if (moments[0] <= 0.0)
    throw InvalidInput("inertia", "principal moment " + shortest_text(moments[0]),
                       "give a positive definite matrix in kg m^2");
  if (moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-6))
    throw InvalidInput("inertia",
                       "principal moments " + shortest_text(moments[0]) + ", " +
                           shortest_text(moments[1]) + ", " + shortest_text(moments[2]),
                       "give moments of which none is larger than the sum of the other two, as "
                       "those of every body");
}

BodyInertia body_inertia(const Geometry& geometry, const BodyOptions& options) {
  const int given = int{options.mass.has_value()} + int{options.density.has_value()} +
                    int{options.inertia.has_value()};
  if (given != 1)
    throw InvalidInput("mass, density, inertia", std::to_string(given) + " of them",
                       "give exactly one");
  if (options.inertia) {
    check_inertia(*options.inertia);
    return *options.inertia;
  }
  const char* field = options.mass ? "mass" : "density";
  const double number = options.mass ? *options.mass : *options.density;
  if (!std::isfinite(number) || number <= 0.0 || number > 1e30)
    throw InvalidInput(field, shortest_text(number), "give a finite number, more than 0");
  const MassProperties unit = mass_properties(geometry, options.density ? number : 1.0);
  if (!std::isfinite(unit.mass) || unit.mass <= 0.0)
    throw InvalidInput("geometry", "a volume of " + shortest_text(unit.mass) + " kg at " + field,
                       "give a solid shape, or the inertia of the body");
  const double scale = options.mass ? number / unit.mass : 1.0;
  const BodyInertia out{scale * unit.mass, unit.center_of_mass, scale * unit.inertia};
  check_inertia(out);
  return out;
}

double reach_of(const Geometry& geometry, const Pose& X_BG) {
  const Aabb box = geometry.aabb(X_BG);
  return box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).norm();
}

void resize_keeping(Eigen::VectorXd& values, int size, double fill) {
  const Eigen::Index before = values.size();
  values.conservativeResize(size);
  values.tail(size - before).setConstant(fill);
}

}  // namespace

int ModelData::add_geometry(ModelGeometry geometry) {
  check_surface(geometry.surface);
  check_margin(geometry.margin);
  geometry.X_BG = check_pose(geometry.X_BG, "X").pose;
  geometry.reach = reach_of(geometry.geometry, geometry.X_BG);
  const Aabb box = geometry.geometry.aabb({});
  // allFinite() of Eigen computes inf - inf, which traps where traps are on
  const bool is_bounded = box.lower.minCoeff() > -kInfinity && box.upper.maxCoeff() < kInfinity;
  geometry.center = is_bounded ? Vector3(0.5 * (box.lower + box.upper)) : Vector3(Vector3::Zero());
  geometry.half_extents = is_bounded ? Vector3(0.5 * (box.upper - box.lower))
                                     : Vector3(Vector3::Constant(kInfinity));
  const int index = static_cast<int>(geometries.size());
  if (geometry.name.empty())
    geometry.name = bodies[static_cast<std::size_t>(geometry.body)].name + "/" +
                    std::to_string(index);
  geometries.push_back(std::move(geometry));
  forbidden.emplace_back();
  return index;
}

int ModelData::add_free_body(const BodyInertia& inertia, const Pose& X, const std::string& name) {
  const int body = static_cast<int>(bodies.size()), index = static_cast<int>(free_bodies.size());
  const int q = nq, v = nv;
  bodies.push_back({Carrier::free_body, index, 0, static_cast<int>(trees.size()), name});
  trees.push_back({Carrier::free_body, index, v, 6});
  free_bodies.emplace_back(inertia, q, v);
  names.push_back(name);
  nq += 7;
  nv += 6;
  initial_q.conservativeResize(nq);
  set_free_pose(X, q, initial_q);
  resize_keeping(lower, nq, -kInfinity);
  resize_keeping(upper, nq, kInfinity);
  resize_keeping(effort_limit, nv, kInfinity);
  return body;
}

int ModelData::add_robot(std::shared_ptr<const Articulation> robot, const Eigen::VectorXd& q,
                         std::vector<RobotJoint> description) {
  const int first_body = static_cast<int>(bodies.size()), index = static_cast<int>(robots.size());
  const int q_begin = nq, v_begin = nv;
  nq += robot->nq();
  nv += robot->nv();
  for (std::size_t j = 1; j < robot->joints().size(); ++j) {
    const Articulation::Joint& joint = robot->joints()[j];
    bodies.push_back({Carrier::joint, index, static_cast<int>(j), static_cast<int>(trees.size()),
                      joint.body_name});
    names.push_back(joint.name);
    if (joint.nq != 1 || joint.nv != 1) continue;
    const ScalarJoint row{static_cast<int>(trees.size()),
                          q_begin + joint.q,
                          v_begin + joint.v,
                          robot->lower_position_limit()[joint.q],
                          robot->upper_position_limit()[joint.q],
                          robot->dry_friction()[joint.v]};
    if (row.lower > -1e20 || row.upper < 1e20 || row.dry_friction > 0.0)
      scalar_joints.push_back(row);
  }
  trees.push_back({Carrier::joint, index, v_begin, robot->nv()});
  initial_q.conservativeResize(nq);
  initial_q.tail(robot->nq()) = q;
  resize_keeping(lower, nq, -kInfinity);
  resize_keeping(upper, nq, kInfinity);
  resize_keeping(effort_limit, nv, kInfinity);
  lower.tail(robot->nq()) = robot->lower_position_limit();
  upper.tail(robot->nq()) = robot->upper_position_limit();
  effort_limit.tail(robot->nv()) = robot->effort_limit();
  robots.push_back({std::move(robot), q_begin, v_begin, std::move(description)});
  return first_body;
}

ModelBuilder::ModelBuilder(const Vector3& gravity) : data_(std::make_unique<ModelData>()) {
  if (!gravity.allFinite() || gravity.cwiseAbs().maxCoeff() > 1e30)
    throw InvalidInput("gravity", "a number that is not finite", "give three numbers in m/s^2");
  data_->gravity = gravity;
}
ModelBuilder::~ModelBuilder() = default;
ModelBuilder::ModelBuilder(const ModelBuilder& other)
    : data_(std::make_unique<ModelData>(*other.data_)) {}
ModelBuilder& ModelBuilder::operator=(const ModelBuilder& other) {
  data_ = std::make_unique<ModelData>(*other.data_);
  return *this;
}
ModelBuilder::ModelBuilder(ModelBuilder&&) noexcept = default;
ModelBuilder& ModelBuilder::operator=(ModelBuilder&&) noexcept = default;

int ModelBuilder::add_ground(const Surface& surface, const Vector3& normal, double offset) {
  return data_->add_geometry(
      {Shape{HalfSpace{.normal = normal, .offset = offset}}, {}, 0, surface, 0.0, 0.0, "ground"});
}

int ModelBuilder::add_fixed(const Geometry& geometry, const Pose& X, const Surface& surface,
                            const std::string& name) {
  return data_->add_geometry({geometry, X, 0, surface, 0.0, 0.0, name});
}

int ModelBuilder::add_body(const Geometry& geometry, const BodyOptions& options) {
  const Pose X = check_pose(options.X, "X").pose;
  const BodyInertia inertia = body_inertia(geometry, options);
  check_surface(options.surface);
  check_margin(options.margin);
  const int body = static_cast<int>(data_->bodies.size());
  const std::string name = options.name.empty() ? "body" + std::to_string(body) : options.name;
  if (find_body(name) >= 0)
    throw InvalidInput("name", quoted_text(name), "give a name that no other body has");
  data_->add_free_body(inertia, X, name);
  data_->add_geometry({geometry, {}, body, options.surface, options.margin, 0.0, name});
  return body;
}

int ModelBuilder::add_geometry(int body, const Geometry& geometry, const Pose& X_BG,
                               const Surface& surface, double margin, const std::string& name) {
  const int count = static_cast<int>(data_->bodies.size());
  if (body < 0 || body >= count)
    throw InvalidInput("body", std::to_string(body),
                       "give a number from 0 (the world) to " + std::to_string(count - 1));
  return data_->add_geometry({geometry, X_BG, body, surface, margin, 0.0, name});
}

void ModelBuilder::forbid(int a, int b) {
  const int count = static_cast<int>(data_->geometries.size());
  for (const int index : {a, b})
    if (index < 0 || index >= count)
      throw InvalidInput("geometry", std::to_string(index),
                         "give a number from 0 to " + std::to_string(count - 1));
  if (a != b) data_->set_forbidden(a, b, true);
}

void ModelBuilder::allow(int a, int b) {
  forbid(a, b);  // checks the numbers
  if (a != b) data_->set_forbidden(a, b, false);
}

int ModelBuilder::find_body(std::string_view name) const {
  const auto place = std::find_if(data_->bodies.begin(), data_->bodies.end(),
                                  [&](const Body& body) { return body.name == name; });
  return place == data_->bodies.end() ? -1 : static_cast<int>(place - data_->bodies.begin());
}

int ModelBuilder::find_geometry(std::string_view name) const {
  const auto place = std::find_if(
      data_->geometries.begin(), data_->geometries.end(),
      [&](const ModelGeometry& geometry) { return geometry.name == name; });
  return place == data_->geometries.end() ? -1
                                          : static_cast<int>(place - data_->geometries.begin());
}

Model ModelBuilder::build() const { return Model(std::make_shared<const ModelData>(*data_)); }

}  // namespace tactum::sim
