#include "panto/ik/decoupled_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "panto/math/four_lanes.hpp"

namespace panto {
namespace {

// Number of blocks with conditions above which all bodies are computed; for triples, above which conditions
// are solved one by one.
constexpr std::size_t kMany = 6;

// Finds the vectors of the condition of each joint, in world axes. For a triple with well-separated axes: the
// rows of the inverse of its axes, as in `triple_rates`. Else perpendicular unit vectors: the axes of
// existing joints, and the directions that cannot rotate for missing ones. N_C = N_P Q R_x R_y R_z with
// missing angles zero.
PANTO_WIDE void find_rows(const BlockKinematics& at, const LaneArray<1>& hinge, const LaneArray<1>& x_turns,
                          const LaneArray<1>& z_missing, LaneArray<9>& rows) noexcept {
  for (std::size_t c = 0; c < rows.chunk_count(); ++c) {
    const Chunk<9>& N = at.frames().chunk(c);
    const Chunk<3>&s = at.sin().chunk(c), &k = at.cos().chunk(c);
    const Chunk<1>&is_hinge = hinge.chunk(c), &turns = x_turns.chunk(c), &lacks_z = z_missing.chunk(c);
    Chunk<9>& out = rows.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double sb = s.v[1][l], cb = k.v[1][l], sc = s.v[2][l], cc = k.v[2][l];
      const double alone = is_hinge.v[0][l], x = turns.v[0][l], z = lacks_z.v[0][l];
      const double scale = 1.0 / (alone != 0.0 ? 1.0 : cb);
      const double along = x != 0.0 ? cb : scale;
      const double slope = sb * (alone != 0.0 ? z : scale), up = z != 0.0 ? cb : 1.0;
      const Mat3 R = mat3(N, l);
      store(Mat3{R * Vec3{along * cc, -along * sc, x * sb}, R * Vec3{sc, cc, 0.0},
                 R * Vec3{-slope * cc, slope * sc, up}},
            out, l);
    }
  }
}

// Sums by lane 1, 2 and 4 for held joints, plus `missing`. Returns the number of lanes with a nonzero sum.
PANTO_WIDE std::size_t find_held(const LaneArray<3>& side, const LaneArray<1>& missing,
                                 LaneArray<1>& held) noexcept {
  double some[kLanes] = {};
  for (std::size_t c = 0; c < side.chunk_count(); ++c) {
    const Chunk<3>& s = side.chunk(c);
    const Chunk<1>& lacks = missing.chunk(c);
    Chunk<1>& out = held.chunk(c);
#pragma GCC ivdep
#pragma GCC unroll 1
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double x = std::abs(s.v[0][l]), y = std::abs(s.v[1][l]), z = std::abs(s.v[2][l]);
      const double sum = lacks.v[0][l] + x + 2.0 * y + 4.0 * z;
      out.v[0][l] = sum;
      some[l] += sum != 0.0 ? 1.0 : 0.0;
    }
  }
  return static_cast<std::size_t>(sum_of(some));
}

// Gives held joints the rates at which they are held.
PANTO_WIDE void keep_rates(const LaneArray<3>& side, const LaneArray<3>& held_rate,
                           LaneArray<3>& rate) noexcept {
  const double *s = side.data(), *held = held_rate.data();
  double* q = rate.data();
  const std::size_t n = rate.flat_size();
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const double own = q[i], other = held[i];
    q[i] = s[i] != 0.0 ? other : own;
  }
}

// The same, and finds every joint's optimum for the sign test. Returns false if a number is not finite.
PANTO_WIDE bool find_optima(const LaneArray<3>& side, const LaneArray<3>& held_rate,
                            const LaneArray<3>& beyond, LaneArray<3>& rate, LaneArray<3>& rho) noexcept {
  const double *s = side.data(), *held = held_rate.data(), *m = beyond.data();
  double *q = rate.data(), *out = rho.data();
  double off[kLanes] = {};
  for (std::size_t first = 0; first < rate.flat_size(); first += kLanes) {
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const std::size_t i = first + l;
      const double free = q[i], kept = held[i], more = m[i];
      const bool stands = s[i] != 0.0;
      const double own = stands ? kept : free, optimum = own + (stands ? more : 0.0);
      q[i] = own;
      out[i] = optimum;
      off[l] += optimum - optimum;
    }
  }
  return sum_of(off) == 0.0;
}

}  // namespace

void DecoupledSolver::ask(const BodyVelocities& first, const BodyVelocities& second) noexcept {
  first_ = first;
  second_ = second.omega != nullptr ? second : BodyVelocities{&nothing_, second.linear};
  rows_known_ = false;
}

PANTO_INLINE void DecoupledSolver::list_conditions() noexcept {
  const LaneArray<1>& held = side_ != nullptr ? held_ : missing_;
  Condition* next = condition_.data();
  double* row = factor_.data();
  std::size_t active = 0;
  for (std::size_t q = 0; q < blocks_.size(); ++q) {
    const Block& block = blocks_[q];
    begin_[q] = next;
    const double sum = held(0, block.lane);
    if (sum == 0.0) continue;
    const Numbers& numbers = kNumbers[static_cast<unsigned>(sum)];
    active_[active++] = q;
    Condition* const first = begin_[block.first];
    for (std::size_t k = 0; k < 3; ++k) {
      Condition& own = next[k];
      own.block = q;
      own.couplings = block.couplings;
      own.slot = block.slot + numbers.number[k] * kLanes;
      own.where = block.row + numbers.number[k] * 3 * kLanes;
      own.first = first;
      own.row = row;
      row += k < numbers.count ? next + k - first : 0;
    }
    next += numbers.count;
  }
  begin_[blocks_.size()] = next;
  active_count_ = active;
}

PANTO_INLINE bool DecoupledSolver::all_move() const noexcept { return active_count_ > kMany; }

// Lists every body once.
PANTO_INLINE void DecoupledSolver::move_bodies_of(const Block& block) noexcept {
  for (std::size_t i = block.leads; i < block.leads_end; ++i) {
    Body* body = lead_[i].body;
    moving_[moving_count_] = body;
    moving_count_ += body->moves ? 0 : 1;
    body->moves = true;
  }
}

// Reads the numbers of four bodies, both questions side by side, and writes them back.
PANTO_INLINE void DecoupledSolver::read_four(const double* first, const double* second, Two Pair3::*number,
                                             Body* bodies) noexcept {
  Four a, b;
  std::memcpy(&a, first, sizeof a);
  std::memcpy(&b, second, sizeof b);
  const Four even = __builtin_shufflevector(a, b, 0, 4, 2, 6),
             odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  bodies[0].omega.*number = __builtin_shufflevector(even, even, 0, 1);
  bodies[1].omega.*number = __builtin_shufflevector(odd, odd, 0, 1);
  bodies[2].omega.*number = __builtin_shufflevector(even, even, 2, 3);
  bodies[3].omega.*number = __builtin_shufflevector(odd, odd, 2, 3);
}
PANTO_INLINE void DecoupledSolver::write_four(const Body* bodies, Two Pair3::*number, double* first,
                                              double* second) noexcept {
  Four a, b;
  part(bodies[0].omega.*number, bodies[1].omega.*number, bodies[2].omega.*number, bodies[3].omega.*number, a,
       b);
  std::memcpy(first, &a, sizeof a);
  std::memcpy(second, &b, sizeof b);
}

PANTO_INLINE void DecoupledSolver::read(Body& body) const noexcept {
  const double *a = first_.omega->data() + body.slot, *b = second_.omega->data() + body.slot;
  body.omega = {Two{a[0], b[0]}, Two{a[kLanes], b[kLanes]}, Two{a[2 * kLanes], b[2 * kLanes]}};
}

// Reads what targets ask for: for all bodies at once if many move.
PANTO_INLINE void DecoupledSolver::read_bodies() noexcept {
  moving_count_ = 0;
  if (all_move()) {
    for (std::size_t b = 0; b < bodies_.size(); b += 4) {
      const double *first = first_.omega->data() + bodies_[b].slot,
                   *second = second_.omega->data() + bodies_[b].slot;
      read_four(first, second, &Pair3::x, &bodies_[b]);
      read_four(first + kLanes, second + kLanes, &Pair3::y, &bodies_[b]);
      read_four(first + 2 * kLanes, second + 2 * kLanes, &Pair3::z, &bodies_[b]);
    }
  }
  for (std::size_t i = 0; i < active_count_; ++i) {
    const Block& block = blocks_[active_[i]];
    if (!all_move()) {
      move_bodies_of(block);
      for (std::size_t l = block.leads; l < block.leads_end; ++l) read(*lead_[l].body);
    }
    const Pair3 &own = bodies_[block.lane].omega, &before = bodies_[block.before].omega;
    speed_[active_[i]] = {own.x - before.x, own.y - before.y, own.z - before.z};
  }
}

PANTO_INLINE void DecoupledSolver::write_bodies(LaneArray<3>& first, LaneArray<3>& second) noexcept {
  if (all_move()) {
    for (std::size_t i = 0; i < bodies_.size(); i += 4) {
      double *a = first.data() + bodies_[i].slot, *b = second.data() + bodies_[i].slot;
      write_four(&bodies_[i], &Pair3::x, a, b);
      write_four(&bodies_[i], &Pair3::y, a + kLanes, b + kLanes);
      write_four(&bodies_[i], &Pair3::z, a + 2 * kLanes, b + 2 * kLanes);
    }
    return;
  }
  for (std::size_t i = 0; i < moving_count_; ++i) {
    Body& body = *moving_[i];
    const Pair3& w = body.omega;
    double *a = first.data() + body.slot, *b = second.data() + body.slot;
    a[0] = w.x[0], a[kLanes] = w.y[0], a[2 * kLanes] = w.z[0];
    b[0] = w.x[1], b[kLanes] = w.y[1], b[2 * kLanes] = w.z[1];
    body.moves = false;
  }
}

// Computes how a block opens due to dampers, and the resulting error of its conditions.
PANTO_INLINE void DecoupledSolver::add_conditions(std::size_t q, const LaneArray<3>& rate) noexcept {
  const Block& block = blocks_[q];
  const double *rows = rows_.data(), *joint = joint_.data(), *held = rate.data();
  Pair3 speed = speed_[q];
  for (std::size_t i = block.dampers; i < block.dampers_end; ++i) {
    const double share = damper_[i].share;
    const Pair3& of = *damper_[i].speed;
    speed.x -= share * of.x;
    speed.y -= share * of.y;
    speed.z -= share * of.z;
  }
  for (Condition *k = begin_[q], *end = begin_[q + 1]; k != end; ++k) {
    Condition& own = *k;
    const Vec3 g = vec3_at(rows + own.where, kLanes);
    own.g = g;
    own.pull = g.x * speed.x + g.y * speed.y + g.z * speed.z - joint[own.slot] * held[own.slot];
  }
}

// Computes the condition's row of the factor L Pi L' of their matrix, which describes the effect of one
// multiplier on another, with pivots Pi; and of L Pi t = pull.
PANTO_INLINE void DecoupledSolver::eliminate(Condition& own) noexcept {
  const double* coupling = coupling_.data() + own.couplings;
  double *sums = sums_.data(), *row = own.row;
  double pivot = coupling[own.block] * dot(own.g, own.g);
  Two pull = own.pull;
  for (const Condition* other = own.first; other != &own; ++other) {
    double u = coupling[other->block] * dot(own.g, other->g);
    const std::ptrdiff_t skip = other->first - own.first;  // both rows from the start of the later one
    const double *l = other->row - std::min<std::ptrdiff_t>(skip, 0),
                 *before = sums_.data() + std::max<std::ptrdiff_t>(skip, 0);
    for (; before < sums; ++before, ++l) {
      u -= *before * *l;
    }
    const double share = u * other->inverse;
    pivot -= u * share;
    pull -= u * other->pull;
    *sums++ = u;
    *row++ = share;
  }
  own.inverse = 1.0 / pivot;
  own.reach = kReach * pivot;
  own.pull = own.inverse * pull;
}

PANTO_INLINE void DecoupledSolver::find_multipliers() noexcept {
  for (const Condition* own = begin_.back(); own != condition_.data();) {
    --own;
    const double* row = own->row;
    const Two pull = own->pull;
    for (Condition* other = own->first; other != own; ++other) other->pull -= *row++ * pull;
  }
}

// Computes the rotation of all bodies due to multipliers and dampers.
PANTO_INLINE void DecoupledSolver::turn_bodies() noexcept {
  const double damping = problem_->hinge_damping();
  for (std::size_t i = 0; i < active_count_; ++i) {
    const std::size_t q = active_[i];
    const Block& block = blocks_[q];
    Pair3 torque{};
    if (block.hinge) torque = {damping * speed_[q].x, damping * speed_[q].y, damping * speed_[q].z};
    for (const Condition *k = begin_[q], *end = begin_[q + 1]; k != end; ++k) {
      const Condition& own = *k;
      torque.x += own.g.x * own.pull;
      torque.y += own.g.y * own.pull;
      torque.z += own.g.z * own.pull;
    }
    for (std::size_t l = block.leads; l < block.leads_end; ++l) {
      const double share = lead_[l].share;
      Pair3& omega = lead_[l].body->omega;
      omega.x -= share * torque.x;
      omega.y -= share * torque.y;
      omega.z -= share * torque.z;
    }
  }
}

// Solves the bodies that move by conditions.
PANTO_FOUR_WIDE void DecoupledSolver::hold(LaneArray<3>& first, LaneArray<3>& second) noexcept {
  if (side_ != nullptr || !listed_) list_conditions();
  listed_ = side_ == nullptr;
  read_bodies();
  const LaneArray<3>& rate = side_ != nullptr ? *held_rate_ : nothing_;
  for (std::size_t i = 0; i < active_count_; ++i) add_conditions(active_[i], rate);
  for (Condition *k = condition_.data(), *end = begin_.back(); k != end; ++k) eliminate(*k);
  find_multipliers();
  turn_bodies();
  write_bodies(first, second);
  if (side_ == nullptr) return;
  for (const Condition *k = condition_.data(), *end = begin_.back(); k != end; ++k) {
    const Condition& own = *k;  // that of a missing joint is not used
    beyond_[own.slot] = own.pull[0] * own.reach;
    curvature_[own.slot] = 1.0 / own.reach;
  }
}

void DecoupledSolver::answer(TreeSolution& solution, TreeSolution* companion) noexcept {
  problem_->settle_bodies(*first_.omega, *first_.linear, solution);
  const bool both = companion != nullptr && second_.omega != &nothing_;
  if (both) problem_->settle_bodies(*second_.omega, *second_.linear, *companion);
  if (by_rows()) {
    if (!rows_known_) find_rows(problem_->kinematics(), hinge_, x_turns_, z_missing_, rows_);
    rows_known_ = true;
    LaneArray<3>& second = both ? companion->omega : scratch_;
    const std::size_t held = side_ != nullptr ? find_held(*side_, missing_, held_) : 0;
    if (held > kMany && hinges_.empty()) {
      if (!both) scratch_.fill(0.0);  // torques are added to it
      hold_many(solution.omega, second);
    } else {
      hold(solution.omega, second);
    }
  }
  find_rates(solution);
}

// Computes the joint rates from the bodies.
void DecoupledSolver::find_rates(TreeSolution& solution) noexcept {
  if (by_rows())
    problem_->settle_rates(rows_, solution);
  else
    problem_->settle_rates(solution);
}

void DecoupledSolver::unbound(TreeSolution& solution, TreeSolution* companion) noexcept {
  side_ = nullptr;
  answer(solution, companion);
}

bool DecoupledSolver::minimise(const LaneArray<3>* side, const LaneArray<3>& held_rate,
                               TreeSolution& solution, TreeSolution* companion) noexcept {
  side_ = side;
  held_rate_ = &held_rate;
  answer(solution, companion);
  return find_optima(side != nullptr ? *side : nothing_, held_rate, beyond_, solution.rate, solution.rho);
}

void DecoupledSolver::complete(TreeSolution& companion) noexcept {
  find_rates(companion);
  if (side_ != nullptr) keep_rates(*side_, *held_rate_, companion.rate);
}

}  // namespace panto
