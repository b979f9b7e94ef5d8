#include "panto/stream/unitree_command.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "panto/base/index.hpp"

namespace panto::stream {
namespace {

constexpr int kWaist = 12, kArms = 15;  // first joints
constexpr std::size_t kWeight = 29;     // the motor whose q says how much of the arms is taken over
constexpr double kLongestTick = 0.02;   // [s]
constexpr Time kGap = 100'000'000;      // [ns] between references: after more the joints start slowly again
constexpr double kLate = 50e6, kTooLate = 1e9;  // [ns] behind the newest: then faster, or there at once
constexpr double kFaster = 1.5;
constexpr double kImpossible = 0.5;  // [rad] beyond its limits no joint can be
constexpr float kDamping = 8.0F;     // [N m s/rad] at the end

// g1_low_level_example.py and g1_arm7_sdk_dds_example.py of unitree_sdk2_python
constexpr std::array<float, UnitreeMotion::kJoints> kStiffness{60, 60, 60, 100, 40, 40, 60, 60, 60, 100,
                                                               40, 40, 60, 40,  40, 40, 40, 40, 40, 40,
                                                               40, 40, 40, 40,  40, 40, 40, 40, 40};
constexpr std::array<float, UnitreeMotion::kJoints> kDamp{1, 1, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1,
                                                          1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
constexpr float kArmStiffness = 60.0F, kArmDamp = 1.5F;

void add(std::uint32_t word, std::uint32_t& crc) noexcept {
  for (std::uint32_t bit = 1U << 31U; bit != 0; bit >>= 1U) {
    const bool carry = (crc & 0x80000000U) != 0;
    crc <<= 1U;
    if (carry) crc ^= 0x04c11db7U;
    if ((word & bit) != 0) crc ^= 0x04c11db7U;
  }
}

}  // namespace

std::uint32_t unitree_crc(const UnitreeCommand& command) noexcept {
  std::uint32_t crc = 0xffffffffU;
  add(command.mode_pr | static_cast<std::uint32_t>(command.mode_machine) << 8U, crc);
  for (const UnitreeMotor& motor : command.motor) {
    add(motor.mode, crc);
    for (const float value : {motor.q, motor.dq, motor.tau, motor.kp, motor.kd})
      add(std::bit_cast<std::uint32_t>(value), crc);
    add(0, crc);
  }
  for (int k = 0; k < 4; ++k) add(0, crc);
  return crc;
}

UnitreeMotion::UnitreeMotion(std::vector<std::int64_t> joints, const UnitreeLimits& limits, UnitreePart part)
    : joints_(std::move(joints)), limits_(limits), part_(part) {}

void UnitreeMotion::measured(const Angles& q, std::uint8_t mode_machine, Time now) noexcept {
  for (int j = 0; j < kJoints; ++j)
    if (!(q[at(j)] > limits_.lower[at(j)] - kImpossible && q[at(j)] < limits_.upper[at(j)] + kImpossible))
      return;
  if (is_there(now) && mode_machine != mode_machine_) return;
  measured_ = q;
  mode_machine_ = mode_machine;
  measured_at_ = now;
  known_ = true;
}

void UnitreeMotion::follow(const State& state, Time now) noexcept {
  if (ended_) return;
  Reference reference{{}, state.t};
  for (int j = 0; j < kJoints; ++j) {
    const double angle = state.s[joints_[at(j)]];
    if (!std::isfinite(angle)) return;
    reference.q[at(j)] = std::clamp(angle, limits_.lower[at(j)], limits_.upper[at(j)]);
  }
  if (!following_) asked_at_ = now;
  if (!following_ || now - followed_at_ > kGap || state.t <= kept(0).t) {
    count_ = 0;
    begins_ = true;
  }
  newest_ = (newest_ + 1) % kKept;
  references_[newest_] = reference;
  count_ = std::min(count_ + 1, kKept);
  followed_at_ = now;
  following_ = true;
}

void UnitreeMotion::stop() noexcept {
  following_ = false;
  measures_ = true;
}

void UnitreeMotion::release() noexcept {
  stop();
  trip_ = Trip::None;
}

void UnitreeMotion::yield() noexcept {
  release();
  if (part_ == UnitreePart::All) moving_ = false;
}

void UnitreeMotion::end() noexcept {
  stop();
  ended_ = true;
}

bool UnitreeMotion::moves(int joint) const noexcept { return part_ == UnitreePart::All || joint >= kArms; }

// Trips when the robot is absent, or its joints are far from their commands.
void UnitreeMotion::check(Time now) noexcept {
  if (!following_ || trip_ != Trip::None) return;
  bool astray = false;
  for (int j = 0; j < kJoints; ++j)
    astray = astray || (moves(j) && std::abs(q_[at(j)] - measured_[at(j)]) > kAstray);
  if (!moving_ || begins_ || !astray) near_at_ = now;
  if (!is_there(now) && moving_)
    trip_ = Trip::Silent;
  else if (!is_there(now) && now - asked_at_ > kPatience)
    trip_ = Trip::Absent;
  else if (now - near_at_ > kStray)
    trip_ = Trip::Astray;
}

// References come by their stamps; a burst of them is played at the pace at which they were measured.
void UnitreeMotion::play(double dt) noexcept {
  const auto newest = static_cast<double>(kept(0).t);
  const double behind = newest - played_;
  if (!(behind < kTooLate)) played_ = newest;
  played_ = std::min(played_ + 1e9 * dt * (behind > kLate ? kFaster : 1.0), newest);
}

UnitreeMotion::Angles UnitreeMotion::target() const noexcept {
  for (std::size_t back = 0; back + 1 < count_; ++back) {
    const Reference &after = kept(back), &before = kept(back + 1);
    if (played_ < static_cast<double>(before.t)) continue;
    const double share =
        std::min((played_ - static_cast<double>(before.t)) / static_cast<double>(after.t - before.t), 1.0);
    Angles q;
    for (int j = 0; j < kJoints; ++j) q[at(j)] = before.q[at(j)] + share * (after.q[at(j)] - before.q[at(j)]);
    return q;
  }
  return kept(count_ - 1).q;
}

void UnitreeMotion::move(Time now, double dt) noexcept {
  if (begins_) {
    if (measures_ && now - measured_at_ < kFresh) q_ = measured_;
    played_ = static_cast<double>(kept(0).t);
    cap_ = kLeadSpeed;
    leading_ = true;
    begins_ = measures_ = false;
  }
  play(dt);
  const Angles to = target();
  cap_ = leading_ ? std::min(cap_ + kLeadGain * dt, kMostSpeed) : kMostSpeed;
  double missing = 0.0;
  for (int j = 0; j < kJoints; ++j) {
    const double before = q_[at(j)];
    if (moves(j)) {
      const double most = std::min(cap_, limits_.speed[at(j)]) * dt;
      q_[at(j)] += std::clamp(to[at(j)] - before, -most, most);
      missing = std::max(missing, std::abs(to[at(j)] - q_[at(j)]));
    }
    dq_[at(j)] = dt > 0.0 ? (q_[at(j)] - before) / dt : 0.0;
  }
  leading_ = leading_ && missing > 0.0;
}

// Arms go back to the robot's own controller, all joints hold, or sink softly. This needs no measurement.
void UnitreeMotion::give_back(Time now, double dt) noexcept {
  dq_.fill(0.0);
  begins_ = true;
  if (part_ == UnitreePart::All && (ended_ || trip_ != Trip::None || !is_there(now))) soft_ = true;
  if (part_ == UnitreePart::Arms) share_ -= dt / kEngage;
  if (soft_) share_ -= dt / kSoft;
  if (share_ > 0.0) return;
  share_ = 0.0;
  moving_ = false;  // this command is the last one
}

bool UnitreeMotion::tick(Time now, UnitreeCommand& command) noexcept {
  double dt = std::clamp(to_seconds(now - ticked_at_), 0.0, kLongestTick);
  ticked_at_ = now;
  check(now);
  const bool follows = following_ && trip_ == Trip::None && !soft_;
  if (!moving_) {
    soft_ = false;
    if (!follows || !known_ || now - measured_at_ > kFresh) return false;
    dt = 0.0;
    q_ = measured_;
    share_ = part_ == UnitreePart::Arms ? 0.0 : 1.0;
    moving_ = begins_ = measures_ = true;
  }
  if (follows) {
    share_ = std::min(share_ + dt / kEngage, 1.0);
    move(now, dt);
  } else {
    give_back(now, dt);
  }
  fill(command);
  return true;
}

void UnitreeMotion::fill(UnitreeCommand& command) const noexcept {
  command = {};
  command.mode_machine = mode_machine_;
  const bool arms = part_ == UnitreePart::Arms;
  for (int j = arms ? kWaist : 0; j < kJoints; ++j) {
    UnitreeMotor& motor = command.motor[at(j)];
    motor.mode = 1;
    motor.q = static_cast<float>(q_[at(j)]);
    motor.dq = static_cast<float>(dq_[at(j)]);
    motor.kp = soft_ ? 0.0F : arms ? kArmStiffness : kStiffness[at(j)];
    motor.kd = soft_ ? kDamping : arms ? kArmDamp : kDamp[at(j)];
  }
  if (arms) command.motor[kWeight].q = static_cast<float>(share_);
}

}  // namespace panto::stream
