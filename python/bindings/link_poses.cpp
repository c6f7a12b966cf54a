// SPDX-License-Identifier: BSD-2-Clause
#include "link_poses.hpp"

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "buffer.hpp"
#include "convert.hpp"
#include "tactum/status.hpp"

namespace nb = nanobind;

namespace tactum::python {
namespace {

/// A pinocchio::SE3 in memory: the columns of the rotation, then the translation.
struct RawPose {
  double rotation[9];
  double translation[3];
};

/// Where an SE3 of Pinocchio lies, if its rotation and its translation are views of one RawPose.
const char* memory_of(nb::handle item) {
  constexpr Py_ssize_t number = sizeof(double);
  const nb::object rotation = item.attr("rotation"), translation = item.attr("translation");
  const Buffer turn(rotation), shift(translation);
  if (!turn.is_double(2) || !shift.is_double(1)) return nullptr;
  const bool fits = turn.shape(0) == 3 && turn.shape(1) == 3 && turn.stride(0) == number &&
                    turn.stride(1) == 3 * number && shift.shape(0) == 3 &&
                    shift.stride(0) == number;
  const char* const begin = static_cast<const char*>(turn.data());
  return fits && shift.data() == begin + offsetof(RawPose, translation) ? begin : nullptr;
}

/// The poses of a pinocchio.StdVec_SE3, read from the memory of the vector: as many Python objects
/// as there are links would take longer than the query that follows. Nothing where its items are
/// not found to lie one after the other.
std::optional<std::vector<Pose>> poses_in_memory(nb::handle places, std::size_t count) {
  if (count < 2 || nb::cast<std::string>(places.type().attr("__name__")) != "StdVec_SE3") return {};
  const char* const first = memory_of(places[0]);
  const char* const last = memory_of(places[count - 1]);
  if (first == nullptr || last != first + (count - 1) * sizeof(RawPose)) return {};
  std::vector<Pose> poses(count);
  for (std::size_t i = 0; i < count; ++i) {
    RawPose raw;
    std::memcpy(&raw, first + i * sizeof(RawPose), sizeof(RawPose));
    poses[i] = {Eigen::Map<const Matrix3>(raw.rotation),
                Eigen::Map<const Vector3>(raw.translation)};
  }
  return poses;
}

}  // namespace

std::vector<Pose> link_poses(nb::handle geometry_data, std::size_t count) {
  if (!nb::hasattr(geometry_data, "oMg"))
    throw_type_error("geometry_data", type_text(geometry_data),
                     "give a pinocchio.GeometryData: geometry_model.createData()");
  const nb::object places = geometry_data.attr("oMg");
  const std::size_t given = nb::len(places);
  if (given != count)
    throw InvalidInput("geometry_data.oMg", std::to_string(given) + " poses",
                       "give the data of the model that this scene was made from: " +
                           std::to_string(count) + " poses");
  if (std::optional<std::vector<Pose>> poses = poses_in_memory(places, count))
    return std::move(*poses);
  std::vector<Pose> poses;
  poses.reserve(count);
  for (nb::handle item : nb::list(places)) {
    const std::string field = "geometry_data.oMg[" + std::to_string(poses.size()) + "]";
    poses.push_back(to_pose(item, field.c_str()).pose);
  }
  return poses;
}

}  // namespace tactum::python
