#include "panto/inertial/ball.hpp"

#include <Eigen/LU>

#include "panto/math/euler.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::ball {

namespace {

struct Turns {
  SinCos y, z;  // the first angle has no effect in the axes after the last hinge
};

Turns turns(const Vector3d& q) noexcept { return {sincos(q[1]), sincos(q[2])}; }

}  // namespace

Matrix3d rates(const Vector3d& q) noexcept {
  const auto [y, z] = turns(q);
  Matrix3d E;
  E << y.cos * z.cos, z.sin, 0.0,  //
      -y.cos * z.sin, z.cos, 0.0,  //
      y.sin, 0.0, 1.0;
  return E;
}

Slopes slopes(const Vector3d& q, const Vector3d& u) noexcept {
  const auto [y, z] = turns(q);
  const Vector3d w = rates(q) * u;
  // derivatives of M by q1 and q2; the one by q0 is zero
  const Vector3d by_1 = Vector3d{-y.sin * z.cos, y.sin * z.sin, y.cos} * u[0];
  const Vector3d by_2{w[1], -w[0], 0.0};
  const Vector3d by_12 = Vector3d{y.sin * z.sin, y.sin * z.cos, 0.0} * u[0];
  const Vector3d by_11 = Vector3d{-y.cos * z.cos, y.cos * z.sin, -y.sin} * u[0];

  Slopes result;
  result.M << Vector3d::Zero(), by_1, by_2;
  // k = by_1 u1 + by_2 u2
  result.k_q << Vector3d::Zero(), by_11 * u[1] + by_12 * u[2],
      by_12 * u[1] + Vector3d{-w[0], -w[1], 0.0} * u[2];
  result.k_u = result.M;
  result.k_u.col(0) += Vector3d{-y.sin * z.cos, y.sin * z.sin, y.cos} * u[1] +
                       Vector3d{-y.cos * z.sin, -y.cos * z.cos, 0.0} * u[2];
  result.k_u.col(1) += Vector3d{z.cos, -z.sin, 0.0} * u[2];
  return result;
}

Eigen::Matrix<double, 9, 9> slopes_behind(const Vector3d& q, const Vector3d& qdot,
                                          const Vector3d& qddot) noexcept {
  const Matrix3d E = rates(q);
  const Slopes velocity = slopes(q, qdot);
  // w = E q', alpha = E q'' + k(q, q')
  Eigen::Matrix<double, 9, 9> J;
  J.setZero();
  J.block<3, 3>(0, 0) = J.block<3, 3>(3, 3) = J.block<3, 3>(6, 6) = E;
  J.block<3, 3>(3, 0) = velocity.M;
  J.block<3, 3>(6, 0) = slopes(q, qddot).M + velocity.k_q;
  J.block<3, 3>(6, 3) = velocity.k_u;
  return J;
}

Rebased rebase(const Vector3d& q, const Vector3d& qdot, const Vector3d& qddot) noexcept {
  const Matrix3d E = rates(q);
  const Slopes here = slopes(q, qdot);
  const Vector3d w = E * qdot, alpha = E * qddot + here.M * qdot;
  const Slopes there = slopes(Vector3d::Zero(), w);

  Rebased result;
  result.qdot = w;
  result.qddot = alpha - there.M * w;
  // the new angles p start at zero: q'_new = E(p)^-1 w, q''_new = E(p)^-1 (alpha - k(p, q'_new))
  auto& J = result.jacobian;
  J.setZero();
  J.block<3, 3>(0, 0) = J.block<3, 3>(3, 3) = J.block<3, 3>(6, 6) = E;
  J.block<3, 3>(3, 0) = here.M - there.M * E;
  J.block<3, 3>(6, 0) = slopes(q, qddot).M + here.k_q -
                        (slopes(Vector3d::Zero(), result.qddot).M + there.k_q) * E -
                        there.k_u * J.block<3, 3>(3, 0);
  J.block<3, 3>(6, 3) = here.k_u - there.k_u * E;
  return result;
}

Eigen::Matrix<double, 9, 9> carried(const Motion& from, const Motion& to, bool outside) noexcept {
  const auto behind = slopes_behind(to.q, to.qdot, to.qddot);
  Eigen::Matrix<double, 9, 9> J = slopes_behind(from.q, from.qdot, from.qddot);
  if (outside) {
    const Matrix3d turn =
        euler::to_rotation(to.q, euler::XYZ).transpose() * euler::to_rotation(from.q, euler::XYZ);
    J.block<3, 3>(0, 0) = turn * J.block<3, 3>(0, 0);
  }
  // behind^-1 J: blocks on and below the diagonal
  const Matrix3d inverse = behind.block<3, 3>(0, 0).inverse();
  for (Eigen::Index row = 0; row < 3; ++row) {
    for (Eigen::Index known = 0; known < row; ++known)
      J.middleRows<3>(3 * row) -= behind.block<3, 3>(3 * row, 3 * known) * J.middleRows<3>(3 * known);
    J.middleRows<3>(3 * row) = (inverse * J.middleRows<3>(3 * row)).eval();
  }
  return J;
}

}  // namespace panto::ball
