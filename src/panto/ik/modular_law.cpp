// From measurements to angles and rates of all modules, and the resulting bodies.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "panto/base/index.hpp"
#include "panto/ik/modular_inline.hpp"
#include "panto/math/lanes.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kShortWay = 7.0 / 16.0;  // tangent of a way short enough for the short arc tangent
constexpr double kNoLength = 1e-9;        // [m] points closer than this give no direction

// Computes the sine of a way that certainly stays inside: below a quarter turn, no way is longer than pi/2
// times its sine.
PANTO_WIDE void measure_room(const double* from, const double* low, const double* high, std::size_t n,
                             double* room) noexcept {
  for (std::size_t i = 0; i < n; ++i)
    room[i] = std::min(high[i] - from[i], from[i] - low[i]) * (1.0 / module_laws::kQuarterTurn);
}

// Computes the angles of the rotations found. Returns true if every joint may go there for sure: inside its
// speed limit, and able to stop before its limit by any law except tanh, with `braking` of the way's square.
// No branch, four or eight joints at once. The arc tangent is that of `value_of`, for ways below 24 degrees.
PANTO_WIDE bool find_ways(const double* from, const double* sin, const double* cos, const double* to_sin,
                          const double* to_cos, const double* rate, const double* low, const double* high,
                          const double* fast, std::size_t n, double dt, double braking, double* to) noexcept {
  std::int64_t held = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double s = cos[i] * to_sin[i] - sin[i] * to_cos[i], c = cos[i] * to_cos[i] + sin[i] * to_sin[i];
    const double t = s / c, way = t - t * vector_math::atan_tail(t), size = std::abs(way);
    to[i] = from[i] + way;
    const double up = high[i] - from[i], down = from[i] - low[i], left = way > 0.0 ? up : down;
    const bool slow =
        (size <= fast[i] * dt) & (std::abs(rate[i]) <= fast[i]) & (std::abs(s) <= kShortWay * c);
    const bool inside = (size + size * size * braking <= left) & (to[i] > low[i]) & (to[i] < high[i]);
    held += (slow & inside) ? 0 : 1;
  }
  return held == 0;
}

}  // namespace

void ModularSolver::look_between(int row, bool place, const Moment& moment, Sight& sight) const noexcept {
  const Target& now = *sight.at;
  const Target* before = previous_.row(at(row), moment.since);
  sight.rate = place ? mean_linear_velocity(now, before, moment.dt, motion_)
                     : mean_angular_velocity(now, before, moment.dt, motion_);
  sight.rated = true;
  const bool both = before != nullptr && (place ? before->has_position : before->has_orientation);
  if (both && motion_.pairing == Pairing::SameInterval) sight.at = before;
}

void ModularSolver::read_points(const Module& module, const Moment& moment, const FourWide& A,
                                Reading& reading) const noexcept {
  Sight to;
  look(module.direction.to, true, moment, to);
  Sight from;
  if (module.direction.from >= 0) look(module.direction.from, true, moment, from);
  if (to.at == nullptr) return;
  const std::size_t parent = at(module.parent);
  const Vector3d arm = times(N_[parent], place_of(module).centre_P);
  const bool own = from.at == nullptr;  // the point that the module has reached
  const Vector3d p = own ? p_[parent] + arm : from.at->p_WF;
  const Vector3d v = own ? v_[parent] + turning(module.parent).cross(arm) : from.rate;
  const Vector3d E = to.at->p_WF - p;
  const double length = E.norm();
  if (!(length > kNoLength)) return;
  const Vector3d u = E / length;
  const Vector3d u_rate = (to.rate - v - (to.rate - v).dot(u) * u) / length;
  reading.u = seen_from(A, u);
  reading.u_rate = seen_from(A, u_rate - turning(module.parent).cross(u));
  reading.direction = true;
  reading.rated = to.rated && (own || from.rated);
}

void ModularSolver::begin_at(const State& state) noexcept {
  N_[0] = four_wide(state.R_WB);
  p_[0] = state.p_WB;
  w_[0] = four_wide(state.w_WB);
  v_[0] = state.v_WB;
}

// The drift-free law: angles first, then the rates at the instant, if measured. With angles: joint by joint
// inside all bounds; with bare rotations, all are checked afterwards.
template <typename A>
PANTO_INLINE void ModularSolver::solve_angles(const Moment& moment, const State& state) noexcept {
  constexpr bool kCareful = std::is_same_v<A, Angle>;
  begin_at(next_);
  for (const Module& module : modules_) {
    const FourWide frame = frame_before(module);
    const Reading reading = read(module, moment, frame);
    const Three<A> before = turns_of<A>(module);
    Three<A> q = before;
    if (follow(module, reading, q)) {
      if constexpr (kCareful) {
        keep_inside(module, reading, q);
        move(module, q, moment.dt, state);
      }
    } else if (!module.told()) {
      Angles resting = turns_of<Angle>(module);
      rest(module, resting, moment.dt, state);
      for (std::size_t k = 0; k < 3; ++k) q[k] = as<A>(resting[k]);
    }
    Vector3d rate;
    if (!reading.rated || !rates(module, reading, q, 0.0, rate)) {
      for (std::size_t k = 0; k < 3; ++k)
        rate[static_cast<Eigen::Index>(k)] = way(before[k], q[k]) / moment.dt;
    }
    if constexpr (kCareful) publish(module, rate, next_);
    place(module, frame, q, rate);
    if constexpr (!kCareful) keep(module, q, rate);
  }
}

// Also compiled for wide vectors, with everything that a step does.
PANTO_FOUR_WIDE void ModularSolver::solve_freely(const Moment& moment, const State& state) noexcept {
  solve_angles<BareTurn>(moment, state);
}

PANTO_FOUR_WIDE void ModularSolver::solve_carefully(const Moment& moment, const State& state) noexcept {
  solve_angles<Angle>(moment, state);
}

bool ModularSolver::surely_free(double dt) noexcept {
  Slots& s = slots_;
  return find_ways(s.from.data(), s.sin.data(), s.cos.data(), s.to_sin.data(), s.to_cos.data(), s.rate.data(),
                   s.low.data(), s.high.data(), s.fast.data(), s.from.size(), dt, half_slowness_ / (dt * dt),
                   s.to.data());
}

// Almost always, no joint is near a bound: all are checked at once, and only if one is near are they computed
// again with care.
void ModularSolver::step_angles(const Moment& moment, const State& state) noexcept {
  take_turns(state);
  measure_room(slots_.from.data(), slots_.low.data(), slots_.high.data(), slots_.from.size(),
               slots_.room.data());
  solve_freely(moment, state);
  if (surely_free(moment.dt)) {
    give_angles();
  } else {
    report_.active_bounds = report_.clamped = 0;  // modules at rest have counted theirs, and will again
    solve_carefully(moment, state);
  }
}

}  // namespace panto
