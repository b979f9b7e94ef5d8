#pragma once
// One function for each width of vectors that x86-64 has. PANTO_WIDE (math/lanes.hpp) lets the compiler
// vectorise a loop; here the vectors are written out, because the best tile of a product depends on their
// width and number.

#include "panto/math/gather.hpp"
#include "panto/math/lanes.hpp"

namespace panto {

using Two = double __attribute__((vector_size(16)));
using Eight = double __attribute__((vector_size(64)));

}  // namespace panto

// Defines `name`, which calls `name_by<V>` with the widest V that the machine has. `name_by` is a template
// marked PANTO_INLINE whose results do not depend on V.
// NOLINTBEGIN(bugprone-macro-parentheses): lists of parameters and arguments
#if defined(PANTO_SEVERAL_WIDTHS)
#define PANTO_FOR_WIDTHS(name, parameters, arguments)                                                    \
  __attribute__((target("default"))) void name parameters noexcept { name##_by<Two> arguments; }         \
  __attribute__((target("arch=x86-64-v3"))) void name parameters noexcept { name##_by<Four> arguments; } \
  __attribute__((target("arch=x86-64-v4"))) void name parameters noexcept { name##_by<Eight> arguments; }
#else
#define PANTO_FOR_WIDTHS(name, parameters, arguments) \
  void name parameters noexcept { name##_by<Two> arguments; }
#endif
// NOLINTEND(bugprone-macro-parentheses)
