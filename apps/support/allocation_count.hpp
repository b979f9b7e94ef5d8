#pragma once
// Counts heap allocations, to show that a loop makes none. In a program that links `panto_allocation_count`
// it counts every malloc, calloc, realloc and aligned allocation, whatever the caller: operator new, Eigen,
// std containers, the C library. The usual guard (EIGEN_RUNTIME_NO_MALLOC and a replaced operator new) is an
// `eigen_assert`, which NDEBUG removes: in optimised builds it checks nothing.

namespace panto {

/// Counts allocations of this thread since the object was made. Nest and repeat as needed; costs one
/// subtraction.
class AllocationCount {
 public:
  AllocationCount() noexcept : start_(total()) {}

  /// Returns the calls to malloc, calloc, realloc and the aligned forms by this thread since construction.
  /// Always 0 where `available()` is false.
  [[nodiscard]] long value() const noexcept { return total() - start_; }

  /// Returns false under address and thread sanitizers, which bring their own malloc, and on C libraries
  /// other than glibc. Tests skip then.
  [[nodiscard]] static bool available() noexcept;

  /// Returns the allocations of this thread since it began; only differences mean something.
  static long total() noexcept;

 private:
  long start_;
};

}  // namespace panto
