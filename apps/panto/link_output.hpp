#pragma once
// Sends a run to a robot in real time.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "panto/live/pacer.hpp"
#include "panto/live/robot.hpp"

namespace panto::app {

/// Sends references to an address when they are due. Writing to `paced` waits.
struct LinkOutput {
  /// `rate`: of the references [Hz]; unset: the recording's, limited to what the link can carry.
  /// @throws ConfigError or Error as `live::open_robot_link`.
  LinkOutput(std::string to, const Model& model, std::optional<double> rate, double recording_rate)
      : address(std::move(to)),
        rate_hz(rate.value_or(recording_rate > 0.0
                                  ? std::clamp(recording_rate, live::kSlowestLink, live::kFastestLink)
                                  : 50.0)),
        sender(live::open_robot_link(address, model, rate_hz)),
        paced(*sender, rate_hz) {}

  /// Sends bye; returns a sentence about what was sent.
  [[nodiscard]] std::string close() {
    sender->close();
    return fmt::format(
        "{} references to {} at {:g} Hz{}, largest delay {:.1f} ms{}", sender->sent(), address, rate_hz,
        sender->dropped() > 0 ? fmt::format(" ({} dropped)", sender->dropped()) : "",
        1e3 * paced.pacer().latest(),
        sender->answered() ? "" : "; the robot did not answer: does it run, with the same key?");
  }

  std::string address;
  double rate_hz;
  std::unique_ptr<live::RobotLink> sender;
  live::PacedSink paced;
};

}  // namespace panto::app
