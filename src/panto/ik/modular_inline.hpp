#pragma once
// One module in a step: its measurements, angles and rates, and the resulting bodies. Inlined into the loops
// over all modules.

#include <Eigen/Geometry>
#include <algorithm>
#include <type_traits>

#include "panto/base/index.hpp"
#include "panto/ik/modular.hpp"

namespace panto {

PANTO_INLINE void ModularSolver::look(int row, bool place, const Moment& moment,
                                      Sight& sight) const noexcept {
  const Target& now = moment.targets->rows[at(row)];
  if (!(place ? now.has_position : now.has_orientation)) return;
  sight.at = &now;
  if (moment.interval) return look_between(row, place, moment, sight);
  const bool measured = motion_.velocity == VelocitySource::Measured;
  sight.rated = measured && (place ? now.has_linear_velocity : now.has_angular_velocity);
  sight.rate = place ? now.v_WF : now.w_WF;
}

// Everything in the frame A, which rotates with the module's parent: E' = A^T (E_0' - omega x E_0).
// Departure: the paper does not mention the frame's own motion.
PANTO_INLINE ModularSolver::Reading ModularSolver::read(const Module& module, const Moment& moment,
                                                        const FourWide& A) const noexcept {
  Reading reading;
  const Eigen::Vector3d w_P = turning(module.parent);
  if (module.kind == ModuleKind::Spherical) {
    if (module.orientation_row < 0) return reading;
    Sight sight;
    look(module.orientation_row, false, moment, sight);
    if (sight.at == nullptr) return reading;
    const Eigen::Matrix3d R = sight.at->R_WF * module.R_LF.transpose();
    const Eigen::Vector3d w_A = seen_from(A, sight.rate - w_P);
    for (int k = 0; k < 3; ++k) {
      reading.R.col(k) = seen_from(A, R.col(k));
      reading.R_rate.col(k) = w_A.cross(reading.R.col(k));
    }
    reading.orientation = true;
    reading.rated = sight.rated;
    return reading;
  }
  Sight sight;
  Eigen::Vector3d w_A = Eigen::Vector3d::Zero();  // of that row, in A
  if (module.direction.row >= 0) {
    look(module.direction.row, false, moment, sight);
    if (sight.at != nullptr) {
      w_A = seen_from(A, sight.rate - w_P);
      reading.u = seen_from(A, sight.at->R_WF * module.direction.d_F);
      reading.u_rate = w_A.cross(reading.u);
      reading.direction = true;
      reading.rated = sight.rated;
    }
  } else if (module.direction.to >= 0) {
    read_points(module, moment, A, reading);
  }
  // the axis helps if the direction leaves the pan open
  if (!reading.direction) return reading;
  reading.told = confidence(module_laws::across2(reading.u), regularisation_);
  if (module.axis_row >= 0 && !(module.direction_first && reading.told >= 1.0)) {
    if (module.axis_row != module.direction.row) {
      sight.at = nullptr;
      look(module.axis_row, false, moment, sight);
      if (sight.at != nullptr) w_A = seen_from(A, sight.rate - w_P);
    }
    if (sight.at != nullptr) {
      reading.axis = seen_from(A, sight.at->R_WF * module.axis_F);
      reading.axis_rate = w_A.cross(reading.axis);
      reading.tilt_axis = true;
      if (!module.direction_first) reading.told = 0.0;
      reading.rated = reading.rated && sight.rated;
    }
  }
  return reading;
}

// Share of the way to the tilt axis: all of it if nothing else determines the pan, a little if the direction
// contributes, which then wins in the end.
PANTO_INLINE double ModularSolver::axis_share(const Module& module, const Reading& reading) const noexcept {
  if (!module.direction_first) return 1.0;
  constexpr double kStraight = 0.003,
                   kBent = 0.015;  // of x^2 + y^2: 3 and 7 degrees from the singular direction
  const double straight =
      std::clamp((kBent - module_laws::across2(reading.u)) * (1.0 / (kBent - kStraight)), 0.0, 1.0);
  return (1.0 - reading.told) * (straight + (1.0 - straight) * slow_share_);
}

// The drift-free law.
template <typename A>
PANTO_INLINE bool ModularSolver::follow(const Module& module, const Reading& reading,
                                        Three<A>& q) const noexcept {
  const LimitsOf<A> limits = limits_as<A>(module);
  for (std::size_t k = 0; k < 3; ++k) unwind(q[k], limits, k);
  if (module.kind == ModuleKind::Spherical) {
    if (reading.orientation) q = follow_orientation(reading.R, q, limits, regularisation_);
    return reading.orientation;
  }
  if (!reading.direction) return false;
  const Eigen::Vector3d& u = reading.u;
  if (module.kind == ModuleKind::Hinge) {
    if (u.x() * u.x() + u.z() * u.z() < module_laws::kNoTurn) return false;
    q[1] = tilt_near(u, SinCos{0.0, 1.0}, module.d, q[1]);
    return true;
  }
  PanTiltOf<A> found{q[0], q[1]};
  if (reading.tilt_axis && reading.told < 1.0) {
    found[0] = follow_pan(u, found, module.d, limits, reading.told);
    found[0] = follow_axis(reading.axis, found[0], regularisation_, axis_share(module, reading));
    found[1] = tilt_near(u, found[0].turn, module.d, q[1]);
    unwind(found[0], limits, 0);
    bring_inside(found[1], limits, 1, q[1]);
  } else {
    found = follow_direction(u, found, module.d, limits, reading.told);
  }
  q[0] = found[0];
  q[1] = found[1];
  return true;
}

// Computes rates at the angles q; returns false without measurements. Only feedback needs angles, else
// rotations are enough.
template <typename A>
PANTO_INLINE bool ModularSolver::rates(const Module& module, const Reading& reading, const Three<A>& q,
                                       double gain, Eigen::Vector3d& rate) const noexcept {
  rate.setZero();
  Eigen::Vector3d value = Eigen::Vector3d::Zero();
  if constexpr (std::is_same_v<A, Angle>) value << q[0].value, q[1].value, q[2].value;
  if (module.kind == ModuleKind::Spherical) {
    if (!reading.orientation) return false;
    rate = gain > 0.0 ? spherical_rates(reading.R, reading.R_rate, value, gain, regularisation_)
                      : spherical_rates(reading.R, reading.R_rate, q[2].turn, regularisation_);
    return true;
  }
  if (!reading.direction) return false;
  const Eigen::Vector3d& u = reading.u;
  const PanTilt now{value[0], value[1]};
  if (module.kind == ModuleKind::PanTilt) {
    const bool by_axis = reading.tilt_axis && !module.direction_first;
    if (!by_axis) rate[0] = pan_rate(u, reading.u_rate, now, module.d, gain, regularisation_);
    if (reading.tilt_axis && reading.told < 1.0)
      rate[0] += (1.0 - reading.told) *
                 axis_pan_rate(reading.axis, reading.axis_rate, now.pan, gain, regularisation_);
  }
  rate[1] = gain > 0.0 ? tilt_rate(u, reading.u_rate, now, rate[0], module.d, gain)
                       : tilt_rate(u, reading.u_rate, q[0].turn, rate[0]);
  return true;
}

// Places the last body from the angles, before Q, and computes its motion from the rates. A rotation about a
// coordinate axis only mixes two columns; the third is the axis of the next joint.
template <typename A>
PANTO_INLINE void ModularSolver::place(const Module& module, const FourWide& before, const Three<A>& q,
                                       const Eigen::Vector3d& rate) noexcept {
  const std::size_t parent = at(module.parent), last = at(module.last);
  FourWide::Column w = w_[parent].v;
  FourWide N = before;
  if (module.kind != ModuleKind::Hinge) {
    w += rate[0] * N.z;
    N_[at(module.body[0])] = N = turned_about_z(N, q[0].turn);
  }
  w += rate[1] * N.y;
  N = turned_about_y(N, q[1].turn);
  if (module.kind == ModuleKind::Spherical) {
    N_[at(module.body[1])] = N;
    w += rate[2] * N.x;
    N = turned_about_x(N, q[2].turn);
  }
  N_[last] = N;
  w_[last].v = w;
  if (!points_matter_) return;
  const Eigen::Vector3d to = times(N_[parent], place_of(module).centre_P),
                        back = times(N, place_of(module).centre);
  p_[last] = p_[parent] + to - back;
  v_[last] = v_[parent] + turning(module.parent).cross(to) - turning(module.last).cross(back);
}

}  // namespace panto
