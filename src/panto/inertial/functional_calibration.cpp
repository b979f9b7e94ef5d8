#include "panto/inertial/functional_calibration.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/math/so3.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr int kRounds = 60;
constexpr double kLongestSpan = 0.12;  // [s] over which a rate is differenced
constexpr double kLeastShown =
    1e-12;  // relative to the largest eigenvalue of the normal equations; smaller ones are undetermined

// readings of both sensors at one instant
struct Instant {
  Vector3d w1, w2, a1, a2;
  Matrix3d G1, G2;
};

Matrix3d rotation_part(const Vector3d& w, const Vector3d& wdot) noexcept {
  const Matrix3d W = so3::hat(w);
  return so3::hat(wdot) + W * W;
}

bool both(const ImuSample& sample, const SensorPair& pair) noexcept {
  const ImuReading &first = sample.imus[pair.first], &second = sample.imus[pair.second];
  const auto given = [](const ImuReading& r) {
    return r.has_gyro && r.has_acc && r.gyro.allFinite() && r.acc.allFinite();
  };
  return given(first) && given(second);
}

// selects samples with a neighbour on either side in which the sensors turn
std::vector<Instant> instants(std::span<const ImuSample> samples, const SensorPair& pair, double moving) {
  std::vector<Instant> result;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (std::max(pair.first, pair.second) >= samples[i].imus.size() || pair.first == pair.second) {
      throw ConfigError("functional calibration: the samples have " + std::to_string(samples[i].imus.size()) +
                        " sensors, not the two different ones " + std::to_string(pair.first) + " and " +
                        std::to_string(pair.second));
    }
    if (i == 0 || i + 1 == samples.size()) continue;
    if (!both(samples[i - 1], pair) || !both(samples[i], pair) || i + 1 >= samples.size()) continue;
    if (samples[i + 1].imus.size() != samples[i].imus.size() || !both(samples[i + 1], pair)) continue;
    const double span = to_seconds(samples[i + 1].t - samples[i - 1].t);
    if (!(span > 0.0 && span <= kLongestSpan)) continue;
    const auto slope = [&](std::size_t k) -> Vector3d {
      return (samples[i + 1].imus[k].gyro - samples[i - 1].imus[k].gyro) / span;
    };
    Instant now;
    now.w1 = samples[i].imus[pair.first].gyro - pair.first_bias;
    now.w2 = samples[i].imus[pair.second].gyro - pair.second_bias;
    if (std::max(now.w1.norm(), now.w2.norm()) < moving) continue;
    now.a1 = samples[i].imus[pair.first].acc;
    now.a2 = samples[i].imus[pair.second].acc;
    now.G1 = rotation_part(now.w1, slope(pair.first));
    now.G2 = rotation_part(now.w2, slope(pair.second));
    result.push_back(now);
  }
  return result;
}

// least squares of one residual per instant
struct Sum {
  MatrixXd A;
  VectorXd b;
  double cost = 0.0;
};
using Residual = std::function<double(const Instant&, const VectorXd&, VectorXd&)>;  // value, fills the slope

Sum sum_of(const std::vector<Instant>& data, const VectorXd& p, const Residual& residual, int size) {
  Sum sum{MatrixXd::Zero(size, size), VectorXd::Zero(size)};
  VectorXd slope(size);
  for (const Instant& now : data) {
    const double r = residual(now, p, slope);
    sum.A.noalias() += slope * slope.transpose();
    sum.b -= r * slope;
    sum.cost += r * r;
  }
  return sum;
}

// Levenberg and Marquardt; `move` applies a step
struct Fit {
  VectorXd p;
  Sum sum;
};
Fit minimise(const std::vector<Instant>& data, VectorXd p, int size, const Residual& residual,
             const std::function<VectorXd(const VectorXd&, const VectorXd&)>& move) {
  Fit fit{std::move(p), {}};
  fit.sum = sum_of(data, fit.p, residual, size);
  double damping = 1e-3;
  for (int round = 0; round < kRounds && damping < 1e9; ++round) {
    MatrixXd A = fit.sum.A;
    A.diagonal() += damping * (A.diagonal().array() + 1e-9 * A.diagonal().maxCoeff() + 1e-12).matrix();
    const VectorXd step = A.partialPivLu().solve(fit.sum.b);
    const VectorXd next = move(fit.p, step);
    Sum there = sum_of(data, next, residual, size);
    if (there.cost < fit.sum.cost) {
      const bool settled = fit.sum.cost - there.cost < 1e-12 * fit.sum.cost;
      fit = {next, std::move(there)};
      damping = std::max(damping * 0.2, 1e-12);
      if (settled) break;
    } else {
      damping *= 5.0;
    }
  }
  return fit;
}

// covariance of the fit, if residuals were independent; undetermined directions get a very large variance
MatrixXd covariance_of(const Sum& sum, double rms) {
  const SymmetricEigen<Eigen::Dynamic> eigen = symmetric_eigen(sum.A);
  const VectorXd inverse = eigen.values.cwiseMax(kLeastShown).cwiseInverse();
  return rms * rms * eigen.vectors * inverse.asDiagonal() * eigen.vectors.transpose();
}

// standard deviation in the worst direction
double worst_sigma(const MatrixXd& covariance) {
  return std::sqrt(std::max(symmetric_eigen(covariance).values.maxCoeff(), 0.0));
}

// returns two unit vectors perpendicular to a third
Eigen::Matrix<double, 3, 2> across(const Vector3d& j) {
  Eigen::Matrix<double, 3, 2> T;
  T.col(0) = j.unitOrthogonal();
  T.col(1) = j.cross(T.col(0));
  return T;
}

double axis_residual(const Instant& now, const VectorXd& p, VectorXd& slope) {
  const Vector3d j1 = p.head<3>(), j2 = p.tail<3>();
  const Vector3d c1 = now.w1.cross(j1), c2 = now.w2.cross(j2);
  const double n1 = std::max(c1.norm(), 1e-9), n2 = std::max(c2.norm(), 1e-9);
  slope.head<2>() = across(j1).transpose() * c1.cross(now.w1) / n1;
  slope.tail<2>() = -(across(j2).transpose() * c2.cross(now.w2) / n2);
  return n1 - n2;
}

VectorXd turned_axes(const VectorXd& p, const VectorXd& step) {
  VectorXd next(6);
  next.head<3>() = (p.head<3>() + across(p.head<3>()) * step.head<2>()).normalized();
  next.tail<3>() = (p.tail<3>() + across(p.tail<3>()) * step.tail<2>()).normalized();
  return next;
}

double centre_residual(const Instant& now, const VectorXd& p, VectorXd& slope) {
  const Vector3d c1 = now.a1 + now.G1 * p.head<3>(), c2 = now.a2 + now.G2 * p.tail<3>();
  const double n1 = std::max(c1.norm(), 1e-9), n2 = std::max(c2.norm(), 1e-9);
  slope.head<3>() = now.G1.transpose() * c1 / n1;
  slope.tail<3>() = -(now.G2.transpose() * c2 / n2);
  return n1 - n2;
}

std::string too_few(int samples, const FunctionalOptions& options) {
  return "only " + counted(samples, "sample") + (samples == 1 ? " moves" : " move") + " enough, " +
         std::to_string(options.least) +
         " are needed: bend and stretch the joint for 10 s, faster and further";
}

}  // namespace

HingeAxis find_hinge_axis(std::span<const ImuSample> samples, const SensorPair& pair,
                          const Vector3d& near_first, const Vector3d& near_second,
                          const FunctionalOptions& options) {
  if (!(near_first.norm() > 0.0 && near_second.norm() > 0.0))
    throw ConfigError("functional calibration: nominal directions of axes must not be zero");
  const std::vector<Instant> data = instants(samples, pair, options.moving);
  HingeAxis axis;
  axis.first = near_first.normalized();
  axis.second = near_second.normalized();
  axis.samples = static_cast<int>(data.size());
  if (axis.samples < options.least) {
    axis.advice = too_few(axis.samples, options);
    return axis;
  }
  // the nominal axes, and every pair of coordinate axes: the sum has several minima
  Fit best;
  for (int start = -1; start < 9; ++start) {
    VectorXd p(6);
    p << axis.first, axis.second;
    if (start >= 0) p << Vector3d::Unit(start / 3), Vector3d::Unit(start % 3);
    Fit fit = minimise(data, p, 4, axis_residual, turned_axes);
    if (start < 0 || fit.sum.cost < best.sum.cost) best = std::move(fit);
  }
  for (const Instant& now : data) axis.rate += std::max(now.w1.norm(), now.w2.norm()) / axis.samples;
  axis.first = best.p.head<3>() * (best.p.head<3>().dot(near_first) < 0.0 ? -1.0 : 1.0);
  axis.second = best.p.tail<3>() * (best.p.tail<3>().dot(near_second) < 0.0 ? -1.0 : 1.0);
  axis.residual = std::sqrt(best.sum.cost / axis.samples);
  const MatrixXd covariance = covariance_of(best.sum, axis.residual);
  axis.sigma = worst_sigma(covariance);
  axis.first_sigma = worst_sigma(covariance.topLeftCorner<2, 2>());
  axis.second_sigma = worst_sigma(covariance.bottomRightCorner<2, 2>());
  if (axis.residual > options.axis_residual * axis.rate) {
    axis.advice = "the joint did not turn about one axis: bend and stretch only this joint";
  } else if (axis.sigma > options.axis_sigma) {
    axis.advice = "the motion does not show the axis: turn the whole limb while bending the joint";
  }
  axis.good = axis.advice.empty();
  return axis;
}

JointCentre find_joint_centre(std::span<const ImuSample> samples, const SensorPair& pair,
                              const FunctionalOptions& options) {
  const std::vector<Instant> data = instants(samples, pair, options.moving);
  JointCentre centre;
  centre.samples = static_cast<int>(data.size());
  if (centre.samples < options.least) {
    centre.advice = too_few(centre.samples, options);
    return centre;
  }
  const Fit fit = minimise(data, VectorXd::Zero(6), 6, centre_residual,
                           [](const VectorXd& p, const VectorXd& step) -> VectorXd { return p + step; });
  centre.first = fit.p.head<3>();
  centre.second = fit.p.tail<3>();
  centre.residual = std::sqrt(fit.sum.cost / centre.samples);
  const MatrixXd covariance = covariance_of(fit.sum, centre.residual);
  centre.sigma = worst_sigma(covariance);
  centre.first_covariance = covariance.topLeftCorner<3, 3>();
  centre.second_covariance = covariance.bottomRightCorner<3, 3>();
  if (centre.residual > options.centre_residual) {
    centre.advice = "the two sensors disagree about the joint: fasten them better and repeat";
  } else if (centre.sigma > options.centre_sigma) {
    centre.advice = "the motion does not show the centre: turn the joint about all its axes, faster";
  }
  centre.good = centre.advice.empty();
  return centre;
}

}  // namespace panto
