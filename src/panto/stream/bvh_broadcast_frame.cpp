#include "panto/stream/bvh_broadcast_frame.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/stream/byte_io.hpp"
#include "panto/stream/vmc_bones.hpp"
#include "panto/stream/y_up.hpp"

namespace panto::stream {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Segment = HumanSegment;

constexpr std::uint16_t kFirstToken = 0xddff, kLastToken = 0xeeff;
constexpr std::size_t kName = 32, kReserved = 12;  // [bytes]
constexpr std::size_t kLongestNumber = 32;         // characters
constexpr double kFarthest = 1e5;                  // [cm]
constexpr double kMostTurned = 3600.0;             // [degrees]

// after each hand come 19 bones of its fingers
constexpr int kRightHand = 16, kFingers = 19, kLeftShoulder = kRightHand + kFingers + 1;

constexpr std::array kRightHalf{Segment::Pelvis,
                                Segment::RightUpperLeg,
                                Segment::RightLowerLeg,
                                Segment::RightFoot,
                                Segment::LeftUpperLeg,
                                Segment::LeftLowerLeg,
                                Segment::LeftFoot,
                                Segment::L5,
                                Segment::L3,
                                Segment::T12,
                                Segment::T8,
                                Segment::Neck,
                                Segment::Head,
                                Segment::RightShoulder,
                                Segment::RightUpperArm,
                                Segment::RightForeArm,
                                Segment::RightHand};
constexpr std::array kLeftArm{Segment::LeftShoulder, Segment::LeftUpperArm, Segment::LeftForeArm,
                              Segment::LeftHand};

struct Header {
  std::uint16_t first = 0, count = 0, last = 0;
  bool displacements = false, reference = false, flags = false;
  std::uint32_t avatar = 0, index = 0;
};

Header header_of(std::span<const std::byte> bytes) noexcept {
  ByteReader<std::endian::little> in(bytes);
  Header header;
  header.first = in.word<std::uint16_t>();
  (void)in.word<std::uint32_t>();  // version
  header.count = in.word<std::uint16_t>();
  const auto displacements = in.word<std::uint8_t>(), reference = in.word<std::uint8_t>();
  header.displacements = displacements != 0;
  header.reference = reference != 0;
  header.flags = displacements <= 1 && reference <= 1;
  header.avatar = in.word<std::uint32_t>();
  (void)in.bytes(kName);
  header.index = in.word<std::uint32_t>();
  (void)in.bytes(kReserved);
  header.last = in.word<std::uint16_t>();
  if (!in.ok()) header.first = 0;
  return header;
}

// Where the six or three numbers of a bone begin.
std::size_t place_of(int bone, const BroadcastLayout& layout) noexcept {
  const std::size_t before = layout.reference ? 6U : 0U;
  if (layout.displacements) return before + 6U * at(bone);
  return bone == 0 ? before : before + 3U + 3U * at(bone);
}

std::string_view next_word(std::string_view& text) noexcept {
  constexpr std::string_view kBlank = " \t\r\n,";
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlank));
  text.remove_prefix(word.size());
  return word;
}

bool number(std::string_view word, double& value) noexcept {
  if (word.empty() || word.size() > kLongestNumber) return false;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && end == word.data() + word.size() && std::isfinite(value);
}

std::size_t words_in(std::string_view text) noexcept {
  std::size_t count = 0;
  while (!next_word(text).empty()) ++count;
  return count;
}

// The layouts have different counts of numbers, so the count tells.
bool layout_of(std::size_t count, BroadcastLayout& layout) noexcept {
  for (const bool displacements : {true, false}) {
    for (const bool reference : {false, true}) {
      layout = {displacements, reference};
      if (layout.count() == count) return true;
    }
  }
  return false;
}

// Euler angles y, x, z [degrees] about the moving axes
Matrix3d turn_of(const Vector3d& yxz) noexcept {
  const Vector3d angles = kDegree * yxz;
  return so3::about_axis(1, angles[0]) * so3::about_axis(0, angles[1]) * so3::about_axis(2, angles[2]);
}

Vector3d angles_of(const Matrix3d& R) noexcept {
  const double up = std::clamp(-R(1, 2), -1.0, 1.0);
  Vector3d yxz{atan2(R(0, 2), R(2, 2)), asin(up), atan2(R(1, 0), R(1, 1))};
  // straight up or down only the sum or difference of y and z matters
  if (std::abs(up) > 1.0 - 1e-12) yxz = {atan2(-R(2, 0), R(0, 0)), yxz[1], 0.0};
  return yxz / kDegree;
}

}  // namespace

int broadcast_segment(int bone) noexcept {
  if (bone >= 0 && bone <= kRightHand) return kRightHalf[at(bone)];
  const int left = bone - kLeftShoulder;
  return left >= 0 && at(left) < kLeftArm.size() ? static_cast<int>(kLeftArm[at(left)]) : -1;
}

bool broadcast_begins(std::span<const std::byte> datagram) noexcept {
  return ByteReader<std::endian::little>(datagram).word<std::uint16_t>() == kFirstToken;
}

std::size_t broadcast_length(std::span<const std::byte> datagram) noexcept {
  const Header header = header_of(datagram);
  const BroadcastLayout layout{header.displacements, header.reference};
  if (header.first != kFirstToken || header.last != kLastToken || !header.flags) return 0;
  return header.count == layout.count() ? kBroadcastHead + 4U * layout.count() : 0;
}

bool read_broadcast(std::span<const std::byte> bytes, BroadcastFrame& frame) noexcept {
  if (broadcast_length(bytes) == 0 || bytes.size() != broadcast_length(bytes)) return false;
  const Header header = header_of(bytes);
  frame.layout = {header.displacements, header.reference};
  frame.avatar = header.avatar;
  frame.index = header.index;
  ByteReader<std::endian::little> in(bytes.subspan(kBroadcastHead));
  for (std::size_t i = 0; i < frame.layout.count(); ++i) frame.values[i] = static_cast<double>(in.real32());
  return true;
}

bool read_broadcast_line(std::span<const std::byte> line, BroadcastFrame& frame) noexcept {
  std::string_view text{reinterpret_cast<const char*>(line.data()), line.size()};
  text = text.substr(0, text.find("||"));
  const std::size_t words = words_in(text);
  frame.avatar.reset();
  frame.index.reset();
  if (!layout_of(words, frame.layout)) {
    const std::string_view who = next_word(text);
    std::uint32_t avatar = 0;
    const auto [end, error] = std::from_chars(who.data(), who.data() + who.size(), avatar);
    if (words < 2 || error != std::errc{} || end != who.data() + who.size()) return false;
    (void)next_word(text);  // name
    if (!layout_of(words - 2, frame.layout)) return false;
    frame.avatar = avatar;
  }
  for (std::size_t i = 0; i < frame.layout.count(); ++i) {
    if (!number(next_word(text), frame.values[i])) return false;
  }
  return true;
}

bool pose_of(const BroadcastFrame& frame, BroadcastPose& pose) noexcept {
  const Matrix3d to_ours = z_up_from_y_up();
  for (int bone = 0; bone < kBroadcastBones; ++bone) {
    const int segment = broadcast_segment(bone);
    if (segment < 0) continue;
    const double* from = &frame.values[place_of(bone, frame.layout)];
    Vector3d p = Vector3d::Zero();
    if (bone == 0 || frame.layout.displacements) {
      p = Vector3d(from[0], from[1], from[2]);
      from += 3;
    }
    const Vector3d yxz(from[0], from[1], from[2]);
    if (!p.allFinite() || !yxz.allFinite()) return false;
    if (p.cwiseAbs().maxCoeff() > kFarthest || yxz.cwiseAbs().maxCoeff() > kMostTurned) return false;
    pose.bones[at(segment)] = {to_ours * turn_of(yxz) * to_ours.transpose(), 0.01 * (to_ours * p)};
  }
  return true;
}

void put_pose(const BroadcastPose& pose, BroadcastFrame& frame) noexcept {
  const Matrix3d to_ours = z_up_from_y_up();
  frame.layout = {.displacements = true, .reference = false};
  frame.values.fill(0.0);
  for (int bone = 0; bone < kBroadcastBones; ++bone) {
    const int segment = broadcast_segment(bone);
    if (segment < 0) continue;
    const auto& [R, p] = pose.bones[at(segment)];
    const Vector3d place = 100.0 * (to_ours.transpose() * p);
    const Vector3d yxz = angles_of(to_ours.transpose() * R * to_ours);
    double* to = &frame.values[place_of(bone, frame.layout)];
    to = std::copy(place.begin(), place.end(), to);
    std::copy(yxz.begin(), yxz.end(), to);
  }
}

std::optional<SubjectDimensions> broadcast_person(const BroadcastPose& pose, std::string& why) {
  // what the avatars of another protocol tell: height and origins, shared out where bones lie further apart
  VmcOffsets offsets{VmcBones().set(), {}};
  const auto bone_of = vmc_bones_of_segments(offsets.bones);
  for (int segment = 1; segment < kHumanSegmentCount; ++segment) {
    if (bone_of[at(segment)] >= 0) offsets.p[at(bone_of[at(segment)])] = pose.bones[at(segment)].p;
  }
  offsets.p[VmcBone::Chest] += pose.bones[Segment::L3].p;
  offsets.bones.reset(VmcBone::LeftToes).reset(VmcBone::RightToes);
  auto person = vmc_person(offsets, why);
  if (!person) return std::nullopt;
  for (const int segment : {Segment::L3, Segment::T12})
    person->origin[at(segment)] = pose.bones[at(segment)].p;
  return person;
}

}  // namespace panto::stream
