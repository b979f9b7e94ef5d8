#pragma once
// Finds the mounting of raw sensors while they stream, from poses that their wearer holds. (not installed)

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/api/calibrate.hpp"
#include "panto/model/model.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// Waits for poses, one after the other, and gives `calibrate` what the sensors felt meanwhile
/// (docs/algorithms/calibration.md). Times are those of the samples: the same samples give the same bits.
class LiveCalibration {
 public:
  static constexpr double kReady = 3.0;      ///< [s] to get into a pose
  static constexpr double kHeld = 2.0;       ///< [s] for which all sensors are still in it
  static constexpr double kPatience = 30.0;  ///< [s] in which that must come

  /// `human`: who wears the sensors; `nominal`: their mounts, roughly right; `names`: those of the samples.
  /// @throws ConfigError for a mounted sensor that the samples lack.
  LiveCalibration(Model human, SensorSetup nominal, const std::vector<std::string>& names);

  /// Waits from now on for `poses`: "npose", "tpose", "chair", separated by spaces; empty: "npose"; "stop":
  /// stops waiting. An unknown pose, or a model without it, changes nothing, and `news` says so.
  void begin(const std::string& poses);
  [[nodiscard]] bool waits() const noexcept { return !poses_.empty(); }

  /// What was found in the last pose.
  struct Found {
    SensorSetup sensors;
    State pose;    ///< that is held now
    double lower;  ///< by which the base is lower in it than in the setup's start pose, the feet alike [m]
  };
  /// Takes the next sample.
  [[nodiscard]] std::optional<Found> add(const ImuSample& sample);
  /// Adds a line to them.
  void say(std::string line) { news_.push_back(std::move(line)); }
  /// Returns what to tell people since the last call: what to do, what was found. Empty: nothing.
  [[nodiscard]] std::vector<std::string> news();

 private:
  [[nodiscard]] double waited() const noexcept;
  void keep(const ImuSample& sample);
  void keep_held(std::size_t first);
  [[nodiscard]] std::vector<std::string> silent() const;
  [[nodiscard]] std::string restless() const;
  [[nodiscard]] std::string trusted(const std::vector<ImuSample>& held) const;
  [[nodiscard]] std::optional<Found> solve();
  void end(const std::string& line);

  Model human_;
  SensorSetup nominal_;
  std::vector<int> place_;           // by mount: index in a sample
  std::vector<std::string> mounts_;  // names
  std::vector<std::string> poses_;   // waited for; empty: none
  std::size_t next_ = 0;             // pose
  bool moved_ = true;                // since the pose before
  std::optional<Time> since_;        // when this pose began to be waited for
  Time looked_ = 0;
  std::vector<ImuSample> recent_, held_;  // sensors in the order of the mounts
  std::vector<std::string> news_;
};

}  // namespace panto
