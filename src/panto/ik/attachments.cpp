#include "panto/ik/attachments.hpp"

#include <array>
#include <numbers>
#include <string_view>

#include "panto/math/so3.hpp"
#include "panto/model/human_segments.hpp"

namespace panto {

AttachmentMap mvn_attachments(bool n_pose_arms) {
  AttachmentMap map;
  map.source = n_pose_arms ? "mvnx 3" : "mvnx 4";
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    Attachment a;
    a.segment = a.link = std::string(kHumanSegmentNames[static_cast<std::size_t>(i)]);
    a.position = i == Pelvis;
    const bool right = i >= RightUpperArm && i <= RightHand, left = i >= LeftUpperArm && i <= LeftHand;
    if (n_pose_arms && (right || left)) a.R_SF = so3::about_axis(0, (right ? 0.5 : -0.5) * std::numbers::pi);
    map.attachments.push_back(std::move(a));
  }
  return map;
}

AttachmentMap xsens_bvh_attachments() {
  static constexpr std::array<std::string_view, kHumanSegmentCount> names{
      "Hips",         "Chest",       "Chest2",        "Chest3",     "Chest4",     "Neck",
      "Head",         "RightCollar", "RightShoulder", "RightElbow", "RightWrist", "LeftCollar",
      "LeftShoulder", "LeftElbow",   "LeftWrist",     "RightHip",   "RightKnee",  "RightAnkle",
      "RightToe",     "LeftHip",     "LeftKnee",      "LeftAnkle",  "LeftToe"};
  AttachmentMap map = mvn_attachments();
  map.source = "xsens bvh";
  for (std::size_t i = 0; i < names.size(); ++i) map.attachments[i].segment = std::string(names[i]);
  return map;
}

}  // namespace panto
