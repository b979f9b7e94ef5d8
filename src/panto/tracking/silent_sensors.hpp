#pragma once
// Which unknowns of a chain no sensor tells of any more, because a sensor ended, has not begun or has a gap.
// docs/algorithms/chain_ekf.md

#include <vector>

#include "panto/inertial/imu_model.hpp"

namespace panto {

/// Watches the sensors of a run. An unknown is held where no sensor further out still measures, or where more
/// than three hinges lie between sensors that do, because others are silent.
class SilentSensors {
 public:
  /// Time without a reading after which a sensor is silent [s]: the filter's prediction carries this far.
  static constexpr double kSilent = 0.5;

  explicit SilentSensors(const ImuModel& imus);

  /// Starts over at `t`: no sensor is silent yet.
  void begin(Time t) noexcept;
  /// Takes the readings of `t`, by mount. No allocation.
  void add(Time t, const std::vector<ImuReading>& readings) noexcept;

  /// By unknown.
  [[nodiscard]] const std::vector<unsigned char>& held() const noexcept { return held_; }
  [[nodiscard]] bool any() const noexcept { return any_; }

  /// For a checkpoint: when each sensor last measured. [ns]
  [[nodiscard]] const std::vector<Time>& seen() const noexcept { return seen_; }
  void resume(Time t, const std::vector<Time>& seen) noexcept;

 private:
  void look(Time t) noexcept;
  [[nodiscard]] bool is_told(std::size_t unknown, bool all) const noexcept;
  [[nodiscard]] bool alike(std::size_t one, std::size_t other, bool all) const noexcept;
  void find_held() noexcept;

  std::vector<std::vector<unsigned char>> moves_;  // by mount, unknown: whether the sensor moves with it
  std::vector<unsigned char> turns_;               // by unknown: a hinge that is not the base's
  std::vector<unsigned char> silent_, held_;
  std::vector<Time> seen_;
  bool any_ = false;
};

}  // namespace panto
