#include "panto/stream/mxtp.hpp"

#include "panto/base/index.hpp"
#include "panto/math/degrees.hpp"

namespace panto::stream {
namespace {

constexpr std::string_view kMagic = "MXTP";
constexpr std::size_t kTrackerBytes = 44, kInertialTrackerBytes = 68;
constexpr std::size_t kCentreBytes = 12, kTimeCodeBytes = 12;

std::optional<unsigned> hexadecimal(char c) noexcept {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10U;
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10U;
  return std::nullopt;
}

// whether `items` fill no more than `bytes`; of types without items anything does
bool items_fit(MxtpType type, std::size_t items, std::size_t bytes) noexcept {
  switch (type) {
    case MxtpType::Trackers:
      return items > 0 && (bytes == items * kTrackerBytes || bytes == items * kInertialTrackerBytes);
    case MxtpType::CentreOfMass:
      return bytes >= kCentreBytes;
    case MxtpType::TimeCode:
      return bytes >= kTimeCodeBytes;
    default:
      const std::size_t size = mxtp_item_bytes(type);
      return size == 0 || (items > 0 && items * size <= bytes);
  }
}

int integer(MxtpReader& reader) noexcept { return static_cast<std::int32_t>(reader.word<std::uint32_t>()); }

MxtpReader item(std::span<const std::byte> datagram, int i, std::size_t bytes) noexcept {
  return MxtpReader(datagram.subspan(kMxtpHeaderBytes + at(i) * bytes, bytes));
}

}  // namespace

std::size_t mxtp_item_bytes(MxtpType type) noexcept {
  switch (type) {
    case MxtpType::EulerPose:
      return 28;
    case MxtpType::Pose:
    case MxtpType::UnityPose:
      return 32;
    case MxtpType::Markers:
      return 16;
    case MxtpType::JointAngles:
      return 20;
    case MxtpType::Linear:
      return 40;
    case MxtpType::Angular:
      return 44;
    default:
      return 0;
  }
}

std::optional<MxtpHeader> read_header(std::span<const std::byte> datagram) noexcept {
  if (datagram.size() < kMxtpHeaderBytes) return std::nullopt;
  MxtpReader reader(datagram);
  if (reader.letters(kMagic.size()) != kMagic) return std::nullopt;
  const std::string_view digits = reader.letters(2);
  const auto high = hexadecimal(digits[0]), low = hexadecimal(digits[1]);
  if (!high || !low) return std::nullopt;

  MxtpHeader header;
  header.type = static_cast<MxtpType>(16U * *high + *low);
  header.counter = reader.word<std::uint32_t>();
  const auto part = reader.word<std::uint8_t>();
  header.fragment = part & 0x7f;
  header.last = (part & 0x80) != 0;
  header.items = reader.word<std::uint8_t>();
  header.time_code = reader.word<std::uint32_t>();
  header.character = reader.word<std::uint8_t>();
  header.segments = reader.word<std::uint8_t>();
  header.props = reader.word<std::uint8_t>();
  header.finger_segments = reader.word<std::uint8_t>();
  (void)reader.word<std::uint16_t>();
  const std::size_t payload = reader.word<std::uint16_t>();
  if (payload != 0 && payload != reader.left()) return std::nullopt;
  if (!items_fit(header.type, at(header.items), reader.left())) return std::nullopt;
  return header;
}

bool is_mvn_text(std::span<const std::byte> datagram) noexcept {
  return !datagram.empty() && datagram.front() == std::byte{'{'};
}

MxtpPose read_pose(std::span<const std::byte> datagram, int i) noexcept {
  MxtpReader reader = item(datagram, i, mxtp_item_bytes(MxtpType::Pose));
  MxtpPose pose;
  pose.segment = integer(reader);
  pose.p_WS = reader.reals32<3>();
  pose.q_WS = reader.reals32<4>();
  return pose;
}

MxtpLinear read_linear(std::span<const std::byte> datagram, int i) noexcept {
  MxtpReader reader = item(datagram, i, mxtp_item_bytes(MxtpType::Linear));
  MxtpLinear linear;
  linear.segment = integer(reader);
  linear.p_WS = reader.reals32<3>();
  linear.v_WS = reader.reals32<3>();
  linear.a_WS = reader.reals32<3>();
  return linear;
}

MxtpAngular read_angular(std::span<const std::byte> datagram, int i) noexcept {
  MxtpReader reader = item(datagram, i, mxtp_item_bytes(MxtpType::Angular));
  MxtpAngular angular;
  angular.segment = integer(reader);
  angular.q_WS = reader.reals32<4>();
  angular.w_WS = kDegree * reader.reals32<3>();
  angular.alpha_WS = kDegree * reader.reals32<3>();
  return angular;
}

}  // namespace panto::stream
