#include "panto/ik/integrate.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/four_lanes.hpp"
#include "panto/math/four_wide.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

constexpr double kReadBackMargin = 1e-9;    // [rad] margin for readings beyond the bounds of their rates
constexpr double kWorstSingularity = 0.05;  // |det S| below which a limited triple moves by its rates
constexpr double kLargeTurn = 0.25;         // [rad^2] square of the angle up to which the series is exact

}  // namespace

Integrator::Integrator(const VelocityProblem& problem, const JointLimits& limits, Integration method)
    : blocks_(&problem.blocks()),
      method_(method),
      limits_(&limits),
      N_(problem.blocks().lanes()),
      before_(problem.blocks().lanes()),
      by_rates_(problem.blocks().lanes()),
      moved_(by_rates_),
      change_(by_rates_),
      sin_(by_rates_),
      cos_(by_rates_),
      L_(problem.blocks().lanes()),
      whole_(problem.blocks().lanes()),
      near_(whole_),
      leading_(problem.blocks().lanes() + 1, 0),
      leads_on_(problem.blocks().lanes(), 0),
      elsewhere_(problem.blocks().lanes(), 0) {
  for (std::size_t b = at(blocks_->count()); b-- > 0;) {
    if (problem.may_turn_whole()(0, b) == 0.0 && leads_on_[b] == 0) continue;
    may_turn_ = true;
    leads_on_[at(blocks_->parent[b])] = 1;
  }
}

namespace {

// exp(dt omega) N of every lane from chunk `first` on. Returns the square of the largest rotation [rad^2]; up
// to `kLargeTurn` the series have no error.
PANTO_WIDE double turn_bodies(const LaneArray<9>& N, const LaneArray<3>& omega, double dt, std::size_t first,
                              LaneArray<9>& next) noexcept {
  double largest[kLanes] = {};
  for (std::size_t c = first; c < N.chunk_count(); ++c) {
    const Chunk<9>& now = N.chunk(c);
    const Chunk<3>& w = omega.chunk(c);
    Chunk<9>& out = next.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Vec3 v = dt * vec3(w, l);
      const double xx = v.x * v.x, yy = v.y * v.y, zz = v.z * v.z, x = xx + yy + zz;
      largest[l] = x > largest[l] ? x : largest[l];
      // sin(a)/a and (1 - cos(a))/a^2 of x = a^2
      const double a =
          1.0 + x * (-1.0 / 6.0 +
                     x * (1.0 / 120.0 +
                          x * (-1.0 / 5040.0 +
                               x * (1.0 / 362880.0 + x * (-1.0 / 39916800.0 + x * (1.0 / 6227020800.0))))));
      const double b =
          0.5 + x * (-1.0 / 24.0 +
                     x * (1.0 / 720.0 +
                          x * (-1.0 / 40320.0 + x * (1.0 / 3628800.0 +
                                                     x * (-1.0 / 479001600.0 + x * (1.0 / 87178291200.0))))));
      // I + a hat(v) + b hat(v)^2
      const Vec3 av = a * v, bv = b * v;
      const double xy = bv.x * v.y, xz = bv.x * v.z, yz = bv.y * v.z;
      const Mat3 turn{{1.0 - b * (yy + zz), xy + av.z, xz - av.y},
                      {xy - av.z, 1.0 - b * (xx + zz), yz + av.x},
                      {xz + av.y, yz - av.x, 1.0 - b * (xx + yy)}};
      store(turn * mat3(now, l), out, l);
    }
  }
  return *std::max_element(std::begin(largest), std::end(largest));
}

// Change from an angle with sine s and cosine c to that of the point (x, y): sine and cosine of a multiple,
// and 1 if it is small.
inline void change_to(double y, double x, double s, double c, double& across, double& along,
                      double& small) noexcept {
  const double cosine = x * c + y * s;
  across = y * c - x * s;
  const double room = kLargestSmallTangent * cosine - std::abs(across);
  small = room > 0.0 ? small : 0.0;
  along = room > 0.0 ? cosine : 1.0;
}

// Angles of N = N_P Q R_x(a) R_y(b) R_z(c) as small changes from the current ones, by their tangents: the
// same branch, without full turns to undo. `near` is 0 where that is impossible: near gimbal lock and for
// large rotations.
PANTO_WIDE void read_changes(const LaneArray<9>& before, const LaneArray<9>& N, const LaneArray<3>& sin,
                             const LaneArray<3>& cos, LaneArray<3>& tangent, LaneArray<1>& near) noexcept {
  for (std::size_t c = 0; c < N.chunk_count(); ++c) {
    const Chunk<9>&P = before.chunk(c), &C = N.chunk(c);
    const Chunk<3>&s = sin.chunk(c), &k = cos.chunk(c);
    Chunk<3>& out = tangent.chunk(c);
    Chunk<1>& flag = near.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      // only the first row and the last column of R = N_P' N are needed
      const Mat3 A = mat3(P, l), B = mat3(C, l);
      const double r00 = dot(A.x, B.x), r01 = dot(A.x, B.y), r02 = dot(A.x, B.z);
      const double r12 = dot(A.y, B.z), r22 = dot(A.z, B.z);
      const double side = k.v[1][l] < 0.0 ? -1.0 : 1.0;
      const double cos_b = std::sqrt(r00 * r00 + r01 * r01);
      double good = cos_b < kWorstSingularity ? 0.0 : 1.0;
      Vec3 across, along;
      change_to(-side * r12, side * r22, s.v[0][l], k.v[0][l], across.x, along.x, good);
      change_to(r02, side * cos_b, s.v[1][l], k.v[1][l], across.y, along.y, good);
      change_to(-side * r01, side * r00, s.v[2][l], k.v[2][l], across.z, along.z, good);
      // one division for three: a division costs as much as twenty multiplications
      const double yz = along.y * along.z, inverse = 1.0 / (along.x * yz), x_over_all = inverse * along.x;
      store({across.x * (inverse * yz), across.y * (x_over_all * along.z), across.z * (x_over_all * along.y)},
            out, l);
      flag.v[0][l] = good;
    }
  }
}

// never from inside to outside; from outside never further out
PANTO_WIDE int move_joints(const double* s, const double* rate, const double* lower, const double* upper,
                           double dt, std::size_t n, double* moved) noexcept {
  int clamped = 0;
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const double wanted = s[i] + dt * rate[i];
    const double top = upper[i] > s[i] ? upper[i] : s[i], bottom = lower[i] < s[i] ? lower[i] : s[i];
    const double low = wanted < top ? wanted : top, in = low > bottom ? low : bottom;
    clamped += std::abs(in - wanted) > 1e-12 ? 1 : 0;
    moved[i] = in;
  }
  return clamped;
}

// Chooses triples without a held joint to rotate as one. Returns their number.
PANTO_WIDE int choose_whole(const LaneArray<1>& may, const LaneArray<3>& working_set,
                            LaneArray<1>& whole) noexcept {
  double counts[kLanes] = {};
  for (std::size_t c = 0; c < whole.chunk_count(); ++c) {
    const Chunk<1>& can = may.chunk(c);
    const Chunk<3>& side = working_set.chunk(c);
    Chunk<1>& out = whole.chunk(c);
#pragma GCC ivdep
#pragma GCC unroll 1
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Vec3 held = vec3(side, l);
      const double free = dot(held, held) == 0.0 ? 1.0 : 0.0;
      out.v[0][l] = free * can.v[0][l];
      counts[l] += free * can.v[0][l];
    }
  }
  return static_cast<int>(sum_of(counts));
}

// Takes the reading if the block may rotate as one, was read as a small change and ends within the range of
// its rates. Returns false if a block that may rotate so does not.
PANTO_WIDE bool choose_readings(const TreeProblem& problem, const JointLimits& limits,
                                const LaneArray<3>& now, const LaneArray<3>& change, double dt,
                                const LaneArray<1>& whole, LaneArray<1>& near,
                                LaneArray<3>& position) noexcept {
  double refused[kLanes] = {};
  for (std::size_t c = 0; c < now.chunk_count(); ++c) {
    const Chunk<3>&s = now.chunk(c), &d = change.chunk(c);
    const Chunk<3>&lower = problem.lower.chunk(c), &upper = problem.upper.chunk(c);
    const double* low = limits.lower().data() + c * 3 * kLanes;
    const double* high = limits.upper().data() + c * 3 * kLanes;
    const Chunk<1>& one = whole.chunk(c);
    Chunk<1>& flag = near.chunk(c);
    Chunk<3>& out = position.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      double inside = one.v[0][l] * flag.v[0][l];
      const auto end_of = [&](std::size_t k) {
        const double x = d.v[k][l], end = s.v[k][l] + x;
        const double fast = x - (upper.v[k][l] * dt + kReadBackMargin);
        const double slow = (lower.v[k][l] * dt - kReadBackMargin) - x;
        const double above = end - high[k * kLanes + l], below = low[k * kLanes + l] - end;
        inside = fast > 0.0 ? 0.0 : inside;
        inside = slow > 0.0 ? 0.0 : inside;
        inside = above > 0.0 ? 0.0 : inside;
        inside = below > 0.0 ? 0.0 : inside;
        return end;
      };
      const double x = end_of(0), y = end_of(1), z = end_of(2);
      flag.v[0][l] = inside;
      refused[l] += one.v[0][l] - inside;
      const Vec3 old = vec3(out, l);
      store({inside != 0.0 ? x : old.x, inside != 0.0 ? y : old.y, inside != 0.0 ? z : old.z}, out, l);
    }
  }
  return sum_of(refused) == 0.0;
}

// N = N_P Q L of a block whose L is lane `turn`.
PANTO_INLINE void turn_one(const Blocks& blocks, std::size_t b, const LaneArray<9>& L, std::size_t turn,
                           LaneArray<9>& N) noexcept {
  const double* p = N.data() + LaneArray<9>::index(0, at(blocks.parent[b]));
  const auto column = [](const double* v) PANTO_INLINE_LAMBDA {
    return FourWideVector{{v[0], v[kLanes], v[2 * kLanes], 0.0}};
  };
  FourWide P{column(p).v, column(p + 3 * kLanes).v, column(p + 6 * kLanes).v};
  if (blocks.turned[b] != 0) P = times(P, blocks.Q[b].data());
  const double* l = L.data() + LaneArray<9>::index(0, turn);
  double* out = N.data() + LaneArray<9>::index(0, b);
  for (std::size_t k = 0; k < 9 * kLanes; k += 3 * kLanes) {
    const FourWide::Column v = P.x * l[k] + P.y * l[k + kLanes] + P.z * l[k + 2 * kLanes];
    out[k] = v[0], out[k + kLanes] = v[1], out[k + 2 * kLanes] = v[2];
  }
}

// The first `count` blocks in `some`, each after its parent; their rotations are the first lanes of L.
PANTO_FOUR_WIDE void turn_some(const Blocks& blocks, const std::vector<std::size_t>& some, std::size_t count,
                               const LaneArray<9>& L, LaneArray<9>& N) noexcept {
  for (std::size_t i = 0; i < count; ++i) turn_one(blocks, some[i], L, i, N);
}

}  // namespace

// Rotates a block by the rates of its joints.
void Integrator::turn_block(std::size_t b) noexcept {
  store(vec3(by_rates_, b), moved_, b);
  turn_one(*blocks_, b, L_, b, N_);
}

// Takes the reading on the nearest branch, wherever it is. Returns false for a limited triple near gimbal
// lock or beyond its bounds.
bool Integrator::read_far(const VelocityProblem& problem, std::size_t b, double dt) noexcept {
  const Vec3 mu = vec3(problem.blocks().mu, b), now = vec3(problem.kinematics().position(), b);
  const Eigen::Matrix3d N_P = to_eigen(mat3(N_, at(problem.blocks().parent[b])));
  const Eigen::Matrix3d R = (N_P * problem.blocks().Q[b]).transpose() * to_eigen(mat3(N_, b));
  const Eigen::Vector3d read = euler::nearest(R, euler::XYZ, to_eigen(now + mu));
  const Vec3 angles = to_vec3(read) - mu;
  if (!problem.is_ball(b)) {
    if (std::abs(sincos(read[1]).cos) < kWorstSingularity) return false;
    const Vec3 change = angles - now;
    const std::array<double, 3> x{change.x, change.y, change.z}, end{angles.x, angles.y, angles.z};
    for (int k = 0; k < 3; ++k) {
      const std::size_t slot = LaneArray<3>::index(k, b);
      if (x[at(k)] > problem.tree.upper(k, b) * dt + kReadBackMargin ||
          x[at(k)] < problem.tree.lower(k, b) * dt - kReadBackMargin || end[at(k)] > limits_->upper()[slot] ||
          end[at(k)] < limits_->lower()[slot])
        return false;
    }
  }
  store(angles, moved_, b);
  return true;
}

// Moves all joints by their rates.
void Integrator::move(const VelocityProblem& problem, const LaneArray<3>& rate, double dt) noexcept {
  clamped_ = move_joints(problem.kinematics().position().data(), rate.data(), limits_->lower().data(),
                         limits_->upper().data(), dt, moved_.flat_size(), moved_.data());
}

// Rotates each triple as one, moves all others by their rates.
void Integrator::turn_triples(const VelocityProblem& problem, const LaneArray<3>& rate,
                              const LaneArray<3>& working_set, double dt) noexcept {
  const auto count = at(blocks_->count());
  const int whole = may_turn_ ? choose_whole(problem.may_turn_whole(), working_set, whole_) : 0;
  const bool all = whole == blocks_->count();
  if (!all) move(problem, rate, dt);
  if (whole == 0) {
    near_.fill(0.0);
    return;
  }
  any_whole_ = true;
  if (!all) {
    by_rates_ = moved_;
    std::size_t leading = 0;
    for (std::size_t b = 0; b < count; ++b) {  // the orientations of the others are not needed
      leading_[leading] = b;
      leading += whole_(0, b) == 0.0 && leads_on_[b] != 0 ? 1 : 0;
    }
    blocks_->turn(leading_, leading, by_rates_, sin_, cos_, L_);
    turn_some(*blocks_, leading_, leading, L_, N_);
  }
  take_lanes(blocks_->lane_before, N_, before_);
  for (const std::size_t b : blocks_->turned_blocks)
    store(mat3(before_, b) * to_mat3(blocks_->Q[b]), before_, b);
  const BlockKinematics& pose = problem.kinematics();
  read_changes(before_, N_, pose.sin(), pose.cos(), change_, near_);
  atan_small(change_.data(), change_.flat_size(), change_.data());
  if (choose_readings(problem.tree, *limits_, pose.position(), change_, dt, whole_, near_, moved_)) {
    all_whole_ = all;
    return;
  }

  any_refused_ = true;
  // reads those that are no small change one by one; blocks further out then have another parent orientation
  if (all) {
    move(problem, rate, dt);
    by_rates_ = moved_;
    (void)choose_readings(problem.tree, *limits_, pose.position(), change_, dt, whole_, near_, moved_);
  }
  blocks_->turn(by_rates_, sin_, cos_, L_);
  std::fill(elsewhere_.begin(), elsewhere_.end(), static_cast<unsigned char>(0));
  for (std::size_t b = 0; b < count; ++b) {
    const bool hangs_elsewhere = elsewhere_[at(blocks_->parent[b])] != 0;
    if (near_(0, b) != 0.0 && !hangs_elsewhere) continue;
    if (whole_(0, b) == 0.0 && !hangs_elsewhere) continue;
    near_(0, b) = whole_(0, b) != 0.0 && read_far(problem, b, dt) ? 1.0 : 0.0;
    if (near_(0, b) != 0.0) continue;
    turn_block(b);
    elsewhere_[b] = 1;
  }
}

void Integrator::advance(const State& now, const VelocityProblem& problem, const TreeSolution& solution,
                         const LaneArray<3>& working_set, double dt, State& next) noexcept {
  const BlockKinematics& pose = problem.kinematics();
  const auto base = at(blocks_->base());
  const Vec3 omega = vec3(solution.omega, base);
  next.p_WB = now.p_WB + dt * to_eigen(vec3(solution.v, base));
  all_whole_ = any_whole_ = any_refused_ = false;
  clamped_ = 0;
  if (method_ == Integration::SO3) {
    const std::size_t first = may_turn_ ? 0 : base / kLanes;  // without triples only the base
    if (!(turn_bodies(pose.frames(), solution.omega, dt, first, N_) <= kLargeTurn)) {
      for (std::size_t b = first * kLanes; b <= base; ++b) {
        const Eigen::Matrix3d turn = so3::exp(dt * to_eigen(vec3(solution.omega, b)));
        store(to_mat3(turn * to_eigen(mat3(pose.frames(), b))), N_, b);
      }
    }
    next.R_WB = so3::polar_step(to_eigen(mat3(N_, base)));
    store(to_mat3(next.R_WB), N_, base);
    turn_triples(problem, solution.rate, working_set, dt);
  } else {
    // Departure: Eq. (13) prints R (S(w) + A) with w in world axes; S(w) belongs on the left of R
    const Eigen::Matrix3d A =
        0.5 * ((now.R_WB.transpose() * now.R_WB).inverse() - Eigen::Matrix3d::Identity());
    near_.fill(0.0);
    move(problem, solution.rate, dt);
    next.R_WB = now.R_WB + dt * so3::hat(to_eigen(omega)) * now.R_WB + now.R_WB * A;
  }
  blocks_->scatter(moved_, next.s);
}

}  // namespace panto
