// SPDX-License-Identifier: BSD-2-Clause
// Cuts the search for pairs inside a tree into independent parts.
#include "broad/box_tree_pairs.hpp"

namespace tactum {
namespace {

/// Replaces one job by those one level down.
void open_job(const BoxTree& tree, PairJob job, std::vector<PairJob>& jobs) {
  const WideNode& a = tree.node(job.a);
  const WideNode& b = tree.node(job.b);
  for (int i = 0; i < a.count; ++i) {
    unsigned mask = Probe(a, i).overlaps(b);
    if (job.a == job.b) mask &= detail::lanes_above(i) | 1U << i;
    for_each_bit(mask, [&](int j) { jobs.push_back({a.child[i], b.child[j]}); });
  }
}

}  // namespace

void pair_jobs(const BoxTree& tree, std::size_t wanted, std::vector<PairJob>& jobs) {
  jobs.clear();
  if (tree.root() < 0) return;
  jobs.push_back({tree.root(), tree.root()});
  // all jobs are of one level, so that they are of similar size
  while (jobs.size() < wanted && tree.node(jobs.front().a).level > 0) {
    const std::size_t count = jobs.size();
    for (std::size_t i = 0; i < count; ++i) open_job(tree, jobs[i], jobs);
    jobs.erase(jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(count));
    if (jobs.empty()) return;
  }
}

}  // namespace tactum
