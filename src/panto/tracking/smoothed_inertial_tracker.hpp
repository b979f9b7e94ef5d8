#pragma once
// Tracks raw inertial sensors with the whole recording at hand: the chain smoother as a tracker.
// docs/algorithms/chain_smoother.md

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "panto/evaluation/findings.hpp"
#include "panto/inertial/chain_smoother.hpp"
#include "panto/tracking/inertial_tracker.hpp"

namespace panto {

/// Samples that can be read more than once.
struct RecordedImuSamples {
  std::size_t count = 0;
  std::function<void(std::size_t index, ImuSample& sample)> read;  ///< index < count
};

struct InertialSmoothingOptions {
  bool deviations = false;  ///< computes standard deviations; twice as slow, changes no joint
  /// Samples between two kept states, >= 1. Memory is one covariance for each kept state and for each sample
  /// between two of them. Unset: the square root of the number of samples, which needs least memory. Changes
  /// no result.
  std::optional<std::size_t> stretch = std::nullopt;
  /// Called after every step of the filter, while its results are available. May be empty.
  std::function<void(StepStatus)> filtered = {};
  /// Called after every smoothed sample. May be empty.
  std::function<void()> smoothed = {};
};

/// Gives, sample by sample, the result that an `InertialTracker` would give if it knew the whole recording.
///
/// Filters the recording once, then smooths from the last sample to the first, filtering again stretch by
/// stretch. A motion that begins after a silence is smoothed on its own.
class SmoothedInertialTracker final : public Tracker<ImuSample> {
 public:
  /// Filters and smooths at once. `tracker` must outlive this object, which alone uses it; it is left in its
  /// state at the recording's end. @throws ConfigError for a stretch of no samples, or a tracker that has
  /// begun a motion.
  SmoothedInertialTracker(InertialTracker& tracker, const RecordedImuSamples& samples,
                          const InertialSmoothingOptions& options = {});

  /// Returns the samples' results in order. A sample that is not the next one returns `NoTarget`. Triples of
  /// joints are read on the Euler branch nearest to `state`.
  [[nodiscard]] StepStatus step(const ImuSample& sample, State& state) noexcept override;

  /// Returns the filter's report.
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  /// Returns the standard deviation of every joint after the last step, State::s order [rad] or [m]. (dof)
  /// Zero unless the options ask for it.
  [[nodiscard]] const Eigen::VectorXd& deviation() const noexcept { return deviation_; }

  /// Returns the joints that no sensor told of at the last step, as the filter. (dof)
  [[nodiscard]] const std::vector<unsigned char>& held() const noexcept { return held_; }

  [[nodiscard]] const SmoothingCounts& counts() const noexcept { return counts_; }

 private:
  using Checkpoint = InertialTracker::Checkpoint;
  struct Frame {
    Time t = 0;
    StepStatus status = StepStatus::NoTarget;
    bool begins = false, silence = false;
    ChainState chain;  // pose and rates only
    Eigen::VectorXd deviation;
    std::vector<unsigned char> held;
  };
  // the filter's knowledge after a frame
  struct Filtered {
    std::size_t frame = 0;
    ChainState chain;
    State state;
  };

  [[nodiscard]] std::vector<Checkpoint> filter(const RecordedImuSamples& samples, std::size_t stretch,
                                               const std::function<void(StepStatus)>& filtered);
  void filter_again(const RecordedImuSamples& samples, const Checkpoint& from, std::size_t first);
  void smooth(const Filtered& filtered, ChainSmoother& smoother);

  InertialTracker* tracker_;
  std::vector<Frame> frames_;
  std::vector<Filtered> stretch_;  // of the stretch that is being smoothed
  std::size_t filtered_ = 0;       // number of filled entries
  bool part_ends_ = true;          // at the next sample, going back
  SmoothingCounts counts_;
  std::size_t next_ = 0;
  Eigen::VectorXd deviation_;
  std::vector<unsigned char> held_;
  StepReport report_;
};

}  // namespace panto
