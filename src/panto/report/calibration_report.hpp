#pragma once
// A calibration, in words and as JSON.

#include <string>

#include "panto/api/calibrate.hpp"

namespace panto {

/// Writes a calibration for people: poses, joints, a line for each sensor, and lengths.
[[nodiscard]] std::string to_text(const CalibrateResult& result);
/// Writes a line for each sensor, joint and length that needs a word: what to repeat, what stays open.
[[nodiscard]] std::string advice_text(const CalibrateResult& result);
/// Writes a calibration as one JSON object. `recording` and `model`: names of the two.
[[nodiscard]] std::string to_json(const CalibrateResult& result, const std::string& recording,
                                  const std::string& model);

}  // namespace panto
