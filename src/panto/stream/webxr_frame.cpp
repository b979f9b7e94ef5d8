#include "panto/stream/webxr_frame.hpp"

#include <cmath>

#include "panto/math/so3.hpp"
#include "panto/stream/byte_io.hpp"

namespace panto::stream {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;

constexpr std::string_view kMagic = "PWXR";
constexpr std::uint8_t kVersion = 1, kBreaks = 1;
constexpr double kFarthest = 1e3;  // [m]
constexpr double kNorm = 1e-2;     // of a quaternion
constexpr Time kLatest = Time{1} << 62;

// from x right, y up, z backward to x forward, y left, z up
Matrix3d ours() noexcept { return (Matrix3d() << 0, 0, -1, -1, 0, 0, 0, 1, 0).finished(); }

bool read_pose(ByteReader<std::endian::little>& reader, WebxrFrame& frame) noexcept {
  const auto which = static_cast<int>(reader.word<std::uint8_t>());
  (void)reader.word<std::uint8_t>();  // flags
  const Vector3d p = reader.reals32<3>();
  const Vector4d xyzw = reader.reals32<4>();
  if (which >= kWebxrPlaces || frame.has.test(at(which))) return false;
  if (!p.allFinite() || !(p.cwiseAbs().maxCoeff() <= kFarthest)) return false;
  if (!(std::abs(xyzw.norm() - 1.0) <= kNorm)) return false;
  const Matrix3d R = so3::from_quaternion_wxyz({xyzw[3], xyzw[0], xyzw[1], xyzw[2]});
  frame.has.set(at(which));
  frame.pose[at(which)] = {ours() * R, ours() * p};
  return true;
}

}  // namespace

bool is_webxr(std::span<const std::byte> message) noexcept {
  ByteReader<std::endian::little> reader(message);
  if (reader.letters(kMagic.size()) != kMagic || reader.word<std::uint8_t>() != kVersion) return false;
  (void)reader.word<std::uint8_t>();
  const std::size_t count = reader.word<std::uint16_t>();
  return count > 0 && message.size() == kWebxrHead + count * kWebxrPoseBytes;
}

bool read_webxr(std::span<const std::byte> message, WebxrFrame& frame) noexcept {
  if (!is_webxr(message)) return false;
  ByteReader<std::endian::little> reader(message.subspan(kMagic.size() + 1));
  frame.breaks = (reader.word<std::uint8_t>() & kBreaks) != 0;
  const std::size_t count = reader.word<std::uint16_t>();
  frame.session = reader.word<std::uint64_t>();
  frame.t = static_cast<Time>(reader.word<std::uint64_t>());
  frame.number = reader.word<std::uint32_t>();
  (void)reader.word<std::uint32_t>();
  if (frame.t < 0 || frame.t >= kLatest) return false;
  frame.has.reset();
  for (std::size_t i = 0; i < count; ++i)
    if (!read_pose(reader, frame)) return false;
  return true;
}

Matrix3d webxr_head(const WebxrFrame& frame) noexcept {
  return frame.pose[at(WebxrPlace::Viewer)].R * ours().transpose();
}

std::vector<std::byte> webxr_bytes(const WebxrFrame& frame) {
  std::vector<std::byte> bytes;
  bytes.reserve(kWebxrHead + kWebxrPoseBytes * frame.has.count());
  ByteWriter<std::endian::little> writer(bytes);
  writer.letters(kMagic);
  writer.word(kVersion);
  writer.word(static_cast<std::uint8_t>(frame.breaks ? kBreaks : 0));
  writer.word(static_cast<std::uint16_t>(frame.has.count()));
  writer.word(frame.session);
  writer.word(static_cast<std::uint64_t>(frame.t));
  writer.word(frame.number);
  writer.word(std::uint32_t{0});
  for (int which = 0; which < kWebxrPlaces; ++which) {
    if (!frame.has.test(at(which))) continue;
    const WebxrPose& pose = frame.pose[at(which)];
    const Vector4d q = so3::to_quaternion_wxyz(ours().transpose() * pose.R);
    writer.word(static_cast<std::uint8_t>(which));
    writer.word(std::uint8_t{0});
    writer.reals32(Vector3d(ours().transpose() * pose.p));
    writer.reals32(Vector4d(q[1], q[2], q[3], q[0]));
  }
  return bytes;
}

}  // namespace panto::stream
