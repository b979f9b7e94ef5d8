#include "panto/synthesis/motion_law.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"
#include "panto/motion/joint_curves.hpp"

namespace panto {

using Eigen::Quaterniond;
using Eigen::Vector3d;
using Eigen::Vector4d;

namespace {

// rows of the curves: joints, base position, base quaternion (w, x, y, z)
Eigen::MatrixXd rows_of(const Motion& motion, const Model& model) {
  Eigen::MatrixXd rows(model.dof() + 7, static_cast<Eigen::Index>(motion.states.size()));
  Vector4d before = Vector4d::Zero();
  for (std::size_t k = 0; k < motion.states.size(); ++k) {
    const State& state = motion.states[k];
    if (state.s.size() != model.dof()) {
      throw ConfigError("state " + std::to_string(k) + " of the motion has " +
                        counted(state.s.size(), "joint") + ", model '" + model.name() + "' has " +
                        std::to_string(model.dof()));
    }
    Vector4d q = so3::to_quaternion_wxyz(state.R_WB);
    if (q.dot(before) < 0.0) q = -q;  // the shorter way
    before = q;
    rows.col(static_cast<Eigen::Index>(k)) << state.s, state.p_WB, q;
  }
  return rows;
}

Quaterniond quaternion(const Vector4d& wxyz) { return {wxyz[0], wxyz[1], wxyz[2], wxyz[3]}; }

// computes R, w and alpha of q / |q| from q and its two derivatives
void turn(const JointCurvePoint& at, State& state, StateAcceleration& acceleration) {
  const Vector4d q = at.q.tail<4>(), dq = at.dq.tail<4>(), ddq = at.ddq.tail<4>();
  const double n = q.norm(), dn = q.dot(dq) / n;
  const double ddn = (dq.squaredNorm() + q.dot(ddq) - dn * dn) / n;
  const Vector4d u = q / n;
  const Vector4d du = (dq - u * dn) / n;
  const Vector4d ddu = (ddq - 2.0 * du * dn - u * ddn) / n;
  // u' = w u / 2 in world axes, so w = 2 u' u*; the scalar part of u'' u* + u' u'* is zero
  const Quaterniond back = quaternion(u).conjugate();
  state.R_WB = so3::from_quaternion_wxyz(u);
  state.w_WB = 2.0 * (quaternion(du) * back).vec();
  acceleration.alpha_WB = 2.0 * (quaternion(ddu) * back).vec();
}

}  // namespace

MotionLaw motion_law(const Motion& motion, const Model& model) {
  if (motion.states.size() < 2) {
    throw ConfigError("curves through a motion need at least two states; it has " +
                      std::to_string(motion.states.size()));
  }
  std::vector<Time> stamps;
  for (const State& state : motion.states) stamps.push_back(state.t);
  const Eigen::VectorXd none = Eigen::VectorXd::Constant(model.dof() + 7, kInfinity);
  const JointCurves curves(stamps, rows_of(motion, model), -none, none, 0.0);
  const Eigen::Index n = model.dof();
  return [curves, n, first = stamps.front(), point = JointCurvePoint()](
             Time t, State& state, StateAcceleration& acceleration) mutable {
    const double wanted = to_seconds(t - first);
    const double time = std::min(std::max(wanted, 0.0), curves.duration());
    const int k = curves.interval(time);
    curves.at_share(k, (time - curves.time(k)) / (curves.time(k + 1) - curves.time(k)), point);
    if (time != wanted) {
      point.dq.setZero();
      point.ddq.setZero();
    }
    state.t = t;
    state.s = point.q.head(n);
    state.sdot = point.dq.head(n);
    acceleration.sddot = point.ddq.head(n);
    state.p_WB = point.q.segment<3>(n);
    state.v_WB = point.dq.segment<3>(n);
    acceleration.a_WB = point.ddq.segment<3>(n);
    turn(point, state, acceleration);
  };
}

}  // namespace panto
