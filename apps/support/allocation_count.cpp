#include "apps/support/allocation_count.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PANTO_SANITIZER_OWNS_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PANTO_SANITIZER_OWNS_MALLOC 1
#endif
#endif

#if defined(__GLIBC__) && !defined(PANTO_SANITIZER_OWNS_MALLOC)

namespace {

// constinit and trivial: counting must not allocate, not even when a thread first uses it
constinit thread_local long allocations = 0;

constexpr bool is_power_of_two(std::size_t value) { return value != 0 && (value & (value - 1)) == 0; }

}  // namespace

// Replaces the whole family, free included, so that memory returns to the allocator it came from even where
// another malloc is preloaded. Names and signatures are the C library's.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
extern "C" {

void* __libc_malloc(std::size_t size) noexcept;
void* __libc_calloc(std::size_t count, std::size_t size) noexcept;
void* __libc_realloc(void* block, std::size_t size) noexcept;
void* __libc_memalign(std::size_t alignment, std::size_t size) noexcept;
void __libc_free(void* block) noexcept;

void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* block, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(block, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  ++allocations;
  void* block = __libc_memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

void free(void* block) noexcept { __libc_free(block); }

}  // extern "C"
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

namespace panto {

bool AllocationCount::available() noexcept { return true; }
long AllocationCount::total() noexcept { return allocations; }

}  // namespace panto

#else

namespace panto {

bool AllocationCount::available() noexcept { return false; }
long AllocationCount::total() noexcept { return 0; }

}  // namespace panto

#endif
