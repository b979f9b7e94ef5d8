#pragma once
// What both ways of the settled solver ask of joints that are held.

#include <array>
#include <cstddef>

namespace panto {

/// Of how far a joint would go that alone is let go: less keeps it from leaping to its other bound and back.
inline constexpr double kReach = 0.1;

/// Which joints of a block, by the sum of 1, 2 and 4: a table asks no question that could be guessed wrong.
struct HeldNumbers {
  std::size_t count;
  std::array<std::size_t, 3> number;
};
inline constexpr std::array<HeldNumbers, 8> kHeldNumbers{
    {{0, {}}, {1, {0}}, {1, {1}}, {2, {0, 1}}, {1, {2}}, {2, {0, 2}}, {2, {1, 2}}, {3, {0, 1, 2}}}};

}  // namespace panto
