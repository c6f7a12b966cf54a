// SPDX-License-Identifier: BSD-2-Clause
// Reads tests/data/hard_cases.txt: one "key value" a line, blocks that begin with "case" and
// "query" (see the README beside it).
#pragma once

#include <cmath>
#include <fstream>
#include <numbers>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tactum/distance.hpp"

namespace tactum::regression {

struct HardQuery {
  std::string label;
  Pose X_WA;
  Pose X_WB;
  Vector3 start = Vector3::Zero();  ///< first search direction that broke the original; zero: none
                                    ///< given
  double truth = 0.0;               ///< signed distance in 60 digits from the doubles above
  std::optional<Vector3> normal;    ///< where it is unique
  std::optional<double> published;  ///< signed distance published with the case, from the pose as
                                    ///< printed
  double published_slack = 0.0;     ///< what the printing of the pose moved it
  std::vector<std::string> checks;  ///< the case's own expectations
};

struct HardCase {
  std::string id;
  std::string failure;
  std::string shape_a;
  std::string shape_b;
  bool program = false;  ///< has a test of its own instead of queries
  std::vector<HardQuery> queries;
};

/// How GoogleTest prints a case.
inline void PrintTo(const HardCase& hard_case, std::ostream* out) { *out << hard_case.id; }

struct HardCaseFile {
  std::vector<HardCase> cases;
  std::vector<std::string> families;
};

inline std::vector<double> read_numbers(const std::string& text) {
  std::istringstream in(text);
  std::vector<double> values;
  for (std::string word; in >> word;) values.push_back(std::stod(word));
  return values;
}

inline Vector3 read_vector(const std::string& text) {
  const std::vector<double> v = read_numbers(text);
  return {v.at(0), v.at(1), v.at(2)};
}

inline Pose read_pose(const std::string& text) {
  const std::vector<double> v = read_numbers(text);
  if (v.size() != 12) throw std::runtime_error("a pose has 12 numbers: " + text);
  Pose pose;
  pose.rotation << v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8];
  pose.translation << v[9], v[10], v[11];
  return pose;
}

/// Latitude-longitude sphere with both poles repeated and the first column repeated as the last.
inline Points uv_sphere_points(double radius, int polar, int azimuth) {
  Points points(3, polar * azimuth);
  const double step_p = std::numbers::pi / (polar - 1),
               step_a = 2 * std::numbers::pi / (azimuth - 1);
  for (int p = 0; p < polar; ++p) {
    for (int a = 0; a < azimuth; ++a) {
      points.col(p * azimuth + a) << radius * std::sin(p * step_p) * std::cos(a * step_a),
          radius * std::sin(p * step_p) * std::sin(a * step_a), radius * std::cos(p * step_p);
    }
  }
  return points;
}

inline Shape make_shape(const std::string& text) {
  const std::size_t at = text.find(" margin ");
  const double margin = at == std::string::npos ? 0.0 : std::stod(text.substr(at + 8));
  const std::string sizes_text = text.substr(0, at);
  const std::size_t space = sizes_text.find(' ');
  const std::string kind = sizes_text.substr(0, space);
  const std::vector<double> s = read_numbers(sizes_text.substr(space + 1));
  if (kind == "sphere") return Sphere{.radius = s.at(0), .margin = margin};
  if (kind == "ellipsoid")
    return Ellipsoid{.semi_axes = {s.at(0), s.at(1), s.at(2)}, .margin = margin};
  if (kind == "box") return Box{.half_extents = {s.at(0), s.at(1), s.at(2)}, .margin = margin};
  if (kind == "capsule")
    return Capsule{.radius = s.at(0), .half_length = s.at(1), .margin = margin};
  if (kind == "cylinder")
    return Cylinder{.radius = s.at(0), .half_length = s.at(1), .margin = margin};
  if (kind == "hull") {
    return Convex::from_points(
        Eigen::Map<const Points>(s.data(), 3, static_cast<Eigen::Index>(s.size() / 3)), margin);
  }
  if (kind == "uv_sphere") {
    return Convex::from_points(
        uv_sphere_points(s.at(0), static_cast<int>(s.at(1)), static_cast<int>(s.at(2))), margin);
  }
  throw std::runtime_error("unknown shape: " + text);
}

inline HardCaseFile read_hard_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  HardCaseFile result;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t space = line.find(' ');
    const std::string key = line.substr(0, space);
    const std::string value = space == std::string::npos ? "" : line.substr(space + 1);
    if (key == "family" && line.starts_with("family family-")) {
      result.families.push_back(value);
      continue;
    }
    if (key == "case") {
      result.cases.emplace_back();
      result.cases.back().id = value;
      continue;
    }
    HardCase& current = result.cases.at(result.cases.size() - 1);
    if (key == "query") current.queries.emplace_back().label = value;
    if (key == "failure") current.failure = value;
    if (key == "shape_a") current.shape_a = value;
    if (key == "shape_b") current.shape_b = value;
    if (key == "program") current.program = true;
    if (current.queries.empty()) continue;
    HardQuery& query = current.queries.back();
    if (key == "pose_a") query.X_WA = read_pose(value);
    if (key == "pose_b") query.X_WB = read_pose(value);
    if (key == "start") query.start = read_vector(value);
    if (key == "truth") query.truth = std::stod(value);
    if (key == "normal") query.normal = read_vector(value);
    if (key == "check") query.checks.push_back(value);
    if (key == "published") {
      query.published = std::stod(value);
      query.published_slack = std::stod(value.substr(value.find("slack") + 6));
    }
  }
  return result;
}

inline HardCase find_case(const std::string& path, const std::string& id) {
  for (const HardCase& hard_case : read_hard_cases(path).cases) {
    if (hard_case.id == id) return hard_case;
  }
  throw std::runtime_error("no case " + id + " in " + path);
}

}  // namespace tactum::regression
