// SPDX-License-Identifier: BSD-2-Clause
// MuJoCo's finite differences of a step, mjd_transitionFD, centered, at the step of its examples.
#include <mujoco/mujoco.h>

#include <stdexcept>

#include "compare/stopwatch.hpp"
#include "compare_sim/derivative_side.hpp"

namespace tactum::compare {
namespace {

constexpr double kStep = 1e-6;

class MujocoDerivative final : public DerivativeSide {
 public:
  MujocoDerivative(const std::string& file, double dt) {
    char message[1000] = "";
    model_ = mj_loadXML(file.c_str(), nullptr, message, sizeof message);
    if (model_ == nullptr) throw std::runtime_error(file + ": " + message);
    model_->opt.timestep = dt;
    model_->opt.cone = mjCONE_ELLIPTIC;
    model_->opt.integrator = mjINT_EULER;
    exact_ = mj_copyModel(nullptr, model_);
    exact_->opt.tolerance = 0.0;
    exact_->opt.ls_tolerance = 1e-12;
    exact_->opt.iterations = 500;
    exact_->opt.ls_iterations = 200;
    data_ = mj_makeData(model_);
    scratch_ = mj_makeData(model_);
    const auto size = static_cast<Eigen::Index>(2 * model_->nv + model_->na);
    by_state_.resize(size, size);
    by_control_.resize(size, static_cast<Eigen::Index>(model_->nu));
  }
  ~MujocoDerivative() override {
    mj_deleteData(scratch_);
    mj_deleteData(data_);
    mj_deleteModel(exact_);
    mj_deleteModel(model_);
  }
  MujocoDerivative(const MujocoDerivative&) = delete;
  MujocoDerivative& operator=(const MujocoDerivative&) = delete;

  int num_velocities() override { return static_cast<int>(model_->nv); }
  int num_contacts() override { return contacts_; }
  void advance(int count) override {
    for (int i = 0; i < count; ++i) mj_step(model_, data_);
    has_reference_ = false;
  }

  void measure(std::vector<Call>& calls) override {
    if (calls.empty()) calls = {{"step"}, {"jacobian"}};
    mj_copyData(scratch_, model_, data_);
    std::uint64_t start = Stopwatch::now();
    mj_step(model_, scratch_);
    calls[0].us.push_back(1e-3 * Stopwatch::nanoseconds(start, Stopwatch::now()));
    contacts_ = scratch_->ncon;
    mj_copyData(scratch_, model_, data_);
    start = Stopwatch::now();
    mjd_transitionFD(model_, scratch_, kStep, 1, by_state_.data(),
                     model_->nu > 0 ? by_control_.data() : nullptr, nullptr, nullptr);
    calls[1].us.push_back(1e-3 * Stopwatch::nanoseconds(start, Stopwatch::now()));
  }

  Eigen::VectorXd column(int i) override {
    return by_state_.col(i).head(static_cast<Eigen::Index>(2 * model_->nv));
  }

  Eigen::VectorXd moved(int i, double h) override {
    const auto nv = static_cast<Eigen::Index>(model_->nv);
    if (!has_reference_) {
      reference_q_.resize(static_cast<Eigen::Index>(model_->nq));
      mj_copyData(scratch_, exact_, data_);
      mj_step(exact_, scratch_);
      for (Eigen::Index k = 0; k < reference_q_.size(); ++k) reference_q_[k] = scratch_->qpos[k];
      reference_v_ = Eigen::Map<const Eigen::VectorXd>(scratch_->qvel, nv);
      has_reference_ = true;
    }
    mj_copyData(scratch_, exact_, data_);
    if (i < nv) {
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(nv, i);
      mj_integratePos(exact_, scratch_->qpos, unit.data(), h);
    } else {
      scratch_->qvel[i - nv] += h;
    }
    mj_step(exact_, scratch_);
    Eigen::VectorXd out(2 * nv);
    mj_differentiatePos(exact_, out.data(), 1.0, reference_q_.data(), scratch_->qpos);
    out.tail(nv) = Eigen::Map<const Eigen::VectorXd>(scratch_->qvel, nv) - reference_v_;
    return out;
  }

  bool smooth() override { return true; }

 private:
  mjModel *model_ = nullptr, *exact_ = nullptr;
  mjData *data_ = nullptr, *scratch_ = nullptr;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_state_, by_control_;
  Eigen::VectorXd reference_q_, reference_v_;
  bool has_reference_ = false;
  int contacts_ = 0;
};

}  // namespace

std::unique_ptr<DerivativeSide> make_mujoco_derivative(const std::string& file, double dt) {
  return std::make_unique<MujocoDerivative>(file, dt);
}

}  // namespace tactum::compare
