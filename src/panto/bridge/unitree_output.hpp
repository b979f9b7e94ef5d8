#pragma once
// Moves a Unitree G1 by its own messages: docs/formats/unitree_commands.md.

#include <memory>

#include "panto/bridge/controllers.hpp"
#include "panto/stream/unitree_command.hpp"

namespace panto::bridge {

/// Publishes commands of the motors while the run is armed, 500 times a second (arms alone: 250), on a thread
/// of its own. Nothing is sent before the robot has said where its joints are, nor while it is silent; a
/// frame that comes then counts as dropped.
class UnitreeOutput final : public ControllerOutput {
 public:
  /// `arming` must outlive it. @throws ConfigError for an address that DDS cannot have, another robot, or
  /// where Panto was built without Cyclone DDS; Error when the domain cannot be opened.
  UnitreeOutput(const live::UdpAddress& at, stream::UnitreePart part, const Model& model,
                const live::Arming& arming);
  ~UnitreeOutput() override;

  void write(const LiveFrame& frame) noexcept override;
  void wait(bool held) noexcept override;
  [[nodiscard]] std::string refusal() override;
  /// Gives the arms back, or lets all joints sink softly; takes a second where they were moved.
  void close() noexcept override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Checks an address before a run, and returns its DDS domain. @throws ConfigError as the constructor.
[[nodiscard]] std::uint32_t check_unitree_address(const live::StreamAddress& to);

}  // namespace panto::bridge
