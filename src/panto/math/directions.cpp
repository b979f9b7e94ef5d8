#include "panto/math/directions.hpp"

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <numbers>

#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

double angle_between(const Vector3d& a, const Vector3d& b) noexcept {
  return atan2(a.cross(b).norm(), a.dot(b));
}

Vector3d across(const Vector3d& a) noexcept {
  Vector3d x = Vector3d::Zero();
  Eigen::Index least = 0;
  (void)a.cwiseAbs().minCoeff(&least);
  x[least] = 1.0;
  return (x - x.dot(a) * a).normalized();
}

Matrix3d least_turn(const Vector3d& from, const Vector3d& to) noexcept {
  const Vector3d axis = from.cross(to);
  const double sine = axis.norm(), cosine = from.dot(to);
  if (sine < 1e-12) return cosine > 0.0 ? Matrix3d::Identity() : so3::exp(std::numbers::pi * across(from));
  return so3::exp(atan2(sine, cosine) / sine * axis);
}

Matrix3d frame_along(int a, const Vector3d& exact, int b, const Vector3d& about) noexcept {
  const Vector3d u = exact.normalized();
  const Vector3d across = about - u * u.dot(about);
  const double length = across.norm();
  Matrix3d R;
  // false for NaN too
  if (!(length > 1e-9 * about.norm()) || !(exact.squaredNorm() > 0.0)) {
    R.setConstant(std::numeric_limits<double>::quiet_NaN());
    return R;
  }
  const int c = 3 - a - b;
  R.col(a) = u;
  R.col(b) = across / length;
  const bool cyclic = (a + 1) % 3 == b;
  R.col(c) = cyclic ? R.col(a).cross(R.col(b)) : R.col(b).cross(R.col(a));
  return R;
}

Matrix3d nearest_rotation(const Matrix3d& M) {
  const Eigen::JacobiSVD<Matrix3d> svd(M, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Matrix3d D = Matrix3d::Identity();
  D(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0.0 ? -1.0 : 1.0;
  return so3::polar_step(svd.matrixU() * D * svd.matrixV().transpose());
}

Matrix3d part_of_turn(const Matrix3d& A, const Matrix3d& B, double share) noexcept {
  return A * so3::exp(share * so3::log(A.transpose() * B));
}

}  // namespace panto
