#pragma once
// Datagrams of MVN's network stream made by hand, and a person who moves every joint a little.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/stream/byte_io.hpp"
#include "panto/stream/mxtp_encoder.hpp"

namespace panto::test {

using Bytes = std::vector<std::byte>;

/// Bytes of "4d 58 | 00 ...": pairs of hexadecimal digits; all else is skipped.
inline Bytes hex(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  Bytes bytes;
  std::optional<std::size_t> high;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) continue;
    if (high) bytes.push_back(static_cast<std::byte>(16 * *high + digit));
    high = high ? std::nullopt : std::optional(digit);
  }
  return bytes;
}

struct MxtpFields {
  std::string_view digits = "02";
  std::uint32_t counter = 0;
  int part = 0x80;  ///< fragment, and 0x80 in the last
  int items = 1;
  std::uint32_t time_code = 0;
  int character = 0;
  bool tells_size = true;  ///< old versions do not
};

/// A datagram whose payload is written by `fill(MxtpWriter&)`.
template <typename Fill>
Bytes mxtp_datagram(const MxtpFields& fields, Fill&& fill) {
  Bytes payload, bytes;
  stream::MxtpWriter inner(payload), writer(bytes);
  fill(inner);
  writer.letters("MXTP");
  writer.letters(fields.digits);
  writer.word(fields.counter);
  writer.word(static_cast<std::uint8_t>(fields.part));
  writer.word(static_cast<std::uint8_t>(fields.items));
  writer.word(fields.time_code);
  writer.word(static_cast<std::uint8_t>(fields.character));
  writer.word(static_cast<std::uint8_t>(fields.tells_size ? 23 : 0));
  writer.word(std::uint32_t{0});
  writer.word(static_cast<std::uint16_t>(fields.tells_size ? payload.size() : 0));
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

/// The person at time t [s]: smooth motion, positions by the chain, rates that fit nothing but are finite.
inline SegmentSample moving_person(double t, double phase = 0.0) {
  static const SubjectDimensions subject = scaled_subject(1.75);
  SegmentSample sample;
  sample.t = from_seconds(t);
  sample.segments.resize(kHumanSegmentCount);
  for (std::size_t i = 0; i < sample.segments.size(); ++i) {
    const double a = 0.4 * static_cast<double>(i + 1) + phase, b = 2.0 * t;
    const Eigen::Matrix3d turn =
        so3::exp({0.15 * std::sin(a + b), 0.1 * std::cos(3.0 * a + b), 0.15 * std::sin(2.0 * a - b)});
    SegmentMotion& s = sample.segments[i];
    if (i == 0) {
      s.R_WS = so3::about_axis(2, 0.7 * t) * turn;
      s.p_WS = {2.0 + 0.5 * std::sin(t), 0.5, 0.95};
    } else {
      const SegmentMotion& parent = sample.segments[at(kHumanSegmentParent[i])];
      s.R_WS = parent.R_WS * turn;
      s.p_WS = parent.p_WS + parent.R_WS * subject.origin[i];
    }
    s.w_WS = {0.5 - a, 3.0 * std::sin(b), 0.7};
    s.v_WS = {0.1 * a, std::cos(b), -0.3};
    s.has_orientation = s.has_position = s.has_angular_velocity = s.has_linear_velocity = true;
  }
  return sample;
}

}  // namespace panto::test
