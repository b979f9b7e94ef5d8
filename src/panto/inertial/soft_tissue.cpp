#include "panto/inertial/soft_tissue.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "panto/base/error.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr std::size_t kMostNear = 2000;  // readings on either side: a wrong rate must not cost their square

// Readings [first, end) without a gap.
struct Stretch {
  std::size_t first = 0, end = 0;
};

// Returns the weight of a sample at a distance from the middle of a window [Hann].
double weight(double off, double half) noexcept {
  return half > 0.0 ? 0.5 + 0.5 * sincos(std::numbers::pi * off / half).cos : 1.0;
}

std::vector<Stretch> stretches(std::span<const Time> times, std::span<const ImuReading> readings,
                               double window) {
  std::vector<Stretch> result;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (!readings[i].has_gyro || !readings[i].has_acc) continue;
    const bool goes_on =
        !result.empty() && result.back().end == i && to_seconds(times[i] - times[i - 1]) < 0.5 * window;
    if (!goes_on) result.push_back({i, i});
    result.back().end = i + 1;
  }
  return result;
}

class Steadying {
 public:
  Steadying(std::span<const Time> times, std::span<const ImuReading> readings, const Stretch& stretch,
            double window)
      : times_(times), readings_(readings), stretch_(stretch), half_(0.5 * window) {
    // orientation relative to the first reading: a reading's rate is that of the interval before it
    R_.push_back(Matrix3d::Identity());
    for (std::size_t i = stretch.first + 1; i < stretch.end; ++i)
      R_.push_back(so3::polar_step(R_.back() * so3::exp(seconds(i - 1, i) * readings[i].gyro)));
  }

  // replaces the readings of the stretch in `result`
  void write(std::vector<ImuReading>& result) const {
    Matrix3d before = Matrix3d::Identity();
    for (std::size_t i = stretch_.first; i < stretch_.end; ++i) {
      const Matrix3d R = mean(i, result[i]);
      if (i > stretch_.first) result[i].gyro = so3::log(before.transpose() * R) / seconds(i - 1, i);
      before = R;
    }
  }

 private:
  [[nodiscard]] double seconds(std::size_t from, std::size_t to) const {
    return to_seconds(times_[to] - times_[from]);
  }

  // The mean orientation about sample i; force and field in its axes.
  Matrix3d mean(std::size_t i, ImuReading& result) const {
    const double half = std::min({half_, seconds(stretch_.first, i), seconds(i, stretch_.end - 1)});
    std::size_t first = i, end = i + 1;
    while (first > stretch_.first && i - first < kMostNear && seconds(first - 1, i) < half) --first;
    while (end < stretch_.end && end - i <= kMostNear && seconds(i, end) < half) ++end;
    Matrix3d R = Matrix3d::Zero();
    Vector3d acc = Vector3d::Zero(), mag = Vector3d::Zero();
    double sum = 0.0, mags = 0.0;
    for (std::size_t k = first; k < end; ++k) {
      const double w = weight(to_seconds(times_[k] - times_[i]), half);
      const Matrix3d& R_k = R_[k - stretch_.first];
      R += w * R_k;
      acc += w * (R_k * readings_[k].acc);
      sum += w;
      if (!readings_[k].has_mag) continue;
      mag += w * (R_k * readings_[k].mag);
      mags += w;
    }
    R = nearest_rotation(R);
    result.acc = R.transpose() * acc / sum;
    if (result.has_mag) result.mag = R.transpose() * mag / mags;
    return R;
  }

  std::span<const Time> times_;
  std::span<const ImuReading> readings_;
  Stretch stretch_;
  double half_;
  std::vector<Matrix3d> R_;  // by sample of the stretch
};

}  // namespace

std::vector<ImuReading> steadied(std::span<const Time> times, std::span<const ImuReading> readings,
                                 double window) {
  if (!(window > 0.0) || !std::isfinite(window))
    throw ConfigError("soft tissue (`steadied`): the window must be > 0 s and finite");
  if (times.size() != readings.size())
    throw ConfigError("soft tissue (`steadied`): " + std::to_string(times.size()) + " times for " +
                      std::to_string(readings.size()) + " readings");
  std::vector<ImuReading> result(readings.begin(), readings.end());
  for (const Stretch& stretch : stretches(times, readings, window))
    Steadying(times, readings, stretch, window).write(result);
  return result;
}

}  // namespace panto
