#include "panto/stream/vmc.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"

namespace panto::stream {
namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;

constexpr double kNorm = 1e-2;      // of a quaternion
constexpr double kFarthest = 1e3;   // [m]
constexpr double kNoLength = 1e-6;  // [m]
constexpr double kJump = 1.0;       // [s] between the sender's clock and ours
constexpr double kFineTime = 8192;  // [s]; beyond it a float counts in steps of 1 ms and more
constexpr int kStill = 3;           // frames
constexpr int kSure = 4;            // votes

bool real(const OscArgument& argument, double& value) noexcept {
  if (argument.tag != 'f' && argument.tag != 'd') return false;
  value = argument.real;
  return true;
}

}  // namespace

VmcBody::VmcBody() {
  names_.reserve(kHumanSegmentCount);
  segments_.reserve(kHumanSegmentCount);
  sample_.segments.reserve(kHumanSegmentCount);
}

Brought VmcBody::take(std::span<const std::byte> datagram, Time arrival) noexcept {
  brought_ = Brought::Refused;
  if (osc_is_whole(datagram)) {
    brought_ = Brought::Ignored;
    bones_in_datagram_ = time_in_datagram_ = same_frame_ = false;
    arrival_ = arrival;
    OscReader reader(datagram);
    bool ours = false;
    for (OscMessage message; reader.next(message);) ours = hear(message) || ours;
    if (ours && brought_ == Brought::Ignored && loaded_) brought_ = Brought::Part;
    end_datagram();
  }
  ++counts_.by[static_cast<std::size_t>(brought_)];
  return brought_;
}

bool VmcBody::hear(OscMessage message) noexcept {
  const std::string_view address = message.address();
  if (address == "/VMC/Ext/Bone/Pos") {
    hear_bone(message);
  } else if (address == "/VMC/Ext/T") {
    hear_time(message);
  } else if (address == "/VMC/Ext/OK") {
    hear_status(message);
  } else if (address == "/VMC/Ext/Root/Pos") {
    hear_root(message);
  } else {
    return false;
  }
  return true;
}

void VmcBody::hear_time(OscMessage& message) noexcept {
  OscArgument argument;
  double time = 0.0;
  if (!message.next(argument) || !real(argument, time) || !(std::abs(time) < 1e9)) return;
  started_ = timed_ = time_in_datagram_ = true;
  if (time_ == time && !delivered_) {  // in every bundle of a frame, or a datagram that came twice
    same_frame_ = known_;
    return;
  }
  if (bones_in_datagram_) judge_time_place(true);
  if (follows_ > 0) {
    time_ = time;
    close_frame();
    time_.reset();
  } else {
    close_frame();
    time_ = time;
  }
}

void VmcBody::hear_status(OscMessage& message) noexcept {
  OscArgument argument;
  if (!message.next(argument)) return;
  if (!timed_) close_frame();
  started_ = true;
  const bool loaded = argument.integer != 0;
  if (loaded && !loaded_) cut_next_ = true;
  if (!loaded) was_unloaded_ = true;
  loaded_ = loaded;
}

// Takes name, position and quaternion x, y, z, w; more arguments may follow.
bool VmcBody::read_pose(OscMessage& message, Pose& pose) noexcept {
  Vector3d p;
  Vector4d xyzw;
  OscArgument argument;
  for (double& value : p) {
    if (!message.next(argument) || !real(argument, value)) return false;
  }
  for (double& value : xyzw) {
    if (!message.next(argument) || !real(argument, value)) return false;
  }
  if (!p.allFinite() || !(p.cwiseAbs().maxCoeff() <= kFarthest)) return false;
  if (!(std::abs(xyzw.norm() - 1.0) <= kNorm)) return false;
  pose = {so3::from_quaternion_wxyz(wxyz_from_unity(xyzw)), from_unity(p)};
  return true;
}

void VmcBody::hear_root(OscMessage& message) noexcept {
  OscArgument name;
  Pose pose;
  if (!message.next(name) || name.tag != 's' || !read_pose(message, pose)) return;
  if (root_seen_ && seen_.any() && !same_frame_) close_frame();
  started_ = root_seen_ = true;
  root_ = std::move(pose);
}

void VmcBody::hear_bone(OscMessage& message) noexcept {
  OscArgument name;
  if (!message.next(name) || name.tag != 's') return;
  see_any();
  const int bone = find_vmc_bone(name.text);
  if (bone < 0) return;
  Pose pose;
  const bool valid = read_pose(message, pose);
  see(bone);
  valid_.set(at(bone), valid);
  if (valid) local_[at(bone)] = pose;
}

// Any bone, fingers too, tells where the time stands.
void VmcBody::see_any() noexcept {
  if (!bones_in_datagram_) {
    if (time_in_datagram_) {
      judge_time_place(false);
    } else if (lonely_time_) {
      judge_time_place(*lonely_time_ - bones_arrival_ <= arrival_ - *lonely_time_);
      if (follows_ > 0) time_.reset();  // it was that of the frame before
    }
    lonely_time_.reset();
  }
  bones_in_datagram_ = true;
  bones_arrival_ = arrival_;
}

void VmcBody::see(int bone) noexcept {
  if (bone == VmcBone::Hips) started_ = true;
  if (seen_.test(at(bone)) && !same_frame_) close_frame();
  if (!started_) return;
  seen_.set(at(bone));
  if (present_.test(at(bone))) return;
  present_.set(at(bone));
  if (!known_) return;
  late_bone_ = cut_next_ = true;
  bone_of_ = vmc_bones_of_segments(present_);
}

void VmcBody::judge_time_place(bool follows) noexcept {
  follows_ = std::clamp(follows_ + (follows ? 1 : -1), -kSure, kSure);
}

void VmcBody::end_datagram() noexcept {
  if (time_in_datagram_ && !bones_in_datagram_) lonely_time_ = arrival_;
  if (seen_.none() || delivered_) return;
  if (!known_ && seen_ == last_seen_) begin();
  const bool whole = known_ && (seen_ & usual_) == usual_;
  const bool awaits_time = !time_ && follows_ > 0 && frames_without_time_ < 2;
  if (whole && !awaits_time) deliver();
}

// What ends a frame has come: a time, a status, or a bone of the next.
void VmcBody::close_frame() noexcept {
  if (seen_.any()) {
    if (!known_ && seen_ == last_seen_) begin();
    if (seen_ == last_seen_) usual_ = seen_;
    last_seen_ = seen_;
    if (!delivered_) deliver();
    frames_without_time_ = time_ ? 0 : std::min(frames_without_time_ + 1, 2);
    time_.reset();
    seen_.reset();
    valid_.reset();
    root_seen_ = false;
  }
  delivered_ = false;
}

void VmcBody::begin() noexcept {
  known_ = true;
  usual_ = seen_;
  bone_of_ = vmc_bones_of_segments(present_);
  for (int segment = 0; segment < kHumanSegmentCount; ++segment) {
    if (bone_of_[at(segment)] < 0) continue;
    segments_.push_back(segment);
    names_.emplace_back(kHumanSegmentNames[at(segment)]);
  }
  sample_.segments.resize(segments_.size());
}

void VmcBody::deliver() noexcept {
  delivered_ = true;
  if (!known_ || !loaded_) return;
  const Chain found = chain();
  if (found.turned.none()) return;
  if (!advance_stamp()) {
    if (brought_ != Brought::Sample) brought_ = Brought::Late;
    return;
  }
  fill(found);
  sample_.cut = cut_next_ && any_;
  cut_next_ = false;
  any_ = true;
  brought_ = Brought::Sample;
}

VmcBody::Chain VmcBody::chain() const noexcept {
  Chain out;
  for (int bone = 0; bone < kVmcBones; ++bone) {
    const int parent = vmc_parent(bone, present_);
    if (!valid_.test(at(bone)) || (parent >= 0 && !out.turned.test(at(parent)))) continue;
    const Pose& local = local_[at(bone)];
    const Pose& base = parent < 0 ? root_ : out.pose[at(parent)];
    out.pose[at(bone)] = {base.R * local.R, base.p + base.R * local.p};
    out.turned.set(at(bone));
    const bool base_placed = parent < 0 ? bone == VmcBone::Hips : out.placed.test(at(parent));
    // SlimeVR without an avatar's file sends no lengths
    out.placed.set(at(bone), base_placed && local.p.norm() > kNoLength);
  }
  return out;
}

void VmcBody::fill(const Chain& chain) noexcept {
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    SegmentMotion& segment = sample_.segments[i] = {};
    const int bone = bone_of_[at(segments_[i])];
    if (bone < 0 || !chain.turned.test(at(bone))) continue;
    segment.has_orientation = true;
    segment.R_WS = chain.pose[at(bone)].R;
    segment.has_position = chain.placed.test(at(bone));
    if (segment.has_position) segment.p_WS = chain.pose[at(bone)].p;
  }
}

// False when the frame is no newer than the last.
bool VmcBody::advance_stamp() noexcept {
  Time step = std::max<Time>(arrival_ - last_arrival_, 1);
  if (time_ && last_time_) {
    const double ahead = *time_ - *last_time_ - to_seconds(untimed_);
    if (std::abs(ahead - to_seconds(step)) > kJump) {
      cut_next_ = restarted_ = true;
    } else if (*time_ >= kFineTime) {
      coarse_ = true;
      if (ahead < 0.0) return false;
    } else if (ahead > 0.0) {
      step = std::max<Time>(from_seconds(ahead), 1);
      still_ = 0;
    } else if (ahead < 0.0 || ++still_ < kStill) {
      return false;
    } else {
      still_ = kStill;
      stood_ = true;
    }
  }
  sample_.t = any_ ? sample_.t + step : 0;
  untimed_ = time_ ? 0 : untimed_ + step;
  if (time_) last_time_ = time_;
  last_arrival_ = arrival_;
  return true;
}

std::optional<SubjectDimensions> VmcBody::person() const {
  if (!known_) return std::nullopt;
  VmcOffsets offsets{present_, {}};
  for (int bone = 0; bone < kVmcBones; ++bone) offsets.p[at(bone)] = local_[at(bone)].p;
  std::string why;
  return vmc_person(offsets, why);
}

std::vector<std::string> VmcBody::notes() const {
  std::vector<std::string> notes;
  if (known_) {
    VmcOffsets offsets{present_, {}};
    for (int bone = 0; bone < kVmcBones; ++bone) offsets.p[at(bone)] = local_[at(bone)].p;
    std::string why;
    const auto person = vmc_person(offsets, why);
    notes.push_back(person ? "The bones are those of a person of " + decimals(person->height, 2) + " m."
                           : why);
    std::vector<std::string> pairs;
    for (const int segment : {HumanSegment::L5, HumanSegment::T12, HumanSegment::T8}) {
      const int bone = bone_of_[at(segment)];
      if (bone < 0) continue;
      pairs.push_back(std::string(kHumanSegmentNames[at(segment)]) + " follows " +
                      std::string(vmc_bone_name(bone)));
    }
    if (!pairs.empty()) notes.push_back("Of the trunk " + listed(pairs, 3) + "; the rest is not measured.");
  }
  if (was_unloaded_) notes.emplace_back("The sender had no avatar at times: load one there.");
  if (late_bone_) notes.emplace_back("A bone came later than the first sample: it turns its children only.");
  if (restarted_) notes.emplace_back("The sender's clock jumped: the motion was cut there.");
  if (coarse_) {
    notes.emplace_back("The sender's clock is beyond 2.3 h and too coarse: times of arrival are used.");
  }
  if (stood_) notes.emplace_back("The sender's clock stands still: times of arrival are used.");
  return notes;
}

}  // namespace panto::stream
