#pragma once
// Shows a run to ROS 2: joints, frames and the robot's description.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/bridge/ros2_frames.hpp"
#include "panto/bridge/ros2_publisher.hpp"
#include "panto/live/run.hpp"
#include "panto/model/model.hpp"

namespace panto::bridge {

/// Publishes every valid frame. These topics tell how a robot is, and command none: no arming.
class Ros2Output final : public live::LiveOutput {
 public:
  /// `model`: what follows the stream, which must outlive it; null: nothing, then the person's `segments` are
  /// sent. `file`: the model's own URDF; empty: Panto writes one. @throws as `Ros2Publisher`.
  Ros2Output(const live::UdpAddress& at, const Model* model, std::vector<std::string> segments,
             const std::string& file = "");

  void write(const LiveFrame& frame) noexcept override;
  [[nodiscard]] std::int64_t sent() const noexcept { return sent_; }        ///< frames
  [[nodiscard]] std::int64_t dropped() const noexcept { return dropped_; }  ///< frames that were not taken

 private:
  [[nodiscard]] Time date_of(const LiveFrame& frame);

  Ros2Publisher publisher_;
  const Model* model_;
  std::vector<std::string> segments_;
  std::vector<RosTransform> frames_;
  std::optional<Time> since_1970_;  // of arrivals' 0 [ns]
  std::int64_t sent_ = 0, dropped_ = 0;
};

}  // namespace panto::bridge
