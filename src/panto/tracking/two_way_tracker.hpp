#pragma once
// A recording followed forwards and backwards (docs/algorithms/two_way_tracker.md).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/sample/source.hpp"
#include "panto/tracking/observer.hpp"
#include "panto/tracking/substepping_tracker.hpp"

namespace panto {

struct TwoWayOptions {
  /// [s] > 0 as of `SubsteppingTracker`; infinity: steps are not divided.
  double longest_step = kInfinity;
  /// [weight] a pose found anew must be better by this for the motion to be led through it: a link off by 60
  /// degrees; > 0
  double much_better = 0.5;
  double look_every = 0.5;            ///< [s] between poses that are sought anew; > 0
  int most_poses = 32;                ///< sought in a recording, where the motion fares worst; >= 0
  int most_ways = 16;                 ///< tried in a recording; >= 0
  std::size_t most_samples = 30'000;  ///< a longer recording is followed forwards only
};

/// The motion of a recording, made when this is constructed, then answered sample by sample. Forwards it is
/// the tracker's own, to the last bit. Where that stands in a minimum much worse than the one that an
/// alignment finds, it is led through that other pose: backwards in time from there until it meets the motion
/// before, and forwards until it meets the motion behind.
class TwoWayTracker final : public Tracker<SegmentSample> {
 public:
  /// Model, map, method, options and segments as of a `SegmentTracker`; reads `recording` to its end. The
  /// model must outlive it. `observer`: clock and counter of allocations, for the steps of the forward
  /// motion. `own`: its `update` is called in order of time for the forward motion, then for some samples
  /// again, also in the reverse order; samples and States are as recorded.
  /// @throws as `SegmentTracker` does, ConfigError for options out of range.
  TwoWayTracker(const Model& model, const AttachmentMap& map, SolverKind kind, const SolverOptions& solver,
                const std::vector<std::string>& segments, Source<SegmentSample>& recording,
                const TwoWayOptions& options = {}, const Observer& observer = {},
                const OwnTargetsOption& own = {});

  /// What the motion through that sample of the recording is; `NoTarget` behind its end.
  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  /// The motion was led through another pose at least once.
  [[nodiscard]] bool differs() const noexcept { return !led_.empty(); }
  /// Stamps of these poses [ns].
  [[nodiscard]] const std::vector<Time>& led() const noexcept { return led_; }
  /// As `SegmentTracker::ambiguous_starts`, of the forward motion.
  [[nodiscard]] std::int64_t ambiguous_starts() const noexcept { return ambiguous_; }

  /// One sample's answer.
  struct Frame {
    StepStatus status = StepStatus::NoTarget;
    State state;
    double potential = 0.0;  ///< [weight] of `Aligner::potential`
    int active_bounds = 0, solves = 0, fallback_level = 0, clamped = 0;
    bool aligned = false, clock_gap = false, returning = false, ambiguous = false;
    bool cut = false;                                                ///< of its sample
    std::optional<std::int64_t> duration_ns = {}, allocations = {};  ///< of a step of the forward motion
  };
  [[nodiscard]] const std::vector<Frame>& frames() const noexcept { return frames_; }

 private:
  // what own targets see of samples that are turned in time
  struct AsRecorded {
    OwnTargetsUpdate update;
    bool back = false;
    Time end = 0;
    SegmentSample sample = {};
    State state = {};
  };
  // frames [first, last) of one motion without a jump; `free`: it may begin in any pose
  struct Section {
    std::size_t first, last;
    bool free;
  };
  // a pose found anew
  struct Key {
    std::size_t frame;
    State pose;
    double potential;
  };
  // another motion, from frame `first` on
  struct Way {
    std::size_t first;
    std::vector<Frame> frames;
  };

  [[nodiscard]] static OwnTargetsOption as_recorded(const std::shared_ptr<AsRecorded>& recorded,
                                                    const OwnTargets& own);
  [[nodiscard]] bool read(Source<SegmentSample>& recording);
  void follow(std::size_t first);
  [[nodiscard]] Section section_from(std::size_t first) const noexcept;
  [[nodiscard]] bool improve(const Section& section);
  [[nodiscard]] std::vector<Key> seek_poses(const Section& section);
  [[nodiscard]] std::optional<Way> lead_through(const Key& key, const Section& section);
  [[nodiscard]] std::optional<std::vector<Frame>> go(const Key& key, const Section& section, bool back);
  [[nodiscard]] bool join(std::vector<Frame>& frames, std::size_t end, bool back, std::size_t over);
  [[nodiscard]] bool is_better(const Way& way) const noexcept;
  [[nodiscard]] bool meets(const State& one, const State& other) const noexcept;
  [[nodiscard]] bool is_slow_enough(const State& one, const State& other) const noexcept;
  [[nodiscard]] Frame answer(StepStatus status, std::size_t frame, const State& state);

  TwoWayOptions options_;
  Observer observer_;
  DynamicalOptions dynamical_;
  std::shared_ptr<AsRecorded> recorded_;
  SegmentTracker tracker_;
  Aligner aligner_;
  Targets targets_;
  Kinematics kinematics_;
  std::vector<double> speed_;
  std::vector<SegmentSample> samples_;
  std::vector<Frame> frames_;
  std::vector<Time> led_;
  int poses_left_, ways_left_;
  double most_loss_ = 0.0;  // [weight] beyond which no gain in the section makes a way better
  std::int64_t ambiguous_ = 0;
  std::size_t next_ = 0;
  StepReport report_;
};

}  // namespace panto
