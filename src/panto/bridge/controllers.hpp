#pragma once
// Controllers of robots that take a motion over networks of their own.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/live/address.hpp"
#include "panto/live/arming.hpp"
#include "panto/live/run.hpp"
#include "panto/model/model.hpp"

namespace panto::bridge {

/// Sends a run's motion to a controller, while the run is armed.
class ControllerOutput : public live::LiveOutput {
 public:
  /// Ends: the controller holds.
  virtual void close() noexcept = 0;
  /// Returns why the robot is moved no more, once; the run should then be disarmed. Empty: nothing is wrong.
  [[nodiscard]] virtual std::string refusal() { return {}; }
  [[nodiscard]] std::int64_t sent() const noexcept { return sent_; }        ///< frames
  [[nodiscard]] std::int64_t dropped() const noexcept { return dropped_; }  ///< frames that were not taken

 protected:
  void count(bool taken) noexcept { ++(taken ? sent_ : dropped_); }

 private:
  std::int64_t sent_ = 0, dropped_ = 0;
};

/// Returns the controllers' schemes, with the ports at which they usually are.
[[nodiscard]] const std::vector<live::StreamScheme>& controllers();

/// Checks an address before a run, and returns the DDS domain that it takes, if it takes one. @throws
/// ConfigError for what its network cannot have.
[[nodiscard]] std::optional<std::uint32_t> check_controller(const live::StreamAddress& to);

/// Opens the way to a controller. `arming` must outlive it. @throws ConfigError for a model that the
/// controller does not drive, or a library that Panto was built without; Error for an address where it cannot
/// be reached.
[[nodiscard]] std::unique_ptr<ControllerOutput> open_controller(const live::StreamAddress& to,
                                                                const Model& model,
                                                                const live::Arming& arming);

}  // namespace panto::bridge
