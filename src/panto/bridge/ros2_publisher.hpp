#pragma once
// Publishes messages of ROS 2 by Cyclone DDS, without an installed ROS: docs/formats/ros2_topics.md.

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/bridge/ros2_frames.hpp"
#include "panto/live/robot.hpp"

namespace panto::bridge {

/// Returns the domain of an address, ros2://HOST:DOMAIN; without one that of ROS_DOMAIN_ID, or 0.
/// @throws ConfigError when it is not a number from 0 to 232.
[[nodiscard]] std::uint32_t ros2_domain(const live::UdpAddress& at);

/// Returns Cyclone's configuration for a host: 127.0.0.1 or localhost, nodes of this computer; 0.0.0.0, the
/// network; the IPv4 address of one of this computer's networks. What CYCLONEDDS_URI says is added to it.
/// @throws ConfigError for another host.
[[nodiscard]] std::string ros2_configuration(const live::UdpAddress& at);

/// Checks an address before a run, and returns its domain. @throws ConfigError as above, and where Panto was
/// built without Cyclone.
[[nodiscard]] std::uint32_t check_ros2_address(const live::UdpAddress& at);

/// A participant with the topics /joint_states, /tf and /robot_description. Messages are reliable; where a
/// subscriber is so slow that nothing more can wait for it, a message is given up after 5 ms.
class Ros2Publisher {
 public:
  /// @throws as `check_ros2_address`; Error when the domain cannot be opened, as when this process has.
  explicit Ros2Publisher(const live::UdpAddress& at);
  ~Ros2Publisher();
  Ros2Publisher(const Ros2Publisher&) = delete;
  Ros2Publisher& operator=(const Ros2Publisher&) = delete;

  /// Sends sensor_msgs/JointState; `names`, `s` and `sdot` are of one size. `date`: [ns] since 1970. Returns
  /// whether the message was taken, as do the others.
  bool joint_states(Time date, const std::vector<std::string>& names, const Eigen::VectorXd& s,
                    const Eigen::VectorXd& sdot) noexcept;
  /// Sends tf2_msgs/TFMessage.
  bool transforms(Time date, const std::vector<RosTransform>& frames) noexcept;
  /// Sends std_msgs/String, also to those who come later.
  bool description(const std::string& urdf) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace panto::bridge
