// SPDX-License-Identifier: BSD-2-Clause
// A scene as Python holds it: one object for all threads. A call waits for the call of another
// thread to end, without the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tactum/scene.hpp"

namespace tactum::python {

struct SharedScene {
  SharedScene() = default;
  explicit SharedScene(Scene&& given, std::vector<SceneId> ids_of_links = {})
      : scene(std::move(given)), links(std::move(ids_of_links)) {}
  Scene scene;
  /// Ids of the links that from_pinocchio() made, in the order of the model's geometries; -1 for a
  /// link that was removed. Empty for any other scene.
  std::vector<SceneId> links;
  std::mutex mutex;
  std::atomic<std::thread::id> user{};
};

/// The scene for this call alone.
class Lease {
 public:
  explicit Lease(SharedScene& shared) : shared_(shared) {
    // a signal handler of Python may run within a call
    if (shared.user == std::this_thread::get_id())
      throw InvalidInput("scene", "a call from within a call", "wait for the first to end");
    const nanobind::gil_scoped_release release;
    shared_.mutex.lock();
    shared_.user = std::this_thread::get_id();
  }
  ~Lease() {
    shared_.user = std::thread::id{};
    shared_.mutex.unlock();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Scene* operator->() const { return &shared_.scene; }
  Scene& operator*() const { return shared_.scene; }

 private:
  SharedScene& shared_;
};

/// Text as UTF-8.
std::string to_text(nanobind::handle value, const char* field);

/// The methods of Scene that are about its objects.
void bind_scene_objects(nanobind::class_<SharedScene>& type);

}  // namespace tactum::python
