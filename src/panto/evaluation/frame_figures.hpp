#pragma once
// The report card's errors for one frame alone.

#include <optional>
#include <vector>

#include "panto/evaluation/metrics.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

/// Means are over the tracked pairs of the frame. What is not known is absent.
struct FrameFigures {
  std::optional<double> mnte;              ///< mean of 1 - cos(theta), 0 .. 2  [Rapetti 2020] Eq. (14)
  std::optional<double> angle_mean_deg;    ///< orientation error
  std::optional<double> angle_max_deg;     ///< of the worst pair
  std::optional<double> omega_rmse_rad_s;  ///< sqrt(mean |dw|^2 / 3)  [Rapetti 2020] Eq. (15)
};

/// Judges frames one by one, each for itself.
class FrameJudge {
 public:
  /// The model must outlive it. @throws ConfigError as `check_pairs`.
  FrameJudge(const Model& model, std::vector<TrackedPair> pairs);

  /// What the state is off the sample. Nothing is known of a state that is not valid, or where `status` says
  /// that it was not advanced to the sample's instant.
  [[nodiscard]] FrameFigures judge(const SegmentSample& sample, const State& state, StepStatus status);

 private:
  const Model* model_;
  std::vector<TrackedPair> pairs_;
  Kinematics kinematics_;
};

}  // namespace panto
