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

/// Bounds of the motors, in Unitree's order.
struct UnitreeLimits {
  static constexpr int kJoints = 29;
  std::array<double, kJoints> lower = {}, upper = {};  ///< [rad]
  std::array<double, kJoints> speed = {};              ///< [rad/s]
};

/// Leads the motors from where they are to a motion and along it. Times are of one steady clock [ns].
class UnitreeMotion {
 public:
  static constexpr int kJoints = UnitreeLimits::kJoints;
  using Angles = std::array<double, kJoints>;  ///< [rad], in Unitree's order

  static constexpr double kLeadSpeed = 0.5;  ///< [rad/s] at most when it begins ..
  static constexpr double kLeadGain =
      2.0;  ///< .. and more by this every second, until it is reached [rad/s^2]
  static constexpr double kMostSpeed = 8.0;     ///< [rad/s] later, whatever the motor could do
  static constexpr double kEngage = 1.0;        ///< [s] in which arms are taken over and given back
  static constexpr double kSoft = 1.0;          ///< [s] of damping at the end of `All`
  static constexpr double kAstray = 0.8;        ///< [rad] from the command: the joint does not follow
  static constexpr Time kStray = 300'000'000;   ///< [ns] for which it may be
  static constexpr Time kSilent = 500'000'000;  ///< [ns] after which a robot that says nothing is not there

  static constexpr Time kPatience = 2'000'000'000;  ///< [ns] in which a robot is found
  static constexpr Time kFresh = 100'000'000;       ///< [ns] for which a measurement says where a joint is

  /// Why it follows no more until `release`.
  enum class Trip { None, Absent, Silent, Astray };

  /// `joints`: places in State::s, in Unitree's order.
  UnitreeMotion(std::vector<std::int64_t> joints, const UnitreeLimits& limits, UnitreePart part);

  /// Takes what the robot measures. What no joint of it can be is left out, and another robot's
  /// `mode_machine`.
  void measured(const Angles& q, std::uint8_t mode_machine, Time now) noexcept;
  /// Takes what it should do. NaN is left out.
  void follow(const State& state, Time now) noexcept;
  /// Stops following, as when the stream is lost: arms are given back, `All` holds its last pose.
  void stop() noexcept;
  /// The same where the run is disarmed; what tripped is forgotten.
  void release() noexcept;
  /// The same where another commands the robot: `All` is left to it at once.
  void yield() noexcept;
  /// Ends: arms are given back, `All` damps its joints, then nothing is sent. What comes later counts for
  /// nothing.
  void end() noexcept;

  /// Writes the command of this moment. Returns false when nothing is to be sent. A robot that falls silent,
  /// or whose joints stay away from their commands, trips: arms are given back, all joints damped.
  [[nodiscard]] bool tick(Time now, UnitreeCommand& command) noexcept;

  [[nodiscard]] bool is_there(Time now) const noexcept { return known_ && now - measured_at_ < kSilent; }
  [[nodiscard]] bool finished() const noexcept { return ended_ && !moving_; }
  [[nodiscard]] Trip tripped() const noexcept { return trip_; }

 private:
  struct Reference {
    Angles q = {};
    Time t = 0;
  };
  static constexpr std::size_t kKept = 64;

  void check(Time now) noexcept;
  void play(double dt) noexcept;
  void move(Time now, double dt) noexcept;
  void give_back(Time now, double dt) noexcept;
  void fill(UnitreeCommand& command) const noexcept;
  [[nodiscard]] Angles target() const noexcept;
  [[nodiscard]] bool moves(int joint) const noexcept;
  [[nodiscard]] const Reference& kept(std::size_t back) const noexcept {
    return references_[(newest_ + kKept - back) % kKept];
  }

  std::vector<std::int64_t> joints_;
  UnitreeLimits limits_;
  UnitreePart part_;
  Angles measured_ = {}, q_ = {}, dq_ = {};
  std::array<Reference, kKept> references_ = {};  // the last ones, by their stamps
  std::size_t newest_ = 0, count_ = 0;
  double played_ = 0.0;  // [ns] stamp of what is followed: as far behind the newest as samples come unevenly
  double cap_ = 0.0;     // [rad/s] while it leads
  double share_ = 0.0;   // of the arms that is taken over; of `All`, what the end has left
  Time measured_at_ = 0, ticked_at_ = 0, followed_at_ = 0, near_at_ = 0, asked_at_ = 0;
  std::uint8_t mode_machine_ = 0;
  bool known_ = false, following_ = false, ended_ = false;
  bool moving_ = false;                                      // commands are sent
  bool leading_ = false, begins_ = false, measures_ = true;  // .. anew, from where the joints are
  bool soft_ = false;                                        // `All` damps
  Trip trip_ = Trip::None;
};

}  // namespace panto::stream
