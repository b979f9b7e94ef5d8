#include "panto/stream/mxtp.hpp"

#include <array>

#include "panto/base/index.hpp"
#include "panto/math/degrees.hpp"

namespace panto::stream {
namespace {

constexpr std::string_view kMagic = "MXTP";
constexpr std::size_t kTrackerBytes = 44, kInertialTrackerBytes = 68;
constexpr std::size_t kCentreBytes = 12, kMovingCentreBytes = 36;
constexpr std::size_t kTimeCodeBytes = 12;

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

MxtpJoint read_joint(std::span<const std::byte> datagram, int i) noexcept {
  MxtpReader reader = item(datagram, i, mxtp_item_bytes(MxtpType::JointAngles));
  MxtpJoint joint;
  joint.parent_point = integer(reader);
  joint.child_point = integer(reader);
  joint.angles = kDegree * reader.reals32<3>();
  return joint;
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

MxtpTracker read_tracker(std::span<const std::byte> datagram, int i) noexcept {
  const auto items = std::to_integer<std::size_t>(datagram[11]);
  MxtpTracker tracker;
  tracker.has_inertial = datagram.size() - kMxtpHeaderBytes == items * kInertialTrackerBytes;
  MxtpReader reader = item(datagram, i, tracker.has_inertial ? kInertialTrackerBytes : kTrackerBytes);
  tracker.segment = integer(reader);
  tracker.q_WI = reader.reals32<4>();
  tracker.free_acceleration_W = reader.reals32<3>();
  if (tracker.has_inertial) {
    tracker.acceleration_I = reader.reals32<3>();
    tracker.rate_I = reader.reals32<3>();
  }
  tracker.magnetic_I = reader.reals32<3>();
  return tracker;
}

MxtpCentreOfMass read_centre_of_mass(std::span<const std::byte> datagram) noexcept {
  MxtpReader reader(datagram.subspan(kMxtpHeaderBytes));
  MxtpCentreOfMass centre;
  centre.has_rates = reader.left() >= kMovingCentreBytes;
  centre.p_W = reader.reals32<3>();
  if (centre.has_rates) {
    centre.v_W = reader.reals32<3>();
    centre.a_W = reader.reals32<3>();
  }
  return centre;
}

std::optional<Time> read_time_code(std::span<const std::byte> datagram) noexcept {
  MxtpReader reader(datagram.last(kTimeCodeBytes));
  const std::string_view text = reader.letters(kTimeCodeBytes);
  constexpr std::string_view form = "00:00:00.000";
  std::array<int, kTimeCodeBytes> digit{};
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool number = text[i] >= '0' && text[i] <= '9';
    if (form[i] == '0' ? !number : text[i] != form[i]) return std::nullopt;
    digit[i] = text[i] - '0';
  }
  const auto pair = [&digit](std::size_t i) { return 10 * digit[i] + digit[i + 1]; };
  if (pair(0) > 23 || pair(3) > 59 || pair(6) > 59) return std::nullopt;
  const Time seconds = Time{3600} * pair(0) + Time{60} * pair(3) + pair(6);
  return 1'000'000 * (1000 * seconds + Time{10} * pair(9) + digit[11]);
}

}  // namespace panto::stream
