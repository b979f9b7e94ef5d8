#pragma once
// What TWIST2's controller of a Unitree G1 reads from Redis: docs/formats/twist2_stream.md.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/state.hpp"

namespace panto::stream {

/// Writes States as TWIST2's list of numbers, JSON.
class Twist2Message {
 public:
  /// `joints`: for every joint of the message its place in State::s.
  explicit Twist2Message(std::vector<std::int64_t> joints) : joints_(std::move(joints)) {}

  /// Returns, valid until the next call: the base's velocity along its own x and y [m/s], height [m], roll
  /// and pitch [rad], yaw rate about its own z [rad/s], joints [rad]. `at_rest`: as if nothing moved.
  [[nodiscard]] std::string_view write(const State& state, bool at_rest = false);

 private:
  std::vector<std::int64_t> joints_;
  std::string text_;
};

}  // namespace panto::stream
