// SPDX-License-Identifier: BSD-2-Clause
// Many contact-pose problems: each row is one search, in small chunks that threads take in turn,
// since some end early and some do not.
#include <algorithm>
#include <string>

#include "batch/check_columns.hpp"
#include "batch/pose_reader.hpp"
#include "core/thread_team.hpp"
#include "math/pose_check.hpp"
#include "narrow/derivative/contact_pose.hpp"

namespace tactum {
namespace {

constexpr std::size_t kLargestPoseChunk = 8;

void check_side(const ContactPoseOptions& options, const ContactPoseSide& side, std::size_t size,
                const char* name) {
  if (side.targets.size() != 1) check_size(side.targets.size(), size, name, ".targets", "problem");
  if (size > 0 && side.shapes.empty())
    throw InvalidInput(std::string(name) + ".shapes", "no shapes", "give at least one");
  if (side.index.empty()) {
    if (size > 0 && side.shapes.size() > 1)
      throw InvalidInput(std::string(name) + ".index",
                         "none for " + std::to_string(side.shapes.size()) + " shapes",
                         "give one for each problem");
  } else {
    check_size(side.index.size(), size, name, ".index", "problem");
  }
  for (std::size_t row = 0; row < side.index.size(); ++row) {
    if (side.index[row] < 0 || static_cast<std::size_t>(side.index[row]) >= side.shapes.size())
      throw InvalidInput(std::string(name) + ".index[" + std::to_string(row) + "]",
                         std::to_string(side.index[row]),
                         "give a number >= 0 and below the number of shapes, " +
                             std::to_string(side.shapes.size()));
  }
  for (const Shape& shape : side.shapes) check_contact_pose_shape(options, shape);
}

/// A batch, constant while it runs: any thread may compute any rows.
class Batch {
 public:
  Batch(const ContactPoseBatch& problems, const ContactPoseOptions& options,
        const ContactPoseColumns& out)
      : problems_(problems), options_(options), out_(out), start_(problems.start) {}

  void run(std::size_t begin, std::size_t end) const {
    for (std::size_t row = begin; row < end; ++row) {
      const auto length = static_cast<std::size_t>(options_.max_iterations) + 1;
      const std::span<double> history = out_.history.empty()
                                            ? out_.history
                                            : out_.history.subspan(row * length, length);
      ContactPose answer;
      if (!solve(row, history, answer)) {
        answer = ContactPose{};
        answer.status = ContactPoseStatus::invalid_input;
        std::fill(history.begin(), history.end(), 0.0);
      }
      if (!out_.answer.empty()) out_.answer[row] = answer;
    }
  }

 private:
  static const Shape& shape(const ContactPoseSide& side, std::size_t row) {
    return side.shapes[side.index.empty() ? 0 : static_cast<std::size_t>(side.index[row])];
  }
  static const Vector3& target(const ContactPoseSide& side, std::size_t row) {
    return side.targets[side.targets.size() == 1 ? 0 : row];
  }

  bool solve(std::size_t row, std::span<double> history, ContactPose& answer) const {
    CheckedPose scratch;
    const Pose* const start = start_.read(row, scratch);
    if (start == nullptr) return false;
    const PoseQuality quality = pose_quality(*start);
    if (quality == PoseQuality::bad) return false;
    return try_contact_pose(
        shape(problems_.a, row), shape(problems_.b, row), target(problems_.a, row),
        target(problems_.b, row),
        quality == PoseQuality::exact ? *start : check_pose(*start, "start").pose, options_,
        history, answer);
  }

  const ContactPoseBatch& problems_;
  const ContactPoseOptions& options_;
  const ContactPoseColumns& out_;
  PoseReader start_;
};

}  // namespace

bool contact_poses(const ContactPoseBatch& problems, const ContactPosesOptions& options,
                   BatchWorkspace& work, const ContactPoseColumns& out) {
  check_contact_pose_options(options);
  check_num_threads(options.num_threads);
  check_side(options, problems.a, problems.size, "a");
  check_side(options, problems.b, problems.size, "b");
  if (problems.start.size() != 1)
    check_size(problems.start.size(), problems.size, "", "start", "problem");
  if (!out.answer.empty())
    check_size(out.answer.size(), problems.size, "out.", "answer", "problem");
  const auto length = static_cast<std::size_t>(options.max_iterations) + 1;
  if (!out.history.empty())
    check_size(out.history.size(), problems.size * length, "out.", "history", "step");

  const Batch batch(problems, options, out);
  return parallel_for(work.team(), problems.size,
                      {.num_threads = options.num_threads,
                       .largest_chunk = kLargestPoseChunk,
                       .interrupted = options.interrupted ? &options.interrupted : nullptr},
                      [&batch](std::size_t begin, std::size_t end) { batch.run(begin, end); });
}

}  // namespace tactum
