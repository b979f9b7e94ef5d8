#include "panto/math/so3.hpp"

#include <Eigen/LU>
#include <cmath>

#include "panto/math/vector_math.hpp"

namespace panto::so3 {

Matrix3d hat(const Vector3d& v) noexcept {
  Matrix3d M;
  M << 0.0, -v.z(), v.y(),  //
      v.z(), 0.0, -v.x(),   //
      -v.y(), v.x(), 0.0;
  return M;
}

Vector3d vee(const Matrix3d& M) noexcept { return {M(2, 1), M(0, 2), M(1, 0)}; }

Vector3d vee_skew(const Matrix3d& M) noexcept {
  return 0.5 * Vector3d{M(2, 1) - M(1, 2), M(0, 2) - M(2, 0), M(1, 0) - M(0, 1)};
}

Matrix3d exp(const Vector3d& v) noexcept {
  const double angle2 = v.squaredNorm();
  double a = 0.0, b = 0.0;  // sin(angle)/angle and (1 - cos(angle))/angle^2
  if (angle2 < 1e-8) {
    a = 1.0 - angle2 / 6.0;
    b = 0.5 - angle2 / 24.0;
  } else {
    const double angle = std::sqrt(angle2);
    const SinCos half = sincos(0.5 * angle);
    a = 2.0 * half.sin * half.cos / angle;
    b = 2.0 * half.sin * half.sin / angle2;
  }
  Matrix3d R = b * v * v.transpose();
  const double cosine = 1.0 - b * angle2;
  R.diagonal().array() += cosine;
  R(0, 1) -= a * v.z();
  R(1, 0) += a * v.z();
  R(0, 2) += a * v.y();
  R(2, 0) -= a * v.y();
  R(1, 2) -= a * v.x();
  R(2, 1) += a * v.x();
  return R;
}

Vector3d log(const Matrix3d& R) noexcept {
  const Vector3d s = vee_skew(R);  // u sin(theta)
  const double sine = s.norm();
  const double cosine = 0.5 * (R.trace() - 1.0);
  if (sine < 1e-4 && cosine > 0.0) return (1.0 + sine * sine / 6.0) * s;
  const double theta = atan2(sine, cosine);
  if (cosine > -0.9) return (theta / sine) * s;

  // near pi: (R + R^T)/2 = cos I + (1 - cos) u u^T; take u from the column with the largest diagonal element
  const Matrix3d uu = (0.5 * (R + R.transpose()) - cosine * Matrix3d::Identity()) / (1.0 - cosine);
  Eigen::Index k = 0;
  uu.diagonal().maxCoeff(&k);
  Vector3d u = uu.col(k).normalized();
  if (u.dot(s) < 0.0) u = -u;
  return theta * u;
}

double angle(const Matrix3d& R) noexcept { return atan2(vee_skew(R).norm(), 0.5 * (R.trace() - 1.0)); }

double distance(const Matrix3d& A, const Matrix3d& B) noexcept { return angle(A.transpose() * B); }

Matrix3d polar_step(const Matrix3d& R) noexcept {
  return 0.5 * (R * (3.0 * Matrix3d::Identity() - R.transpose() * R));
}

Matrix3d project(const Matrix3d& M) noexcept {
  Matrix3d R = M;
  for (int i = 0; i < 4; ++i) R = 0.5 * (R + R.inverse().transpose());
  return R;
}

bool is_rotation(const Matrix3d& R, double tolerance) noexcept {
  // a NaN or an infinity anywhere makes the comparison false
  const double error = (R.transpose() * R - Matrix3d::Identity()).cwiseAbs().maxCoeff();
  return R.allFinite() && error <= tolerance && R.determinant() > 0.0;
}

Matrix3d about_axis(int axis, double angle) noexcept {
  const SinCos sc = sincos(angle);
  Matrix3d R = Matrix3d::Identity();
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  R(i, i) = sc.cos;
  R(j, j) = sc.cos;
  R(i, j) = -sc.sin;
  R(j, i) = sc.sin;
  return R;
}

Eigen::Vector4d to_quaternion_wxyz(const Matrix3d& R) noexcept {
  // Shepperd: divide by the largest of the four candidates
  const double trace = R.trace();
  Eigen::Vector4d q;
  Eigen::Index k = 0;
  const double largest = R.diagonal().maxCoeff(&k);
  if (trace >= largest) {
    q << 1.0 + trace, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1);
  } else {
    const auto i = static_cast<int>(k), j = (i + 1) % 3, l = (i + 2) % 3;
    q[0] = R(l, j) - R(j, l);
    q[1 + i] = 1.0 + R(i, i) - R(j, j) - R(l, l);
    q[1 + j] = R(j, i) + R(i, j);
    q[1 + l] = R(l, i) + R(i, l);
  }
  q.normalize();
  return q[0] < 0.0 ? Eigen::Vector4d(-q) : q;
}

Matrix3d from_quaternion_wxyz(const Eigen::Vector4d& q_any) noexcept {
  const double norm = q_any.norm();
  if (!(norm > 0.0) || !std::isfinite(norm)) return Matrix3d::Identity();
  const Eigen::Vector4d q = q_any / norm;
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  Matrix3d R;
  R << 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),  //
      2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),   //
      2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y);
  return R;
}

}  // namespace panto::so3
