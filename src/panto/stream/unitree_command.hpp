#pragma once
// What motors of a Unitree G1 are told, and how a motion reaches them: docs/formats/unitree_commands.md.

#include <array>
#include <cstdint>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/model/state.hpp"

namespace panto::stream {

/// One motor: torque = kp (q - measured) + kd (dq - measured) + tau. SI units.
struct UnitreeMotor {
  std::uint8_t mode = 0;  ///< 1: on
  float q = 0.0F, dq = 0.0F, tau = 0.0F, kp = 0.0F, kd = 0.0F;
};

/// The content of unitree_hg::msg::dds_::LowCmd_.
struct UnitreeCommand {
  std::uint8_t mode_pr = 0;  ///< 0: ankles and waist by pitch and roll
  std::uint8_t mode_machine = 0;
  std::array<UnitreeMotor, 35> motor = {};
};

/// Returns the checksum that the robot expects: CRC-32 of the words of the C struct, polynomial 0x04c11db7,
/// most significant bit first.
[[nodiscard]] std::uint32_t unitree_crc(const UnitreeCommand& command) noexcept;

enum class UnitreePart {
  Arms,  ///< topic rt/arm_sdk: the arms; the robot's own controller keeps the legs, and its balance
  All    ///< topic rt/lowcmd: all 29 joints; nobody keeps the balance
};

/// Leads the motors from where they are to a motion and along it. Times are of one steady clock [ns].
class UnitreeMotion {
 public:
  static constexpr int kJoints = 29;
  using Angles = std::array<double, kJoints>;  ///< [rad], in Unitree's order

  static constexpr double kLeadSpeed = 0.5;     ///< [rad/s] of the way to the motion, beside its own
  static constexpr double kEngage = 1.0;        ///< [s] in which arms are taken over and given back
  static constexpr double kSoft = 1.0;          ///< [s] of damping at the end of `All`
  static constexpr Time kSilent = 500'000'000;  ///< [ns] after which a robot that says nothing is not there

  /// `joints`: places in State::s, in Unitree's order; `speed`: of each, at most [rad/s].
  UnitreeMotion(std::vector<std::int64_t> joints, const Angles& speed, UnitreePart part);

  /// Takes what the robot measures.
  void measured(const Angles& q, std::uint8_t mode_machine, Time now) noexcept;
  /// Takes what it should do. NaN is left out.
  void follow(const State& state, Time now) noexcept;
  /// Stops following: arms are given back, `All` holds its last pose.
  void stop() noexcept { following_ = false; }
  /// Ends: as `stop`; `All` damps its joints, and then nothing is sent. What comes later counts for nothing.
  void end() noexcept;

  /// Writes the command of this moment. Returns false when nothing is to be sent: before the robot has said
  /// where it is and the first `follow`, while it is silent, after the end. A silent robot is led anew.
  [[nodiscard]] bool tick(Time now, UnitreeCommand& command) noexcept;

  [[nodiscard]] bool is_there(Time now) const noexcept { return known_ && now - measured_at_ < kSilent; }
  [[nodiscard]] bool finished() const noexcept { return ended_ && phase_ == Phase::Off; }

 private:
  enum class Phase { Off, Beginning, Leading, Following, Ending };
  struct Reference {
    Angles q = {};
    Time at = 0;
  };

  [[nodiscard]] Angles target(Time now) const noexcept;
  void move(const Angles& to, double dt) noexcept;
  void fill(UnitreeCommand& command) const noexcept;
  [[nodiscard]] bool moves(int joint) const noexcept;

  std::vector<std::int64_t> joints_;
  Angles speed_ = {}, measured_ = {}, q_ = {}, dq_ = {};
  Angles offset_ = {};  // from the motion, while leading
  UnitreePart part_;
  Reference before_, last_;
  Time measured_at_ = 0, ticked_at_ = 0;
  double share_ = 0.0;  // of the arms that is taken over; of the end that has passed
  std::uint8_t mode_machine_ = 0;
  bool known_ = false, following_ = false, ended_ = false;
  Phase phase_ = Phase::Off;
};

}  // namespace panto::stream
