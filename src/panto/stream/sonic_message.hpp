#pragma once
// What NVIDIA's SONIC controller takes by ZeroMQ, its packed message, protocol version 1:
// docs/formats/sonic_stream.md.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "panto/model/state.hpp"

namespace panto::stream {

inline constexpr std::size_t kSonicHeader = 1280;  ///< [bytes] of the header, padded with zeros
inline constexpr double kSonicRate = 50.0;         ///< [Hz] of frames

/// Packs the newest frames of a motion. Each message repeats the frames before its own, so that one that is
/// lost leaves no hole.
class SonicMessage {
 public:
  /// Frames of one message.
  static constexpr std::size_t kFrames = 5;

  /// `joints`: for every joint of the message its place in State::s. @throws ConfigError if there are none.
  explicit SonicMessage(std::vector<std::int64_t> joints);

  /// Adds the next frame, 1/50 s after the last. Returns the message, valid until the next call: topic,
  /// header, then joint_pos [N, J] [rad], joint_vel [N, J] [rad/s], body_quat [N, 4] wxyz, all f32, and
  /// frame_index [N] i64, counted from 0 without gaps; N up to `kFrames`. Does not allocate once N is
  /// reached.
  [[nodiscard]] std::span<const std::byte> add(const State& state);

 private:
  struct Frame {
    std::int64_t index = 0;
    std::vector<float> positions, rates;
    float turn[4] = {1.0F, 0.0F, 0.0F, 0.0F};  // wxyz, of the hemisphere of the frame before
  };
  [[nodiscard]] const Frame& frame(std::size_t i) const noexcept;  // of those in the message, oldest first

  std::vector<std::int64_t> joints_;
  std::vector<Frame> frames_;  // a ring
  std::int64_t count_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace panto::stream
