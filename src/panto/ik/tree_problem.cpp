#include "panto/ik/tree_problem.hpp"

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
