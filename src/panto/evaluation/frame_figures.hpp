#pragma once
// Errors of the report card for a single frame.

#include <optional>
#include <vector>

#include "panto/evaluation/metrics.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

/// Means over the tracked pairs of the frame. Unknown figures are absent.
struct FrameFigures {
  std::optional<double> mnte;              ///< mean of 1 - cos(theta), 0 .. 2  [Rapetti 2020] Eq. (14)
  std::optional<double> angle_mean_deg;    ///< orientation error
  std::optional<double> angle_max_deg;     ///< of the worst pair
  std::optional<double> omega_rmse_rad_s;  ///< sqrt(mean |dw|^2 / 3)  [Rapetti 2020] Eq. (15)
};

/// Evaluates frames independently.
class FrameJudge {
 public:
  /// The model must outlive this object. @throws ConfigError as `check_pairs`.
  FrameJudge(const Model& model, std::vector<TrackedPair> pairs);

  /// Returns the errors of the state against the sample. All are absent for an invalid state, or when
  /// `status` shows that the state was not advanced to the sample's instant.
  [[nodiscard]] FrameFigures judge(const SegmentSample& sample, const State& state, StepStatus status);

 private:
  const Model* model_;
  std::vector<TrackedPair> pairs_;
  Kinematics kinematics_;
};

}  // namespace panto
