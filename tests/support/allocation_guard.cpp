// SPDX-License-Identifier: BSD-2-Clause
// Replaces the C library's entry points that every allocation passes through (operator new of
// libstdc++ and Eigen call malloc, aligned_alloc or posix_memalign), so nothing has to be rebuilt
// with hooks. With a sanitizer, which owns malloc, operator new is replaced instead and plain
// malloc is not seen.
#include "support/allocation_guard.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t allocations = 0;
thread_local std::size_t guards = 0;

void note_allocation() {
  if (guards > 0) ++allocations;
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TACTUM_SANITIZER_OWNS_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define TACTUM_SANITIZER_OWNS_MALLOC 1
#endif
#endif

#ifdef TACTUM_SANITIZER_OWNS_MALLOC

void* operator new(std::size_t size) {
  note_allocation();
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  note_allocation();
  return std::malloc(size > 0 ? size : 1);
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

#else

// glibc keeps the real functions under these names
extern "C" {
void* __libc_malloc(std::size_t) noexcept;
void* __libc_calloc(std::size_t, std::size_t) noexcept;
void* __libc_realloc(void*, std::size_t) noexcept;
void* __libc_memalign(std::size_t, std::size_t) noexcept;

void* malloc(std::size_t size) noexcept {
  note_allocation();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  note_allocation();
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) noexcept {
  note_allocation();
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  note_allocation();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  note_allocation();
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? 12 : 0;  // ENOMEM
}
}

#endif

namespace tactum::testing {

AllocationGuard::AllocationGuard() : start_(allocations) { ++guards; }
AllocationGuard::~AllocationGuard() { --guards; }
std::size_t AllocationGuard::count() const { return allocations - start_; }

}  // namespace tactum::testing
