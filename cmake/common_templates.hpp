#pragma once
// For clang's precompiled headers alone: names the templates that most sources use, so that they are
// instantiated once there and not once a source. Nothing here is called, no code comes of it. Which ones:
// `clang -ftime-trace`.
#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <string>
#include <vector>

namespace panto::common_templates {

inline void products(Eigen::Matrix3d& A, const Eigen::Matrix3d& B, const Eigen::Matrix3d& C) {
  A = B * C;
  A = B.transpose() * C;
  A = B * C.transpose();
  A = A * B * C;
  A = A * B * C.transpose();
  A = A.transpose() * B * C;
  A.noalias() += B * C;
  A += B;
  A -= B;
  A = B + C;
  A = B - C;
  A = 2.0 * B;
  A *= 2.0;
  A = B.transpose();
  A.setZero();
  A = Eigen::Matrix3d::Zero();
  A = Eigen::Matrix3d::Identity();
  const Eigen::Matrix3d D = B * C, E = B.transpose() * C, F = B * C.transpose(), G = B.transpose();
  A(0, 0) = D.trace() + E.determinant() + F.norm() + (B.allFinite() && G.allFinite() ? 1.0 : 0.0);
}

inline void turned(Eigen::Vector3d& x, const Eigen::Matrix3d& A, const Eigen::Vector3d& v,
                   const Eigen::Vector3d& w) {
  x = A * v;
  x += A * v;
  x -= A * v;
  x = v + A * w;
  x = A.transpose() * v;
  x = A * (v - w);
  x = A.transpose() * (v - w);
  const Eigen::Vector3d y = A * v, z = A.transpose() * v, p = A.col(0), q = A.row(0), s = v + A * w;
  x = y + z + p + q + s;
  const Eigen::Quaterniond turn(A);
  const Eigen::Matrix3d back = turn.normalized().toRotationMatrix(), spread = v * w.transpose();
  x = back * x + spread * y + turn * v;
}

inline double vectors(Eigen::Vector3d& x, const Eigen::Vector3d& v, const Eigen::Vector3d& w, double s) {
  x = v + w;
  x = v - w;
  x = s * v;
  x = v / s;
  x = v + s * w;
  x = v - s * w;
  x = (v + w) / 2;
  x += s * v;
  x -= s * v;
  x += v;
  x -= v;
  x *= s;
  x /= s;
  x = -v;
  x = v.cross(w);
  x = v.normalized();
  x.setZero();
  x = Eigen::Vector3d::Zero();
  x = Eigen::Vector3d::UnitZ();
  x << 1, 2, 3;
  const Eigen::Vector3d a = v - w, b = v + w, c = s * v, d = v.cross(w), e = v.normalized();
  return a.norm() + b.squaredNorm() + c.dot(d) + e.maxCoeff() + (v - w).norm() + (v - w).squaredNorm() +
         (v - w).dot(x) + v.cross(w).norm() + v.cwiseAbs().maxCoeff() + v.sum() + (v.allFinite() ? 1.0 : 0.0);
}

inline double lists(Eigen::VectorXd& a, const Eigen::VectorXd& b, Eigen::MatrixXd& A, Eigen::Vector3d& v,
                    Eigen::Matrix3d& R) {
  a = b;
  a += b;
  a -= b;
  a = a - b;
  a = A * b;
  a = A.llt().solve(b);
  a = Eigen::VectorXd::Zero(3);
  a.setZero();
  a.resize(3);
  a.head<3>() = v;
  a.segment<3>(0) = v;
  a.segment(0, 2) = b.segment(0, 2);
  v = b.head<3>();
  v = b.segment<3>(0);
  A = A * A;
  A = A.transpose() * A;
  A = Eigen::MatrixXd::Zero(3, 3);
  A.setZero(3, 3);
  A.col(0) = b;
  A.block<3, 3>(0, 0) = R;
  R = A.block<3, 3>(0, 0);
  return a.dot(b) + a.norm() + a.squaredNorm() + a.maxCoeff() + a.cwiseAbs().maxCoeff() +
         (a.allFinite() ? 1.0 : 0.0);
}

template <typename T>
void list(std::vector<T>& to, const std::vector<T>& from) {
  to = from;
  to.push_back(from[0]);
  to.resize(3);
  to.assign(3, from[0]);
  to.insert(to.end(), from.begin(), from.end());
}

inline std::string text(std::vector<std::string>& words, std::vector<double>& numbers,
                        std::vector<int>& indices, std::vector<Eigen::Vector3d>& vectors,
                        std::vector<Eigen::Matrix3d>& matrices) {
  list(words, words);
  list(numbers, numbers);
  list(indices, indices);
  list(vectors, vectors);
  list(matrices, matrices);
  std::sort(words.begin(), words.end());
  std::sort(numbers.begin(), numbers.end());
  std::sort(indices.begin(), indices.end());
  return "a" + words[0] + "b" + std::to_string(indices[0]);
}

}  // namespace panto::common_templates
