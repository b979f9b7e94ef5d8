#include "panto/tracking/two_way_tracker.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/base/finite_options.hpp"
#include "panto/base/index.hpp"
#include "panto/ik/modular.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/math/ease.hpp"
#include "panto/math/so3.hpp"
#include "panto/tracking/measured_tracker.hpp"

namespace panto {
namespace {

constexpr double kMeet = 0.03;            // [rad, m] difference of joints and base at which two motions meet
constexpr double kJoinOver = 0.15;        // [s] duration of the blend from one to the other
constexpr double kCrossOver = 0.4;        // [s] duration of a blend between motions that do not meet, ..
constexpr double kLongestCross = 1.0;     // .. or longer, up to this, where a joint is too slow for it
constexpr double kSteepest = 1.5 * 1.15;  // steepest slope of `ease`, and something for the joint's own way
constexpr double kCrossEvery = 0.15;      // [s] between moments where that is tried
constexpr double kLeastGain = 0.1;        // [weight s] that another motion must gain
constexpr double kRounding = 1e-9;        // tolerance of speed limits
constexpr double kFound = 1e-5;  // decrease of the cost that ends the search for a pose: tracking refines it
constexpr double kAtLimit = 1e-3;  // [rad, m] from a limit

const TwoWayOptions& checked(const TwoWayOptions& options) {
  check_finite("hindsight", {{"much_better", options.much_better},
                             {"look_every", options.look_every},
                             {"longest_way", options.longest_way}});
  if (!(options.longest_step > 0.0) || !(options.much_better > 0.0) || !(options.look_every > 0.0) ||
      !(options.longest_way > 0.0))
    throw ConfigError("hindsight: longest_step, much_better, look_every and longest_way must be > 0");
  if (options.most_poses < 0 || options.most_ways < 0)
    throw ConfigError("hindsight: most_poses and most_ways must be >= 0");
  return options;
}

// Uses only poses reached from rest: these are the minima that a motion can reach.
DynamicalOptions led_only(DynamicalOptions options) {
  options.align_starts = 1;
  options.align_decrease = kFound;
  if (options.align_steps == 0) options.align_steps = robot_options().align_steps;
  return options;
}

// Reverses a sample in time, from `end`.
void turn_back(const SegmentSample& sample, Time end, SegmentSample& turned) {
  turned = sample;
  turned.t = end - sample.t;
  for (SegmentMotion& segment : turned.segments) {
    segment.w_WS = -segment.w_WS;
    segment.v_WS = -segment.v_WS;
  }
}

void turn_back(Time t, State& state) noexcept {
  state.t = t;
  state.v_WB = -state.v_WB;
  state.w_WB = -state.w_WB;
  state.sdot = -state.sdot;
}

// Blends two poses, `share` of the way; stays inside all limits and rows that both satisfy.
void blend(const State& one, const State& other, double share, State& state) {
  state.p_WB = one.p_WB + share * (other.p_WB - one.p_WB);
  state.R_WB = so3::project(so3::exp(share * so3::log(other.R_WB * one.R_WB.transpose())) * one.R_WB);
  state.s = one.s + share * (other.s - one.s);
}

// Sets rates by differences.
void set_rates(const State& before, const State& behind, State& state) {
  const double dt = to_seconds(behind.t - before.t);
  state.v_WB = (behind.p_WB - before.p_WB) / dt;
  state.w_WB = so3::log(behind.R_WB * before.R_WB.transpose()) / dt;
  state.sdot = (behind.s - before.s) / dt;
}

}  // namespace

TwoWayTracker::TwoWayTracker(const Model& model, const AttachmentMap& map, SolverKind kind,
                             const SolverOptions& solver, const std::vector<std::string>& segments,
                             Source<SegmentSample>& recording, const TwoWayOptions& options,
                             const Observer& observer, const OwnTargetsOption& own)
    : options_(checked(options)),
      observer_(observer),
      dynamical_(solver.dynamical),
      recorded_(std::make_shared<AsRecorded>(AsRecorded{own.update})),
      tracker_(model, map, kind, solver, segments, as_recorded(recorded_, own.targets)),
      aligner_(model, tracker_.attachments().rows(), led_only(dynamical_), own.targets),
      targets_{0, tracker_.attachments().rows(), {}, own.targets},
      kinematics_(model),
      speed_(JointLimits(model, dynamical_.limits).speed()),
      poses_left_(options.most_poses),
      ways_left_(options.most_ways),
      report_(tracker_.last_report()) {
  if (!read(recording) || samples_.empty()) return;
  frames_.resize(samples_.size());
  follow(0);
  ambiguous_ = tracker_.ambiguous_starts();
  for (std::size_t first = 0; first < frames_.size();) {
    const Section section = section_from(first);
    // the return from a gap depends on the end of the section, which has changed
    if (improve(section) && section.last < frames_.size()) follow(section.last);
    first = section.last;
  }
  std::sort(stuck_.begin(), stuck_.end(), [](const Stuck& a, const Stuck& b) { return a.t < b.t; });
  samples_ = {};
}

// Shows the update samples and States as recorded, in whichever direction the tracker steps.
OwnTargetsOption TwoWayTracker::as_recorded(const std::shared_ptr<AsRecorded>& recorded,
                                            const OwnTargets& own) {
  OwnTargetsOption option{own, {}};
  if (!recorded->update) return option;
  option.update = [recorded](const SegmentSample& sample, const State& state, OwnTargets& targets) {
    if (!recorded->back) return recorded->update(sample, state, targets);
    turn_back(sample, recorded->end, recorded->sample);
    recorded->state = state;
    turn_back(recorded->end - state.t, recorded->state);
    recorded->update(recorded->sample, recorded->state, targets);
  };
  return option;
}

// Returns false if the recording is too long.
bool TwoWayTracker::read(Source<SegmentSample>& recording) {
  SegmentSample sample;
  for (ReadStatus read{}; (read = recording.read(sample)) != ReadStatus::EndOfMotion;) {
    if (read == ReadStatus::Malformed) break;
    if (read != ReadStatus::Sample) continue;
    if (samples_.size() == options_.most_samples) {
      samples_ = {};
      return false;
    }
    samples_.push_back(sample);
  }
  return true;
}

// Follows the tracker's own motion, from the previous frame on.
void TwoWayTracker::follow(std::size_t first) {
  const std::size_t segments = samples_[first].segments.size();
  SubsteppingTracker divided(tracker_, segments, options_.longest_step, dynamical_.max_interval);
  MeasuredTracker<SegmentSample> measured(divided, observer_);
  recorded_->back = false;
  tracker_.reset();
  State state = tracker_.rest_state();
  if (first > 0) {
    state = frames_[first - 1].state;
    (void)tracker_.resume(samples_[first - 1], state);
  }
  for (std::size_t i = first; i < samples_.size(); ++i) {
    const StepStatus status = measured.step(samples_[i], state);
    frames_[i] = answer(status, i, state);
    frames_[i].duration_ns = measured.record.duration_ns;
    frames_[i].allocations = measured.record.allocations;
    done_ = std::max(done_, static_cast<std::int64_t>(i) + 1);
    report_progress(observer_, done_, std::ssize(samples_));
  }
}

TwoWayTracker::Frame TwoWayTracker::answer(StepStatus status, std::size_t frame, const State& state) {
  const StepReport& report = tracker_.last_report();
  Frame made{status,
             state,
             0.0,
             report.active_bounds,
             report.solves,
             report.fallback_level,
             report.clamped,
             report.aligned,
             report.clock_gap,
             report.returning,
             report.ambiguous,
             samples_[frame].cut};
  if (!advanced(status) || tracker_.attachments().apply(samples_[frame], targets_) != StepStatus::Solved)
    return made;
  targets_.own = tracker_.own();  // of the step
  tracker_.weigh(targets_);
  made.potential = aligner_.potential(targets_, state);
  return made;
}

// One motion without a jump; empty if the frame has no solution.
TwoWayTracker::Section TwoWayTracker::section_from(std::size_t first) const noexcept {
  const bool is_first = std::none_of(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(first),
                                     [](const Frame& frame) { return advanced(frame.status); });
  Section section{first, first + 1, is_first || !dynamical_.limited_return};
  if (!advanced(frames_[first].status) || frames_[first].returning) return section;
  section.free = section.free && frames_[first].aligned;
  const auto goes_on = [this](std::size_t i) {
    const Frame& frame = frames_[i];
    return advanced(frame.status) && !frame.aligned && !frame.clock_gap && !frame.returning &&
           !samples_[i].cut;
  };
  while (section.last < frames_.size() && goes_on(section.last)) ++section.last;
  return section;
}

// Returns whether the section changed.
bool TwoWayTracker::improve(const Section& section) {
  if (section.last - section.first < 3) return false;
  bool changed = false;
  const std::vector<Key> keys = seek_poses(section);
  for (const Key& key : keys) {
    if (ways_left_ == 0) break;
    if (!(frames_[key.frame].potential - key.potential > options_.much_better)) continue;
    --ways_left_;
    std::optional<Way> way = lead_through(key, section);
    if (!way || !take(*way)) continue;
    rerouted_at_.push_back(samples_[key.frame].t);
    changed = true;
  }
  note_stuck(keys);
  return changed;
}

void TwoWayTracker::note_stuck(const std::vector<Key>& keys) {
  const Model& model = kinematics_.model();
  for (const Key& key : keys) {
    const Frame& frame = frames_[key.frame];
    if (model.dof() == 0 || !(frame.potential - key.potential > options_.much_better)) continue;
    const Eigen::VectorXd& s = frame.state.s;
    Eigen::ArrayXd away = (s - key.pose.s).array().abs();
    const Eigen::Array<bool, Eigen::Dynamic, 1> at_limit =
        (s - model.lower()).array() < kAtLimit || (model.upper() - s).array() < kAtLimit;
    if (at_limit.any()) away = at_limit.select(away, -1.0);
    Stuck stuck{samples_[key.frame].t, 0};
    away.maxCoeff(&stuck.joint);
    stuck_.push_back(stuck);
  }
}

// Finds poses much better than the motion, best first; searches where the motion is worst.
std::vector<TwoWayTracker::Key> TwoWayTracker::seek_poses(const Section& section) {
  const auto potential = [this](std::size_t i) { return frames_[i].potential; };
  // where the motion is worst does not depend on where the section begins
  const Time half = from_seconds(0.5 * options_.look_every);
  const auto is_worst = [&](std::size_t i) {
    for (std::size_t j = i; j > section.first && samples_[i].t - samples_[j - 1].t < half; --j)
      if (potential(j - 1) >= potential(i)) return false;
    for (std::size_t j = i + 1; j < section.last && samples_[j].t - samples_[i].t < half; ++j)
      if (potential(j) > potential(i)) return false;
    return true;
  };
  std::vector<std::size_t> worst;
  for (std::size_t i = section.first; i < section.last; ++i)
    if (potential(i) > options_.much_better && is_worst(i)) worst.push_back(i);
  std::stable_sort(worst.begin(), worst.end(),
                   [&](std::size_t a, std::size_t b) { return potential(a) > potential(b); });
  std::vector<Key> keys;
  for (const std::size_t i : worst) {
    if (poses_left_ == 0) break;
    if (tracker_.attachments().apply(samples_[i], targets_) != StepStatus::Solved) continue;
    --poses_left_;
    Key key{i, frames_[i].state, 0.0};
    if (recorded_->update) recorded_->update(samples_[i], key.pose, targets_.own);
    tracker_.weigh(targets_);
    aligner_.align(targets_, key.pose);
    key.potential = aligner_.potential(targets_, key.pose);
    if (potential(i) - key.potential > options_.much_better) keys.push_back(std::move(key));
  }
  std::stable_sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    return potential(a.frame) - a.potential > potential(b.frame) - b.potential;
  });
  return keys;
}

// The motion through that pose; empty if tracking cannot begin there.
std::optional<TwoWayTracker::Way> TwoWayTracker::lead_through(const Key& key, const Section& section) {
  const std::optional<Branch> before = track_from(key, section, true);
  if (!before) return std::nullopt;
  const std::optional<Branch> behind = track_from(key, section, false);
  if (!behind) return std::nullopt;
  Way way{key.frame + 1 - before->frames.size(), key.frame, {}, before->joins, behind->joins};
  way.frames.assign(before->frames.rbegin(), before->frames.rend());
  way.frames.insert(way.frames.end(), behind->frames.begin() + 1, behind->frames.end());
  return way;
}

// Tracks from the pose backwards or forwards, itself first, until it meets the existing motion, for
// `longest_way`, or to the section's end.
std::optional<TwoWayTracker::Branch> TwoWayTracker::track_from(const Key& key, const Section& section,
                                                               bool back) {
  const Time end = samples_[key.frame].t;
  SubsteppingTracker divided(tracker_, samples_[key.frame].segments.size(), options_.longest_step,
                             dynamical_.max_interval);
  tracker_.reset();
  SegmentSample turned;
  recorded_->back = back;
  recorded_->end = end;
  const auto sample_at = [&](std::size_t i) -> const SegmentSample& {
    if (!back) return samples_[i];
    turn_back(samples_[i], end, turned);
    turned.cut = false;
    return turned;
  };
  State state = key.pose;
  state.t = sample_at(key.frame).t;
  if (tracker_.resume(sample_at(key.frame), state) != StepStatus::Solved) return std::nullopt;
  Branch branch{{answer(StepStatus::Solved, key.frame, key.pose)}, false};
  std::vector<Frame>& frames = branch.frames;
  const std::size_t count = back ? key.frame - section.first : section.last - 1 - key.frame;
  std::size_t together = 0;
  for (std::size_t n = 1; n <= count; ++n) {
    const std::size_t i = back ? key.frame - n : key.frame + n;
    const StepStatus status = divided.step(sample_at(i), state);
    report_progress(observer_, done_, std::ssize(samples_));  // it may stop the job
    if (!advanced(status)) return branch;
    if (std::abs(to_seconds(samples_[i].t - samples_[key.frame].t)) > options_.longest_way) return branch;
    frames.push_back(answer(status, i, state));
    if (back) turn_back(samples_[i].t, frames.back().state);
    together = same_pose(frames.back().state, frames_[i].state) ? together + 1 : 0;
    const double since = std::abs(to_seconds(samples_[i].t - samples_[back ? i + together : i - together].t));
    branch.joins = together > 2 && since >= kJoinOver && join(frames, i, back, together);
    if (branch.joins) return branch;
  }
  branch.joins = !back || section.free;  // as far as the section goes
  return branch;
}

// Blends the last `over` frames up to `end` into the existing motion. Returns false, unchanged, if some joint
// would exceed its speed limit.
bool TwoWayTracker::join(std::vector<Frame>& frames, std::size_t end, bool back, std::size_t over) {
  std::vector<Frame> joined(frames.end() - static_cast<std::ptrdiff_t>(over) - 1, frames.end());
  for (std::size_t m = 1; m <= over; ++m) {
    const std::size_t i = back ? end + over - m : end + m - over;
    const double share = ease(static_cast<double>(m) / static_cast<double>(over));
    const State own = joined[m].state;
    blend(own, frames_[i].state, share, joined[m].state);
    if (!is_slow_enough(joined[m - 1].state, joined[m].state)) return false;
  }
  joined[over].state = frames_[end].state;
  for (std::size_t m = 1; m < over; ++m) set_rates(joined[m - 1].state, joined[m + 1].state, joined[m].state);
  std::move(joined.begin(), joined.end(), frames.end() - static_cast<std::ptrdiff_t>(joined.size()));
  return true;
}

bool TwoWayTracker::same_pose(const State& one, const State& other) const noexcept {
  return (one.s - other.s).lpNorm<Eigen::Infinity>() < kMeet && (one.p_WB - other.p_WB).norm() < kMeet &&
         so3::log(one.R_WB * other.R_WB.transpose()).norm() < kMeet;
}

bool TwoWayTracker::is_slow_enough(const State& one, const State& other) const noexcept {
  const double dt = std::abs(to_seconds(other.t - one.t));
  const Eigen::Map<const Eigen::ArrayXd> speed(speed_.data(), one.s.size());
  return ((other.s - one.s).array().abs() <= speed * dt + kRounding).all();
}

// Returns how long a crossing between the existing motion and the way's frame `n` takes [s].
double TwoWayTracker::crossing_time(const Way& way, std::size_t n) const noexcept {
  const State &one = frames_[way.first + n].state, &other = way.frames[n].state;
  const Eigen::Map<const Eigen::ArrayXd> speed(speed_.data(), one.s.size());
  const double longest = ((other.s - one.s).array().abs() / speed).maxCoeff();
  return std::clamp(kSteepest * longest, kCrossOver, kLongestCross);
}

// Crosses over from the existing motion onto the way from its frame `first` on, or back from it. Returns the
// sum of the potentials beyond those of the motion that it leads to; infinity if some joint would exceed its
// speed limit, the way ends, or the sum is above `most`.
double TwoWayTracker::cross_over(const Way& way, std::size_t first, bool onto, std::vector<Frame>& crossed,
                                 double most) {
  const std::vector<Frame>& frames = way.frames;
  const double time = crossing_time(way, first);
  const auto is_within = [&](std::size_t n) {
    return to_seconds(samples_[way.first + n].t - samples_[way.first + first].t) < time;
  };
  std::size_t last = first;
  double least = 0.0;  // of the sum: potentials that are still unknown count as 0
  for (; last < frames.size() && is_within(last); ++last)
    least -= onto ? frames[last].potential : frames_[way.first + last].potential;
  if (last == frames.size() || least > most) return kInfinity;
  crossed.clear();
  for (std::size_t n = first; n < last; ++n) {
    const Frame &one = onto ? frames_[way.first + n] : frames[n],
                &other = onto ? frames[n] : frames_[way.first + n];
    const double u = to_seconds(samples_[way.first + n].t - samples_[way.first + first].t) / time;
    crossed.push_back(other);
    Frame& made = crossed.back();
    made.duration_ns.reset();
    made.allocations.reset();
    blend(one.state, other.state, ease(u), made.state);
    if (n > first && !is_slow_enough(crossed[n - first - 1].state, made.state)) return kInfinity;
  }
  const Frame& after = onto ? frames[last] : frames_[way.first + last];
  if (!is_slow_enough(crossed.back().state, after.state)) return kInfinity;
  double sum = 0.0;
  for (std::size_t n = first; n < last; ++n) {
    Frame& made = crossed[n - first];
    const double other = made.potential;
    if (tracker_.attachments().apply(samples_[way.first + n], targets_) == StepStatus::Solved) {
      tracker_.weigh(targets_);
      made.potential = aligner_.potential(targets_, made.state);
    }
    sum += made.potential - other;
    least += made.potential;
    if (least > most) return kInfinity;
  }
  return sum;
}

// Takes the part of the way that gains most over the existing motion, crossings included; returns false if
// none gains enough.
bool TwoWayTracker::take(const Way& way) {
  const std::size_t count = way.frames.size();
  const auto when = [&](std::size_t n) { return to_seconds(samples_[way.first + n].t); };
  std::vector<Frame> crossed;
  const double per_second = static_cast<double>(count) / std::max(when(count - 1) - when(0), 1e-9);
  Cut begin{0, way.joins_before ? 0.0 : kInfinity, false}, best_begin, best_end;
  const double least = kLeastGain * per_second;
  double gain = 0.0, best = least;
  const auto end_at = [&](const Cut& end) {
    const double gained = end.value - begin.value;
    if (!(gained > best) ||
        (begin.crosses && when(end.frame) - when(begin.frame) < 1.5 * crossing_time(way, begin.frame)))
      return;
    best = gained;
    best_begin = begin;
    best_end = end;
  };
  const auto grid = [&](std::size_t n) {
    return std::floor(to_seconds(samples_[way.first + n].t - samples_[way.key].t) / kCrossEvery);
  };
  for (std::size_t n = 0; n < count; ++n) {
    if (n == 0 || grid(n) != grid(n - 1)) {
      end_at({n, gain - cross_over(way, n, false, crossed, gain - begin.value - best), true});
      const Cut here{n, gain + cross_over(way, n, true, crossed, begin.value - gain), true};
      if (here.value < begin.value) begin = here;
    }
    gain += frames_[way.first + n].potential - way.frames[n].potential;
  }
  if (way.joins_after) end_at({count - 1, gain, false});
  if (!(best > least)) return false;
  const auto at_frame = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  std::vector<Frame> result(way.frames.begin() + at_frame(best_begin.frame),
                            way.frames.begin() + at_frame(best_end.crosses ? best_end.frame : count));
  if (best_begin.crosses) {
    (void)cross_over(way, best_begin.frame, true, crossed);
    std::copy(crossed.begin(), crossed.end(), result.begin());
  }
  if (best_end.crosses) {
    (void)cross_over(way, best_end.frame, false, crossed);
    result.insert(result.end(), crossed.begin(), crossed.end());
  }
  // a section keeps its beginning
  const std::size_t first = way.first + best_begin.frame;
  result.front().aligned = frames_[first].aligned;
  result.front().clock_gap = frames_[first].clock_gap;
  result.front().ambiguous = frames_[first].ambiguous;
  std::move(result.begin(), result.end(), frames_.begin() + at_frame(first));
  set_rates_between(first, first + result.size());
  return true;
}

// Gives the frames [first, last) the rates of their own motion.
void TwoWayTracker::set_rates_between(std::size_t first, std::size_t last) {
  for (std::size_t i = std::max<std::size_t>(first, 1); i < last && i + 1 < frames_.size(); ++i)
    if (advanced(frames_[i - 1].status) && advanced(frames_[i + 1].status) && !frames_[i].cut &&
        !frames_[i + 1].cut)
      set_rates(frames_[i - 1].state, frames_[i + 1].state, frames_[i].state);
}

StepStatus TwoWayTracker::step(const SegmentSample& sample, State& state) noexcept {
  if (next_ >= frames_.size()) return StepStatus::NoTarget;
  const Frame& frame = frames_[next_++];
  report_.active_bounds = frame.active_bounds;
  report_.solves = frame.solves;
  report_.fallback_level = frame.fallback_level;
  report_.clamped = frame.clamped;
  report_.aligned = frame.aligned;
  report_.clock_gap = frame.clock_gap;
  report_.returning = frame.returning;
  report_.ambiguous = frame.ambiguous;
  if (!advanced(frame.status)) return frame.status;
  state = frame.state;
  if (tracker_.attachments().apply(sample, targets_) == StepStatus::Solved) {
    kinematics_.update(state);
    report_residuals(targets_, kinematics_, report_);
  }
  return frame.status;
}

}  // namespace panto
