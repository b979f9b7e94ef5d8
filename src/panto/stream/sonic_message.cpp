#include "panto/stream/sonic_message.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/stream/byte_io.hpp"

namespace panto::stream {
namespace {

constexpr std::string_view kTopic = "pose";

std::string field(const char* name, const char* type, std::size_t frames, std::size_t width) {
  const std::string shape = std::to_string(frames) + (width > 0 ? ", " + std::to_string(width) : "");
  return std::string(R"({"name": ")") + name + R"(", "dtype": ")" + type + R"(", "shape": [)" + shape + "]}";
}

std::string header_of(std::size_t frames, std::size_t joints) {
  return R"({"v": 1, "endian": "le", "count": )" + std::to_string(frames) + R"(, "fields": [)" +
         field("joint_pos", "f32", frames, joints) + ", " + field("joint_vel", "f32", frames, joints) + ", " +
         field("body_quat", "f32", frames, 4) + ", " + field("frame_index", "i64", frames, 0) + "]}";
}

}  // namespace

SonicMessage::SonicMessage(std::vector<std::int64_t> joints) : joints_(std::move(joints)), frames_(kFrames) {
  if (joints_.empty()) throw ConfigError("a motion without joints cannot be sent to SONIC");
  for (Frame& frame : frames_) {
    frame.positions.resize(joints_.size());
    frame.rates.resize(joints_.size());
  }
}

const SonicMessage::Frame& SonicMessage::frame(std::size_t i) const noexcept {
  const std::int64_t first = std::max<std::int64_t>(0, count_ - static_cast<std::int64_t>(kFrames));
  return frames_[(static_cast<std::size_t>(first) + i) % kFrames];
}

std::span<const std::byte> SonicMessage::add(const State& state) {
  Frame& newest = frames_[static_cast<std::size_t>(count_) % kFrames];
  const Eigen::Quaterniond turn(state.R_WB);
  const float wxyz[4] = {static_cast<float>(turn.w()), static_cast<float>(turn.x()),
                         static_cast<float>(turn.y()), static_cast<float>(turn.z())};
  const float(&before)[4] = frames_[(static_cast<std::size_t>(count_) + kFrames - 1) % kFrames].turn;
  float same = 0.0F;
  for (int k = 0; k < 4; ++k) same += wxyz[k] * before[k];
  for (int k = 0; k < 4; ++k) newest.turn[k] = same < 0.0F ? -wxyz[k] : wxyz[k];
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    newest.positions[j] = static_cast<float>(state.s[joints_[j]]);
    newest.rates[j] = static_cast<float>(state.sdot[joints_[j]]);
  }
  newest.index = count_++;

  const std::size_t frames = std::min(static_cast<std::size_t>(count_), kFrames);
  const std::size_t begin = kTopic.size() + kSonicHeader;
  ByteWriter<std::endian::little> to(bytes_);
  if (count_ <= static_cast<std::int64_t>(kFrames)) {  // later only the numbers change
    bytes_.clear();
    to.letters(kTopic);
    to.letters(header_of(frames, joints_.size()));
    assert(bytes_.size() < begin);
  }
  bytes_.resize(begin);
  for (std::size_t i = 0; i < frames; ++i) to.reals32(frame(i).positions);
  for (std::size_t i = 0; i < frames; ++i) to.reals32(frame(i).rates);
  for (std::size_t i = 0; i < frames; ++i) to.reals32(frame(i).turn);
  for (std::size_t i = 0; i < frames; ++i) to.word(static_cast<std::uint64_t>(frame(i).index));
  return bytes_;
}

}  // namespace panto::stream
