#pragma once
// A robot that follows a run in real time.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "panto/live/pacer.hpp"
#include "panto/live/robot.hpp"

namespace panto::app {

/// References to an address, at their time. Whoever writes to `paced` waits.
struct LinkOutput {
  /// `rate`: of the references [Hz]; unset: that of the recording, where the link can carry it.
  /// @throws ConfigError or Error as `live::open_robot_link` does.
  LinkOutput(std::string to, const Model& model, std::optional<double> rate, double recording_rate)
      : address(std::move(to)),
        rate_hz(rate.value_or(recording_rate > 0.0
                                  ? std::clamp(recording_rate, live::kSlowestLink, live::kFastestLink)
                                  : 50.0)),
        sender(live::open_robot_link(address, model, rate_hz)),
        paced(*sender, rate_hz) {}

  /// Says bye; returns what was sent, for people.
  [[nodiscard]] std::string close() {
    sender->close();
    return fmt::format("{} references to {} at {:g} Hz{}, at most {:.1f} ms late", sender->sent(), address,
                       rate_hz, sender->dropped() > 0 ? fmt::format(" ({} dropped)", sender->dropped()) : "",
                       1e3 * paced.pacer().latest());
  }

  std::string address;
  double rate_hz;
  std::unique_ptr<live::RobotLink> sender;
  live::PacedSink paced;
};

}  // namespace panto::app
