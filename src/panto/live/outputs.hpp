#pragma once
// Where a live run goes by network: a robot, or a program that takes persons.

#include <cstdint>
#include <memory>
#include <string>

#include "panto/live/arming.hpp"
#include "panto/live/robot.hpp"
#include "panto/live/run.hpp"
#include "panto/live/udp_socket.hpp"
#include "panto/stream/sample_stream.hpp"

namespace panto::live {

/// Sends States to a robot as they come, as references; disarmed as invalid ones, so that it holds.
class RobotOutput final : public LiveOutput {
 public:
  /// @throws as `open_robot_link`. The model and `arming` must outlive it.
  RobotOutput(const std::string& address, const Model& model, double rate_hz, const Arming& arming)
      : link_(open_robot_link(address, model, rate_hz)), arming_(&arming) {}

  void write(const LiveFrame& frame) noexcept override {
    if (frame.flushed()) return;
    link_->set_valid(frame.valid && arming_->armed());
    (void)link_->write(frame.state);
  }
  void close() noexcept { link_->close(); }
  [[nodiscard]] std::int64_t sent() const noexcept { return link_->sent(); }
  [[nodiscard]] std::int64_t dropped() const noexcept { return link_->dropped(); }

 private:
  std::unique_ptr<RobotLink> link_;
  const Arming* arming_;
};

/// Sends persons in another protocol.
class PersonOutput final : public LiveOutput {
 public:
  PersonOutput(UdpSocket socket, std::unique_ptr<stream::SampleEncoder<SegmentSample>> encoder)
      : socket_(std::move(socket)), encoder_(std::move(encoder)) {}

  void write(const LiveFrame& frame) noexcept override;
  [[nodiscard]] std::int64_t sent() const noexcept { return sent_; }  ///< persons
  [[nodiscard]] std::int64_t dropped() const noexcept { return dropped_; }

 private:
  UdpSocket socket_;
  std::unique_ptr<stream::SampleEncoder<SegmentSample>> encoder_;
  Time introduced_ = 0;
  bool begun_ = false;
  std::int64_t sent_ = 0, dropped_ = 0;
};

}  // namespace panto::live
