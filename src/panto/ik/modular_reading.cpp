// What the targets say to a module, in the frame that it hangs on.

#include <Eigen/Geometry>

#include "panto/base/index.hpp"
#include "panto/ik/modular.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kNoLength = 1e-9;  // [m] between two points: no direction

}  // namespace

ModularSolver::Sight ModularSolver::look(int row, bool place, const Moment& moment) const noexcept {
  const Target& now = moment.targets->rows[at(row)];
  Sight sight;
  if (!(place ? now.has_position : now.has_orientation)) return sight;
  sight.at = &now;
  if (!moment.interval) {
    const bool measured = motion_.velocity == VelocitySource::Measured;
    sight.rated = measured && (place ? now.has_linear_velocity : now.has_angular_velocity);
    sight.rate = place ? now.v_WF : now.w_WF;
    return sight;
  }
  const Target* before = previous_.row(at(row), moment.since);
  sight.rate = place ? mean_linear_velocity(now, before, moment.dt, motion_)
                     : mean_angular_velocity(now, before, moment.dt, motion_);
  sight.rated = true;
  const bool both = before != nullptr && (place ? before->has_position : before->has_orientation);
  if (both && motion_.pairing == Pairing::SameInterval) sight.at = before;
  return sight;
}

// Everything in the frame A, which turns with the module's parent: E' = A^T (E_0' - omega x E_0). Departure:
// the paper says nothing of the frame's own motion.
ModularSolver::Reading ModularSolver::read(const Module& module, const Moment& moment,
                                           const Matrix3d& A) const noexcept {
  Reading reading;
  const Vector3d& w_P = w_[at(module.parent)];
  if (module.kind == ModuleKind::Spherical) {
    if (module.orientation_row < 0) return reading;
    const Sight sight = look(module.orientation_row, false, moment);
    if (sight.at == nullptr) return reading;
    reading.R.noalias() = A.transpose() * (sight.at->R_WF * module.R_LF.transpose());
    reading.R_rate.noalias() = so3::hat(A.transpose() * (sight.rate - w_P)) * reading.R;
    reading.orientation = true;
    reading.rated = sight.rated;
    return reading;
  }
  if (module.direction.row >= 0) {
    const Sight sight = look(module.direction.row, false, moment);
    if (sight.at != nullptr) {
      reading.u.noalias() = A.transpose() * (sight.at->R_WF * module.direction.d_F);
      reading.u_rate = (A.transpose() * (sight.rate - w_P)).cross(reading.u);
      reading.direction = true;
      reading.rated = sight.rated;
    }
  } else if (module.direction.to >= 0) {
    read_points(module, moment, A, reading);
  }
  // the axis helps where the direction does not tell the pan
  const double s = reading.u.x() * reading.u.x() + reading.u.y() * reading.u.y();
  if (module.axis_row >= 0 && reading.direction && !(module.direction_first && s >= regularisation_.outer)) {
    const Sight sight = look(module.axis_row, false, moment);
    if (sight.at != nullptr) {
      reading.axis.noalias() = A.transpose() * (sight.at->R_WF * module.axis_F);
      reading.axis_rate = (A.transpose() * (sight.rate - w_P)).cross(reading.axis);
      reading.tilt_axis = true;
      reading.rated = reading.rated && sight.rated;
    }
  }
  return reading;
}

void ModularSolver::read_points(const Module& module, const Moment& moment, const Matrix3d& A,
                                Reading& reading) const noexcept {
  const Sight to = look(module.direction.to, true, moment);
  Sight from;
  if (module.direction.from >= 0) from = look(module.direction.from, true, moment);
  if (to.at == nullptr) return;
  const std::size_t parent = at(module.parent);
  const Vector3d arm = R_[parent] * module.centre_P;
  const bool own = from.at == nullptr;  // the point where the module has come to
  const Vector3d p = own ? p_[parent] + arm : from.at->p_WF;
  const Vector3d v = own ? v_[parent] + w_[parent].cross(arm) : from.rate;
  const Vector3d E = to.at->p_WF - p;
  const double length = E.norm();
  if (!(length > kNoLength)) return;
  const Vector3d u = E / length;
  const Vector3d u_rate = (to.rate - v - (to.rate - v).dot(u) * u) / length;
  reading.u.noalias() = A.transpose() * u;
  reading.u_rate.noalias() = A.transpose() * (u_rate - w_[parent].cross(u));
  reading.direction = true;
  reading.rated = to.rated && (own || from.rated);
}

}  // namespace panto
