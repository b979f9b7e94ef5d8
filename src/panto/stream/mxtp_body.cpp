#include "panto/stream/mxtp_body.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"
#include "panto/stream/y_up.hpp"

namespace panto::stream {
namespace {

using enum HumanSegment::Index;

constexpr std::int32_t kNear = 2048;  // counters; more ahead or behind is another part of a recording
constexpr int kFarInARow = 3;         // datagrams from there that are believed
constexpr int kOldInARow = 16;        // counters a little behind that are: reordering is shorter
constexpr std::int32_t kTimeCodeBack = -1'000;  // [ms]; reordering is shorter
constexpr int kForgotten = 8;                   // counters without a type, after which it is not waited for
constexpr int kSilent = 600;  // datagrams of others alone, after which another character is followed
constexpr double kUnitLength = 1e-2;
constexpr double kLargest = 1e6;
constexpr double kTrunk = 0.2;    // [m] from pelvis to head, less is no body
constexpr double kUpright = 0.8;  // cosine of the trunk's lean
constexpr double kFloor = 0.2;    // [m] of the feet

std::int32_t ahead(std::uint32_t counter, std::uint32_t of) noexcept {
  return static_cast<std::int32_t>(counter - of);
}

// each returns how many values it could not use
int put(const Eigen::Vector3d& sent, Eigen::Vector3d& value, bool& has) noexcept {
  if (!sent.allFinite() || sent.cwiseAbs().maxCoeff() > kLargest) return 1;
  value = sent;
  has = true;
  return 0;
}

int put_orientation(const Eigen::Vector4d& q, SegmentMotion& segment) noexcept {
  if (!(std::abs(q.norm() - 1.0) <= kUnitLength)) return 1;
  segment.R_WS = so3::from_quaternion_wxyz(q);
  segment.has_orientation = true;
  return 0;
}

}  // namespace

MxtpBody::MxtpBody(std::optional<int> character) : asked_(character.has_value()), character_(character) {
  sample_.segments.resize(human_segment_names().size());
  silent_.fill(kForgotten);
}

const std::vector<std::string>& MxtpBody::names() const noexcept { return human_segment_names(); }

Brought MxtpBody::take(std::span<const std::byte> datagram, Time arrival) noexcept {
  const Brought what = sort(datagram, arrival);
  ++counts_.by[static_cast<std::size_t>(what)];
  return what;
}

std::optional<MxtpBody::Kind> MxtpBody::kind_of(MxtpType type) noexcept {
  switch (type) {
    case MxtpType::Pose:
      return Pose;
    case MxtpType::Linear:
      return Linear;
    case MxtpType::Angular:
      return Angular;
    default:
      return std::nullopt;
  }
}

Brought MxtpBody::sort(std::span<const std::byte> datagram, Time arrival) noexcept {
  if (is_mvn_text(datagram)) return Brought::Ignored;
  const auto header = read_header(datagram);
  if (!header) return Brought::Refused;
  euler_ = euler_ || header->type == MxtpType::EulerPose;
  unity_ = unity_ || header->type == MxtpType::UnityPose;
  const auto kind = kind_of(header->type);
  if (!kind && header->type != MxtpType::Scale) return Brought::Ignored;
  if (!follows(header->character)) return Brought::Ignored;
  if (kind) return take_motion(datagram, *header, *kind, arrival);
  return scale_.take(datagram) ? Brought::Part : Brought::Refused;
}

bool MxtpBody::follows(int character) noexcept {
  if (!character_) character_ = character;
  const bool ours = *character_ == character;
  foreign_ = ours ? 0 : std::min(foreign_ + 1, kSilent);
  if (ours) return true;
  others_.set(at(character));
  if (asked_ || foreign_ < kSilent) return false;
  others_.set(at(*character_));
  others_.reset(at(character));
  character_ = character;
  scale_ = MxtpScale{};
  restart();
  return true;
}

Brought MxtpBody::take_motion(std::span<const std::byte> datagram, const MxtpHeader& header, Kind kind,
                              Time arrival) noexcept {
  const Order order = this->order(header);
  if (order == Order::Old) {
    // a type that comes after the sample was given belongs to the next ones
    if (newest_ && header.counter == *newest_ && !usual(kind)) {
      silent_[at(kind)] = 0;
      return Brought::Part;
    }
    return Brought::Late;
  }
  if (order == Order::Restarted) restart();
  Slot* slot = slot_of(header);
  if (slot == nullptr) return Brought::Late;
  Part& part = slot->parts[at(kind)];
  if (part.come.test(at(header.fragment))) return Brought::Late;
  if (!part.fits(header)) return Brought::Refused;
  part.come.set(at(header.fragment));
  if (header.last) part.last = header.fragment;
  invalid_ += store(datagram, header, kind, *slot);

  Slot* older = overtaken();
  if (older != nullptr && !knows_kinds()) note_kinds(*older);
  if (complete(*slot)) return yield(*slot, arrival);
  return older != nullptr ? yield(*older, arrival) : Brought::Part;
}

// ---- order
// ----------------------------------------------------------------------------------------------------

MxtpBody::Order MxtpBody::order(const MxtpHeader& header) noexcept {
  if (!newest_) return Order::Newer;
  const std::int32_t steps = ahead(header.counter, *newest_);
  const bool near = steps > -kNear && steps <= kNear;
  if (steps > 0 && (near || clock_.agrees({header.counter, header.time_code, 0}))) {
    row_ = 0;
    return Order::Newer;
  }
  const bool old = near && ahead(header.time_code, newest_time_code_) > kTimeCodeBack;
  return in_a_row(header.counter, old) ? Order::Restarted : Order::Old;
}

// Datagrams from elsewhere, each as far as the one before or a little farther: one that is damaged or forged
// moves nothing.
bool MxtpBody::in_a_row(std::uint32_t counter, bool old) noexcept {
  const std::int32_t steps = ahead(counter, row_counter_);
  const bool agrees = row_ > 0 && steps >= 0 && steps <= kNear;
  if (!agrees) row_ = 1;
  if (agrees && (steps > 0 || !old)) ++row_;
  row_counter_ = counter;
  return row_ >= (old ? kOldInARow : kFarInARow);
}

void MxtpBody::restart() noexcept {
  for (Slot& slot : slots_) slot.used = false;
  newest_.reset();
  row_ = 0;
  clock_.restart();
  stride_.restart();
}

MxtpBody::Slot* MxtpBody::slot_of(const MxtpHeader& header) noexcept {
  Slot* free = nullptr;
  Slot* oldest = nullptr;
  for (Slot& slot : slots_) {
    if (!slot.used) {
      free = &slot;
    } else if (slot.counter == header.counter) {
      return &slot;
    } else if (oldest == nullptr || ahead(slot.counter, oldest->counter) < 0) {
      oldest = &slot;
    }
  }
  if (free == nullptr && ahead(oldest->counter, header.counter) > 0) return nullptr;
  Slot& slot = free != nullptr ? *free : *oldest;
  slot = Slot{true, header.counter, header.time_code, {}, {}};
  return &slot;
}

// ---- content
// --------------------------------------------------------------------------------------------------

bool MxtpBody::Part::fits(const MxtpHeader& header) const noexcept {
  if (last >= 0) return !header.last && header.fragment < last;
  return !header.last || (come >> at(header.fragment)).none();
}

int MxtpBody::store(std::span<const std::byte> datagram, const MxtpHeader& header, Kind kind,
                    Slot& slot) noexcept {
  int unusable = 0;
  // the segment of an id of the body, the first time it comes; props and fingers have other ids
  const auto segment = [&slot, kind](int id) -> SegmentMotion* {
    if (id < 1 || id > kHumanSegmentCount) return nullptr;
    std::uint32_t& ids = slot.parts[at(kind)].ids;
    const std::uint32_t bit = 1U << static_cast<unsigned>(id - 1);
    if ((ids & bit) != 0) return nullptr;
    ids |= bit;
    return &slot.segments[at(id - 1)];
  };
  for (int i = 0; i < header.items; ++i) {
    if (kind == Pose) {
      const MxtpPose sent = read_pose(datagram, i);
      SegmentMotion* s = segment(sent.segment);
      if (s != nullptr) unusable += put(sent.p_WS, s->p_WS, s->has_position) + put_orientation(sent.q_WS, *s);
    } else if (kind == Linear) {
      const MxtpLinear sent = read_linear(datagram, i);
      SegmentMotion* s = segment(sent.segment);
      if (s == nullptr) continue;
      unusable += put(sent.p_WS, s->p_WS, s->has_position);
      unusable += put(sent.v_WS, s->v_WS, s->has_linear_velocity);
    } else {
      const MxtpAngular sent = read_angular(datagram, i);
      SegmentMotion* s = segment(sent.segment);
      if (s == nullptr) continue;
      unusable += put_orientation(sent.q_WS, *s);
      unusable += put(sent.w_WS, s->w_WS, s->has_angular_velocity);
    }
  }
  return unusable;
}

bool MxtpBody::usual(Kind kind) const noexcept { return silent_[at(kind)] < kForgotten; }

bool MxtpBody::knows_kinds() const noexcept { return usual(Pose) || usual(Linear) || usual(Angular); }

bool MxtpBody::complete(const Slot& slot) const noexcept {
  if (!knows_kinds()) return slot.whole(Pose) || (slot.whole(Linear) && slot.whole(Angular));
  const auto settled = [&](Kind kind) { return !usual(kind) || slot.whole(kind); };
  return settled(Pose) && settled(Linear) && settled(Angular);
}

// whether it is worth giving although a usual type is missing
bool MxtpBody::presentable(const Slot& slot) const noexcept {
  if (slot.whole(Pose) || slot.whole(Angular)) return true;
  return slot.whole(Linear) && !usual(Pose) && !usual(Angular);
}

// returns the oldest presentable slot, if a newer counter has come
MxtpBody::Slot* MxtpBody::overtaken() noexcept {
  Slot* oldest = nullptr;
  const Slot* newest = nullptr;
  for (Slot& slot : slots_) {
    if (!slot.used) continue;
    if (newest == nullptr || ahead(slot.counter, newest->counter) > 0) newest = &slot;
    if (presentable(slot) && (oldest == nullptr || ahead(slot.counter, oldest->counter) < 0)) oldest = &slot;
  }
  return oldest != newest ? oldest : nullptr;
}

void MxtpBody::note_kinds(const Slot& slot) noexcept {
  for (const Kind kind : {Pose, Linear, Angular}) {
    int& silent = silent_[at(kind)];
    silent = slot.whole(kind) ? 0 : std::min(silent + 1, kForgotten);
  }
}

// ---- samples
// --------------------------------------------------------------------------------------------------

Brought MxtpBody::yield(Slot& slot, Time arrival) noexcept {
  note_kinds(slot);
  if (up_ == Up::Unknown) find_up(slot);
  std::int64_t dropped = 0;
  for (Slot& other : slots_) {
    const std::int32_t steps = ahead(other.counter, slot.counter);
    if (!other.used || (steps >= 0 && steps <= kNear)) continue;
    other.used = false;
    ++dropped;
  }
  if (newest_) counts_.lost += std::max(stride_.missing(slot.counter - *newest_), dropped);
  newest_ = slot.counter;
  newest_time_code_ = slot.time_code;

  const MxtpClock::Stamp stamp = clock_.next({slot.counter, slot.time_code, arrival});
  sample_.t = stamp.t;
  sample_.cut = stamp.cut || turned_;
  turned_ = false;
  begun_ = true;
  for (std::size_t i = 0; i < slot.segments.size(); ++i) {
    sample_.segments[i] = slot.segments[i];
    turn(sample_.segments[i]);
  }
  slot.used = false;
  return Brought::Sample;
}

// In frames of z-up streams the head lies along z of the pelvis, whatever the pose; in those of y-up streams
// along y. If only the world is y up, a standing person tells it: feet at height 0 along y.
void MxtpBody::find_up(const Slot& slot) noexcept {
  const SegmentMotion& pelvis = slot.segments[Pelvis];
  const SegmentMotion& head = slot.segments[Head];
  if (!pelvis.has_position || !head.has_position) return;
  const Eigen::Vector3d trunk = head.p_WS - pelvis.p_WS;
  if (trunk.norm() < kTrunk) return;
  up_ = Up::Z;
  const Eigen::Vector3d trunk_S = pelvis.R_WS.transpose() * trunk;
  double floor = kLargest;
  for (const int foot : {RightFoot, LeftFoot, RightToe, LeftToe}) {
    if (slot.segments[at(foot)].has_position) floor = std::min(floor, slot.segments[at(foot)].p_WS.y());
  }
  if (pelvis.has_orientation && trunk_S.y() > std::abs(trunk_S.z())) {
    up_ = Up::Y;
  } else if (trunk.y() > kUpright * trunk.norm() && std::abs(floor) < kFloor) {
    up_ = Up::YOfZFrames;
  }
  turned_ = begun_ && up_ != Up::Z;
}

void MxtpBody::turn(SegmentMotion& segment) const noexcept {
  if (up_ != Up::Y && up_ != Up::YOfZFrames) return;
  const Eigen::Matrix3d C = z_up_from_y_up();
  segment.R_WS = C * segment.R_WS;
  if (up_ == Up::Y) segment.R_WS = segment.R_WS * C.transpose();
  for (Eigen::Vector3d* v : {&segment.p_WS, &segment.v_WS, &segment.w_WS}) *v = z_up_from_y_up(*v);
}

// ---- for people
// -----------------------------------------------------------------------------------------------

std::optional<SubjectDimensions> MxtpBody::person() const {
  std::vector<std::string> unused;
  return scale_.any() ? scale_.person(unused) : std::nullopt;
}

std::vector<std::string> MxtpBody::notes() const {
  std::vector<std::string> notes;
  const auto say = [&notes](bool when, const std::string& text) {
    if (when) notes.push_back(text);
  };
  const std::string use_pose = ": switch on the pose with quaternions (type 02) in MVN's network streamer";
  say(euler_ && !usual(Pose), "MVN sends poses in Euler angles (type 01), which are not used" + use_pose);
  say(unity_ && !usual(Pose), "MVN sends poses for Unity (type 05), which are not used" + use_pose);
  say(begun_ && !usual(Pose) && !usual(Angular), "the stream has no orientations" + use_pose);
  say(begun_ && !usual(Pose) && !usual(Linear), "the stream has no positions" + use_pose);
  say(others_.any() && character_, "character " + std::to_string(character_.value_or(0)) +
                                       " is used; the stream has " +
                                       counted(static_cast<std::int64_t>(others_.count()), "other") +
                                       (asked_ ? "" : "; ?character=N after the address names one"));
  say(up_ == Up::Y || up_ == Up::YOfZFrames, "the stream is y up; converted to z up");
  const std::string rate = digits(clock_.rate_hz(), 4) + " Hz";
  say(clock_.rate_from() == MxtpRate::Counted, "samples are counted at " + rate);
  say(clock_.rate_from() == MxtpRate::TimeCode,
      "the counter has no usual rate; times are those of the time code");
  say(clock_.rate_from() == MxtpRate::Arrival,
      "the time code stands still; samples are counted at " + rate + " as they arrived");
  say(invalid_ > 0,
      counted(invalid_, "value") + " sent could not be used: not finite, too large, or no rotation");
  say(begun_ && !scale_.any(),
      "no dimensions of the person: switch on the character's scale (type 13) in MVN's network streamer");
  if (scale_.any()) (void)scale_.person(notes);
  return notes;
}

}  // namespace panto::stream
