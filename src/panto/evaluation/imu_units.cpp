#include "panto/evaluation/imu_units.hpp"

#include <algorithm>
#include <cmath>

#include "panto/math/degrees.hpp"
#include "panto/math/median.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kGravity = 9.80665;
constexpr Time kBin = 100'000'000, kWindow = 2'000'000'000, kLongestInterval = 200'000'000;  // [ns]
constexpr std::size_t kFewestForces = 10;  // fewest forces of a window that counts
constexpr double kImpossibleRate = 50.0;   // [rad/s]; no body segment turns faster
constexpr double kImpossibleShare = 0.002, kFewestImpossible = 5;
constexpr double kStill = 0.15;  // relative difference of a force from gravity
constexpr double kLeast =
    0.015;  // least significant misfit [rad per bin]: 0.15 rad/s, more than any bias ... of degrees read as
            // radians: 1 deg/s is 0.1 rad per bin then; less may come from a forearm's own acceleration
constexpr double kLeastDegrees = 0.1;
constexpr double kBetter = 4.0;  // factor by which a hypothesis must beat the rates as read (squares)
constexpr double kBetterThanStill = 1.5;  // factor by which degrees must beat no turn at all (squares)
constexpr int kFewestPairs = 5;
constexpr double kLeastForce = 0.5, kMostGravities = 2.0, kLeastSi = 5.0, kMostSi = 60.0;  // medians of norms
constexpr double kLeastThousandths = 400.0, kMostThousandths = 2500.0;

}  // namespace

void ImuUnits::add(const ImuReading& reading, Time t, bool repeats) {
  const Time dt = begun_ ? t - last_ : 0;
  if (!begun_ || dt > kLongestInterval) {
    now_ = before_ = Bin{};
    bin_from_ = t;
    if (!begun_) window_from_ = t;
  }
  begun_ = true;
  last_ = t;
  if (t - bin_from_ >= kBin) {
    close_bin();
    bin_from_ = t;
  }
  if (t - window_from_ >= kWindow) {
    close_window();
    window_from_ = t;
  }
  if (reading.has_gyro) {
    const double rate = reading.gyro.norm();
    largest_rate_ = std::max(largest_rate_.value_or(0.0), rate);
    ++rates_;
    impossible_ += rate > kImpossibleRate ? 1 : 0;
  }
  if (reading.has_acc) norms_.push_back(reading.acc.norm());
  if (repeats) {
    now_ = before_ = Bin{};
    bin_from_ = t;
    return;
  }
  if (!reading.has_gyro || !reading.has_acc) return;
  const double norm = reading.acc.norm();
  now_.least = now_.count == 0 ? norm : std::min(now_.least, norm);
  now_.most = std::max(now_.most, norm);
  now_.force += reading.acc;
  now_.turn += reading.gyro * to_seconds(std::min(dt, kLongestInterval));
  ++now_.count;
}

// in m/s^2 or in g
bool ImuUnits::feels_gravity_alone(const Bin& bin) {
  if (bin.count == 0) return false;
  const auto near = [&](double g) { return bin.least > (1.0 - kStill) * g && bin.most < (1.0 + kStill) * g; };
  return near(kGravity) || near(1.0);
}

// Between bins the direction of gravity turns against the sensor: f_b = exp(-turn) f_a
void ImuUnits::close_bin() {
  if (now_.count > 0) now_.force /= now_.count;
  if (feels_gravity_alone(now_) && feels_gravity_alone(before_)) {
    const Vector3d turn = 0.5 * (before_.turn + now_.turn);
    const Vector3d from = before_.force.normalized(), to = now_.force.normalized();
    const std::array<double, kHypotheses> factors{1.0, kDegree, 1.0 / kDegree};
    for (std::size_t h = 0; h < kHypotheses; ++h)
      misfit_[h] += (so3::exp(-factors[h] * turn) * from - to).squaredNorm();
    misfit_still_ += (from - to).squaredNorm();
    ++pairs_;
  }
  before_ = now_;
  now_ = Bin{};
}

void ImuUnits::close_window() {
  if (norms_.size() >= kFewestForces) medians_.push_back(median(norms_));
  norms_.clear();
  if (pairs_ >= kFewestPairs) {
    const double as_read = misfit_[0] / pairs_;
    std::size_t best = 1;
    if (misfit_[2] < misfit_[1]) best = 2;
    const double least = best == 1 ? kLeastDegrees : kLeast;
    // a force that does not turn is no sign of slow turns: along a pendulum it keeps its direction, whatever
    // the rate
    const bool turns = best != 1 || misfit_still_ > kBetterThanStill * misfit_[1];
    if (turns && as_read > least * least && misfit_[0] > kBetter * misfit_[best]) ++votes_[best];
    // rates that are needed to explain the force are evidence by themselves
    if (misfit_[1] / pairs_ > kLeast * kLeast && misfit_[1] > kBetter * misfit_[0] &&
        misfit_[2] > kBetter * misfit_[0])
      ++votes_[0];
  }
  misfit_ = {};
  misfit_still_ = 0.0;
  pairs_ = 0;
}

RateUnit ImuUnits::rate_unit() const {
  ImuUnits whole = *this;
  whole.close_bin();
  whole.close_window();
  const auto few = std::max(kFewestImpossible, kImpossibleShare * static_cast<double>(whole.rates_));
  if (static_cast<double>(whole.impossible_) > few) return RateUnit::Degrees;
  if (whole.votes_[1] > whole.votes_[0] + whole.votes_[2]) return RateUnit::Degrees;
  if (whole.votes_[2] > whole.votes_[0] + whole.votes_[1]) return RateUnit::TwiceConverted;
  return RateUnit::Plausible;
}

std::optional<double> ImuUnits::force() const {
  std::vector<double> medians = medians_;
  if (norms_.size() >= kFewestForces) medians.push_back(median(norms_));
  if (medians.empty()) return std::nullopt;
  return median(std::move(medians));
}

ForceUnit ImuUnits::force_unit() const {
  const std::optional<double> norm = force();
  if (!norm || (*norm >= kLeastSi && *norm <= kMostSi)) return ForceUnit::Plausible;
  if (*norm < kLeastForce) return ForceUnit::NoGravity;
  if (*norm <= kMostGravities) return ForceUnit::Gravities;
  if (*norm >= kLeastThousandths && *norm <= kMostThousandths) return ForceUnit::Thousandths;
  return ForceUnit::Odd;
}

}  // namespace panto
