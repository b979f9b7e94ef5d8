#pragma once
// Continues what a live sample lacks for a moment, as lost datagrams leave it, and tells where it cannot
// continue the one before.

#include <cstddef>
#include <limits>
#include <vector>

#include "panto/sample/segment_sample.hpp"

namespace panto {

/// Continues quantities of segments that were measured at most 0.1 s ago: poses by their last rates, rates by
/// their last value. What is missing for longer stays missing. No allocation after construction.
class GapBridge {
 public:
  explicit GapBridge(std::size_t segments);

  /// Returns the sample, completed; a sample that lacks nothing is the same to the bit. Sets `cut` where half
  /// of the segments moved or turned faster than people can: the sender changed or started over. The sample
  /// must have as many segments as the constructor was told. Valid until the next call.
  ///
  /// Returns null, and learns nothing, for a sample that no tracker uses (`Attachments::apply`): a valid
  /// number is NaN, infinite or beyond 1e9, or a matrix is further than 1e-2 from a rotation.
  [[nodiscard]] const SegmentSample* fill(const SegmentSample& sample) noexcept;
  void reset() noexcept;

 private:
  static constexpr Time kNever = std::numeric_limits<Time>::min() / 4;
  // a pose and its rate as they were measured last; a rate that is not measured is that of the last two poses
  template <typename Pose>
  struct Measured {
    Pose pose = Pose::Zero();
    Eigen::Vector3d rate = Eigen::Vector3d::Zero();
    Time pose_at = kNever, rate_at = kNever;
  };
  struct Known {
    Measured<Eigen::Matrix3d> turn;
    Measured<Eigen::Vector3d> place;
  };
  // one pose of a sample and its rate, with their flags
  template <typename Pose>
  struct Part {
    Pose& pose;
    Eigen::Vector3d& rate;
    bool &has_pose, &has_rate;
  };
  template <typename Pose>
  static void continue_part(Measured<Pose>& last, Part<Pose> now, Time t) noexcept;
  [[nodiscard]] bool jumps(const SegmentSample& sample) const noexcept;

  SegmentSample filled_;
  std::vector<Known> known_;
};

}  // namespace panto
