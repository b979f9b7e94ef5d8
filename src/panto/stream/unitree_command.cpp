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
constexpr Time kLongestPeriod = 50'000'000, kGap = 500'000'000;  // [ns] between references
constexpr float kDamping = 8.0F;                                 // [N m s/rad] at the end

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

UnitreeMotion::UnitreeMotion(std::vector<std::int64_t> joints, const Angles& speed, UnitreePart part)
    : joints_(std::move(joints)), speed_(speed), part_(part) {}

void UnitreeMotion::measured(const Angles& q, std::uint8_t mode_machine, Time now) noexcept {
  if (!std::all_of(q.begin(), q.end(), [](double angle) { return std::isfinite(angle); })) return;
  measured_ = q;
  mode_machine_ = mode_machine;
  measured_at_ = now;
  known_ = true;
}

void UnitreeMotion::follow(const State& state, Time now) noexcept {
  if (ended_) return;
  Reference reference{{}, now};
  for (int j = 0; j < kJoints; ++j) {
    const double angle = state.s[joints_[at(j)]];
    if (!std::isfinite(angle)) return;
    reference.q[at(j)] = angle;
  }
  if (!following_ || now - last_.at > kGap) {
    before_ = reference;
    if (phase_ != Phase::Off) phase_ = Phase::Beginning;
  } else {
    before_ = last_;
  }
  last_ = reference;
  following_ = true;
}

void UnitreeMotion::end() noexcept {
  following_ = false;
  ended_ = true;
}

// References come at the stream's rate: between two, one period late, on the straight line.
UnitreeMotion::Angles UnitreeMotion::target(Time now) const noexcept {
  const Time period = std::min(last_.at - before_.at, kLongestPeriod);
  const double share =
      period > 0 ? std::clamp(static_cast<double>(now - last_.at) / static_cast<double>(period), 0.0, 1.0)
                 : 1.0;
  Angles q = last_.q;
  for (int j = 0; j < kJoints; ++j) q[at(j)] = before_.q[at(j)] + share * (last_.q[at(j)] - before_.q[at(j)]);
  return q;
}

bool UnitreeMotion::moves(int joint) const noexcept { return part_ == UnitreePart::All || joint >= kArms; }

// What is missing to the motion shrinks; so it is reached, however fast it is itself.
void UnitreeMotion::move(const Angles& to, double dt) noexcept {
  double missing = 0.0;
  for (int j = 0; j < kJoints; ++j) {
    const double before = q_[at(j)];
    if (moves(j)) {
      double& offset = offset_[at(j)];
      if (phase_ == Phase::Beginning) offset = before - to[at(j)];
      offset -= std::clamp(offset, -kLeadSpeed * dt, kLeadSpeed * dt);
      const double most = speed_[at(j)] * dt;
      q_[at(j)] += std::clamp(to[at(j)] + offset - before, -most, most);
      missing = std::max(missing, std::abs(offset));
    }
    dq_[at(j)] = dt > 0.0 ? (q_[at(j)] - before) / dt : 0.0;
  }
  if (phase_ == Phase::Beginning) phase_ = Phase::Leading;
  if (phase_ == Phase::Leading && missing == 0.0) phase_ = Phase::Following;
}

bool UnitreeMotion::tick(Time now, UnitreeCommand& command) noexcept {
  double dt = std::clamp(to_seconds(now - ticked_at_), 0.0, kLongestTick);
  ticked_at_ = now;
  if (!is_there(now)) phase_ = Phase::Off;
  if (phase_ == Phase::Off) {
    if (!is_there(now) || !following_ || ended_) return false;
    dt = 0.0;
    q_ = measured_;
    share_ = part_ == UnitreePart::Arms ? 0.0 : 1.0;
    phase_ = Phase::Beginning;
  }
  if (ended_ && phase_ != Phase::Ending) {
    phase_ = Phase::Ending;
    if (part_ == UnitreePart::All) share_ = 1.0;
  }
  if (following_) {
    share_ = std::min(share_ + dt / kEngage, 1.0);
    move(target(now), dt);
  } else {
    dq_.fill(0.0);
    if (part_ == UnitreePart::Arms)
      share_ = std::max(share_ - dt / kEngage, 0.0);
    else if (phase_ == Phase::Ending)
      share_ = std::max(share_ - dt / kSoft, 0.0);
    if (share_ == 0.0) phase_ = Phase::Off;  // this command is the last one
  }
  fill(command);
  return true;
}

void UnitreeMotion::fill(UnitreeCommand& command) const noexcept {
  command = {};
  command.mode_machine = mode_machine_;
  const bool arms = part_ == UnitreePart::Arms, soft = !arms && ended_;
  for (int j = arms ? kWaist : 0; j < kJoints; ++j) {
    UnitreeMotor& motor = command.motor[at(j)];
    motor.mode = 1;
    motor.q = static_cast<float>(q_[at(j)]);
    motor.dq = static_cast<float>(dq_[at(j)]);
    motor.kp = soft ? 0.0F : arms ? kArmStiffness : kStiffness[at(j)];
    motor.kd = soft ? kDamping : arms ? kArmDamp : kDamp[at(j)];
  }
  if (arms) command.motor[kWeight].q = static_cast<float>(share_);
}

}  // namespace panto::stream
