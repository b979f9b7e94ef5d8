// Checks values, time, steps and velocities; recording_shape.cpp checks the body.

#include "panto/evaluation/recording_watches.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kLargestValue = 1e6;        // [m], [rad/s], [m/s]: larger values are damage
constexpr double kRotationTolerance = 1e-3;  // of R^T R
constexpr double kGapIntervals = 1.5;
// impossible for a body within one frame, in addition to the steps around it
constexpr double kPelvisJump = 0.10, kPelvisJumpSpeed = 6.0;  // [m], [m/s]
constexpr double kLimbJump = 0.25, kLimbJumpSpeed = 20.0;     // [m], [m/s]
constexpr double kWild = 0.2;  // share of jumping frames above which the recording is no motion
constexpr double kFlip = 0.7, kFlipSpeed = 35.0;  // [rad], [rad/s]
// velocities are compared where they are well above noise
constexpr double kClearTurn = 0.5, kClearSpeed = 0.2;  // [rad/s], [m/s]
constexpr double kLargestTurn = 0.5;  // [rad] per frame above which a difference gives no rate
constexpr std::int64_t kEnoughVelocities = 100;
constexpr double kSameDirection = 0.8;  // cosine
constexpr double kSameOnTheMean = 0.25;
constexpr double kSameSize = 1.25;  // factor

bool plausible(const Vector3d& v) { return v.allFinite() && v.cwiseAbs().maxCoeff() <= kLargestValue; }

bool near_factor(double value, double factor) {
  return value < factor * kSameSize && value > factor / kSameSize;
}

// unknown steps are negative
double smaller_known(double a, double b) {
  if (a < 0.0 || b < 0.0) return std::max({a, b, 0.0});
  return std::min(a, b);
}

}  // namespace

std::string place(std::int64_t frame, Time t) {
  return "frame " + std::to_string(frame) + " (" + decimals(to_seconds(t), 2) + " s)";
}

WatchedSegments::WatchedSegments(const std::vector<std::string>& segment_names) : names(segment_names) {
  segment.fill(-1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    human.push_back(find_human_segment(names[i]));
    if (human.back() >= 0) segment[at(human.back())] = static_cast<int>(i);
  }
}

const SegmentMotion* WatchedSegments::find(const SegmentSample& sample, int which) const noexcept {
  const int i = segment[at(which)];
  return i >= 0 && at(i) < sample.segments.size() ? &sample.segments[at(i)] : nullptr;
}

void Worst::add(double amount, std::int64_t at_frame, Time at_t) noexcept {
  if (count++ > 0 && !(amount > largest)) return;
  largest = amount;
  frame = at_frame;
  t = at_t;
}

Finding Worst::finding(FindingKind kind, Severity severity, const std::string& segment,
                       std::string text) const {
  return {kind, severity, segment, count, largest, frame, t, std::move(text)};
}

// --- values

void ValueWatch::add(const WatchedFrame& frame) {
  for (std::size_t i = 0; i < std::min(records_.size(), frame.now.segments.size()); ++i) {
    const SegmentMotion& S = frame.now.segments[i];
    Record& record = records_[i];
    const bool finite =
        (!S.has_orientation || S.R_WS.allFinite()) && (!S.has_position || plausible(S.p_WS)) &&
        (!S.has_angular_velocity || plausible(S.w_WS)) && (!S.has_linear_velocity || plausible(S.v_WS));
    if (!finite) record.not_finite.add(0.0, frame.index, frame.now.t);
    if (finite && S.has_orientation && !so3::is_rotation(S.R_WS, kRotationTolerance)) {
      const double off = (S.R_WS.transpose() * S.R_WS - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
      record.not_rotation.add(off, frame.index, frame.now.t);
    }
    if (S.has_orientation || S.has_position) {
      ++record.valid;
    } else {
      record.invalid.add(0.0, frame.index, frame.now.t);
    }
  }
}

void ValueWatch::report(std::vector<Finding>& findings) const {
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const Record& record = records_[i];
    const std::string& name = segments_->names[i];
    if (record.not_finite.count > 0) {
      findings.push_back(
          record.not_finite.finding(FindingKind::NotFinite, Severity::Warning, name,
                                    name + " has values that are not finite or beyond 1e6 in " +
                                        counted(record.not_finite.count, "frame") + ", first in " +
                                        place(record.not_finite.frame, record.not_finite.t)));
    }
    if (record.not_rotation.count > 0) {
      findings.push_back(record.not_rotation.finding(
          FindingKind::NotRotation, Severity::Warning, name,
          name + "'s orientation is not a rotation in " + counted(record.not_rotation.count, "frame") +
              ", worst in " + place(record.not_rotation.frame, record.not_rotation.t)));
    }
    if (record.invalid.count > 0 && record.valid > 0) {
      findings.push_back(
          record.invalid.finding(FindingKind::Dropout, Severity::Info, name,
                                 name + " is missing in " + counted(record.invalid.count, "frame") + " of " +
                                     std::to_string(record.invalid.count + record.valid) + ", first in " +
                                     place(record.invalid.frame, record.invalid.t)));
    }
  }
}

// --- time

void TimeWatch::add(const WatchedFrame& frame, bool repeated) {
  stamps_.push_back(frame.now.t);
  repeated_now_ = repeated ? repeated_now_ + 1 : 0;
  if (repeated) repeated_.add(static_cast<double>(repeated_now_), frame.index, frame.now.t);
}

double TimeWatch::interval() const {
  std::vector<Time> intervals;
  for (std::size_t i = 1; i < stamps_.size(); ++i) {
    if (stamps_[i] > stamps_[i - 1]) intervals.push_back(stamps_[i] - stamps_[i - 1]);
  }
  if (intervals.empty()) return 0.0;
  const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
  std::nth_element(intervals.begin(), middle, intervals.end());
  return to_seconds(*middle);
}

bool TimeWatch::motionless() const noexcept {
  return stamps_.size() > 1 && repeated_.count + 1 == static_cast<std::int64_t>(stamps_.size());
}

void TimeWatch::report(std::vector<Finding>& findings) const {
  const double nominal = rate_hz_ > 0.0 ? 1.0 / rate_hz_ : interval();
  Worst gap, back;
  double missing = 0.0;
  for (std::size_t i = 1; i < stamps_.size(); ++i) {
    const double dt = to_seconds(stamps_[i]) - to_seconds(stamps_[i - 1]);
    const std::int64_t index = first_frame_ + static_cast<std::int64_t>(i);
    if (dt <= 0.0) back.add(-dt, index, stamps_[i]);
    if (nominal > 0.0 && dt > kGapIntervals * nominal) {
      gap.add(dt, index, stamps_[i]);
      missing += std::round(dt / nominal) - 1.0;
    }
  }
  if (back.count > 0) {
    findings.push_back(back.finding(FindingKind::TimeNotAdvancing, Severity::Warning, "",
                                    "the time does not increase at " + counted(back.count, "frame") +
                                        ", worst at " + place(back.frame, back.t)));
  }
  if (gap.count > 0) {
    findings.push_back(gap.finding(FindingKind::Gap, Severity::Warning, "",
                                   counted(std::llround(std::min(missing, 1e15)), "frame") +
                                       (missing == 1.0 ? " is" : " are") + " missing in " +
                                       counted(gap.count, "gap") + "; the longest, " +
                                       digits(gap.largest, 3) + " s, ends at " + place(gap.frame, gap.t)));
  }
  if (motionless()) {
    findings.push_back(
        repeated_.finding(FindingKind::Motionless, Severity::Info, "",
                          "nothing moves: all " + std::to_string(stamps_.size()) + " frames are identical"));
  } else if (repeated_.count > 0) {
    const double share = static_cast<double>(repeated_.count) / static_cast<double>(stamps_.size());
    findings.push_back(
        repeated_.finding(FindingKind::RepeatedFrames, Severity::Info, "",
                          counted(repeated_.count, "frame") + " of " + std::to_string(stamps_.size()) +
                              (repeated_.count == 1 ? " repeats" : " repeat") +
                              " the one before exactly, up to " + digits(repeated_.largest, 9) + " in a row" +
                              (share > 0.3 ? "; it may have been recorded at a lower rate" : "")));
  }
}

// --- steps

StepWatch::Step StepWatch::step(const WatchedFrame& frame, std::size_t i) {
  Step result;
  if (i >= frame.now.segments.size() || i >= frame.before->segments.size()) return result;
  const SegmentMotion &now = frame.now.segments[i], &before = frame.before->segments[i];
  if (now.has_position && before.has_position && plausible(now.p_WS) && plausible(before.p_WS))
    result.distance = (now.p_WS - before.p_WS).norm();
  if (now.has_orientation && before.has_orientation && now.R_WS.allFinite() && before.R_WS.allFinite())
    result.angle = so3::distance(now.R_WS, before.R_WS);
  return result;
}

// the steps of the last interval, now that the next ones are known
void StepWatch::judge(std::vector<Record>& records, const std::vector<Step>& next) const {
  const int pelvis = segments_->segment[HumanSegment::Pelvis];
  bool all_jump = false;
  const auto judge_one = [&](std::size_t i) {
    Record& record = records[i];
    const double distance = record.last.distance - smaller_known(record.before.distance, next[i].distance);
    const double angle = record.last.angle - smaller_known(record.before.angle, next[i].angle);
    const bool base = static_cast<int>(i) == pelvis;
    const bool jump = distance > (base ? kPelvisJump : kLimbJump) &&
                      distance > (base ? kPelvisJumpSpeed : kLimbJumpSpeed) * last_dt_;
    // if the whole body jumps, only the pelvis is reported
    if (jump && (base || !all_jump)) record.jump.add(record.last.distance, last_frame_, last_t_);
    if (angle > kFlip && angle > kFlipSpeed * last_dt_)
      record.flip.add(record.last.angle, last_frame_, last_t_);
    if (base) all_jump = jump;
  };
  if (pelvis >= 0) judge_one(at(pelvis));
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (static_cast<int>(i) != pelvis) judge_one(i);
  }
}

void StepWatch::add(const WatchedFrame& frame) {
  if (frame.before == nullptr || !(frame.dt > 0.0)) return;
  std::vector<Step> steps(records_.size());
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = step(frame, i);
  if (last_frame_ >= 0) judge(records_, steps);
  // beside a gap no comparison is possible
  const bool gap = last_frame_ >= 0 && frame.dt > kGapIntervals * last_dt_;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    records_[i].before = records_[i].last;
    records_[i].last = gap ? Step{} : steps[i];
  }
  last_frame_ = frame.index;
  last_t_ = frame.now.t;
  last_dt_ = frame.dt;
}

void StepWatch::report(std::vector<Finding>& findings) const {
  const double frames = static_cast<double>(last_frame_ - first_frame_);
  const auto wild = [&](std::int64_t count) {
    return count >= 10 && static_cast<double>(count) > kWild * frames;
  };
  std::vector<Record> records = records_;
  if (last_frame_ >= 0) judge(records, std::vector<Step>(records.size()));
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string& name = segments_->names[i];
    const auto add = [&](const Worst& worst, FindingKind kind, const std::string& what) {
      if (worst.count == 0) return;
      findings.push_back(
          worst.finding(kind, wild(worst.count) ? Severity::Error : Severity::Warning, name,
                        name + what + " from one frame to the next, at " + place(worst.frame, worst.t) +
                            (worst.count > 1 ? "; " + counted(worst.count, "frame") + " in total" : "") +
                            (first_frame_ == 0 && worst.frame == 1 ? "; frame 0 may be a rest pose" : "")));
    };
    add(records[i].jump, FindingKind::Jump, " jumps by " + digits(records[i].jump.largest, 3) + " m");
    add(records[i].flip, FindingKind::Flip,
        " turns by " + digits(in_degrees(records[i].flip.largest), 3) + " deg");
  }
}

// --- velocities

void VelocityWatch::Fit::add(const Vector3d& measured, const Vector3d& differenced) noexcept {
  const double product = measured.dot(differenced), norms = measured.norm() * differenced.norm();
  if (!(norms > 0.0)) return;
  slopes += product / differenced.squaredNorm();
  cosines += product / norms;
  ++count;
}

void VelocityWatch::add(const WatchedFrame& frame) {
  if (frame.before == nullptr || !(frame.dt > 0.0)) return;
  for (std::size_t i = 0; i < std::min(frame.now.segments.size(), frame.before->segments.size()); ++i) {
    const SegmentMotion &now = frame.now.segments[i], &before = frame.before->segments[i];
    if (now.has_angular_velocity && before.has_angular_velocity && now.has_orientation &&
        before.has_orientation) {
      // rates are means of both ends
      const Vector3d turn = so3::log(now.R_WS * before.R_WS.transpose()), rate = turn / frame.dt;
      const Vector3d world = 0.5 * (now.w_WS + before.w_WS);
      const Vector3d body = 0.5 * (now.R_WS * now.w_WS + before.R_WS * before.w_WS);
      if (turn.norm() < kLargestTurn && plausible(world)) {
        for (const auto& [share, norm] :
             {std::pair{&of_measured_, world.norm()}, {&of_differenced_, rate.norm()}}) {
          if (!(norm > kClearTurn)) continue;
          share->products += world.dot(rate);
          share->squares += norm * norm;
          ++share->count;
        }
      }
      if (rate.norm() > kClearTurn && turn.norm() < kLargestTurn && plausible(world)) {
        angular_.add(world, rate);
        angular_in_body_.add(body, rate);
      }
    }
    if (now.has_linear_velocity && before.has_linear_velocity && now.has_position && before.has_position) {
      const Vector3d velocity = (now.p_WS - before.p_WS) / frame.dt;
      const Vector3d measured = 0.5 * (now.v_WS + before.v_WS);
      if (velocity.norm() > kClearSpeed && plausible(velocity) && plausible(measured))
        linear_.add(measured, velocity);
    }
  }
}

// Noise of the poses is independent of the measured rates, so the mean of differences times measured rates
// equals the squares of the measured rates; likewise for noise of the rates. Rates that are rarely well above
// noise are not compared.
bool VelocityWatch::can_be_noise() const noexcept {
  const auto as_noise = [](const Share& share) {
    return share.count < kEnoughVelocities || std::abs(share.ratio() - 1.0) < kSameOnTheMean;
  };
  return as_noise(of_measured_) || as_noise(of_differenced_);
}

void VelocityWatch::report(std::vector<Finding>& findings) const {
  const auto add = [&](FindingKind kind, const Fit& fit, const std::string& text) {
    Finding finding;
    finding.kind = kind;
    finding.severity = Severity::Error;
    finding.count = fit.count;
    finding.largest = fit.slope();
    finding.text = text + "; to ignore them, take velocities from differences of the poses";
    findings.push_back(std::move(finding));
  };
  if (angular_.count >= kEnoughVelocities) {
    const double slope = angular_.slope();
    const bool in_body = angular_in_body_.cosine() > std::max(kSameDirection, angular_.cosine() + 0.05);
    if (in_body) {
      add(FindingKind::AngularVelocityFrame, angular_,
          "angular velocities fit the poses in the segments' own axes, not in world axes");
    } else if (angular_.cosine() < kSameDirection) {
      if (!can_be_noise())
        add(FindingKind::AngularVelocityFrame, angular_,
            "angular velocities contradict the poses (cosine " + digits(angular_.cosine(), 2) + ")");
    } else if (!near_factor(slope, 1.0)) {
      const bool degrees = near_factor(slope, kToDegrees);
      add(FindingKind::AngularVelocityUnit, angular_,
          "angular velocities are " + digits(slope, 3) + " times those of the poses" +
              (degrees ? ": they are in degrees per second" : ""));
    }
  }
  if (linear_.count >= kEnoughVelocities && !near_factor(linear_.slope(), 1.0)) {
    const double slope = linear_.slope();
    const char* unit = near_factor(slope, 1000.0)  ? ": they are in millimetres per second"
                       : near_factor(slope, 100.0) ? ": they are in centimetres per second"
                       : near_factor(slope, 3.6)   ? ": they are in kilometres per hour"
                                                   : "";
    add(FindingKind::LinearVelocityUnit, linear_,
        "velocities are " + digits(slope, 3) + " times those of the positions" + unit);
  }
}

}  // namespace panto
