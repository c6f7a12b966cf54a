// SPDX-License-Identifier: BSD-2-Clause
#include <mujoco/mujoco.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "compare_sim/side.hpp"

namespace tactum::compare {
namespace {

Eigen::Vector3d in_cone(const Eigen::Vector3d& x, double mu) {
  const double tangent = x.head<2>().norm();
  if (tangent <= mu * x.z()) return x;
  if (mu * tangent <= -x.z()) return Eigen::Vector3d::Zero();
  const double z = (mu * tangent + x.z()) / (1.0 + mu * mu);
  Eigen::Vector3d out(0.0, 0.0, z);
  if (tangent > 0.0) out.head<2>() = mu * z / tangent * x.head<2>();
  return out;
}

class MujocoSide final : public Side {
 public:
  MujocoSide(const std::string& file, double dt, const Controls& controls) : controls_(controls) {
    char message[1000] = "";
    model_ = mj_loadXML(file.c_str(), nullptr, message, sizeof message);
    if (model_ == nullptr) throw std::runtime_error(file + ": " + message);
    model_->opt.timestep = dt;
    model_->opt.cone = mjCONE_ELLIPTIC;
    model_->opt.integrator = mjINT_EULER;
    data_ = mj_makeData(model_);
  }
  ~MujocoSide() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MujocoSide(const MujocoSide&) = delete;
  MujocoSide& operator=(const MujocoSide&) = delete;

  void step(int count) override {
    for (int i = 0; i < count; ++i) {
      if (controls_.any()) set_forces();
      mj_step(model_, data_);
    }
  }
  int num_contacts() override { return data_->ncon; }
  int num_velocities() override { return static_cast<int>(model_->nv); }
  double height() override { return data_->subtree_com[2]; }
  double speed() override {
    return std::sqrt(velocity().squaredNorm() / static_cast<double>(model_->nv));
  }

  double ncp_residual() override {
    // the forces and Jacobian of the step stay in the data, the velocity is that after it
    const double dt = model_->opt.timestep;
    const auto rows = static_cast<Eigen::Index>(data_->nefc),
               nv = static_cast<Eigen::Index>(model_->nv);
    factor_damped_inertia();
    Eigen::VectorXd after(rows), free(rows), column(nv), solved(nv);
    mj_mulJacVec(model_, data_, after.data(), data_->qvel);
    solve(data_->qfrc_constraint, solved);
    column = velocity() - dt * solved;
    mj_mulJacVec(model_, data_, free.data(), column.data());
    double diagonal = 0.0, velocity_unit = 0.0;
    for (Eigen::Index i = 0; i < rows; ++i) {
      Eigen::VectorXd unit = Eigen::VectorXd::Unit(rows, i);
      mj_mulJacTVec(model_, data_, column.data(), unit.data());
      solve(column.data(), solved);
      diagonal += column.dot(solved) / static_cast<double>(rows);
      velocity_unit = std::max(velocity_unit, std::abs(free[i]) / dt);
    }
    const double force_unit = velocity_unit / std::max(diagonal, 1e-300);
    double worst = 0.0;
    for (int i = 0; i < data_->ncon; ++i) {
      const mjContact& contact = data_->contact[i];
      if (contact.efc_address < 0 || contact.dim < 3) continue;
      const auto row = static_cast<Eigen::Index>(contact.efc_address);
      const double mu = contact.friction[0];
      const Eigen::Map<const Eigen::VectorXd> all(data_->efc_force, rows);
      const Eigen::Vector3d force = Eigen::Vector3d(all[row + 1], all[row + 2], all[row]) /
                                    force_unit;
      Eigen::Vector3d velocity(after[row + 1], after[row + 2], after[row]);
      // surfaces that come closer than the margin push each other apart
      velocity.z() += std::max(contact.dist - contact.includemargin, 0.0) / dt;
      velocity /= dt * velocity_unit;
      velocity.z() += mu * velocity.head<2>().norm();
      worst = std::max({worst, (force - in_cone(force, mu)).norm(),
                        (velocity - in_cone(velocity, 1.0 / std::max(mu, 1e-9))).norm(),
                        std::abs(force.dot(velocity))});
    }
    return worst;
  }

 private:
  void set_forces() {
    for (int i = 6; i < model_->nv; ++i)
      data_->qfrc_applied[i] = controls_.hold(model_->qpos0[i + 1], data_->qpos[i + 1],
                                              data_->qvel[i]);
    data_->qfrc_applied[1] = controls_.push_at(data_->time);
  }

  Eigen::Map<const Eigen::VectorXd> velocity() const {
    return {data_->qvel, static_cast<Eigen::Index>(model_->nv)};
  }

  /// MuJoCo's Euler step takes the damping of joints implicitly: its velocity follows from
  /// M + dt D, not from M.
  void factor_damped_inertia() {
    const auto nv = static_cast<Eigen::Index>(model_->nv);
    const Eigen::Map<const Eigen::VectorXd> damping(model_->dof_damping, nv);
    is_damped_ = damping.any();
    if (!is_damped_) return;
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> inertia(nv, nv);
    mj_fullM(model_, data_, inertia.data());
    inertia.diagonal() += model_->opt.timestep * damping;
    damped_inertia_.compute(inertia);
  }
  void solve(const double* force, Eigen::VectorXd& acceleration) {
    if (is_damped_)
      acceleration = damped_inertia_.solve(
          Eigen::Map<const Eigen::VectorXd>(force, static_cast<Eigen::Index>(model_->nv)));
    else
      mj_solveM(model_, data_, acceleration.data(), force, 1);
  }

  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  Controls controls_;
  bool is_damped_ = false;
  Eigen::LLT<Eigen::MatrixXd> damped_inertia_;
};

}  // namespace

std::unique_ptr<Side> make_mujoco(const std::string& file, double dt, const Controls& controls) {
  return std::make_unique<MujocoSide>(file, dt, controls);
}

}  // namespace tactum::compare
