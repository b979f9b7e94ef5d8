#include "panto/inertial/chain_process.hpp"

#include <cmath>

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

using Matrix6d = Eigen::Matrix<double, 6, 6>;

// Taylor's series of M / 2^k, squared k times; the norm of M / 2^k is at most 1/8, so that 15 terms are exact
Matrix6d exponential(const Matrix6d& M) noexcept {
  const double norm = M.cwiseAbs().rowwise().sum().maxCoeff();
  int halvings = 0;
  double scale = 1.0;
  for (; norm * scale > 0.125 && halvings < 60; ++halvings) scale *= 0.5;
  Matrix6d result = Matrix6d::Identity(), term = Matrix6d::Identity();
  for (int n = 1; n <= 15; ++n) {
    term = (term * M * (scale / n)).eval();
    result += term;
  }
  for (int i = 0; i < halvings; ++i) result = (result * result).eval();
  return result;
}

}  // namespace

ChainTransition transition(const ChainProcess& process, double T) noexcept {
  ChainTransition result;
  const double size2 = process.size * process.size, pole = 1.0 / process.time;
  if (process.kind == ChainProcess::Kind::WhiteIncrements) {
    const Vector3d G{T * T / 2.0, T, 1.0};
    result.F << 1.0, T, T * T / 2.0, 0.0, 1.0, T, 0.0, 0.0, 1.0;
    result.Q = size2 * G * G.transpose();
    return result;
  }
  // q''' = -pull . (q, q', q'') + white noise of this spectral density
  Vector3d pull = Vector3d::Zero();
  double density = size2;
  if (process.kind == ChainProcess::Kind::Singer) {
    pull[2] = pole;
    density = 2.0 * size2 * pole;
  } else if (process.kind == ChainProcess::Kind::Tethered) {
    pull << pole * pole * pole, 3.0 * pole * pole, 3.0 * pole;
    density = 16.0 * pole * size2 / 3.0;
  }
  Matrix3d A;
  A << 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, -pull.transpose();
  // exp([[-A, S], [0, A^T]] T) holds F^T and F^-1 Q
  Matrix6d M = Matrix6d::Zero();
  M.topLeftCorner<3, 3>() = -A;
  M.bottomRightCorner<3, 3>() = A.transpose();
  M(2, 5) = density;
  const Matrix6d E = exponential(M * T);
  result.F = E.bottomRightCorner<3, 3>().transpose();
  const Matrix3d Q = result.F * E.topRightCorner<3, 3>();
  result.Q = 0.5 * (Q + Q.transpose());
  return result;
}

}  // namespace panto
