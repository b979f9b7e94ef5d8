#include "panto/motion/joint_curves.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"

namespace panto {

using Eigen::VectorXd;

namespace {

constexpr double kRowMet = 1e-9;  // relative to a row's terms: rounding
constexpr int kHalvings = 4;      // of slopes, before they become zero
constexpr int kRounds = 50;

}  // namespace

JointCurves::JointCurves(std::span<const Time> t, Eigen::MatrixXd q, const VectorXd& lower,
                         const VectorXd& upper, double rest_speed, const std::vector<CurveRow>& rows)
    : q_(std::move(q)) {
  if (q_.cols() != static_cast<Eigen::Index>(t.size()))
    throw ConfigError("joint curves: " + counted(static_cast<std::int64_t>(t.size()), "stamp") + " for " +
                      counted(q_.cols(), "sample"));
  if (lower.size() != q_.rows() || upper.size() != q_.rows())
    throw ConfigError("joint curves: limits of " + counted(lower.size(), "joint") + " for " +
                      std::to_string(q_.rows()));
  for (int k = 0; k < samples(); ++k) {
    if (k > 0 && t[at(k)] <= t[at(k - 1)])
      throw ConfigError("joint curves: the stamp of frame " + std::to_string(k) +
                        " is not after the one before it");
    if (!q_.col(k).allFinite())
      throw ConfigError("joint curves: a sample of frame " + std::to_string(k) + " is not finite");
    time_.push_back(to_seconds(t[at(k)] - t[0]));
  }
  fit(rest_speed);
  for (int i = 0; i < joints(); ++i) stay_inside(i, lower[i], upper[i]);
  stay_inside(rows, lower, upper);
}

// Slopes d of the spline:  d_(k-1)/h_(k-1) + 2 (1/h_(k-1) + 1/h_k) d_k + d_(k+1)/h_k
//                          = 3 (rise_(k-1)/h_(k-1) + rise_k/h_k),  rise_k = (q_(k+1) - q_k)/h_k,
// with given slopes at the ends. Diagonally dominant: elimination needs no pivots.
void JointCurves::fit(double rest_speed) {
  const int n = samples();
  d_ = Eigen::MatrixXd::Zero(joints(), n);
  if (n < 2) return;
  const auto rise = [&](int k) { return ((q_.col(k + 1) - q_.col(k)) / length(k)).eval(); };
  d_.col(0) = rise(0);
  d_.col(n - 1) = rise(n - 2);
  if (n > 2) {
    d_.col(0) += (rise(0) - rise(1)) * (length(0) / (length(0) + length(1)));
    d_.col(n - 1) += (rise(n - 2) - rise(n - 3)) * (length(n - 2) / (length(n - 2) + length(n - 3)));
  }
  for (const int end : {0, n - 1})
    for (int i = 0; i < joints(); ++i)
      if (std::abs(d_(i, end)) <= rest_speed) d_(i, end) = 0.0;
  std::vector<double> upper(at(n), 0.0);  // of the eliminated matrix
  for (int k = 1; k + 1 < n; ++k) {
    const double before = 1.0 / length(k - 1), behind = 1.0 / length(k);
    const double pivot = 2.0 * (before + behind) - before * upper[at(k - 1)];
    upper[at(k)] = behind / pivot;
    d_.col(k) = (3.0 * (rise(k - 1) * before + rise(k) * behind) - before * d_.col(k - 1)) / pivot;
  }
  for (int k = n - 2; k > 0; --k) d_.col(k) -= upper[at(k)] * d_.col(k + 1);
}

JointCurves::Speed JointCurves::speed(int joint, int k) const noexcept {
  const double a = d_(joint, k), b = d_(joint, k + 1), rise = (q_(joint, k + 1) - q_(joint, k)) / length(k);
  return {a, 6.0 * rise - 4.0 * a - 2.0 * b, 3.0 * (a + b) - 6.0 * rise};
}

// Returns true when the cubic that begins at q with this speed leaves [lower, upper] between samples inside.
bool JointCurves::leaves(const Speed& v, double q, double h, double lower, double upper) noexcept {
  const auto outside = [&](double x) {
    if (!(x > 0.0 && x < 1.0)) return false;
    const double value = q + h * x * (v.c0 + x * (v.c1 / 2.0 + x * v.c2 / 3.0));
    return value < lower || value > upper;
  };
  // zero of the speed, in the form without cancellation
  const double root = v.c1 * v.c1 - 4.0 * v.c2 * v.c0;
  if (!(root >= 0.0)) return false;
  const double s = -0.5 * (v.c1 + std::copysign(std::sqrt(root), v.c1));
  return (v.c2 != 0.0 && outside(s / v.c2)) || (s != 0.0 && outside(v.c0 / s));
}

// An interval is cut back at most once: slopes only shrink, and it stays monotone then. After the cut it may
// still exceed a limit by rounding.
void JointCurves::stay_inside(int joint, double lower, double upper) {
  if (!(std::isfinite(lower) || std::isfinite(upper))) return;
  std::vector<int> open;
  for (int k = samples() - 2; k >= 0; --k) open.push_back(k);
  while (!open.empty()) {
    const int k = open.back();
    open.pop_back();
    const double a = q_(joint, k), b = q_(joint, k + 1);
    if (!leaves(speed(joint, k), a, length(k), std::min({lower, a, b}), std::max({upper, a, b}))) continue;
    const double most = 3.0 * (b - a) / length(k);
    bool cut = false;
    for (const int end : {k, k + 1}) {
      const double slope = std::clamp(d_(joint, end), std::min(0.0, most), std::max(0.0, most));
      cut = cut || slope != d_(joint, end);
      d_(joint, end) = slope;
    }
    if (!cut) continue;
    if (k > 0) open.push_back(k - 1);
    if (k + 2 < samples()) open.push_back(k + 1);
  }
}

// The same of a sum of joints, beyond rounding.
bool JointCurves::leaves(const CurveRow& row, int k) const noexcept {
  Speed sum{0.0, 0.0, 0.0};
  double a = 0.0, b = 0.0, largest = 1.0;
  for (const auto& [joint, coefficient] : row.terms) {
    const Speed v = speed(joint, k);
    sum = {sum.c0 + coefficient * v.c0, sum.c1 + coefficient * v.c1, sum.c2 + coefficient * v.c2};
    a += coefficient * q_(joint, k);
    b += coefficient * q_(joint, k + 1);
    largest =
        std::max({largest, std::abs(coefficient * q_(joint, k)), std::abs(coefficient * q_(joint, k + 1))});
  }
  const double rounding = kRowMet * largest;
  return leaves(sum, a, length(k), std::min({row.lower, a, b}) - rounding,
                std::max({row.upper, a, b}) + rounding);
}

// Samples are inside, and so is every straight line between two of them, which all joints follow without
// slopes.
void JointCurves::stay_inside(const std::vector<CurveRow>& rows, const VectorXd& lower,
                              const VectorXd& upper) {
  bool again = true;
  for (int round = 0; again && round < kRounds; ++round) {
    again = false;
    const double share = round < kHalvings ? 0.5 : 0.0;
    for (const CurveRow& row : rows) {
      for (int k = 0; k + 1 < samples(); ++k) {
        if (!leaves(row, k)) continue;
        again = true;
        for (const auto& term : row.terms) d_.row(term.first).segment(k, 2) *= share;
      }
    }
    if (!again) break;
    for (const CurveRow& row : rows)
      for (const auto& term : row.terms) stay_inside(term.first, lower[term.first], upper[term.first]);
  }
}

int JointCurves::interval(double time) const noexcept {
  const auto behind = std::upper_bound(time_.begin(), time_.end(), time);
  return std::clamp(static_cast<int>(behind - time_.begin()) - 1, 0, samples() - 2);
}

void JointCurves::at_share(int k, double share, JointCurvePoint& point) const {
  point.q.resize(joints());
  point.dq.resize(joints());
  point.ddq.resize(joints());
  const double h = length(k);
  for (int i = 0; i < joints(); ++i) {
    const Speed v = speed(i, k);
    point.ddq[i] = (v.c1 + 2.0 * share * v.c2) / h;
    // from the nearer sample, so that both are met exactly
    if (share <= 0.5) {
      point.q[i] = q_(i, k) + h * share * (v.c0 + share * (v.c1 / 2.0 + share * v.c2 / 3.0));
      point.dq[i] = v(share);
    } else {
      const double rest = 1.0 - share, end = d_(i, k + 1), c1 = -v.c1 - 2.0 * v.c2;
      point.q[i] = q_(i, k + 1) - h * rest * (end + rest * (c1 / 2.0 + rest * v.c2 / 3.0));
      point.dq[i] = end + rest * (c1 + rest * v.c2);
    }
  }
}

double JointCurves::peak_speed(int joint, int k, double from, double to) const noexcept {
  const Speed v = speed(joint, k);
  double peak = std::max(std::abs(v(from)), std::abs(v(to)));
  const double turn = -0.5 * v.c1 / v.c2;  // NaN or far away for a straight line
  if (turn > from && turn < to) peak = std::max(peak, std::abs(v(turn)));
  return peak;
}

CurvePeak JointCurves::peak_speed(int joint) const {
  CurvePeak peak;
  for (int k = 0; k + 1 < samples(); ++k) {
    const Speed v = speed(joint, k);
    const auto look = [&](double x) {
      if (x >= 0.0 && x <= 1.0 && std::abs(v(x)) > peak.value)
        peak = {std::abs(v(x)), time(k) + x * length(k)};
    };
    look(0.0);
    look(1.0);
    look(-0.5 * v.c1 / v.c2);
  }
  return peak;
}

CurvePeak JointCurves::peak_acceleration(int joint) const {
  CurvePeak peak;
  for (int k = 0; k + 1 < samples(); ++k) {
    const Speed v = speed(joint, k);
    const double first = std::abs(v.c1) / length(k), last = std::abs(v.c1 + 2.0 * v.c2) / length(k);
    if (first > peak.value) peak = {first, time(k)};
    if (last > peak.value) peak = {last, time(k + 1)};
  }
  return peak;
}

}  // namespace panto
