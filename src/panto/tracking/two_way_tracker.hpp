#pragma once
// Tracks a recording forwards and backwards (docs/algorithms/two_way_tracker.md).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/sample/stages.hpp"
#include "panto/tracking/observer.hpp"
#include "panto/tracking/substepping_tracker.hpp"

namespace panto {

struct TwoWayOptions {
  /// [s] > 0 as in `SubsteppingTracker`; infinity: steps are not divided.
  double longest_step = kInfinity;
  /// [weight] > 0, gain from which on the motion is led through a new pose: corresponds to one link off by 40
  /// degrees.
  double much_better = 0.25;
  double look_every = 0.5;            ///< [s] between searches for poses; > 0
  double longest_way = 6.0;           ///< [s] to either side of such a pose; > 0
  int most_poses = 200;               ///< number of searches in a recording, where the motion is worst; >= 0
  int most_ways = 200;                ///< number of tried motions in a recording; >= 0
  std::size_t most_samples = 30'000;  ///< a longer recording is tracked forwards only
};

/// Computes the motion of a recording at construction, then returns it sample by sample. Forwards it is the
/// tracker's own, bit by bit. If that is in a minimum much worse than the one an alignment finds, the motion
/// is led through that other pose: tracked from it backwards and forwards in time. Of that other motion it
/// takes the part that gains most, and crosses over where they do not meet.
class TwoWayTracker final : public Tracker<SegmentSample> {
 public:
  /// Model, map, method, options and segments as for a `SegmentTracker`; reads `recording` to its end. The
  /// model must outlive this object. `observer`: clock and counter of allocations, for the steps of the
  /// forward motion. `own`: calls its `update` in order of time for the forward motion, then for some samples
  /// again, also in reverse order; samples and States are as recorded.
  /// @throws as `SegmentTracker` does, ConfigError for options out of range.
  TwoWayTracker(const Model& model, const AttachmentMap& map, SolverKind kind, const SolverOptions& solver,
                const std::vector<std::string>& segments, Source<SegmentSample>& recording,
                const TwoWayOptions& options = {}, const Observer& observer = {},
                const OwnTargetsOption& own = {});

  /// Returns the motion at that sample of the recording; `NoTarget` after its end.
  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  /// Returns true if the motion was led through another pose at least once.
  [[nodiscard]] bool differs() const noexcept { return !rerouted_at_.empty(); }
  /// Returns the stamps of these poses [ns].
  [[nodiscard]] const std::vector<Time>& rerouted_at() const noexcept { return rerouted_at_; }
  /// A moment at which the motion stays much worse than a pose to which no way was found.
  struct Stuck {
    Time t = 0;     ///< [ns]
    int joint = 0;  ///< of those at a limit the one farthest from that pose
  };
  /// Returns these moments, in order of time.
  [[nodiscard]] const std::vector<Stuck>& stuck() const noexcept { return stuck_; }
  /// Returns `SegmentTracker::ambiguous_starts` of the forward motion.
  [[nodiscard]] std::int64_t ambiguous_starts() const noexcept { return ambiguous_; }

  /// The result of one sample.
  struct Frame {
    StepStatus status = StepStatus::NoTarget;
    State state;
    double potential = 0.0;  ///< [weight] from `Aligner::potential`
    int active_bounds = 0, solves = 0, fallback_level = 0, clamped = 0;
    bool aligned = false, clock_gap = false, returning = false, ambiguous = false;
    bool cut = false;                                                ///< of its sample
    std::optional<std::int64_t> duration_ns = {}, allocations = {};  ///< of the forward motion's step
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
  // a pose found by alignment
  struct Key {
    std::size_t frame;
    State pose;
    double potential;
  };
  // another motion, from frame `first` on and through a pose at `key`; whether it joins the existing one, or
  // begins the section, at its ends
  struct Way {
    std::size_t first, key;
    std::vector<Frame> frames;
    bool joins_before, joins_after;
  };
  struct Branch {
    std::vector<Frame> frames;
    bool joins;
  };
  // a place where a way may begin or end: with a crossing, which costs potential, or without
  struct Cut {
    std::size_t frame = 0;  // of the way
    double value = 0.0;     // gain before it and cost of crossing
    bool crosses = false;
  };

  [[nodiscard]] static OwnTargetsOption as_recorded(const std::shared_ptr<AsRecorded>& recorded,
                                                    const OwnTargets& own);
  [[nodiscard]] bool read(Source<SegmentSample>& recording);
  void follow(std::size_t first);
  [[nodiscard]] Section section_from(std::size_t first) const noexcept;
  [[nodiscard]] bool improve(const Section& section);
  [[nodiscard]] std::vector<Key> seek_poses(const Section& section);
  [[nodiscard]] std::optional<Way> lead_through(const Key& key, const Section& section);
  [[nodiscard]] std::optional<Branch> track_from(const Key& key, const Section& section, bool back);
  [[nodiscard]] bool join(std::vector<Frame>& frames, std::size_t end, bool back, std::size_t over);
  [[nodiscard]] bool take(const Way& way);
  void note_stuck(const std::vector<Key>& keys);
  void set_rates_between(std::size_t first, std::size_t last);
  [[nodiscard]] double crossing_time(const Way& way, std::size_t n) const noexcept;
  [[nodiscard]] double cross_over(const Way& way, std::size_t first, bool onto, std::vector<Frame>& crossed,
                                  double most = kInfinity);
  [[nodiscard]] bool same_pose(const State& one, const State& other) const noexcept;
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
  std::vector<Time> rerouted_at_;
  std::int64_t done_ = 0;  // frames that were solved at least once
  std::vector<Stuck> stuck_;
  int poses_left_, ways_left_;
  std::int64_t ambiguous_ = 0;
  std::size_t next_ = 0;
  StepReport report_;
};

}  // namespace panto
