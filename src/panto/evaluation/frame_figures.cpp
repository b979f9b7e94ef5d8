#include "panto/evaluation/frame_figures.hpp"

#include <utility>

#include "panto/math/degrees.hpp"

namespace panto {
namespace {

std::optional<double> in_degrees(std::optional<double> angle) {
  if (angle) *angle *= kToDegrees;
  return angle;
}

}  // namespace

FrameJudge::FrameJudge(const Model& model, std::vector<TrackedPair> pairs)
    : model_(&model), pairs_(std::move(pairs)), kinematics_(model) {
  check_pairs(model, pairs_);
}

FrameFigures FrameJudge::judge(const SegmentSample& sample, const State& state, StepStatus status) {
  if (!advanced(status) || !is_valid(state, *model_)) return {};
  kinematics_.update_with_velocities(state);
  OrientationError orientation(pairs_.size());
  RootMeanSquare omega;
  add_orientation_errors(pairs_, sample, kinematics_, orientation, omega);
  return {orientation.mnte(), in_degrees(orientation.angle().mean()), in_degrees(orientation.angle().max()),
          omega.value(3.0)};
}

}  // namespace panto
