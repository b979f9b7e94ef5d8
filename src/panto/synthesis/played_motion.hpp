#pragma once
// A recorded motion that is played from its first State on.

#include <optional>
#include <string>

#include "panto/synthesis/motion_law.hpp"

namespace panto {

/// Curves through the States of a motion; time begins at the first one.
class PlayedMotion {
 public:
  /// Plays `duration` [s] of it; unset: all. `name`: for messages. @throws FormatError for fewer than two
  /// States; ConfigError for a duration beyond the last one, and as `motion_law`.
  PlayedMotion(const Motion& motion, const Model& model, const std::string& name,
               std::optional<double> duration = {});
  [[nodiscard]] const MotionLaw& law() const noexcept { return law_; }
  [[nodiscard]] double duration() const noexcept { return duration_; }  ///< [s]

 private:
  MotionLaw law_;
  double duration_ = 0.0;
};

}  // namespace panto
