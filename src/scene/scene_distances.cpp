// SPDX-License-Identifier: BSD-2-Clause
// Distances and contacts of the close pairs of a scene. Every pair is computed by itself, so that
// the number of threads changes no bit.
#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <span>

#include "contact/patch_geometry.hpp"
#include "core/thread_team.hpp"
#include "geometry/reach.hpp"
#include "math/pose_check.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "narrow/query/try_distance.hpp"
#include "scene/scene_state.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr std::size_t kPairsInChunk = 64;   ///< whose contacts are collected by one thread
constexpr std::int32_t kBeyondMargin = -1;  ///< in place of the number of contacts of a pair

/// The row of a pair whose relative pose is out of range, as in batches.
GeometryDistance invalid_row() {
  GeometryDistance row;
  row.status = Status::invalid_input;
  return row;
}

/// Contacts of one pair of shapes whose distance is known.
void append(const Distance& value, const SceneObject& a, const SceneObject& b,
            const ContactPatchOptions& options, std::vector<SceneContact>& out) {
  std::array<PatchContact, ContactPatch::capacity> points;
  const int count = append_patch(value, *a.geometry.shape(), a.X, *b.geometry.shape(), b.X, options,
                                 points);
  for (const PatchContact& point : std::span(points).first(static_cast<std::size_t>(count))) {
    out.push_back({point.point_a, point.point_b, value.normal, point.distance, point.feature_id});
  }
}

void append(const PartPatch& part, std::vector<SceneContact>& out) {
  const ContactPatch& patch = part.patch;
  for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i) {
    out.push_back({patch.points_a[i], patch.points_b[i], patch.normal, patch.distances[i],
                   patch.feature_ids[i]});
  }
}

/// How far apart two objects may be to count, in m.
double pair_margin(const SceneOptions& options, const SceneObject& a, const SceneObject& b) {
  return options.margin + a.margin + b.margin;
}

ContactPatchOptions patch_options(const SceneOptions& options) {
  return {.max_points = options.max_points,
          .cutoff = options.margin,
          .max_angle = options.max_angle,
          .tolerance = options.tolerance};
}

ParallelOptions parallel(const SceneOptions& options, std::size_t largest_chunk) {
  return {.num_threads = options.num_threads,
          .largest_chunk = largest_chunk,
          .interrupted = options.interrupted ? &options.interrupted : nullptr};
}

/// Whether every part of a compound has coordinates that a query takes, seen from the other object.
/// The poses of objects and of parts are checked where they are given; their products are not.
bool are_parts_in_range(const SceneObject& a, const SceneObject& b) {
  if (a.geometry.compound() == nullptr && b.geometry.compound() == nullptr) return true;
  const double between = (b.X.translation - a.X.translation).stableNorm();
  return is_point(Vector3::Constant(between + reach_of(a.geometry) + reach_of(b.geometry)));
}

/// One query, warm-started from the last one of this pair.
void find_distance(const SceneObject& a, const SceneObject& b, const SceneOptions& options,
                   TrackedPair& tracked, GeometryDistance& out) {
  const DistanceOptions query{.tolerance = options.tolerance,
                              .cutoff = pair_margin(options, a, b),
                              .warm_start = &tracked.warm_start};
  if (a.geometry.shape() != nullptr && b.geometry.shape() != nullptr) {
    out.part_a = out.part_b = 0;
    if (!try_distance(*a.geometry.shape(), a.X, *b.geometry.shape(), b.X, query, out))
      out = invalid_row();
  } else {
    out = are_parts_in_range(a, b)
              ? distance(a.geometry, a.X, b.geometry, b.X, query, tracked.part_a, tracked.part_b)
              : invalid_row();
  }
  tracked.warm_start = out.warm_start;
  tracked.part_a = out.part_a;
  tracked.part_b = out.part_b;
}

/// Appends the contacts of one pair. Returns whether the pair is within its margin, or has no
/// answer.
bool append_contacts(const SceneObject& a, const SceneObject& b, const SceneOptions& options,
                     TrackedPair& tracked, std::vector<PartPatch>& patches,
                     std::vector<SceneContact>& out) {
  if (!are_parts_in_range(a, b)) return true;
  ContactPatchOptions of_patch = patch_options(options);
  of_patch.cutoff = pair_margin(options, a, b);
  if (a.geometry.shape() != nullptr && b.geometry.shape() != nullptr) {
    GeometryDistance value;
    find_distance(a, b, options, tracked, value);
    if (value.status == Status::beyond_cutoff) return false;
    if (value.status != Status::invalid_input) append(value, a, b, of_patch, out);
    return true;
  }
  // the patches of parts hold the nearest pair of parts: it needs no query of its own
  patches.clear();
  contact_patches(a.geometry, a.X, b.geometry, b.X, of_patch, patches);
  for (const PartPatch& part : patches) append(part, out);
  return !patches.empty();
}

/// Moves the items that `keep` names to the front, in order.
template <class Keep>
void keep_pairs(std::vector<std::pair<SceneId, SceneId>>& pairs, Keep&& keep) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!keep(i, kept)) continue;
    pairs[kept] = pairs[i];
    ++kept;
  }
  pairs.resize(kept);
}

}  // namespace

void Scene::State::find_candidates(const SceneOptions& options) {
  check_num_threads(options.num_threads);
  check_options(options.tolerance, 1, Vector3::Zero(), nullptr);
  find_pairs(options.margin);
  tracker.follow(pairs, ids, serials);
}

bool Scene::State::find_distances(const SceneOptions& options) {
  find_candidates(options);
  // the first use of memory takes time
  constexpr std::size_t most_at_once = 65536;
  distances.reserve(pairs.size());
  while (distances.size() + most_at_once < pairs.size()) {
    check_interrupt();
    distances.resize(distances.size() + most_at_once);
  }
  distances.resize(pairs.size());
  const auto find = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto [a, b] = pairs[i];
      find_distance(object(a), object(b), options, tracker[i], distances[i]);
    }
  };
  if (!parallel_for(work.team(), pairs.size(), parallel(options, kPairsInChunk), find))
    return false;
  keep_pairs(pairs, [&](std::size_t i, std::size_t kept) {
    if (distances[i].status == Status::beyond_cutoff) return false;
    if (kept != i) distances[kept] = distances[i];
    return true;
  });
  distances.resize(pairs.size());
  return true;
}

bool Scene::State::find_collision(const SceneOptions& options, bool& found) {
  constexpr std::size_t first_group = 8;
  found = false;
  find_candidates(options);
  std::atomic<bool> hit = false;
  std::size_t start = 0;
  const auto look = [&](std::size_t begin, std::size_t end) {
    GeometryDistance answer;
    for (std::size_t i = start + begin; i < start + end; ++i) {
      const auto [a, b] = pairs[i];
      find_distance(object(a), object(b), options, tracker[i], answer);
      if (answer.status != Status::beyond_cutoff) hit = true;
    }
  };
  for (std::size_t group = first_group; start < pairs.size() && !hit; group *= 2) {
    const std::size_t size = std::min(group, pairs.size() - start);
    if (!parallel_for(work.team(), size, parallel(options, kPairsInChunk), std::ref(look)))
      return false;
    start += size;
  }
  found = hit;
  return true;
}

bool Scene::State::find_contacts(const SceneOptions& options) {
  check_margin(options.margin);  // before the options of patches, which call it a cutoff
  check_patch_options(patch_options(options));
  find_candidates(options);
  const std::size_t num_chunks = (pairs.size() + kPairsInChunk - 1) / kPairsInChunk;
  if (chunks.size() < num_chunks) chunks.resize(num_chunks);
  counts.assign(pairs.size(), 0);
  const auto find = [&](std::size_t begin, std::size_t end) {
    for (std::size_t chunk = begin; chunk < end; ++chunk) {
      auto& [found, patches] = chunks[chunk];
      found.clear();
      for (std::size_t i = chunk * kPairsInChunk;
           i < std::min(pairs.size(), (chunk + 1) * kPairsInChunk); ++i) {
        const std::size_t before = found.size();
        const bool within = append_contacts(object(pairs[i].first), object(pairs[i].second),
                                            options, tracker[i], patches, found);
        counts[i] = within ? static_cast<std::int32_t>(found.size() - before) : kBeyondMargin;
      }
    }
  };
  if (!parallel_for(work.team(), num_chunks, parallel(options, 1), find)) return false;

  contacts.clear();
  for (std::size_t chunk = 0; chunk < num_chunks; ++chunk)
    contacts.insert(contacts.end(), chunks[chunk].contacts.begin(), chunks[chunk].contacts.end());
  offsets.assign(1, 0);
  keep_pairs(pairs, [&](std::size_t i, std::size_t) {
    if (counts[i] == kBeyondMargin) return false;
    offsets.push_back(offsets.back() + counts[i]);
    return true;
  });
  return true;
}

}  // namespace tactum
