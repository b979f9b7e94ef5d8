#include "panto/tracking/swapped_sensors.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/inertial/sensed_joints.hpp"
#include "panto/math/elementary.hpp"
#include "panto/tracking/sensor_exchange.hpp"

namespace panto {
namespace {

constexpr double kFarOff = 30.0;   // innovation of a sample that noise cannot explain
constexpr double kWorse = 30.0;    // sum of misfits
constexpr double kNoAnswer = 1e6;  // innovation of a sample that the filter could not use
constexpr double kMoves = 1.0;     // [rad/s]: a sensor that turns faster is informative
// an outlier below `disagreeing`
constexpr double kStandsOut = 10.0;  // times the median of all sensors
constexpr double kLeast = 2.0;
// a small but consistent gain: share of the seconds, and standard deviations of their mean
constexpr double kNearlyAll = 0.9, kSure = 5.0;
constexpr std::size_t kFewest = 3;  // seconds
constexpr double kTurned =
    0.05;                      // [rad]: no sensor has turned further while the person stands as at the start
constexpr double kHeld = 0.5;  // [s] of that before trials begin

double innovation_of(const ImuHealth& health) {
  return std::max({health.nis_gyro, health.nis_acc, health.nis_orientation});
}

void check(const SwapSearchOptions& options) {
  const auto refuse = [](const char* name, const char* range) {
    throw ConfigError(std::string("option 'swaps.") + name + "' must be " + range);
  };
  if (!(options.disagreeing >= 0.0)) refuse("disagreeing", ">= 0");
  if (options.reach < 0) refuse("reach", ">= 0");
  if (options.disagreement == 0) refuse("disagreement", ">= 1");
  if (options.moving == 0) refuse("moving", ">= 1");
  if (options.longest == 0) refuse("longest", ">= 1");
  if (!(options.better > 0.0 && options.better < 1.0)) refuse("better", "between 0 and 1");
  if (!(options.consistent >= options.better && options.consistent < 1.0))
    refuse("consistent", "between 'better' and 1");
  if (options.most < 0) refuse("most", ">= 0");
}

// All trials are judged by the same noise: one that follows the data would grow where a swap misleads the
// filter, and excuse it.
InertialSetup with_one_noise(InertialSetup setup) {
  setup.turning.adapts = false;
  setup.filter.acc_adapts = false;
  return setup;
}

// The sample at which trials begin: the start pose is still held, and is about to end.
std::size_t first_sample(const InertialSetup& setup, const std::vector<std::string>& sensors,
                         const RecordedImuSamples& samples) {
  const std::vector<int> source = sensor_positions(setup.mounts, sensors);
  std::vector<Eigen::Vector3d> turned(source.size(), Eigen::Vector3d::Zero());
  std::vector<Time> times;
  ImuSample sample;
  for (std::size_t k = 0; k < samples.count; ++k) {
    samples.read(k, sample);
    const double dt = times.empty() ? 0.0 : to_seconds(sample.t - times.back());
    times.push_back(sample.t);
    bool held = dt < setup.longest_gap;
    for (std::size_t m = 0; m < source.size(); ++m) {
      const ImuReading& reading = sample.imus[at(source[m])];
      held = held && (reading.has_gyro || !reading.has_orientation);
      if (!reading.has_gyro) continue;
      turned[m] += dt * (setup.gyro_bias.empty() ? reading.gyro : reading.gyro - setup.gyro_bias[m]);
      held = held && turned[m].norm() < kTurned;
    }
    if (held) continue;
    const Time from = sample.t - from_seconds(kHeld);
    return static_cast<std::size_t>(
        std::distance(times.begin(), std::lower_bound(times.begin(), times.end() - 1, from)));
  }
  return 0;
}

// A filter on its way through the recording, and how well its setup explains the readings.
class Explanation {
 public:
  Explanation(const Model& model, InertialSetup setup, const std::vector<std::string>& sensors,
              const RecordedImuSamples& samples, const std::function<void()>& watch)
      : setup_(std::move(setup)),
        watch_(&watch),
        samples_(&samples),
        tracker_(std::make_unique<InertialTracker>(model, setup_, sensors)),
        state_(tracker_->start_state()),
        sums_(setup_.mounts.size(), 0.0),
        seen_(setup_.mounts.size(), 0) {}

  [[nodiscard]] const InertialSetup& setup() const { return setup_; }
  [[nodiscard]] std::size_t samples() const { return misfits_.size(); }
  [[nodiscard]] std::size_t disagreed() const { return disagreed_; }
  [[nodiscard]] bool at_end() const { return samples() == samples_->count; }
  /// Returns the sum of log(1 + innovation/3) over sensors and samples so far; the log limits the influence
  /// of shocks.
  [[nodiscard]] double misfit(std::size_t samples) const {
    return samples == 0 ? 0.0 : misfits_[samples - 1];
  }
  [[nodiscard]] Time time(std::size_t sample) const { return times_[sample]; }

  /// Filters up to this number of samples.
  void reach(std::size_t samples) {
    while (this->samples() < samples && !at_end()) step();
  }

  void step() {
    if (*watch_) (*watch_)();
    samples_->read(samples(), sample_);
    const bool answered = advanced(tracker_->step(sample_, state_));
    double misfit = this->misfit(samples());
    bool all_agree = true;
    for (std::size_t m = 0; m < sums_.size(); ++m) {
      if (!tracker_->readings()[m].tells_motion()) continue;
      const double innovation = answered ? innovation_of(tracker_->health()[m]) : kNoAnswer;
      sums_[m] += innovation;
      misfit += log1p(innovation / 3.0);
      all_agree = all_agree && innovation <= kFarOff;
      ++seen_[m];
    }
    disagreed_ += all_agree ? 0 : 1;
    misfits_.push_back(misfit);
    times_.push_back(sample_.t);
  }

  /// Returns by mount the mean of the worse of gyroscope and accelerometer.
  [[nodiscard]] std::vector<double> innovations() const {
    std::vector<double> means = sums_;
    for (std::size_t m = 0; m < means.size(); ++m)
      means[m] /= static_cast<double>(std::max<std::size_t>(seen_[m], 1));
    return means;
  }
  [[nodiscard]] double mean_innovation() const {
    double sum = 0.0;
    for (const double one : innovations()) sum += one;
    return sum / static_cast<double>(sums_.size());
  }

 private:
  InertialSetup setup_;
  const std::function<void()>* watch_;
  const RecordedImuSamples* samples_;
  std::unique_ptr<InertialTracker> tracker_;
  State state_;
  ImuSample sample_;
  std::vector<double> sums_, misfits_;
  std::vector<Time> times_;
  std::vector<std::size_t> seen_;
  std::size_t disagreed_ = 0;
};

// Whether nearly every second of the first `samples` is explained better, and their mean significantly.
bool is_consistent(const Explanation& now, const Explanation& changed, std::size_t samples) {
  std::vector<double> gains;
  std::size_t from = 0;
  for (std::size_t k = 1; k <= samples; ++k) {
    const bool ends = now.time(k - 1) - now.time(from) >= from_seconds(1.0);
    if (!ends) continue;
    gains.push_back(now.misfit(k) - now.misfit(from) - changed.misfit(k) + changed.misfit(from));
    from = k < samples ? k : from;
  }
  if (gains.size() < kFewest) return false;
  const double count = static_cast<double>(gains.size());
  double mean = 0.0, squares = 0.0, better = 0.0;
  for (const double gain : gains) {
    mean += gain / count;
    better += gain > 0.0 ? 1.0 : 0.0;
  }
  for (const double gain : gains) squares += (gain - mean) * (gain - mean);
  return better >= kNearlyAll * count && mean >= kSure * std::sqrt(squares / (count - 1.0) / count);
}

class SwapSearch {
 public:
  SwapSearch(const Model& model, const std::vector<std::string>& sensors, const RecordedImuSamples& samples,
             const SwapSearchOptions& options)
      : model_(model), sensors_(sensors), samples_(samples), options_(options) {}

  // Filters the given setup as far as needed to see whether sensors disagree.
  [[nodiscard]] Explanation first(const InertialSetup& setup) {
    Explanation now(model_, setup, sensors_, samples_, options_.watch);
    if (options_.hints_alone) {
      length_ = moving_length(setup);
      return now;
    }
    while (now.samples() < std::min(options_.longest, samples_.count) &&
           now.disagreed() < options_.disagreement)
      now.step();
    length_ = now.samples();
    return now;
  }

  struct Found {
    SensorExchange change;
    Explanation changed;
  };

  // The change that explains most of the misfit of `now`, if that is enough.
  [[nodiscard]] std::optional<Found> best_change(Explanation& now) {
    std::vector<SensorExchange> changes;
    for (const ExchangeHint& hint : hinted_exchanges(model_, now.setup(), sensors_, samples_))
      if (changes.size() < options_.hints) changes.push_back(hint.exchange);
    if (!options_.hints_alone) {
      for (const SensorExchange& change : near_changes(now))
        if (std::find(changes.begin(), changes.end(), change) == changes.end()) changes.push_back(change);
    }
    std::optional<Found> best;
    for (const SensorExchange& change : changes) {
      Explanation changed(model_, exchanged(model_, now.setup(), change), sensors_, samples_, options_.watch);
      if (!explains_more(now, changed, best ? &best->changed : nullptr)) continue;
      best.emplace(Found{change, std::move(changed)});
    }
    return best;
  }

 private:
  // Stops once the misfit exceeds that of `now` so far by kWorse, or is too large in total.
  [[nodiscard]] bool explains_more(Explanation& now, Explanation& changed, const Explanation* best) const {
    while (changed.samples() < length_) {
      changed.step();
      const std::size_t k = changed.samples();
      now.reach(k);
      const double misfit = changed.misfit(k);
      if (misfit > now.misfit(k) + kWorse || (best != nullptr && misfit >= best->misfit(length_)))
        return false;
    }
    const double left = changed.misfit(length_) / now.misfit(length_);
    return left <= options_.better || (left <= options_.consistent && is_consistent(now, changed, length_));
  }

  // Number of samples until `moving` of them were in motion.
  [[nodiscard]] std::size_t moving_length(const InertialSetup& setup) const {
    const std::vector<int> source = sensor_positions(setup.mounts, sensors_);
    ImuSample sample;
    std::size_t k = 0, moving = 0;
    for (; k < std::min(options_.longest, samples_.count) && moving < options_.moving; ++k) {
      samples_.read(k, sample);
      moving += std::any_of(source.begin(), source.end(), [&](int s) {
        const ImuReading& reading = sample.imus[at(s)];
        return reading.has_gyro && reading.gyro.norm() > kMoves;
      });
    }
    return k;
  }

  // Mounts near one that disagrees.
  [[nodiscard]] std::vector<std::size_t> suspects(const Explanation& now) const {
    const std::vector<double> innovations = now.innovations();
    const double limit = disagreement_limit(innovations, options_);
    const std::size_t count = innovations.size();
    std::vector<int> before(count, -1);
    for (const SensedJoint& joint : sensed_joints(model_, now.setup().mounts))
      before[at(joint.behind)] = joint.before;
    std::vector<unsigned char> near(count, 0);
    for (std::size_t m = 0; m < count; ++m) near[m] = innovations[m] > limit ? 1 : 0;
    bool base = false;  // the position before all sensors that have none before them
    for (int step = 0; step < options_.reach; ++step) {
      const std::vector<unsigned char> was = near;
      const bool base_was = base;
      for (std::size_t m = 0; m < count; ++m) {
        const bool above = before[m] < 0 ? base_was : was[at(before[m])] != 0;
        near[m] = was[m] != 0 || above ? 1 : near[m];
        if (was[m] == 0) continue;
        if (before[m] < 0) {
          base = true;
        } else {
          near[at(before[m])] = 1;
        }
      }
    }
    std::vector<std::size_t> mounts;
    for (std::size_t m = 0; m < count; ++m)
      if (near[m] != 0) mounts.push_back(m);
    return mounts;
  }

  [[nodiscard]] std::vector<SensorExchange> near_changes(const Explanation& now) const {
    return exchanges_of(model_, now.setup(), suspects(now));
  }

  const Model& model_;
  const std::vector<std::string>& sensors_;
  const RecordedImuSamples& samples_;
  const SwapSearchOptions& options_;
  std::size_t length_ = 0;  // number of compared samples
};

}  // namespace

double disagreement_limit(std::vector<double> innovations, const SwapSearchOptions& options) {
  if (innovations.empty()) return options.disagreeing;
  const auto middle = std::next(innovations.begin(), static_cast<std::ptrdiff_t>(innovations.size() / 2));
  std::nth_element(innovations.begin(), middle, innovations.end());
  return std::min(options.disagreeing, std::max(kStandsOut * *middle, kLeast));
}

std::vector<SwappedSensors> find_swapped_sensors(const Model& model, const InertialSetup& setup,
                                                 const std::vector<std::string>& sensors,
                                                 const RecordedImuSamples& samples,
                                                 const SwapSearchOptions& options) {
  check(options);
  const std::size_t first = first_sample(setup, sensors, samples);
  const RecordedImuSamples moving{samples.count - first, [&samples, first](std::size_t k, ImuSample& sample) {
                                    samples.read(k + first, sample);
                                  }};
  SwapSearch search(model, sensors, moving, options);
  std::vector<SwappedSensors> found;
  Explanation now = search.first(with_one_noise(setup));
  while (static_cast<int>(found.size()) < options.most) {
    auto best = search.best_change(now);
    if (!best) break;
    const SensorExchange& change = best->change;
    const ImuMount &one = now.setup().mounts[change.one], &other = now.setup().mounts[change.other];
    found.push_back({one.name, other.name, one.link, other.link, change.calibrated, now.mean_innovation(),
                     best->changed.mean_innovation()});
    now = std::move(best->changed);
  }
  return found;
}

}  // namespace panto
