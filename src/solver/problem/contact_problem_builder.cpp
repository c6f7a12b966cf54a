// SPDX-License-Identifier: BSD-2-Clause
// Blocks are appended to the data of a problem that nobody else holds. Bodies of one block are
// united as they come, so that the islands are known at the end.
#include "tactum/contact_problem_builder.hpp"

#include <atomic>
#include <cassert>
#include <string>

#include "core/format_number.hpp"
#include "solver/problem/islands.hpp"
#include "solver/problem/problem_checks.hpp"

namespace tactum {
namespace {

constexpr int kMostMotions = 100'000'000;  // of all bodies

}  // namespace

Eigen::Map<Eigen::MatrixXd> ContactBlockMemory::W(int k) const {
  double* first = W_first_;
  for (int i = 0; i < k; ++i) first += motions_[static_cast<std::size_t>(i)] * rows_;
  return {first, motions_[static_cast<std::size_t>(k)], rows_};
}

struct ContactProblemBuilder::Work {
  explicit Work(Checks checks_) : checks(checks_) {}

  Checks checks;
  std::shared_ptr<ContactProblem::Data> data;
  std::unique_ptr<ContactProblem> problem;  ///< shares the data
  std::vector<double> g, R;
  std::vector<int> block_motions;  ///< motions of the bodies of the last block
  UnionFind bodies;
  IslandScratch islands;

  /// Takes new memory where somebody else holds the last problem.
  void own_data() {
    if (data != nullptr && data.use_count() == 2) {
      // whoever gave up the last other copy has finished reading it
      std::atomic_thread_fence(std::memory_order_acquire);
      return;
    }
    data = std::make_shared<ContactProblem::Data>();
    data->is_operator = true;
    problem.reset(new ContactProblem(std::shared_ptr<const ContactProblem::Data>(data)));
  }
  void check_numbers() const;
  void check_block(const ContactBlock& block, std::span<const int> of_block) const;
};

ContactProblemBuilder::ContactProblemBuilder(Checks checks)
    : work_(std::make_unique<Work>(checks)) {}
ContactProblemBuilder::~ContactProblemBuilder() = default;
ContactProblemBuilder::ContactProblemBuilder(ContactProblemBuilder&&) noexcept = default;
ContactProblemBuilder& ContactProblemBuilder::operator=(ContactProblemBuilder&&) noexcept = default;

void ContactProblemBuilder::start(std::span<const int> motions_of_body) {
  Work& work = *work_;
  for (std::size_t i = 0; work.checks == Checks::full && i < motions_of_body.size(); ++i) {
    if (motions_of_body[i] < 1 || motions_of_body[i] > kMostMotions)
      throw InvalidInput("motions_of_body[" + std::to_string(i) + "]",
                         std::to_string(motions_of_body[i]),
                         "give at least 1, and at most 1e8 for all bodies together");
  }
  work.own_data();
  ContactProblem::Data& data = *work.data;
  data.motion_begin.assign(1, 0);
  for (const int motions : motions_of_body) {
    assert(motions > 0);
    if (motions > kMostMotions - data.motion_begin.back())
      throw InvalidInput("motions_of_body", "more than 1e8 motions", "give fewer bodies");
    data.motion_begin.push_back(data.motion_begin.back() + motions);
  }
  data.blocks.clear();
  data.entry_begin.assign(1, 0);
  data.entries.clear();
  data.numbers.clear();
  data.island_count = 0;
  work.g.clear();
  work.R.clear();
  work.bodies.start(motions_of_body.size());
}

void ContactProblemBuilder::Work::check_block(const ContactBlock& block,
                                              std::span<const int> of_block) const {
  const auto index = static_cast<Eigen::Index>(data->blocks.size());
  check_kind(block.kind, "block.kind", index);
  if (block.kind == ContactKind::friction) check_friction(block.mu, "block.mu", index);
  if (block.kind == ContactKind::box) check_bounds(block.lower, block.upper, "block.bounds", index);
  const int count = static_cast<int>(data->motion_begin.size()) - 1;
  for (std::size_t i = 0; i < of_block.size(); ++i) {
    const bool twice = std::find(of_block.begin(),
                                 of_block.begin() + static_cast<std::ptrdiff_t>(i),
                                 of_block[i]) != of_block.begin() + static_cast<std::ptrdiff_t>(i);
    if (of_block[i] < 0 || of_block[i] >= count || twice)
      throw InvalidInput("bodies[" + std::to_string(i) + "] of block " + std::to_string(index),
                         std::to_string(of_block[i]),
                         "give different bodies, from 0 to " + std::to_string(count - 1));
  }
}

void ContactProblemBuilder::unite(std::span<const int> bodies) {
  Work& work = *work_;
  if (work.data == nullptr)
    throw InvalidInput("unite", "a builder that was not started", "call start() first");
  const int count = static_cast<int>(work.data->motion_begin.size()) - 1;
  for (const int body : bodies) {
    if (body < 0 || body >= count)
      throw InvalidInput("bodies", std::to_string(body),
                         "give bodies from 0 to " + std::to_string(count - 1));
    work.bodies.unite(bodies.front(), body);
  }
}

ContactBlockMemory ContactProblemBuilder::add_block(const ContactBlock& block,
                                                    std::span<const int> bodies) {
  Work& work = *work_;
  if (work.data == nullptr)
    throw InvalidInput("add_block", "a builder that was not started", "call start() first");
  if (work.checks == Checks::full) work.check_block(block, bodies);
  ContactProblem::Data& data = *work.data;
  const int rows = row_count(block.kind), row = static_cast<int>(work.g.size());
  data.blocks.push_back(block);
  data.blocks.back().row = row;
  work.g.resize(work.g.size() + static_cast<std::size_t>(rows), 0.0);
  work.R.resize(work.g.size(), 0.0);
  const std::size_t first = data.numbers.size();
  std::size_t end = first;
  work.block_motions.clear();
  for (const int body : bodies) {
    assert(body >= 0 && body + 1 < static_cast<int>(data.motion_begin.size()));
    data.entries.push_back({body, end});
    work.block_motions.push_back(data.motions(body));
    end += static_cast<std::size_t>(rows * work.block_motions.back());
    work.bodies.unite(bodies.front(), body);
  }
  data.entry_begin.push_back(data.entries.size());
  data.numbers.resize(end, 0.0);
  return {work.g.data() + row, work.R.data() + row, data.numbers.data() + first, work.block_motions,
          rows};
}

void ContactProblemBuilder::Work::check_numbers() const {
  const auto find_bad = [](const std::vector<double>& values, double least, double most) {
    std::size_t i = 0;
    while (i < values.size() && std::isfinite(values[i]) && values[i] >= least && values[i] <= most)
      ++i;
    return i;
  };
  const auto check = [](const std::vector<double>& values, std::size_t bad, const char* field,
                        const char* remedy) {
    if (bad == values.size()) return;
    throw InvalidInput(std::string("ContactProblem.") + field + "[" + std::to_string(bad) + "]",
                       exact_text(values[bad]), remedy);
  };
  check(g, find_bad(g, -kLargestNumber, kLargestNumber), "g",
        "give finite numbers of at most 1e30");
  check(R, find_bad(R, 0, kLargestNumber), "R", "give numbers from 0 to 1e30");
  const std::size_t bad = find_bad(data->numbers, -kLargestEntry, kLargestEntry);
  if (bad == data->numbers.size()) return;
  std::size_t block = 0;
  while (data->entry_begin[block + 1] == data->entry_begin[block] ||
         (data->entry_begin[block + 1] < data->entries.size() &&
          data->entries[data->entry_begin[block + 1]].offset <= bad))
    ++block;
  throw InvalidInput("ContactProblem.W of block " + std::to_string(block),
                     exact_text(data->numbers[bad]), "give finite numbers of at most 1e15");
}

const ContactProblem& ContactProblemBuilder::finish() {
  Work& work = *work_;
  if (work.data == nullptr)
    throw InvalidInput("finish", "a builder that was not started", "call start() first");
  if (work.checks == Checks::full) work.check_numbers();
  ContactProblem::Data& data = *work.data;
  data.g = Eigen::Map<const Eigen::VectorXd>(work.g.data(),
                                             static_cast<Eigen::Index>(work.g.size()));
  data.R = Eigen::Map<const Eigen::VectorXd>(work.R.data(),
                                             static_cast<Eigen::Index>(work.R.size()));
  set_operator_islands(data, work.bodies, work.islands);
  return *work.problem;
}

}  // namespace tactum
