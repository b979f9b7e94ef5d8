#include "panto/stream/webxr.hpp"

#include <algorithm>

#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::stream {
namespace {

constexpr Time kWait = 500'000'000;          // [ns] for a body
constexpr Time kOtherClock = 2'000'000'000;  // [ns] between stamps and arrival, beyond which arrival counts

}  // namespace

WebxrBody::WebxrBody(std::optional<double> height) : height_(height) {
  for (int segment = 0; segment < kHumanSegmentCount; ++segment) {
    if (segment == HumanSegment::RightToe || segment == HumanSegment::LeftToe) continue;
    segments_.push_back(segment);
    names_.emplace_back(kHumanSegmentNames[at(segment)]);
  }
  sample_.segments.resize(segments_.size());
}

Brought WebxrBody::take(std::span<const std::byte> message, Time arrival) noexcept {
  const Brought brought = read_webxr(message, frame_) ? hear(arrival) : Brought::Refused;
  ++counts_.by[static_cast<std::size_t>(brought)];
  return brought;
}

Brought WebxrBody::hear(Time arrival) noexcept {
  const bool whole = WebxrJoints::has(frame_);
  if (!whole && !WebxrReach::has(frame_)) return Brought::Part;
  if (!any_ && !begin(whole)) return Brought::Part;
  const bool begins = !any_ || frame_.session != session_;
  const Time before = sample_.t;
  if (!advance(arrival, begins)) return Brought::Late;
  sample_.cut = any_ && (begins || frame_.breaks || whole != whole_);
  space_moved_ = any_ && (begins || frame_.breaks);
  changed_ = changed_ || (any_ && whole != whole_);
  if (sample_.cut || !any_) {
    joints_.forget_hinges();
    reach_.forget_heading();
  }
  session_ = frame_.session;
  whole_ = whole;
  fill(whole, any_ ? to_seconds(sample_.t - before) : 0.0);
  any_ = true;
  return Brought::Sample;
}

// Returns whether what came suffices to begin; notes the person's size.
bool WebxrBody::begin(bool whole) noexcept {
  try {
    if (whole) {
      person_ = WebxrJoints::person(frame_);
    } else {
      if (!waiting_ || frame_.session != session_) waiting_ = frame_.t;
      session_ = frame_.session;
      eyes_ = std::max(eyes_, frame_.pose[at(WebxrPlace::Viewer)].p.z());
      if (frame_.t - *waiting_ < kWait) return false;
      person_ = height_ ? scaled_subject(*height_) : WebxrReach::person(eyes_);
    }
  } catch (const std::exception&) {  // want of memory
    return false;
  }
  if (person_) used_ = *person_;
  began_whole_ = whole;
  return true;
}

// Sets the sample's stamp. False when the frame is no newer than the last.
bool WebxrBody::advance(Time arrival, bool begins) noexcept {
  const Time passed = std::max<Time>(arrival - last_arrival_, 1);
  Time step = frame_.t - last_t_;
  if (!begins && step <= 0) return false;
  if (begins || std::max(step - passed, passed - step) > kOtherClock)
    step = passed;
  else
    counts_.lost += std::max<std::int64_t>(std::int64_t{frame_.number} - last_number_ - 1, 0);
  sample_.t = any_ ? sample_.t + step : 0;
  last_t_ = frame_.t;
  last_arrival_ = arrival;
  last_number_ = frame_.number;
  return true;
}

void WebxrBody::fill(bool whole, double dt) noexcept {
  if (whole) {
    joints_.pose(frame_, dt, pose_);
    if (joints_.became_neutral() && any_) sample_.cut = late_neutral_ = true;
  } else {
    reach_.pose(frame_, used_, dt, pose_);
  }
  if (space_moved_) stay_in_place();
  constexpr auto kPelvis = at(HumanSegment::Pelvis);
  if (pose_.turned.test(kPelvis) && pose_.placed.test(kPelvis))
    pelvis_ = WebxrPose{turn_ * pose_.R[kPelvis], turn_ * pose_.p[kPelvis] + shift_};
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const std::size_t segment = at(segments_[i]);
    SegmentMotion& motion = sample_.segments[i] = {};
    motion.has_orientation = pose_.turned.test(segment);
    if (motion.has_orientation) motion.R_WS = turn_ * pose_.R[segment];
    motion.has_position = pose_.placed.test(segment);
    if (motion.has_position) motion.p_WS = turn_ * pose_.p[segment] + shift_;
  }
}

// Puts the pelvis over the place where it was, with the heading that it had.
void WebxrBody::stay_in_place() noexcept {
  constexpr auto kPelvis = at(HumanSegment::Pelvis);
  if (!pelvis_ || !pose_.turned.test(kPelvis) || !pose_.placed.test(kPelvis)) return;
  const auto heading = [](const Eigen::Matrix3d& R) { return atan2(R(1, 0), R(0, 0)); };
  turn_ = so3::about_axis(2, heading(pelvis_->R) - heading(pose_.R[kPelvis]));
  shift_ = pelvis_->p - turn_ * pose_.p[kPelvis];
  shift_.z() = 0.0;  // the floor stays the floor
}

std::vector<std::string> WebxrBody::notes() const {
  std::vector<std::string> notes;
  if (any_ && began_whole_) {
    notes.push_back(person_ ? "The body's joints are those of a person of " + decimals(person_->height, 2) +
                                  " m. Headsets guess the legs."
                            : "The body's joints are no person's: its size is not known.");
  } else if (any_) {
    notes.push_back(
        "The headset tracks head and hands alone: the trunk stays upright and turns after the "
        "head, the feet stand below the hips.");
    if (!height_)
      notes.push_back(person_
                          ? "The eyes' height is that of a person of " + decimals(person_->height, 2) + " m."
                          : "The eyes are " + decimals(eyes_, 2) +
                                " m above the floor: too low or too high for a person who stands.");
  }
  if (changed_)
    notes.emplace_back(
        "Body tracking came or went, to or from head and hands alone: the motion was cut there.");
  if (late_neutral_)
    notes.emplace_back("The person stood upright later than at the start: the motion begins again there.");
  return notes;
}

}  // namespace panto::stream
