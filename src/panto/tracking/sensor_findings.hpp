#pragma once
// Findings of a run about its sensors: how well each agreed with the model, and which two may be swapped.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/tracking/refined_sensors.hpp"
#include "panto/tracking/swapped_sensors.hpp"

namespace panto {

/// How well one sensor agreed with the others and the model.
struct SensorSummary {
  std::string name, link;
  std::int64_t samples = 0;  ///< of the run
  std::int64_t missing = 0;  ///< samples without a usable reading
  std::int64_t field_used = 0;
  std::optional<double> nis_gyro, nis_acc,
      nis_orientation;  ///< mean normalised innovation squared; 3 is expected
  double frozen_s = 0.0;

  /// Returns the share of samples, 0 to 1, without a usable reading.
  [[nodiscard]] double missing_share() const;
  /// Returns whether it measured anything.
  [[nodiscard]] bool measured() const noexcept { return nis_gyro || nis_acc || nis_orientation; }
};

/// Findings of a run about its sensors.
struct SensorFindings {
  std::string file;  ///< names the sensor setup in messages (`SensorSetup::name`)
  std::vector<SensorSummary> sensors;
  std::vector<SwappedSensors> swapped;  ///< pairs that may be swapped
  RefinedBody refined;                  ///< estimates of the body
};

/// Returns a squared innovation as a multiple of the expected error of a reading: 1 is usual.
[[nodiscard]] std::optional<double> multiple(const std::optional<double>& innovation);
/// Returns the largest of a sensor's innovations; 0 without any.
[[nodiscard]] double worst_innovation(const SensorSummary& sensor);
/// Returns `worst_innovation` as a multiple of the expected error.
[[nodiscard]] double off_by(const SensorSummary& sensor);
/// Returns whether an innovation is so large that its sensor disagrees with the model.
[[nodiscard]] bool is_odd(const std::optional<double>& innovation);
/// Returns whether a sensor disagrees with the model.
[[nodiscard]] bool disagrees(const SensorSummary& sensor);
/// Returns whether sensors disagree or may be swapped: then joints and positions are unreliable.
[[nodiscard]] bool doubtful(const SensorFindings& found);
/// Returns by joint, State::s order, 1 if a sensor further out measured anything, else 0. (dof) @throws
/// ModelError for a sensor on a link that the model lacks.
[[nodiscard]] std::vector<unsigned char> measured_joints(const SensorFindings& found, const Model& model);

}  // namespace panto
