// SPDX-License-Identifier: BSD-2-Clause
// Interface of a library for the comparison: take the shapes of a family, and offer one or more
// ways (settings) to answer the queries of a cell. Every library gets the same shapes and the same
// poses; conversions happen before the clock starts.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tactum/pose.hpp"
#include "tactum/shape.hpp"

namespace tactum::compare {

/// The shapes of one family: pair i is (a[i], b[i]).
struct Family {
  std::string name;
  std::vector<Shape> a;
  std::vector<Shape> b;
};

struct Query {
  int pair = 0;
  Pose X_WA;
  Pose X_WB;
};

enum class Task { distance, collide, tracked, batch, derivative };

/// With respect to a motion of B, in its own frame.
using Matrix3x6 = Eigen::Matrix<double, 3, 6>;

/// One line of the table: a task, on the shapes of a family, at one distance.
struct Cell {
  std::string name;
  std::string family;  ///< pair of shapes, for example "box-hull100"
  Task task = Task::distance;
  double gap = 0.0;   ///< m, signed distance of every query
  std::string poses;  ///< "approach" or "offset"
  int num_pairs = 0;  ///< the tracked task goes through all pairs, then again after a small motion
                      ///< of each, and so on
  std::vector<Query> queries;

  /// Whether nothing is known of the pair from an earlier query.
  bool is_cold(int query) const { return task != Task::tracked || query < num_pairs; }
};

struct Answer {
  bool failed = false;     ///< threw, or did not converge
  bool colliding = false;  ///< of the collide task; elsewhere distance <= 0
  double distance = 0.0;
  Vector3 normal = Vector3::Zero();                   ///< from A to B
  Matrix3x6 separation_jacobian = Matrix3x6::Zero();  ///< of the derivative task
};

/// One library with one setting, bound to one cell.
class Side {
 public:
  virtual ~Side() = default;
  virtual std::string setting() const = 0;
  /// How many queries to time as a whole, of `total`: many where one call answers all of them, else
  /// few, to be less disturbed.
  virtual int block_size(int total) const { return std::clamp(total / 20, 1, 50); }
  /// Answers queries [first, first + count) of the cell; returns the sum of what it found, so that
  /// nothing is optimized away.
  virtual double run(int first, int count) = 0;
  /// Answers all queries of a tracked cell in order, each with what the last one of its pair left
  /// behind; writes the time of each, ns.
  virtual void run_tracked(std::span<double> nanoseconds) = 0;
  /// Answers one query; of a tracked cell, with what the last one of its pair left behind.
  virtual Answer answer(int query) = 0;
};

class Library {
 public:
  virtual ~Library() = default;
  virtual std::string name() const = 0;
  /// Whether its times go into a ratio with a goal; the others run two rounds only.
  virtual bool is_principal() const { return true; }
  virtual void load(const Family& family) = 0;
  /// Every setting worth trying; none when the library lacks one of the shapes or the task. The
  /// cell must outlive the sides.
  virtual std::vector<std::unique_ptr<Side>> sides(const Cell& cell) = 0;
};

std::unique_ptr<Library> make_tactum();
std::unique_ptr<Library> make_batch(int threads);
std::unique_ptr<Library> make_coal();
std::unique_ptr<Library> make_fcl();
std::unique_ptr<Library> make_bullet();

/// The query itself and every way to its derivative, each as a library of its own.
std::vector<std::unique_ptr<Library>> make_derivatives();

}  // namespace tactum::compare
