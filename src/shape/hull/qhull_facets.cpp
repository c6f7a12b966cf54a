// SPDX-License-Identifier: BSD-2-Clause
// Facets of a solid convex hull, by Qhull's reentrant library.
//
// Source     C. Barber, D. Dobkin, H. Huhdanpaa, The quickhull algorithm for convex hulls, 1996;
//            libqhull_r 2020.
// Choice     coplanar facets stay merged, and we walk their ridges: Qhull's own triangulated output
//            (Qt) may hold triangles without area and facets that meet twice, which would break the
//            closed surface that the tables need.
// Errors     the result is empty; Qhull's messages are discarded.
#include "shape/hull/qhull_facets.hpp"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace tactum {
namespace {

/// Disables floating-point traps while Qhull runs, which reads non-finite sentinels on some paths.
class TrapsOff {
 public:
  TrapsOff() { std::feholdexcept(&environment_); }
  ~TrapsOff() { std::fesetenv(&environment_); }
  TrapsOff(const TrapsOff&) = delete;
  TrapsOff& operator=(const TrapsOff&) = delete;

 private:
  std::fenv_t environment_;
};

/// A stream for Qhull's messages, which nobody reads.
class Sink {
 public:
  Sink() : file_(open_memstream(&text_, &size_)) {}
  ~Sink() {
    if (file_ != nullptr) std::fclose(file_);
    std::free(text_);  // NOLINT(cppcoreguidelines-no-malloc): open_memstream allocates with malloc
  }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  std::FILE* file() const { return file_; }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

/// One run of Qhull and its memory.
class Run {
 public:
  Run(const Points& points, const std::string& command) : points_(points) {
    qh_zero(&qh_, sink_.file());
    exit_code_ = qh_new_qhull(&qh_, 3, static_cast<int>(points_.cols()), points_.data(), False,
                              const_cast<char*>(command.c_str()), nullptr, sink_.file());
  }
  ~Run() {
    qh_freeqhull(&qh_, qh_ALL);
    int long_memory = 0;
    int blocks = 0;
    qh_memfreeshort(&qh_, &long_memory, &blocks);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  bool succeeded() const { return exit_code_ == qh_ERRnone; }
  qhT* qh() { return &qh_; }

 private:
  Points points_;  // Qhull keeps a pointer into it
  Sink sink_;
  qhT qh_;
  int exit_code_ = 0;
};

/// Orders the two-vertex ridges of a facet into one ring; empty when they do not form one.
std::vector<std::int32_t> ring_of_ridges(const std::vector<std::array<std::int32_t, 2>>& ridges) {
  std::vector<std::array<std::int32_t, 2>> ends;  // (vertex, ridge), sorted: each vertex must come
                                                  // exactly twice
  for (std::size_t i = 0; i < ridges.size(); ++i) {
    for (const std::int32_t vertex : ridges[i])
      ends.push_back({vertex, static_cast<std::int32_t>(i)});
  }
  std::sort(ends.begin(), ends.end());
  for (std::size_t i = 0; i < ends.size(); i += 2) {
    const bool twice = i + 1 < ends.size() && ends[i][0] == ends[i + 1][0] &&
                       (i + 2 == ends.size() || ends[i + 2][0] != ends[i][0]);
    if (!twice) return {};
  }
  std::vector<std::int32_t> ring;
  std::int32_t ridge = 0;
  std::int32_t vertex = ridges[0][0];
  for (std::size_t step = 0; step < ridges.size(); ++step) {
    if (step > 0 && vertex == ring.front()) return {};  // closed too early: more than one ring
    ring.push_back(vertex);
    vertex = ridges[ridge][0] == vertex ? ridges[ridge][1] : ridges[ridge][0];
    const auto at = std::lower_bound(ends.begin(), ends.end(),
                                     std::array<std::int32_t, 2>{vertex, -1});
    ridge = (*at)[1] == ridge ? (*(at + 1))[1] : (*at)[1];
  }
  return ring;
}

std::vector<std::int32_t> ring_of_facet(qhT* qh, facetT* facet) {
  const auto column = [qh](const vertexT* vertex) {
    return static_cast<std::int32_t>(qh_pointid(qh, vertex->point));
  };
  std::vector<std::int32_t> ring;
  if (facet->simplicial != 0) {
    vertexT* vertex = nullptr;
    vertexT** vertexp = nullptr;
    FOREACHvertex_(facet->vertices) ring.push_back(column(vertex));
    return ring;
  }
  std::vector<std::array<std::int32_t, 2>> ridges;
  ridgeT* ridge = nullptr;
  ridgeT** ridgep = nullptr;
  FOREACHridge_(facet->ridges) {
    ridges.push_back({column(SETfirstt_(ridge->vertices, vertexT)),
                      column(SETsecondt_(ridge->vertices, vertexT))});
  }
  if (ridges.size() < 3) return {};
  return ring_of_ridges(ridges);
}

}  // namespace

std::vector<std::vector<std::int32_t>> qhull_facets(const Points& points, const char* options) {
  const TrapsOff traps_off;
  Run run(points, std::string("qhull ") + options);
  if (!run.succeeded()) return {};
  qhT* qh = run.qh();
  std::vector<std::vector<std::int32_t>> facets;
  facetT* facet = nullptr;
  FORALLfacets {
    facets.push_back(ring_of_facet(qh, facet));
    if (facets.back().size() < 3) return {};
  }
  return facets;
}

}  // namespace tactum
