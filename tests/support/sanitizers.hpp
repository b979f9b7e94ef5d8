#pragma once
// Tests are compiled once; programs with sanitized libraries link the same objects. So what the sanitizers
// change is asked when the program runs.

extern "C" [[gnu::weak]] void
__asan_init();  // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[gnu::weak]] void
__tsan_init();  // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)

namespace panto::test {

/// True in a program whose libraries run under the address or the thread sanitizer: ten times slower,
/// with memory of its own.
inline bool sanitized() { return &__asan_init != nullptr || &__tsan_init != nullptr; }

}  // namespace panto::test
