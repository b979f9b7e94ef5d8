#include "panto/inertial/chain_smoother.hpp"

#include <Eigen/LU>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/inertial/ball.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

using Matrix9d = Eigen::Matrix<double, 9, 9>;
using Vector9d = Eigen::Matrix<double, 9, 1>;

// a ball's (q, q', q'')
struct Angles {
  Vector3d q, qdot, qddot;
};

// the same in the axes after it
struct Behind {
  Matrix3d R;
  Vector3d w, alpha;
};

Angles angles_of(const ChainLayout::Ball& ball, const ChainMotion& motion) {
  Angles result;
  for (int k = 0; k < 3; ++k) {
    const int u = ball.unknown[at(k)];
    result.q[k] = motion.q[u], result.qdot[k] = motion.qdot[u], result.qddot[k] = motion.qddot[u];
  }
  return result;
}

Behind behind(const ChainLayout& layout, const ChainLayout::Ball& ball, const ChainMotion& motion) {
  const Angles a = angles_of(ball, motion);
  const Matrix3d E = ball::rates(a.q);
  return {layout.rotation(ball, motion), E * a.qdot, E * a.qddot + ball::slopes(a.q, a.qdot).M * a.qdot};
}

Matrix9d slopes_behind(const Angles& a) { return ball::slopes_behind(a.q, a.qdot, a.qddot); }

// returns a motion's angles from `reference`, on the branch near `near`
Angles counted_from(const Matrix3d& reference, const Behind& motion, const Vector3d& near) {
  Angles result;
  result.q = euler::nearest(reference.transpose() * motion.R, euler::XYZ, near);
  const Matrix3d back = ball::rates(result.q).inverse();
  result.qdot = back * motion.w;
  result.qddot = back * (motion.alpha - ball::slopes(result.q, result.qdot).M * result.qdot);
  return result;
}

// rows of a state's vector, in the order of `slopes_behind`
std::array<int, 9> rows_of(const ChainLayout::Ball& ball) {
  std::array<int, 9> rows{};
  for (int k = 0; k < 9; ++k) rows[at(k)] = 3 * ball.unknown[at(k % 3)] + k / 3;
  return rows;
}

// P <- M P M^T in these rows and columns
void turn(const std::array<int, 9>& rows, const Matrix9d& M, MatrixXd& P) {
  P(rows, Eigen::all) = (M * P(rows, Eigen::all)).eval();
  P(Eigen::all, rows) = (P(Eigen::all, rows) * M.transpose()).eval();
}

void require(bool holds, const char* what) {
  if (!holds) throw ConfigError(std::string("chain smoother: ") + what);
}

}  // namespace

ChainSmoother::ChainSmoother(const ChainEkf& filter, const ChainSmootherOptions& options)
    : filter_(filter), options_(options) {}

void ChainSmoother::require_state(const ChainState& state) const {
  require(filter_.fits(state), "the state does not belong to the filter");
}

void ChainSmoother::begin(const ChainState& last) {
  require_state(last);
  smoothed_ = last;
  later_ = last.motion;
  filter_.move_as_before(last);
  begun_ = covariance_smoothed_ = true;
  if (options_.covariance) {
    take_covariance(last.P, last.motion);
  } else {
    smoothed_.P.resize(0, 0);
  }
}

bool ChainSmoother::step_back(const ChainState& filtered) {
  require(begun_, "call `begin` first");
  require_state(filtered);
  const double T = to_seconds(smoothed_.t - filtered.t);
  require(T > 0.0, "give the states in reverse order, the last first");

  // the filter's prediction of the later sample
  VectorXd x(filter_.columns());
  filter_.to_vector(filtered, x);
  P_ = filtered.P;
  filter_.predict(filtered.motion, T, x, P_);
  ChainState predicted = filtered;
  filter_.from_vector(x, predicted);

  // x_k|N = x_k|k + P_k|k F^T P_k+1|k^-1 (x_k+1|N - x_k+1|k)
  bool found = factorise(P_);
  if (found) {
    VectorXd change = solve(difference(predicted.motion, x));
    for (int u = 0; u < filter_.model().layout().unknowns(); ++u)
      change.segment<3>(Eigen::Index{3} * u) =
          (filter_.transition_of(u).transpose() * change.segment<3>(Eigen::Index{3} * u)).eval();
    change = (filtered.P * change).eval();
    found = change.allFinite();
    if (found) correct(filtered, change);
  }
  if (!found) {
    begin(filtered);
    return false;
  }
  if (options_.covariance) smooth_covariance(filtered, predicted.motion);
  later_ = filtered.motion;
  filter_.move_as_before(filtered);
  return true;
}

// smoothed minus predicted, in the unknowns of the prediction. Balls use the rotation vector between the two:
// exact to first order, and for large turns about one axis
VectorXd ChainSmoother::difference(const ChainMotion& predicted, const VectorXd& x) const {
  const ChainLayout& layout = filter_.model().layout();
  VectorXd result(x.size());
  filter_.to_vector(smoothed_, result);
  result -= x;
  for (const ChainLayout::Ball& ball : layout.balls()) {
    const Behind from = behind(layout, ball, predicted), to = behind(layout, ball, smoothed_.motion);
    Vector9d off;
    off << so3::log(from.R.transpose() * to.R), to.w - from.w, to.alpha - from.alpha;
    const Vector9d slope = slopes_behind(angles_of(ball, predicted)).partialPivLu().solve(off);
    result(rows_of(ball)) = slope;
  }
  return result;
}

// Cholesky of the matrix scaled to a diagonal of ones
bool ChainSmoother::factorise(const MatrixXd& P) {
  if (!P.allFinite() || !(P.diagonal().minCoeff() > 0.0)) return false;
  scale_ = P.diagonal().cwiseSqrt().cwiseInverse();
  llt_.compute(scale_.asDiagonal() * P * scale_.asDiagonal());
  return llt_.info() == Eigen::Success;
}

template <typename Columns>
Columns ChainSmoother::solve(const Columns& right) const {
  Columns result = scale_.asDiagonal() * right;
  llt_.solveInPlace(result);
  return scale_.asDiagonal() * result;
}

// the filter's motion changed; constants take their later values
void ChainSmoother::correct(const ChainState& filtered, const VectorXd& change) {
  const ChainLayout& layout = filter_.model().layout();
  const VectorXd turns = smoothed_.mounting;
  const ChainShape shape = smoothed_.shape;
  VectorXd x(change.size());
  filter_.to_vector(filtered, x);
  x += change;
  smoothed_ = filtered;
  if (!options_.covariance) smoothed_.P.resize(0, 0);
  filter_.from_vector(x, smoothed_);
  smoothed_.mounting = turns;
  smoothed_.shape = shape;
  for (const ChainLayout::Ball& ball : layout.balls()) {
    const Behind from = behind(layout, ball, filtered.motion);
    const Vector9d off = slopes_behind(angles_of(ball, filtered.motion)) * change(rows_of(ball));
    ChainMotion& motion = smoothed_.motion;
    motion.reference[at(layout.reference_of(ball))] = so3::polar_step(from.R * so3::exp(off.head<3>()));
    const Vector3d w = from.w + off.segment<3>(3), alpha = from.alpha + off.tail<3>();
    const Vector3d qddot = alpha - ball::slopes(Vector3d::Zero(), w).M * w;
    for (int k = 0; k < 3; ++k) {
      const int u = ball.unknown[at(k)];
      motion.q[u] = 0.0, motion.qdot[u] = w[k], motion.qddot[u] = qddot[k];
    }
  }
}

// P_k|N = P_k|k + C (P_k+1|N - P_k+1|k) C^T, C = P_k|k F^T P_k+1|k^-1. Balls use the filter's derivatives, so
// this is exact for its linearised model. Constants have rows of the identity in C.
void ChainSmoother::smooth_covariance(const ChainState& filtered, const ChainMotion& predicted) {
  const ChainLayout& layout = filter_.model().layout();
  const Eigen::Index n = filter_.columns(), m = filter_.constants(), c = n - m;
  for (const ChainLayout::Ball& ball : layout.balls()) {
    const Matrix3d& reference = predicted.reference[at(layout.reference_of(ball))];
    const Angles there = counted_from(reference, behind(layout, ball, later_), angles_of(ball, predicted).q);
    turn(rows_of(ball), slopes_behind(there).inverse(), S_);
  }
  const MatrixXd constants = S_.bottomRightCorner(c, c);
  S_ -= P_;

  // C^T, (n x m)
  MatrixXd gain = filtered.P.leftCols(m);
  for (int u = 0; u < layout.unknowns(); ++u)
    gain.middleRows<3>(Eigen::Index{3} * u) =
        (filter_.transition_of(u) * gain.middleRows<3>(Eigen::Index{3} * u)).eval();
  gain = solve(gain);

  const MatrixXd change = S_ * gain;
  MatrixXd P = filtered.P;
  P.topLeftCorner(m, m).triangularView<Eigen::Lower>() += gain.transpose() * change;
  P.bottomLeftCorner(c, m) += change.bottomRows(c);
  P.bottomRightCorner(c, c) = constants;
  P.triangularView<Eigen::StrictlyUpper>() = P.transpose();
  // no unknown is known less well than the filter knew it: where linearisation says so, it is wrong
  const VectorXd most = (filtered.P.diagonal().array() / P.diagonal().array()).min(1.0).sqrt();
  P = (most.asDiagonal() * P * most.asDiagonal()).eval();
  covariance_smoothed_ = P.allFinite() && P.diagonal().minCoeff() > 0.0;
  take_covariance(covariance_smoothed_ ? P : filtered.P, filtered.motion);
  // in the unknowns of the smoothed motion
  smoothed_.P = S_;
  for (const ChainLayout::Ball& ball : layout.balls())
    turn(rows_of(ball), slopes_behind(angles_of(ball, smoothed_.motion)).inverse(), smoothed_.P);
}

// the covariance of a motion's unknowns in the axes after its balls
void ChainSmoother::take_covariance(const MatrixXd& P, const ChainMotion& motion) {
  S_ = P;
  for (const ChainLayout::Ball& ball : filter_.model().layout().balls())
    turn(rows_of(ball), slopes_behind(angles_of(ball, motion)), S_);
}

}  // namespace panto
