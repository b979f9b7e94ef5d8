#include "panto/tree_qp/problem.hpp"

#include <cmath>
#include <cstdint>

#include "panto/base/index.hpp"

namespace panto {

TreeProblem::TreeProblem(const Blocks& blocks, bool floating, std::size_t point_rows)
    : floating_base(floating),
      base(at(blocks.base())),
      parent(blocks.parent),
      slider(blocks.slider),
      joint(blocks.lanes()),
      axes(blocks.lanes()),
      centre(blocks.lanes()),
      lambda(blocks.lanes(), 1.0),
      reference(blocks.lanes()),
      lower(blocks.lanes(), -kInfinity),
      upper(blocks.lanes(), kInfinity),
      weight(blocks.lanes()),
      rhs(blocks.lanes()),
      companion(blocks.lanes()),
      points(point_rows) {
  for (const int slot : blocks.slot_of_dof) joint[at(slot)] = 1.0;
}

void CostRows::add(const std::vector<int>& slots) {
  entry.insert(entry.end(), slots.begin(), slots.end());
  coefficient.resize(entry.size(), 0.0);
  begin.push_back(static_cast<int>(entry.size()));
  linear.emplace_back(Eigen::Vector3d::Zero());
  angular.emplace_back(Eigen::Vector3d::Zero());
  weight.push_back(0.0);
  wanted.push_back(0.0);
  companion.push_back(0.0);
}

// Integers are summed instead of combining bools: compilers vectorise that.
PANTO_WIDE bool leaves(const double* value, const double* lower, const double* upper,
                       std::size_t count) noexcept {
  std::int64_t outside = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double tolerance = kBoundTolerance * (1.0 + std::abs(value[i]));
    outside += static_cast<std::int64_t>(value[i] > upper[i] + tolerance);
    outside += static_cast<std::int64_t>(value[i] < lower[i] - tolerance);
  }
  return outside != 0;
}

PANTO_WIDE void clip(const double* lower, const double* upper, std::size_t count, double* value) noexcept {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const double above = value[i] > lower[i] ? value[i] : lower[i];
    value[i] = above < upper[i] ? above : upper[i];
  }
}

TreeSolution::TreeSolution(const TreeProblem& problem)
    : rate(problem.parent.size()),
      rho(problem.parent.size()),
      omega(problem.parent.size()),
      v(problem.parent.size()) {}

namespace {

void add_scaled(double factor, const LaneArray<3>& other, LaneArray<3>& sum) noexcept {
  for (std::size_t i = 0; i < sum.flat_size(); ++i) sum[i] += factor * other[i];
}

}  // namespace

void TreeSolution::add(double factor, const TreeSolution& other) noexcept {
  add_scaled(factor, other.rate, rate);
  add_scaled(factor, other.rho, rho);
  add_scaled(factor, other.omega, omega);
  add_scaled(factor, other.v, v);
}

}  // namespace panto
