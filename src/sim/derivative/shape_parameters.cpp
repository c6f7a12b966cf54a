// SPDX-License-Identifier: BSD-2-Clause
#include "sim/derivative/shape_parameters.hpp"

#include "contact/contact_frame.hpp"
#include "contact/part_derivative.hpp"
#include "contact/patch_sizes.hpp"

namespace tactum::sim {
namespace {

/// Changes of one point of a patch by the sizes of one of its shapes.
ContactChange contact_change(const PatchParameterDerivative& patch, std::size_t point,
                             const Matrix3& turn) {
  return {turn * patch.normal_jacobian,
          0.5 * (patch.points_a_jacobian[point] + patch.points_b_jacobian[point]),
          patch.distances_jacobian.row(static_cast<Eigen::Index>(point))};
}

class ShapeEffects {
 public:
  ShapeEffects(const LinearizedStep& step, ParameterEntries& out)
      : step_(step), out_(out), offsets_(shape_offsets(step.tape.model.data())) {}

  /// The contacts of a pair of geometries, from `first` on. `value` is that of a pair of convex
  /// shapes.
  void add_pair(std::size_t first, const Distance* value) {
    const StepTape& tape = step_.tape;
    const auto a = static_cast<std::size_t>(tape.contacts[first].geometry_a),
               b = static_cast<std::size_t>(tape.contacts[first].geometry_b);
    if (offsets_[a] == offsets_[a + 1] && offsets_[b] == offsets_[b + 1]) return;
    const ModelData& model = tape.model.data();
    const Geometry &of_a = model.geometries[a].geometry, &of_b = model.geometries[b].geometry;
    const Pose &X_WA = tape.geometry_poses[a], &X_WB = tape.geometry_poses[b];
    ContactPatchDerivativeOptions options = patch_options(tape, a, b);
    options.value = value;
    std::vector<ContactPatchParameterDerivative> patches;
    if (value != nullptr)
      patches.push_back(
          contact_patch_parameter_derivative(*of_a.shape(), X_WA, *of_b.shape(), X_WB, options));
    else
      contact_patches_parameter_derivative(of_a, X_WA, of_b, X_WB, options, patches);
    for (const ContactPatchParameterDerivative& patch : patches) {
      add_patch(first, patch);
      first += static_cast<std::size_t>(patch.value.count);
    }
  }

 private:
  void add_patch(std::size_t first, const ContactPatchParameterDerivative& patch) {
    const FoundContact& contact = step_.tape.contacts[first];
    const auto a = static_cast<std::size_t>(contact.geometry_a),
               b = static_cast<std::size_t>(contact.geometry_b);
    const Matrix3 turn = contact_frame_rotation(contact.frame.col(2));
    for (std::size_t i = 0; i < static_cast<std::size_t>(patch.value.count); ++i) {
      if (is_open(step_.tape, first + i)) continue;
      out_.smooth &= patch.smooth;
      add_contact(first + i, offsets_[a], contact_change(patch.a, i, turn));
      add_contact(first + i, offsets_[b], contact_change(patch.b, i, turn));
    }
  }

  void add_contact(std::size_t index, int first_column, const ContactChange& change) {
    const RowDerivative& row = step_.blocks[index];
    const Eigen::MatrixXd velocity = velocity_by_change(step_.tape, step_.motion, index, row,
                                                        change);
    const Matrix6X wrench = wrench_by_change(contact_force(step_.tape, index), change);
    const FoundContact& contact = step_.tape.contacts[index];
    for (Eigen::Index k = 0; k < velocity.cols(); ++k) {
      ParameterEntries::add_vector(out_.asked_for, row.row, first_column + k, velocity.col(k));
      add_wrench(contact.geometry_a, contact.point, -wrench.col(k), first_column + k);
      add_wrench(contact.geometry_b, contact.point, wrench.col(k), first_column + k);
    }
  }

  void add_wrench(int geometry, const Vector3& point, const Vector6& wrench, Eigen::Index column) {
    if (wrench.isZero(0.0)) return;
    const int body = step_.tape.model.data().geometries[static_cast<std::size_t>(geometry)].body;
    const std::vector<int>& entries = step_.motion.columns(body);
    if (entries.empty()) return;
    const Eigen::VectorXd force = step_.motion.twists(body, point).transpose() * wrench;
    for (std::size_t i = 0; i < entries.size(); ++i)
      ParameterEntries::add(out_.force, entries[i], column, force[static_cast<Eigen::Index>(i)]);
  }

  const LinearizedStep& step_;
  ParameterEntries& out_;
  std::vector<int> offsets_;
};

}  // namespace

std::vector<int> shape_offsets(const ModelData& model) {
  std::vector<int> out = {0};
  for (const ModelGeometry& each : model.geometries) {
    const Shape* shape = each.geometry.shape();
    out.push_back(out.back() + (shape != nullptr ? PatchSizes::count(*shape) : 0));
  }
  return out;
}

std::vector<ShapeParameter> shape_parameters(const Model& model) {
  std::vector<ShapeParameter> out;
  const ModelData& data = model.data();
  for (std::size_t i = 0; i < data.geometries.size(); ++i) {
    const Shape* shape = data.geometries[i].geometry.shape();
    if (shape == nullptr) continue;
    for (std::string& name : PatchSizes::names(*shape))
      out.push_back({static_cast<int>(i), std::move(name)});
  }
  return out;
}

void add_shapes(const LinearizedStep& step, ParameterEntries& out) {
  ShapeEffects effects(step, out);
  const StepTape& tape = step.tape;
  auto query = tape.queries.begin();
  for (std::size_t first = 0, end = 0; first < tape.contacts.size(); first = end) {
    end = end_of_pair(tape, first);
    const bool is_convex = query != tape.queries.end() && query->first_contact == first;
    if (!all_open(tape, first, end)) effects.add_pair(first, is_convex ? &query->value : nullptr);
    if (is_convex) ++query;
  }
}

}  // namespace tactum::sim
