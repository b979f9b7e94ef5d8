#pragma once
// Finds pairs of twin limbs in a tree of joints: hip, knee and ankle, or shoulder, elbow and wrist, on two
// chains of about equal length.

#include <array>
#include <vector>

#include "panto/rig/names.hpp"
#include "panto/rig/tree.hpp"

namespace panto::rig {

enum class LimbKind : unsigned char { Leg, Arm };

/// One reading of a chain of points as a limb: indices into the chain.
struct LimbReading {
  int root = 0, middle = 0, end = 0;
};

/// Two chains below one joint, read as a pair of legs or arms.
struct LimbPair {
  int junction = -1;                      ///< joint that carries both chains
  std::array<std::vector<int>, 2> chain;  ///< points from a child of the junction to a leaf
  std::array<LimbReading, 2> reading;
  double length = 0.0;  ///< from root over middle to end, mean of both sides [units]
  double cost = 0.0;    ///< departure from a usual limb [negative log likelihood, up to a constant]

  [[nodiscard]] int root(int side) const noexcept { return chain[at(side)][at(reading[at(side)].root)]; }
  [[nodiscard]] int middle(int side) const noexcept { return chain[at(side)][at(reading[at(side)].middle)]; }
  [[nodiscard]] int end(int side) const noexcept { return chain[at(side)][at(reading[at(side)].end)]; }
};

/// Returns the likeliest readings of every pair of twin chains as limbs of that kind, cheapest first.
[[nodiscard]] std::vector<LimbPair> find_limb_pairs(const Tree& tree, const NameReading& names,
                                                    LimbKind kind);

/// Returns the length of the longest chain that has a twin: a leg and what hangs on it, not the path from the
/// file's origin to the person [units].
[[nodiscard]] double longest_twin(const Tree& tree) noexcept;

/// Returns (x / sigma)^2 / 2, at most `most`.
[[nodiscard]] double misfit(double x, double sigma, double most = 1e9) noexcept;

}  // namespace panto::rig
