#pragma once
// Calibration from motion on the command line: which parts of a recording are meant, and what was found.

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "panto/inertial/motion_calibration.hpp"
#include "panto/io/sensors_file.hpp"

namespace panto {

/// What --motion and --hinge say.
struct MovedWords {
  std::vector<std::string> motions;  ///< FROM..TO or all
  std::vector<std::string> hinges;   ///< JOINT or JOINT=FROM..TO
  [[nodiscard]] bool any() const { return !motions.empty() || !hinges.empty(); }
};

/// The samples of a part of a recording: FROM..TO in seconds since its beginning, or all. `option` and
/// `input` name them in messages. @throws ConfigError for a word that is none, or a part that lies outside.
[[nodiscard]] std::span<const ImuSample> part_of(const std::string& option, const std::string& word,
                                                 std::span<const ImuSample> samples,
                                                 const std::string& input);

/// Calibrates `file`'s mounts, which may be those of poses, by the parts of `samples` that are meant; sensors
/// in the order of the mounts. `known`: directions that poses showed. `gyro_bias`: by mount; empty: from
/// where all sensors are still, else the file's, which `notes` tells. @throws ConfigError for a part that is
/// none or lies outside of the recording.
[[nodiscard]] MotionCalibration calibrate_moved(const MovedWords& words, const std::string& input,
                                                const Model& model, const SensorSetup& file,
                                                std::span<const ImuSample> samples,
                                                std::vector<KnownDirection> known,
                                                std::vector<Eigen::Vector3d>& gyro_bias,
                                                std::vector<std::string>& notes);

/// For people: a line for each joint and each length.
[[nodiscard]] std::string joints_text(const MotionCalibration& found);
[[nodiscard]] std::string lengths_text(const MotionCalibration& found);
/// The same as JSON arrays.
[[nodiscard]] nlohmann::ordered_json joints_json(const MotionCalibration& found);
[[nodiscard]] nlohmann::ordered_json lengths_json(const MotionCalibration& found);

}  // namespace panto
