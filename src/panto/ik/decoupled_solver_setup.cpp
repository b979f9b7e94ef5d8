// Data of the decoupled solver that depend on the weights alone: the order of blocks, and the effect of a
// torque on one body on others.

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/ik/decoupled_solver.hpp"

namespace panto {
namespace {

constexpr double kNothing = 1e-17;  // of a rotation: less than rounding
// Reserved leads, dampers, couplings and entries of the factor per block or condition.
constexpr std::size_t kNeighbours = 32;
// Entries of the factor per condition if joints are missing and none is held; with more, the kernel is
// faster.
constexpr double kSteady = 12.0;

}  // namespace

DecoupledSolver::DecoupledSolver(VelocityProblem& problem)
    : problem_(&problem),
      rows_(problem.blocks().lanes()),
      hinge_(problem.blocks().lanes(), 1.0),
      x_turns_(problem.blocks().lanes()),
      z_missing_(x_turns_),
      joint_(problem.tree.joint),
      missing_(x_turns_),
      held_(x_turns_),
      beyond_(problem.blocks().lanes()),
      nothing_(beyond_),
      scratch_(beyond_),
      curvature_(problem.blocks().lanes(), 1.0) {
  const std::size_t bodies = problem.tree.base + 1, blocks = problem.tree.base, joints = 3 * blocks;
  for (std::vector<double>* by_lane : {&weight_, &carry_, &turn_}) by_lane->assign(bodies, 0.0);
  yield_.assign(problem.blocks().lanes(), 0.0);
  order_blocks();
  lead_.resize(kNeighbours * blocks);
  damper_.resize(kNeighbours * blocks);
  coupling_.resize(kNeighbours * blocks);
  condition_.resize(joints + 3);  // the list is written three at a time
  factor_.resize(kNeighbours * joints);
  sums_.resize(joints);
  begin_.resize(blocks + 1);
  active_.resize(blocks);
  moving_.resize(bodies + 1);  // a body is written behind the last before it is known to be new
  bodies_.resize(problem.blocks().lanes());
  for (std::size_t b = 0; b < bodies_.size(); ++b) bodies_[b].slot = LaneArray<3>::index(0, b);
  speed_.resize(blocks);
  free_.resize(bodies_.size());
  torque_.resize(bodies_.size());
  held_joint_.resize(joints);
  first_held_.resize(blocks + 1);
}

namespace {

// The blocks after a body, from the tips of its limbs inwards, the largest limb first: a condition then
// couples to conditions within few rows before it.
std::vector<std::size_t> blocks_behind(const TreeProblem& tree, std::size_t body) {
  std::vector<std::vector<std::size_t>> limbs;
  for (std::size_t b = 0; b < tree.base; ++b) {
    if (at(tree.parent[b]) != body) continue;
    limbs.push_back(blocks_behind(tree, b));
    limbs.back().push_back(b);
  }
  std::stable_sort(limbs.begin(), limbs.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::vector<std::size_t> order;
  for (const std::vector<std::size_t>& limb : limbs) order.insert(order.end(), limb.begin(), limb.end());
  return order;
}

}  // namespace

void DecoupledSolver::order_blocks() {
  const TreeProblem& tree = problem_->tree;
  for (const std::size_t b : blocks_behind(tree, tree.base)) {
    const Vec3 there = vec3(tree.joint, b);
    Block block;
    block.lane = b;
    block.before = at(tree.parent[b]);
    block.slot = LaneArray<3>::index(0, b);
    block.row = LaneArray<9>::index(0, b);
    missing_(0, b) = 7.0 - (there.x + 2.0 * there.y + 4.0 * there.z);
    block.missing = static_cast<std::size_t>(3.0 - (there.x + there.y + there.z));
    block.hinge = block.missing > 0;
    if (block.hinge) hinges_.push_back(blocks_.size());
    hinge_(0, b) = bit_of(block.hinge);
    // a single y rotates the missing x and z
    const bool y_alone = there.x == 0.0 && there.z == 0.0;
    x_turns_(0, b) = bit_of(block.hinge && (there.x != 0.0 || y_alone));
    z_missing_(0, b) = 1.0 - there.z;
    blocks_.push_back(block);
  }
}

bool DecoupledSolver::take_weights() noexcept {
  if (version_ == problem_->rows_version()) return fits_;
  version_ = problem_->rows_version();
  bool same = true;
  for (std::size_t b = 0; b < weight_.size(); ++b) {
    same = same && weight_[b] == problem_->tree.weight(0, b);
    weight_[b] = problem_->tree.weight(0, b);
  }
  if (same) return fits_;
  listed_ = false;
  find_compliance();
  fits_ = few_missing() && find_leads() && find_couplings() && find_dampers();
  return fits_;
}

// At least as many joints exist as are missing.
bool DecoupledSolver::few_missing() const noexcept {
  std::size_t missing = 0, there = 0;
  for (const Block& block : blocks_) {
    missing += block.missing;
    there += 3 - block.missing;
  }
  return missing <= there;
}

// Finds weights, and dampers between the bodies of a hinge: a body's response to a torque, given the one
// before, and the share of the torque that acts on that one.
void DecoupledSolver::find_compliance() noexcept {
  std::vector<double>& stiffness = turn_;
  stiffness = weight_;
  for (const Block& block : blocks_) {
    const double damping = block.hinge ? problem_->hinge_damping() : 0.0;
    const std::size_t b = block.lane;
    const double own = stiffness[b];
    yield_[b] = 1.0 / (own + damping);
    carry_[b] = damping * yield_[b];
    stiffness[block.before] += own * carry_[b];
  }
  const std::size_t base = problem_->tree.base;
  yield_[base] = 1.0 / stiffness[base];
}

// Finds the rotation of all bodies for a torque of 1 on a block's own body and -1 on the one before.
void DecoupledSolver::find_turns(const Block& block) noexcept {
  std::fill(turn_.begin(), turn_.end(), 0.0);
  turn_[block.lane] = 1.0;
  turn_[block.before] = -1.0;
  for (const Block& b : blocks_) turn_[b.before] += carry_[b.lane] * turn_[b.lane];
  turn_[problem_->tree.base] *= yield_[problem_->tree.base];
  for (std::size_t p = blocks_.size(); p-- > 0;) {
    const Block& b = blocks_[p];
    turn_[b.lane] = yield_[b.lane] * turn_[b.lane] + carry_[b.lane] * turn_[b.before];
  }
  const double least = kNothing * std::max(std::abs(turn_[block.lane]), std::abs(turn_[block.before]));
  for (double& turn : turn_) turn = std::abs(turn) > least ? turn : 0.0;
}

// Returns false if hinges are damped so much that a torque moves too many bodies.
bool DecoupledSolver::find_leads() noexcept {
  std::size_t count = 0;
  for (std::size_t p = 0; p < blocks_.size(); ++p) blocks_[p].first = p;
  for (std::size_t q = 0; q < blocks_.size(); ++q) {
    find_turns(blocks_[q]);
    blocks_[q].leads = count;
    for (std::size_t b = 0; b < turn_.size(); ++b) {
      if (turn_[b] == 0.0) continue;
      if (count == lead_.size()) return false;
      lead_[count++] = {&bodies_[b], turn_[b]};
    }
    blocks_[q].leads_end = count;
    for (std::size_t p = q; p < blocks_.size(); ++p) {
      if (opening(blocks_[p]) != 0.0) blocks_[p].first = std::min(blocks_[p].first, q);
    }
  }
  return true;
}

// Returns false if too many blocks share a body.
bool DecoupledSolver::find_couplings() noexcept {
  std::size_t count = 0, entries = 0, steady = 0, missing = 0;
  for (std::size_t p = 0; p < blocks_.size(); ++p) {
    Block& block = blocks_[p];
    block.couplings = count - block.first;
    count += p - block.first + 1;
    entries += 9 * (p - block.first) + 3;
    for (std::size_t q = block.first; q <= p; ++q) steady += block.missing * blocks_[q].missing;
    missing += block.missing;
  }
  if (count > coupling_.size() || entries > factor_.size()) return false;
  if (static_cast<double>(steady) > kSteady * static_cast<double>(missing)) return false;
  for (std::size_t q = 0; q < blocks_.size(); ++q) {
    find_turns(blocks_[q]);
    for (std::size_t p = q; p < blocks_.size(); ++p) {
      if (blocks_[p].first <= q) coupling_[blocks_[p].couplings + q] = opening(blocks_[p]);
    }
  }
  return true;
}

// Returns false as `find_leads` does.
bool DecoupledSolver::find_dampers() noexcept {
  const double damping = problem_->hinge_damping();
  std::size_t count = 0;
  for (Block& block : blocks_) {
    block.dampers = count;
    find_turns(block);
    for (const std::size_t q : hinges_) {
      const double share = damping * opening(blocks_[q]);
      if (share == 0.0) continue;
      if (count == damper_.size()) return false;
      damper_[count++] = {&speed_[q], share};
    }
    block.dampers_end = count;
  }
  return true;
}

}  // namespace panto
