#pragma once
// Compares the directions of a robot's limbs, from joint to joint, with the person's: what an eye sees first.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/evaluation/peak.hpp"

namespace panto {

/// Returns the name of a segment in people's words: "left forearm" of "LeftForeArm".
[[nodiscard]] std::string plain_name(const std::string& segment);

/// Collects a motion limb by limb and frame by frame.
class LimbFollowing {
 public:
  static constexpr double kLost = 60.0;  ///< [deg] from here on a limb points elsewhere

  /// `names` of the limbs, for people.
  explicit LimbFollowing(std::vector<std::string> names);

  /// Adds the direction of limb `i` and the one that it should have, of any length > 0; others are left out.
  void add(Time t, std::size_t i, const Eigen::Vector3d& robot, const Eigen::Vector3d& person);
  /// Marks a cut: no time off crosses this point.
  void interrupt() noexcept;
  [[nodiscard]] std::size_t count() const noexcept { return angle_.count(); }
  [[nodiscard]] LimbFigures report() const;

 private:
  std::vector<std::string> names_;
  std::vector<std::optional<Time>> lost_since_;
  SampleStatistics angle_;  // [deg]
  Peak worst_, longest_;
};

}  // namespace panto
