#include <algorithm>

#include "panto/math/so3.hpp"
#include "panto/stream/person_items.hpp"
#include "panto/stream/vmc.hpp"

namespace panto::stream {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Segment = HumanSegment;

constexpr std::size_t kLargest = 1472;  // payload of one Ethernet frame over IPv4 and UDP

std::vector<std::byte> pose_message(std::string_view address, std::string_view name, const Vector3d& p,
                                    const Matrix3d& R) {
  std::vector<OscArgument> arguments{OscArgument::of(name)};
  for (const double value : to_unity(p)) arguments.push_back(OscArgument::of(static_cast<float>(value)));
  for (const double value : unity_from_wxyz(so3::to_quaternion_wxyz(R))) {
    arguments.push_back(OscArgument::of(static_cast<float>(value)));
  }
  return osc_message(address, arguments);
}

void add(Datagrams& bundles, const std::vector<std::byte>& message) {
  if (bundles.empty() || bundles.back().size() + 4 + message.size() > kLargest) {
    bundles.push_back(osc_bundle());
  }
  osc_append(bundles.back(), message);
}

// All bones: of the trunk Spine is L5, Chest T12 and UpperChest T8.
const std::array<int, kHumanSegmentCount>& bone_of_segment() {
  static const auto bones = vmc_bones_of_segments(VmcBones().set());
  return bones;
}

int next_up(int segment, const VmcBones& sent) {
  int up = kHumanSegmentParent[at(segment)];
  while (up >= 0 && (bone_of_segment()[at(up)] < 0 || !sent.test(at(bone_of_segment()[at(up)])))) {
    up = kHumanSegmentParent[at(up)];
  }
  return up;
}

}  // namespace

VmcEncoder::VmcEncoder(const std::vector<std::string>& names, const SubjectDimensions& person)
    : item_of_(person_items(names, "VMC")), person_(person) {}

Datagrams VmcEncoder::encode(const SegmentSample& sample) {
  Datagrams bundles;
  const std::array loaded{OscArgument::of(std::int32_t{1})};
  const std::array time{OscArgument::of(static_cast<float>(to_seconds(sample.t)))};
  add(bundles, osc_message("/VMC/Ext/OK", loaded));
  add(bundles, osc_message("/VMC/Ext/T", time));
  add(bundles, pose_message("/VMC/Ext/Root/Pos", "root", Vector3d::Zero(), Matrix3d::Identity()));

  std::array<const SegmentMotion*, kHumanSegmentCount> motion{};
  VmcBones sent;
  for (int segment = 0; segment < kHumanSegmentCount; ++segment) {
    const int item = item_of_[at(segment)], bone = bone_of_segment()[at(segment)];
    if (item < 0 || bone < 0 || at(item) >= sample.segments.size()) continue;
    if (!sample.segments[at(item)].has_orientation) continue;
    motion[at(segment)] = &sample.segments[at(item)];
    sent.set(at(bone));
  }
  for (int segment = 0; segment < kHumanSegmentCount; ++segment) {
    const SegmentMotion* own = motion[at(segment)];
    if (own == nullptr) continue;
    const int above = next_up(segment, sent);
    const Matrix3d R = above < 0 ? own->R_WS : Matrix3d{motion[at(above)]->R_WS.transpose() * own->R_WS};
    Vector3d p = Vector3d::Zero();
    for (int up = segment; up > above && up > 0; up = kHumanSegmentParent[at(up)])
      p += person_.origin[at(up)];
    if (segment == Segment::Pelvis) {
      p = own->has_position ? own->p_WS : Vector3d{0.0, 0.0, standing_height(person_)};
    }
    add(bundles, pose_message("/VMC/Ext/Bone/Pos", vmc_bone_name(bone_of_segment()[at(segment)]), p, R));
  }
  return bundles;
}

}  // namespace panto::stream
