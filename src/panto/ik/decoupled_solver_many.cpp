// If every block is a triple and many have a held joint: solves condition by condition from the tips inwards,
// and back.

#include <cstring>

#include "panto/base/index.hpp"
#include "panto/ik/decoupled_solver.hpp"
#include "panto/math/four_lanes.hpp"

namespace panto {
namespace {

// Sums the numbers of a, b and c.
PANTO_INLINE void sums(const Four& a, const Four& b, const Four& c, Four& out) noexcept {
  const Four ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Four cc = __builtin_shufflevector(c, c, 0, 4, 2, 6) + __builtin_shufflevector(c, c, 1, 5, 3, 7);
  out = __builtin_shufflevector(ab, cc, 0, 1, 4, 5) + __builtin_shufflevector(ab, cc, 2, 3, 6, 7);
}

// Copies each of the first three numbers four times.
PANTO_INLINE void spread(const Four& v, Four& x, Four& y, Four& z) noexcept {
  x = __builtin_shufflevector(v, v, 0, 0, 0, 0);
  y = __builtin_shufflevector(v, v, 1, 1, 1, 1);
  z = __builtin_shufflevector(v, v, 2, 2, 2, 2);
}

template <typename Columns>
PANTO_INLINE void multiply(const Columns& A, const double* g, Four& out) noexcept {
  out = A.x * g[0] + A.y * g[kLanes] + A.z * g[2 * kLanes];
}

// A -= share v w'
template <typename Columns>
PANTO_INLINE void lower(Columns& A, double share, const Four& v, const Four& w) noexcept {
  Four x, y, z;
  spread(w, x, y, z);
  A.x -= share * (x * v);
  A.y -= share * (y * v);
  A.z -= share * (z * v);
}

}  // namespace

// x, y, z and 0 of what a question asks, for four bodies.
PANTO_INLINE void DecoupledSolver::ask_four(const double* omega, std::size_t question,
                                            FreeBody* bodies) noexcept {
  Four x, y, z;
  std::memcpy(&x, omega, sizeof x);
  std::memcpy(&y, omega + kLanes, sizeof y);
  std::memcpy(&z, omega + 2 * kLanes, sizeof z);
  const Four nothing{};
  const Four xy = __builtin_shufflevector(x, y, 0, 4, 2, 6),
             of_xy = __builtin_shufflevector(x, y, 1, 5, 3, 7);
  const Four z_ = __builtin_shufflevector(z, nothing, 0, 4, 2, 6),
             of_z = __builtin_shufflevector(z, nothing, 1, 5, 3, 7);
  bodies[0].turn[question] = __builtin_shufflevector(xy, z_, 0, 1, 4, 5);
  bodies[1].turn[question] = __builtin_shufflevector(of_xy, of_z, 0, 1, 4, 5);
  bodies[2].turn[question] = __builtin_shufflevector(xy, z_, 2, 3, 6, 7);
  bodies[3].turn[question] = __builtin_shufflevector(of_xy, of_z, 2, 3, 6, 7);
}

// Computes the bodies without conditions.
PANTO_INLINE void DecoupledSolver::free_bodies() noexcept {
  for (std::size_t b = 0; b < free_.size(); b += 4) {
    ask_four(first_.omega->data() + bodies_[b].slot, 0, &free_[b]);
    ask_four(second_.omega->data() + bodies_[b].slot, 1, &free_[b]);
  }
  for (std::size_t b = 0; b < yield_.size(); ++b) {
    const double yield = yield_[b];
    free_[b].yield = {yield * Four{1.0, 0.0, 0.0, 0.0}, yield * Four{0.0, 1.0, 0.0, 0.0},
                      yield * Four{0.0, 0.0, 1.0, 0.0}};
    torque_[b] = Pair3{};
  }
}

// Handles one condition after the other: response of each body to a torque, and its rotation, including all
// conditions after it. Within a block, M is the response of the relative rotation of both bodies, X the part
// of the body before.
PANTO_INLINE void DecoupledSolver::hold_inwards() noexcept {
  HeldJoint* next = held_joint_.data();
  const double *rate = held_rate_->data(), *rows = rows_.data();
  const std::vector<int>& parent = problem_->tree.parent;
  std::size_t active = 0;
  for (std::size_t q = problem_->tree.base; q-- > 0;) {
    const double sum = held_(0, q);
    if (sum == 0.0) continue;
    first_held_[active] = next;
    active_[active++] = q;
    const Numbers& numbers = kNumbers[static_cast<unsigned>(sum)];
    const FreeBody& own = free_[q];
    FreeBody& before = free_[at(parent[q])];
    Columns P = before.yield, X = P, M{own.yield.x + P.x, own.yield.y + P.y, own.yield.z + P.z};
    Four first = before.turn[0], second = before.turn[1];
    Four d = own.turn[0] - first, e = own.turn[1] - second;
    for (std::size_t k = 0;;) {
      const std::size_t slot = bodies_[q].slot + numbers.number[k] * kLanes;
      const double* row = rows + LaneArray<9>::index(0, q) + numbers.number[k] * 3 * kLanes;
      const Four g{row[0], row[kLanes], row[2 * kLanes], 0.0};
      Four u, b, off;
      multiply(M, row, u);
      multiply(X, row, b);
      sums(u * g, d * g, e * g, off);
      const double pivot = off[0], inverse = 1.0 / pivot;
      const Four pull = (off - Four{0.0, rate[slot], rate[slot], 0.0}) * inverse;
      *next++ = {g, u * inverse, b * inverse, pull, kReach * pivot, slot};
      Four one, t, s;
      spread(pull, one, t, s);
      lower(P, inverse, b, b);
      first += b * t, second += b * s;
      if (++k == numbers.count) break;
      lower(M, inverse, u, u);
      lower(X, inverse, b, u);
      d -= u * t, e -= u * s;
    }
    before = {P, {first, second}};
  }
  first_held_[active] = next;
  active_count_ = active;
}

// Computes multipliers, given the torque on the body before, and the resulting torques.
PANTO_INLINE void DecoupledSolver::hold_outwards() noexcept {
  for (std::size_t i = active_count_; i-- > 0;) {
    const std::size_t q = active_[i];
    Pair3 &own = torque_[q], &before = torque_[at(problem_->tree.parent[q])];
    const Pair3 p = before;
    Pair3 f{};
    for (const HeldJoint *k = first_held_[i + 1], *first = first_held_[i]; k != first;) {
      --k;
      Two pull{k->pull[1], k->pull[2]};
      pull -=
          (k->u[0] * f.x + k->u[1] * f.y + k->u[2] * f.z) + (k->b[0] * p.x + k->b[1] * p.y + k->b[2] * p.z);
      f.x += k->g[0] * pull;
      f.y += k->g[1] * pull;
      f.z += k->g[2] * pull;
      beyond_[k->slot] = pull[0] * k->reach;
      curvature_[k->slot] = 1.0 / k->reach;
    }
    own = {own.x - f.x, own.y - f.y, own.z - f.z};
    before = {p.x + f.x, p.y + f.y, p.z + f.z};
  }
}

// Adds the bodies' responses to the torques on them.
PANTO_INLINE void DecoupledSolver::add_torques(LaneArray<3>& first, LaneArray<3>& second) noexcept {
  for (std::size_t b = 0; b < free_.size(); b += 4) {
    Four yield;
    std::memcpy(&yield, &yield_[b], sizeof yield);
    const std::size_t slot = bodies_[b].slot;
    add_four(yield, &torque_[b], &Pair3::x, first.data() + slot, second.data() + slot);
    add_four(yield, &torque_[b], &Pair3::y, first.data() + slot + kLanes, second.data() + slot + kLanes);
    add_four(yield, &torque_[b], &Pair3::z, first.data() + slot + 2 * kLanes,
             second.data() + slot + 2 * kLanes);
  }
}
PANTO_INLINE void DecoupledSolver::add_four(const Four& yield, const Pair3* torque, Two Pair3::*number,
                                            double* first, double* second) noexcept {
  Four a, b, own, other;
  part(torque[0].*number, torque[1].*number, torque[2].*number, torque[3].*number, own, other);
  std::memcpy(&a, first, sizeof a);
  std::memcpy(&b, second, sizeof b);
  a += yield * own;
  b += yield * other;
  std::memcpy(first, &a, sizeof a);
  std::memcpy(second, &b, sizeof b);
}

PANTO_FOUR_WIDE void DecoupledSolver::hold_many(LaneArray<3>& first, LaneArray<3>& second) noexcept {
  free_bodies();
  hold_inwards();
  hold_outwards();
  add_torques(first, second);
}

}  // namespace panto
