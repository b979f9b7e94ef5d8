#include <charconv>

#include "panto/stream/bvh_broadcast.hpp"
#include "panto/stream/byte_io.hpp"
#include "panto/stream/person_items.hpp"

namespace panto::stream {
namespace {

using Segment = HumanSegment;

constexpr std::size_t kLargest = 1472;          // payload of one Ethernet frame over IPv4 and UDP
constexpr std::uint32_t kVersion = 0x01010000;  // 1.1.0.0
constexpr std::string_view kName = "Panto";

Datagrams binary(const BroadcastFrame& frame) {
  std::vector<std::byte> bytes;
  ByteWriter<std::endian::little> out(bytes);
  out.word(std::uint16_t{0xddff});
  out.word(kVersion);
  out.word(static_cast<std::uint16_t>(frame.layout.count()));
  out.word(static_cast<std::uint8_t>(frame.layout.displacements));
  out.word(static_cast<std::uint8_t>(frame.layout.reference));
  out.word(frame.avatar.value_or(0));
  out.letters(kName);
  bytes.resize(46);
  out.word(frame.index.value_or(0));
  bytes.resize(62);
  out.word(std::uint16_t{0xeeff});
  for (std::size_t i = 0; i < frame.layout.count(); ++i) out.real32(frame.values[i]);
  const auto middle = bytes.begin() + static_cast<std::ptrdiff_t>(kLargest);
  return {{bytes.begin(), middle}, {middle, bytes.end()}};
}

Datagrams text(const BroadcastFrame& frame) {
  std::string line = std::to_string(frame.avatar.value_or(0)) + " " + std::string(kName) + " ";
  for (std::size_t i = 0; i < frame.layout.count(); ++i) {
    std::array<char, 64> word{};
    const auto end = std::to_chars(word.data(), word.data() + word.size(), frame.values[i] + 0.0,
                                   std::chars_format::fixed, 4);
    line.append(word.data(), end.ptr).push_back(' ');
  }
  line += "||\n";
  std::vector<std::byte> bytes;
  ByteWriter<std::endian::little>(bytes).letters(line);
  return {bytes};
}

}  // namespace

BvhBroadcastEncoder::BvhBroadcastEncoder(const std::vector<std::string>& names,
                                         const SubjectDimensions& person, BroadcastForm form,
                                         std::uint32_t character)
    : item_of_(person_items(names, "BVH broadcast")), person_(person), form_(form), character_(character) {}

Datagrams BvhBroadcastEncoder::encode(const SegmentSample& sample) {
  std::array<Eigen::Matrix3d, kHumanSegmentCount> R_WS;
  BroadcastPose pose;
  for (int segment = 0; segment < kHumanSegmentCount; ++segment) {
    const int item = item_of_[at(segment)], up = kHumanSegmentParent[at(segment)];
    const SegmentMotion* own =
        item >= 0 && at(item) < sample.segments.size() ? &sample.segments[at(item)] : nullptr;
    const Eigen::Matrix3d base = up < 0 ? Eigen::Matrix3d{Eigen::Matrix3d::Identity()} : R_WS[at(up)];
    R_WS[at(segment)] = own != nullptr && own->has_orientation ? own->R_WS : base;
    auto& [R, p] = pose.bones[at(segment)];
    R = base.transpose() * R_WS[at(segment)];
    p = person_.origin[at(segment)];
    if (segment == Segment::Pelvis)
      p = own != nullptr && own->has_position ? own->p_WS
                                              : Eigen::Vector3d{0.0, 0.0, standing_height(person_)};
  }
  BroadcastFrame frame;
  put_pose(pose, frame);
  frame.avatar = character_;
  frame.index = index_++;
  return form_ == BroadcastForm::Binary ? binary(frame) : text(frame);
}

}  // namespace panto::stream
