#include "panto/tracking/sensor_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/inertial/sensed_joints.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kSameTurn = 0.02;    // [rad]: mounting orientations that no motion can distinguish
constexpr double kHalfWindow = 0.02;  // [s]: readings are averaged over twice that
constexpr double kEvery = 0.04;       // [s] between two evaluated instants
constexpr std::size_t kSeconds = 100, kFewest = 3;  // evaluated seconds: most, fewest
constexpr double kOff = 0.5;   // [m/s^2]: usual error at a joint from positions, soft tissue and orientations
constexpr double kSure = 3.0;  // standard deviations from which on a gain is a hint,
constexpr double kLeast = 0.01;  // and least gain, mean over all instants

// A joint's centre in the axes of the segments of the sensors on both sides [m].
struct Centre {
  std::size_t before, behind;  // mounts
  Vector3d from_before, from_behind;
};

std::vector<Centre> centres_of(const Model& model, const InertialSetup& setup) {
  const State start = start_of(model, setup);
  Kinematics kinematics(model);
  kinematics.update(start);
  std::vector<Centre> centres;
  for (const SensedJoint& joint : sensed_joints(model, setup.mounts)) {
    if (joint.before < 0) continue;
    const ImuMount &before = setup.mounts[at(joint.before)], &behind = setup.mounts[at(joint.behind)];
    Vector3d p_before, p_behind = Vector3d::Zero();
    if (joint.centred) {
      const SensedCentre found = centre_between(model, setup.mounts, joint, start);
      p_before = found.in_first;
      p_behind = found.in_second;
    } else {  // several joints: use the last one
      const int first = model.link_index(before.link), last = model.link_index(behind.link);
      p_before = kinematics.R_WL(first).transpose() * (kinematics.p_WL(last) - kinematics.p_WL(first));
    }
    centres.push_back({at(joint.before), at(joint.behind), p_before - before.p_LI, p_behind - behind.p_LI});
  }
  return centres;
}

// A sensor's readings around an instant: specific force, and its change per metre away from the sensor.
struct Felt {
  Vector3d acc = Vector3d::Zero();
  Matrix3d lever = Matrix3d::Zero();
  bool told = false;
};

// Every joint's centre over a second, as measured by every pair of sensors that may be on its two sides.
class CentreScreen {
 public:
  CentreScreen(const Model& model, const InertialSetup& setup, const std::vector<std::string>& sensors,
               const RecordedImuSamples& samples)
      : samples_(samples),
        source_(sensor_positions(setup.mounts, sensors)),
        bias_(setup.gyro_bias),
        felt_(setup.mounts.size()),
        centres_(centres_of(model, setup)) {
    std::vector<std::size_t> all(setup.mounts.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    bias_.resize(all.size(), Vector3d::Zero());
    for (std::size_t c = 0; c < centres_.size(); ++c) worn_.push_back(add_sides(c, setup, {}));
    for (const SensorExchange& exchange : exchanges_of(model, setup, all)) {
      const InertialSetup other = exchanged(model, setup, exchange);
      Candidate& candidate = candidates_.emplace_back();
      candidate.exchange = exchange;
      for (std::size_t c = 0; c < centres_.size(); ++c)
        if (concerns(exchange, centres_[c].before) || concerns(exchange, centres_[c].behind))
          candidate.sides.emplace_back(c, add_sides(c, other, exchange));
    }
    find_rate();
  }

  [[nodiscard]] std::vector<ExchangeHint> hints() {
    const std::size_t seconds = second_ == 0 ? 0 : samples_.count / second_;
    const std::size_t used = std::min(seconds, kSeconds);
    if (used < kFewest) return {};
    for (std::size_t k = 0; k < used; ++k) add_second(k * seconds / used * second_);
    std::vector<ExchangeHint> hints;
    for (const Candidate& candidate : candidates_) {
      const ExchangeHint hint = hint_of(candidate);
      if (hint.t > kSure && hint.gain > kLeast) hints.push_back(hint);
    }
    std::stable_sort(hints.begin(), hints.end(),
                     [](const ExchangeHint& a, const ExchangeHint& b) { return a.gain > b.gain; });
    return hints;
  }

 private:
  struct End {
    std::size_t sensor;  // mount index in the setup
    Vector3d lever;      // to the centre, in the sensor's axes [m]
  };
  struct Sides {
    std::size_t before, behind;  // ends
  };
  struct Candidate {
    SensorExchange exchange;
    std::vector<std::pair<std::size_t, Sides>> sides;  // by centre that the exchange concerns
    std::vector<double> gains;                         // by second
  };

  [[nodiscard]] static bool concerns(const SensorExchange& exchange, std::size_t mount) {
    return mount == exchange.one || mount == exchange.other;
  }

  [[nodiscard]] Sides add_sides(std::size_t c, const InertialSetup& setup,
                                const std::optional<SensorExchange>& exchange) {
    const Centre& centre = centres_[c];
    const auto add = [&](std::size_t mount, const Vector3d& from, std::size_t worn) {
      if (exchange && !concerns(*exchange, mount)) return worn;
      const std::size_t sensor =
          !exchange ? mount : (mount == exchange->one ? exchange->other : exchange->one);
      ends_.push_back({sensor, setup.mounts[mount].R_LI.transpose() * from});
      return ends_.size() - 1;
    };
    const Sides worn = exchange ? worn_[c] : Sides{};
    const std::size_t before = add(centre.before, centre.from_before, worn.before);
    return {before, add(centre.behind, centre.from_behind, worn.behind)};
  }

  void find_rate() {
    if (samples_.count < 2) return;
    samples_.read(0, sample_);
    const Time first = sample_.t;
    samples_.read(samples_.count - 1, sample_);
    const double period = to_seconds(sample_.t - first) / static_cast<double>(samples_.count - 1);
    if (!(period > 0.0) || period > kEvery) return;
    second_ = static_cast<std::size_t>(std::lround(1.0 / period));
    half_ = std::max<std::size_t>(static_cast<std::size_t>(std::lround(kHalfWindow / period)), 1);
    step_ = static_cast<std::size_t>(std::lround(kEvery / period));
  }

  // Adds the second that begins at sample `first`.
  void add_second(std::size_t first) {
    const std::size_t instants = (second_ - 2 * half_ - 1) / step_ + 1;
    norms_.resize(static_cast<Eigen::Index>(instants), static_cast<Eigen::Index>(ends_.size()));
    for (std::size_t k = 0; k < instants; ++k) {
      feel(first + half_ + k * step_);
      for (std::size_t e = 0; e < ends_.size(); ++e) {
        const Felt& felt = felt_[ends_[e].sensor];
        norms_(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(e)) =
            felt.told ? (felt.acc + felt.lever * ends_[e].lever).norm()
                      : std::numeric_limits<double>::quiet_NaN();
      }
    }
    std::vector<double> worn;
    for (const Sides& sides : worn_) worn.push_back(misfit(sides));
    for (Candidate& candidate : candidates_) {
      double gain = 0.0;
      for (const auto& [centre, sides] : candidate.sides) {
        const double other = misfit(sides);
        if (std::isfinite(other) && std::isfinite(worn[centre])) gain += worn[centre] - other;
      }
      candidate.gains.push_back(gain);
    }
  }

  // Averages the samples around `centre`, and takes the slope of the rates.
  void feel(std::size_t centre) {
    std::vector<Vector3d> w(felt_.size(), Vector3d::Zero()), slope = w;
    for (Felt& felt : felt_) felt = {Vector3d::Zero(), Matrix3d::Zero(), true};
    samples_.read(centre, sample_);
    const Time now = sample_.t;
    double squares = 0.0;
    for (std::size_t k = centre - half_; k <= centre + half_; ++k) {
      samples_.read(k, sample_);
      const double from = to_seconds(sample_.t - now);
      squares += from * from;
      for (std::size_t m = 0; m < felt_.size(); ++m) {
        const ImuReading& reading = sample_.imus[at(source_[m])];
        felt_[m].told = felt_[m].told && reading.has_gyro && reading.has_acc;
        if (!felt_[m].told) continue;
        felt_[m].acc += reading.acc;
        w[m] += reading.gyro - bias_[m];
        slope[m] += from * (reading.gyro - bias_[m]);
      }
    }
    const double count = static_cast<double>(2 * half_ + 1);
    for (std::size_t m = 0; m < felt_.size(); ++m) {
      const Matrix3d turning = so3::hat(w[m] / count);
      felt_[m].acc /= count;
      felt_[m].lever = so3::hat(slope[m] / squares) + turning * turning;
    }
  }

  // Mean of a second of log(1 + (difference / kOff)^2). The second's mean difference is removed: a wrong
  // scale or bias adds nearly the same value all along, so it is no evidence.
  [[nodiscard]] double misfit(const Sides& sides) {
    difference_ = norms_.col(static_cast<Eigen::Index>(sides.before)) -
                  norms_.col(static_cast<Eigen::Index>(sides.behind));
    double sum = 0.0, told = 0.0;
    for (const double d : difference_) {
      if (!std::isfinite(d)) continue;
      sum += d;
      told += 1.0;
    }
    const double mean = sum / told;
    double misfit = 0.0;
    for (const double d : difference_)
      if (std::isfinite(d)) misfit += log1p((d - mean) * (d - mean) / (kOff * kOff));
    return misfit / told;
  }

  [[nodiscard]] static ExchangeHint hint_of(const Candidate& candidate) {
    const double count = static_cast<double>(candidate.gains.size());
    double sum = 0.0, squares = 0.0;
    for (const double gain : candidate.gains) sum += gain;
    const double mean = sum / count;
    for (const double gain : candidate.gains) squares += (gain - mean) * (gain - mean);
    return {candidate.exchange, mean, mean / std::sqrt(squares / (count - 1.0) / count)};
  }

  const RecordedImuSamples& samples_;
  std::vector<int> source_;     // by mount: index in the sample
  std::vector<Vector3d> bias_;  // by mount
  std::vector<Felt> felt_;      // by mount
  std::vector<Centre> centres_;
  std::vector<End> ends_;
  std::vector<Sides> worn_;  // by centre
  std::vector<Candidate> candidates_;
  std::size_t second_ = 0, half_ = 0, step_ = 0;  // in samples; 0: no rate, or too low
  ImuSample sample_;
  Eigen::MatrixXd norms_;  // instants x ends
  Eigen::VectorXd difference_;
};

}  // namespace

InertialSetup exchanged(const Model& model, InertialSetup setup, const SensorExchange& exchange) {
  ImuMount& one = setup.mounts[exchange.one];
  ImuMount& other = setup.mounts[exchange.other];
  for (ChainContact& point : setup.filter.contact.points) {
    if (point.sensor == one.name) {
      point.sensor = other.name;
    } else if (point.sensor == other.name) {
      point.sensor = one.name;
    }
  }
  if (exchange.calibrated) {  // in the start pose, each sensor was where the other one was assumed
    Kinematics kinematics(model);
    kinematics.update(start_of(model, setup));
    const Matrix3d across = kinematics.R_WL(model.link_index(other.link)).transpose() *
                            kinematics.R_WL(model.link_index(one.link));
    const Matrix3d R_one = across * one.R_LI;
    one.R_LI = across.transpose() * other.R_LI;
    other.R_LI = R_one;
  }
  std::swap(one.name, other.name);
  if (!setup.gyro_bias.empty()) std::swap(setup.gyro_bias[exchange.one], setup.gyro_bias[exchange.other]);
  return setup;
}

std::vector<SensorExchange> exchanges_of(const Model& model, const InertialSetup& setup,
                                         const std::vector<std::size_t>& mounts) {
  std::vector<SensorExchange> all;
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    for (std::size_t k = i + 1; k < mounts.size(); ++k) {
      const SensorExchange calibrated{mounts[i], mounts[k], true};
      all.push_back({mounts[i], mounts[k], false});
      const std::vector<ImuMount> turned = exchanged(model, setup, calibrated).mounts;
      const auto same = [&](std::size_t m) {
        return (turned[m].R_LI - setup.mounts[m].R_LI).isZero(kSameTurn);
      };
      if (!same(mounts[i]) || !same(mounts[k])) all.push_back(calibrated);
    }
  }
  return all;
}

std::vector<ExchangeHint> hinted_exchanges(const Model& model, const InertialSetup& setup,
                                           const std::vector<std::string>& sensors,
                                           const RecordedImuSamples& samples) {
  return CentreScreen(model, setup, sensors, samples).hints();
}

}  // namespace panto
