#pragma once
// Raw inertial sensors onto a model, with the whole recording at hand: the chain smoother as a tracker.
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
  bool deviations = false;  ///< of the joints; takes twice as long, changes no joint
  /// Samples between two states that are kept, >= 1. Memory is one covariance for each of those and for each
  /// sample between two of them. Unset: the square root of the number of samples, which is the least.
  /// Changes no result.
  std::optional<std::size_t> stretch = std::nullopt;
  /// Called after every step of the filter, while it still knows what it found. May be empty.
  std::function<void(StepStatus)> filtered = {};
  /// Called after every sample that was smoothed. May be empty.
  std::function<void()> smoothed = {};
};

/// Answers sample by sample what an `InertialTracker` would have answered, had it known the whole recording.
///
/// The recording is filtered once, then smoothed from the last sample to the first, filtered again stretch by
/// stretch. A motion that begins anew after a silence is smoothed by itself.
class SmoothedInertialTracker final : public Tracker<ImuSample> {
 public:
  /// Filters and smooths at once. `tracker` must outlive this, and is nobody else's; it is left as it was at
  /// the recording's end.
  /// @throws ConfigError for a stretch of no samples, or a tracker that has begun already.
  SmoothedInertialTracker(InertialTracker& tracker, const RecordedImuSamples& samples,
                          const InertialSmoothingOptions& options = {});

  /// The samples in their order. Another one than the next gives `NoTarget`. Triples of joints are read on
  /// the Euler branch nearest to `state`.
  [[nodiscard]] StepStatus step(const ImuSample& sample, State& state) noexcept override;

  /// As the filter's.
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  /// Standard deviation of every joint after the last step, State::s order [rad] or [m]. (dof) Zero unless
  /// the options ask for it.
  [[nodiscard]] const Eigen::VectorXd& deviation() const noexcept { return deviation_; }

  [[nodiscard]] const SmoothingCounts& counts() const noexcept { return counts_; }

 private:
  using Checkpoint = InertialTracker::Checkpoint;
  struct Frame {
    Time t = 0;
    StepStatus status = StepStatus::NoTarget;
    bool begins = false, silence = false;
    ChainState chain;  // pose and rates alone
    Eigen::VectorXd deviation;
  };
  // what the filter knew after a frame
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
  std::vector<Filtered> stretch_;  // of the stretch that is smoothed
  std::size_t filtered_ = 0;       // how many of them are filled
  bool part_ends_ = true;          // at the sample that comes next, going back
  SmoothingCounts counts_;
  std::size_t next_ = 0;
  Eigen::VectorXd deviation_;
  StepReport report_;
};

}  // namespace panto
