#include "panto/keypoints/point_geometry.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"

namespace panto::keypoints {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kThinnest = 5e-3;  // [m] a cluster whose markers are this close to one line rotates freely
constexpr int kShapeRounds = 4;     // fits to the mean shape; it converges after two or three
constexpr double kSmallestTurn = 0.1;  // [rad] root mean square turn that determines an axis

// distance of points from a common line: the second singular value over the root of their number, from their
// second moments about their mean
double thickness(const Matrix3d& C, int count) noexcept {
  return std::sqrt(std::max(0.0, symmetric_eigen(C).values[1]) / count);
}

double thickness(const std::vector<Vector3d>& points) {
  Vector3d mean = Vector3d::Zero();
  for (const Vector3d& p : points) mean += p;
  mean /= static_cast<double>(points.size());
  Matrix3d C = Matrix3d::Zero();
  for (const Vector3d& p : points) C += (p - mean) * (p - mean).transpose();
  return thickness(C, static_cast<int>(points.size()));
}

}  // namespace

double median(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Vector3d median(const std::vector<Vector3d>& points) {
  Vector3d result;
  std::vector<double> values(points.size());
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < points.size(); ++i) values[i] = points[i][axis];
    result[axis] = median(values);
  }
  return result;
}

RigidCluster::RigidCluster(const std::vector<Vector3d>& frames, int count) {
  if (count < 3) return;
  const std::size_t width = at(count), rows = frames.size() / width;
  const auto row = [&](std::size_t k) { return std::span(frames).subspan(k * width, width); };

  // begin with the first frame that has all markers
  for (std::size_t k = 0; k < rows && shape_.empty(); ++k) {
    const auto markers = row(k);
    if (std::all_of(markers.begin(), markers.end(), [](const Vector3d& p) { return p.allFinite(); }))
      shape_.assign(markers.begin(), markers.end());
  }
  if (shape_.empty() || thickness(shape_) < kThinnest) return;
  usable_ = true;

  for (int round = 0; round < kShapeRounds; ++round) {
    std::vector<Vector3d> sum(width, Vector3d::Zero());
    std::vector<int> seen(width, 0);
    for (std::size_t k = 0; k < rows; ++k) {
      RigidPose pose;
      const auto markers = row(k);
      if (!fit(markers, pose)) continue;
      for (std::size_t i = 0; i < width; ++i) {
        if (!markers[i].allFinite()) continue;
        sum[i] += pose.R.transpose() * (markers[i] - pose.p);
        ++seen[i];
      }
    }
    for (std::size_t i = 0; i < width; ++i) shape_[i] = sum[i] / std::max(1, seen[i]);
  }
  usable_ = thickness(shape_) >= kThinnest;
}

bool RigidCluster::fit(std::span<const Vector3d> markers, RigidPose& pose) const noexcept {
  if (!usable_) return false;
  Vector3d from = Vector3d::Zero(), to = Vector3d::Zero();
  int seen = 0;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    if (!markers[i].allFinite()) continue;
    from += shape_[i];
    to += markers[i];
    ++seen;
  }
  if (seen < 3) return false;
  from /= seen;
  to /= seen;
  Matrix3d H = Matrix3d::Zero(), C = Matrix3d::Zero();
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    if (!markers[i].allFinite()) continue;
    const Vector3d here = shape_[i] - from;
    H += here * (markers[i] - to).transpose();
    C += here * here.transpose();
  }
  // the remaining markers may lie on one line, about which the cluster could rotate freely
  if (!(thickness(C, seen) >= kThinnest)) return false;
  pose.R = nearest_rotation(H.transpose());
  pose.p = to - pose.R * from;
  return pose.R.allFinite() && pose.p.allFinite();
}

namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

// Normal equations of [A, -B] (c_a, c_b) = b - a over the frames.
struct CentreEquations {
  Matrix6 N = Matrix6::Zero();
  Vector6 r = Vector6::Zero();
  double right = 0.0, turned = 0.0;
  int frames = 0;

  CentreEquations(const std::vector<RigidPose>& a, const std::vector<RigidPose>& b) {
    Matrix3d first = Matrix3d::Identity();
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
      if (!a[k].R.allFinite() || !b[k].R.allFinite()) continue;
      Eigen::Matrix<double, 3, 6> M;
      M << a[k].R, -b[k].R;
      const Vector3d d = b[k].p - a[k].p;
      N += M.transpose() * M;
      r += M.transpose() * d;
      right += d.squaredNorm();
      const Matrix3d relative = a[k].R.transpose() * b[k].R;
      if (frames++ == 0) first = relative;
      const double turn = so3::distance(first, relative);
      turned += turn * turn;
    }
  }

  [[nodiscard]] double residual(const Vector6& point) const {
    return std::sqrt(std::max(0.0, right - 2.0 * point.dot(r) + point.dot(N * point)) / std::max(1, frames));
  }
};

}  // namespace

FunctionalAxis functional_axis(const std::vector<RigidPose>& a, const std::vector<RigidPose>& b) {
  const CentreEquations equations(a, b);
  FunctionalAxis result;
  if (equations.frames < 10) return result;

  // the axis is the undetermined direction; the point is the one of least norm across it
  const SymmetricEigen<Eigen::Dynamic> eigen = symmetric_eigen(Eigen::MatrixXd(equations.N));
  const Vector6 axis = eigen.vectors.col(0);
  Vector6 point = Vector6::Zero();
  for (int i = 1; i < 6; ++i) {
    const Vector6 v = eigen.vectors.col(i);
    if (eigen.values[i] > 1e-9 * equations.frames) point += v * v.dot(equations.r) / eigen.values[i];
  }
  result.axis_a = axis.head<3>().normalized();
  result.axis_b = axis.tail<3>().normalized();
  result.point_a = point.head<3>();
  result.point_b = point.tail<3>();
  result.residual = equations.residual(point);
  result.valid = std::sqrt(equations.turned / equations.frames) > kSmallestTurn &&
                 result.axis_a.allFinite() && result.axis_b.allFinite() && point.allFinite();
  return result;
}

FunctionalAxis functional_centre(const std::vector<RigidPose>& a, const std::vector<RigidPose>& b,
                                 const Vector3d& prior_b, double weight) {
  CentreEquations equations(a, b);
  FunctionalAxis result;
  if (equations.frames == 0 || !prior_b.allFinite()) return result;
  Matrix6 N = equations.N;
  Vector6 r = equations.r;
  N.diagonal().tail<3>().array() += weight * equations.frames;
  r.tail<3>() += weight * equations.frames * prior_b;
  const Vector6 point = solve_symmetric(Eigen::MatrixXd(N), r);
  result.point_a = point.head<3>();
  result.point_b = point.tail<3>();
  result.residual = equations.residual(point);
  result.valid = point.allFinite();
  return result;
}

}  // namespace panto::keypoints
