#include "panto/stream/bvh_broadcast.hpp"

#include <algorithm>

#include "panto/base/text.hpp"

namespace panto::stream {
namespace {

constexpr std::size_t kLongestLine = 16384;  // [bytes]
constexpr int kStill = 3;                    // frames
constexpr std::int32_t kBack = 1000;         // frames by which an index that goes back has restarted
constexpr std::int32_t kAhead = 100'000;     // frames by which it jumps
constexpr double kSilence = 1.0;             // [s] after which an older index is a restart

}  // namespace

BvhBroadcast::BvhBroadcast(std::optional<int> character) : asked_(character.has_value()) {
  if (character) avatar_ = static_cast<std::uint32_t>(*character);
  for (int segment = 0; segment < kHumanSegmentCount; ++segment) {
    if (segment == HumanSegment::RightToe || segment == HumanSegment::LeftToe) continue;
    segments_.push_back(segment);
    names_.emplace_back(kHumanSegmentNames[at(segment)]);
  }
  sample_.segments.resize(segments_.size());
}

Brought BvhBroadcast::take(std::span<const std::byte> datagram, Time arrival) noexcept {
  Brought brought = Brought::Refused;
  const std::size_t length = broadcast_length(datagram);
  if (length > 0) have_ = 0, need_ = length;
  if (length > 0 || have_ > 0) {
    brought = collect(datagram, arrival);
  } else if (!broadcast_begins(datagram) && datagram.size() <= kLongestLine &&
             read_broadcast_line(datagram, frame_)) {
    brought = deliver(arrival);
  }
  ++counts_.by[static_cast<std::size_t>(brought)];
  return brought;
}

// A frame is longer than a packet of Ethernet: senders part it, and only the first part has the header.
Brought BvhBroadcast::collect(std::span<const std::byte> datagram, Time arrival) noexcept {
  if (datagram.empty() || datagram.size() > need_ - have_) {
    have_ = 0;
    return Brought::Refused;
  }
  std::copy(datagram.begin(), datagram.end(), collected_.begin() + static_cast<std::ptrdiff_t>(have_));
  have_ += datagram.size();
  if (have_ < need_) return Brought::Part;
  have_ = 0;
  return read_broadcast(std::span(collected_).first(need_), frame_) ? deliver(arrival) : Brought::Refused;
}

Brought BvhBroadcast::deliver(Time arrival) noexcept {
  if ((any_ || asked_) && frame_.avatar != avatar_) {
    others_ = true;
    return Brought::Ignored;
  }
  if (!pose_of(frame_, next_pose_)) return Brought::Refused;
  if (!advance(arrival)) return Brought::Late;
  avatar_ = frame_.avatar;
  pose_ = next_pose_;
  lengths_ = frame_.layout.displacements;
  any_ = true;
  fill();
  return Brought::Sample;
}

// False when the frame is no newer than the last.
bool BvhBroadcast::advance(Time arrival) noexcept {
  if (!frame_.index) {
    last_index_.reset();
    sample_.cut = false;
    if (any_) sample_.t += std::max<Time>(arrival - last_arrival_, 1);
  } else if (!count(*frame_.index, arrival)) {
    return false;
  }
  last_arrival_ = arrival;
  return true;
}

bool BvhBroadcast::count(std::uint32_t index, Time arrival) noexcept {
  const Time passed = std::max<Time>(arrival - last_arrival_, 1);
  const auto step = static_cast<std::int32_t>(index - last_index_.value_or(index - 1));
  if (last_index_ && step == 0) {
    if (++still_ < kStill) return false;
    still_ = kStill;
    stood_ = true;
    sample_.cut = false;
    sample_.t += passed;
    return true;
  }
  const bool restarts = step < -kBack || step > kAhead || (step < 0 && to_seconds(passed) > kSilence);
  if (step < 0 && !restarts) return false;
  const bool counted = last_index_ && !restarts && still_ < kStill;
  still_ = 0;
  if (!counted) {  // the first of its kind: arrival tells
    clock_ = {};
    strides_.restart();
  }
  sample_.cut = restarts;
  restarted_ = restarted_ || restarts;
  const Time t = clock_.next({.counter = index, .time_code = 0, .arrival = arrival}).t;
  if (counted) {
    counts_.lost += strides_.missing(static_cast<std::uint32_t>(step));
    sample_.t += std::max<Time>(t - clock_t_, 1);
  } else if (any_) {
    sample_.t += passed;
  }
  clock_t_ = t;
  last_index_ = index;
  return true;
}

void BvhBroadcast::fill() noexcept {
  BroadcastPose& world = next_pose_;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const int segment = segments_[i], up = kHumanSegmentParent[at(segment)];
    auto& [R, p] = world.bones[at(segment)];
    if (up >= 0) {
      const auto& base = world.bones[at(up)];
      p = base.p + base.R * p;
      R = base.R * R;
    }
    SegmentMotion& motion = sample_.segments[i] = {};
    motion.has_orientation = true;
    motion.R_WS = R;
    motion.has_position = lengths_ || segment == HumanSegment::Pelvis;
    if (motion.has_position) motion.p_WS = p;
  }
}

std::optional<SubjectDimensions> BvhBroadcast::person() const {
  std::string why;
  return any_ && lengths_ ? broadcast_person(pose_, why) : std::nullopt;
}

std::vector<std::string> BvhBroadcast::notes() const {
  std::vector<std::string> notes;
  if (any_ && lengths_) {
    std::string why;
    const auto person = broadcast_person(pose_, why);
    notes.push_back(person ? "The bones are those of a person of " + decimals(person->height, 2) + " m."
                           : why);
  } else if (any_) {
    notes.emplace_back("The frames have no displacements: bones get average lengths. Switch them on there.");
  }
  if (any_)
    notes.emplace_back("L5, L3, T12 and T8 follow Spine, Spine1, Spine2 and Spine3; toes are not measured.");
  if (any_ && !last_index_) notes.emplace_back("Lines of text have no time: times of arrival are used.");
  if (others_ && asked_)
    notes.push_back("Character " + std::to_string(*avatar_) + " is followed; others are sent, too.");
  if (others_ && !asked_)
    notes.emplace_back(
        "More than one character is sent: only the first is followed. ?character=N after the address names "
        "another.");
  if (restarted_) notes.emplace_back("The index of the frames jumped: the motion was cut there.");
  if (stood_) notes.emplace_back("The index of the frames stands still: times of arrival are used.");
  return notes;
}

}  // namespace panto::stream
