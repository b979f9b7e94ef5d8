#include "panto/pipeline/swapped_sensors.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/inertial/sensed_joints.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;

// How well a setup explains a recording.
struct Fit {
  std::vector<double> innovation;  // by mount: mean of the worse of gyroscope and accelerometer
  double misfit = 0.0;  // mean of log(1 + innovation/3) over sensors and samples: jolts do not rule it
  std::size_t samples = 0;
  std::size_t told = 0;        // readings in them
  std::vector<double> so_far;  // sum of misfits after each sample

  [[nodiscard]] double mean() const {
    double sum = 0.0;
    for (const double one : innovation) sum += one;
    return sum / static_cast<double>(innovation.size());
  }
  [[nodiscard]] double worst() const { return *std::max_element(innovation.begin(), innovation.end()); }
};

constexpr double kFarOff = 30.0;    // innovation of a sample that no noise explains
constexpr double kWorse = 30.0;     // sum of misfits
constexpr double kSameTurn = 0.02;  // [rad]: two ways to sit that no motion tells apart
constexpr double kNoAnswer = 1e6;   // innovation of a sample that the filter could not take

struct Change {
  std::size_t one, other;
  bool calibrated;
};

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
  if (options.longest == 0) refuse("longest", ">= 1");
  if (!(options.better > 0.0 && options.better < 1.0)) refuse("better", "between 0 and 1");
  if (options.most < 0) refuse("most", ">= 0");
}

class SwapSearch {
 public:
  SwapSearch(const Model& model, const std::vector<std::string>& sensors, const RecordedImuSamples& samples,
             const SwapSearchOptions& options)
      : model_(model), sensors_(sensors), samples_(samples), options_(options) {}

  // Up to `disagreement` samples that disagree, or `longest`.
  [[nodiscard]] Fit first_fit(const InertialSetup& setup) {
    return fit(setup, options_.longest, options_.disagreement, kInfinity, nullptr);
  }

  // The change that explains most of what `now` leaves.
  [[nodiscard]] std::optional<std::pair<Change, Fit>> best_change(const InertialSetup& setup,
                                                                  const Fit& now) {
    std::optional<std::pair<Change, Fit>> best;
    double least = options_.better * now.misfit;
    for (const Change& change : changes(setup, now)) {
      Fit changed = fit(exchanged(setup, change), now.samples, now.samples,
                        least * static_cast<double>(now.told), &now);
      if (!(changed.misfit < least)) continue;
      least = changed.misfit;
      best.emplace(change, std::move(changed));
    }
    return best;
  }

  // Two sensors change places. What feels the floor stays where it is, and asks the one that is there then.
  [[nodiscard]] InertialSetup exchanged(InertialSetup setup, const Change& change) const {
    ImuMount& one = setup.mounts[change.one];
    ImuMount& other = setup.mounts[change.other];
    for (ChainContact& point : setup.filter.contact.points) {
      if (point.sensor == one.name) {
        point.sensor = other.name;
      } else if (point.sensor == other.name) {
        point.sensor = one.name;
      }
    }
    if (change.calibrated) {  // at the start's pose each was where the other one was thought to be
      Kinematics kinematics(model_);
      kinematics.update(start_of(model_, setup));
      const Matrix3d across = kinematics.R_WL(model_.link_index(other.link)).transpose() *
                              kinematics.R_WL(model_.link_index(one.link));
      const Matrix3d R_one = across * one.R_LI;
      one.R_LI = across.transpose() * other.R_LI;
      other.R_LI = R_one;
    }
    std::swap(one.name, other.name);
    if (!setup.gyro_bias.empty()) std::swap(setup.gyro_bias[change.one], setup.gyro_bias[change.other]);
    return setup;
  }

 private:
  // Ends where the misfits add up to more than `most`, or than those of `other` so far and kWorse: then it is
  // infinite.
  [[nodiscard]] Fit fit(const InertialSetup& setup, std::size_t longest, std::size_t disagreement,
                        double most, const Fit* other) const {
    InertialTracker tracker(model_, setup, sensors_);
    State state = tracker.start_state();
    const std::size_t count = setup.mounts.size();
    Fit fit;
    fit.innovation.assign(count, 0.0);
    std::vector<std::size_t> seen(count, 0);
    std::size_t disagreed = 0;
    ImuSample sample;
    for (; fit.samples < std::min(longest, samples_.count) && disagreed < disagreement; ++fit.samples) {
      samples_.read(fit.samples, sample);
      const bool answered = advanced(tracker.step(sample, state));
      bool all_agree = true;
      for (std::size_t m = 0; m < count; ++m) {
        if (!tracker.readings()[m].tells_motion()) continue;
        const double innovation = answered ? innovation_of(tracker.health()[m]) : kNoAnswer;
        fit.innovation[m] += innovation;
        fit.misfit += std::log1p(innovation / 3.0);
        all_agree = all_agree && innovation <= kFarOff;
        ++seen[m];
        ++fit.told;
      }
      disagreed += all_agree ? 0 : 1;
      fit.so_far.push_back(fit.misfit);
      if (fit.misfit > most || (other != nullptr && fit.misfit > other->so_far[fit.samples] + kWorse)) {
        fit.misfit = kInfinity;
        return fit;
      }
    }
    for (std::size_t m = 0; m < count; ++m)
      fit.innovation[m] /= static_cast<double>(std::max<std::size_t>(seen[m], 1));
    fit.misfit /= static_cast<double>(std::max<std::size_t>(fit.told, 1));
    return fit;
  }

  // Sensors near one that disagrees.
  [[nodiscard]] std::vector<unsigned char> suspects(const InertialSetup& setup, const Fit& now) const {
    const std::size_t count = setup.mounts.size();
    std::vector<int> before(count, -1);
    for (const SensedJoint& joint : sensed_joints(model_, setup.mounts))
      before[at(joint.behind)] = joint.before;
    std::vector<unsigned char> near(count, 0);
    for (std::size_t m = 0; m < count; ++m) near[m] = now.innovation[m] > options_.disagreeing ? 1 : 0;
    bool base = false;  // the place before all sensors that have none before them
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
    return near;
  }

  [[nodiscard]] std::vector<Change> changes(const InertialSetup& setup, const Fit& now) const {
    const std::vector<unsigned char> near = suspects(setup, now);
    std::vector<Change> all;
    for (std::size_t one = 0; one < near.size(); ++one) {
      for (std::size_t other = one + 1; other < near.size(); ++other) {
        if (near[one] == 0 || near[other] == 0) continue;
        all.push_back({one, other, false});
        const Change calibrated{one, other, true};
        const std::vector<ImuMount> turned = exchanged(setup, calibrated).mounts;
        const auto same = [&](std::size_t m) {
          return (turned[m].R_LI - setup.mounts[m].R_LI).isZero(kSameTurn);
        };
        if (!same(one) || !same(other)) all.push_back(calibrated);
      }
    }
    return all;
  }

  const Model& model_;
  const std::vector<std::string>& sensors_;
  const RecordedImuSamples& samples_;
  const SwapSearchOptions& options_;
};

}  // namespace

std::vector<SwappedSensors> find_swapped_sensors(const Model& model, const InertialSetup& setup,
                                                 const std::vector<std::string>& sensors,
                                                 const RecordedImuSamples& samples,
                                                 const SwapSearchOptions& options) {
  check(options);
  SwapSearch search(model, sensors, samples, options);
  std::vector<SwappedSensors> found;
  InertialSetup now = setup;
  Fit fit = search.first_fit(now);
  while (static_cast<int>(found.size()) < options.most && fit.worst() > options.disagreeing) {
    const auto best = search.best_change(now, fit);
    if (!best) break;
    const auto& [change, changed] = *best;
    const ImuMount &one = now.mounts[change.one], &other = now.mounts[change.other];
    found.push_back(
        {one.name, other.name, one.link, other.link, change.calibrated, fit.mean(), changed.mean()});
    now = search.exchanged(std::move(now), change);
    fit = changed;
  }
  return found;
}

}  // namespace panto
