// Motion of the SOMA skeleton as Kimodo and its relatives store it.

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/soma_motion.hpp"
#include "panto/io/stamps.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// joint:parent, in the order of the arrays (nv-tlabs/kimodo, kimodo/skeleton/definitions.py)
constexpr std::string_view kSoma77 =
    "Hips: Spine1:Hips Spine2:Spine1 Chest:Spine2 Neck1:Chest Neck2:Neck1 Head:Neck2 HeadEnd:Head Jaw:Head "
    "LeftEye:Head RightEye:Head LeftShoulder:Chest LeftArm:LeftShoulder LeftForeArm:LeftArm "
    "LeftHand:LeftForeArm LeftHandThumb1:LeftHand LeftHandThumb2:LeftHandThumb1 "
    "LeftHandThumb3:LeftHandThumb2 "
    "LeftHandThumbEnd:LeftHandThumb3 LeftHandIndex1:LeftHand LeftHandIndex2:LeftHandIndex1 "
    "LeftHandIndex3:LeftHandIndex2 LeftHandIndex4:LeftHandIndex3 LeftHandIndexEnd:LeftHandIndex4 "
    "LeftHandMiddle1:LeftHand LeftHandMiddle2:LeftHandMiddle1 LeftHandMiddle3:LeftHandMiddle2 "
    "LeftHandMiddle4:LeftHandMiddle3 LeftHandMiddleEnd:LeftHandMiddle4 LeftHandRing1:LeftHand "
    "LeftHandRing2:LeftHandRing1 LeftHandRing3:LeftHandRing2 LeftHandRing4:LeftHandRing3 "
    "LeftHandRingEnd:LeftHandRing4 LeftHandPinky1:LeftHand LeftHandPinky2:LeftHandPinky1 "
    "LeftHandPinky3:LeftHandPinky2 LeftHandPinky4:LeftHandPinky3 LeftHandPinkyEnd:LeftHandPinky4 "
    "RightShoulder:Chest RightArm:RightShoulder RightForeArm:RightArm RightHand:RightForeArm "
    "RightHandThumb1:RightHand RightHandThumb2:RightHandThumb1 RightHandThumb3:RightHandThumb2 "
    "RightHandThumbEnd:RightHandThumb3 RightHandIndex1:RightHand RightHandIndex2:RightHandIndex1 "
    "RightHandIndex3:RightHandIndex2 RightHandIndex4:RightHandIndex3 RightHandIndexEnd:RightHandIndex4 "
    "RightHandMiddle1:RightHand RightHandMiddle2:RightHandMiddle1 RightHandMiddle3:RightHandMiddle2 "
    "RightHandMiddle4:RightHandMiddle3 RightHandMiddleEnd:RightHandMiddle4 RightHandRing1:RightHand "
    "RightHandRing2:RightHandRing1 RightHandRing3:RightHandRing2 RightHandRing4:RightHandRing3 "
    "RightHandRingEnd:RightHandRing4 RightHandPinky1:RightHand RightHandPinky2:RightHandPinky1 "
    "RightHandPinky3:RightHandPinky2 RightHandPinky4:RightHandPinky3 RightHandPinkyEnd:RightHandPinky4 "
    "LeftLeg:Hips LeftShin:LeftLeg LeftFoot:LeftShin LeftToeBase:LeftFoot LeftToeEnd:LeftToeBase "
    "RightLeg:Hips RightShin:RightLeg RightFoot:RightShin RightToeBase:RightFoot RightToeEnd:RightToeBase";
constexpr std::string_view kSoma30 =
    "Hips: Spine1:Hips Spine2:Spine1 Chest:Spine2 Neck1:Chest Neck2:Neck1 Head:Neck2 Jaw:Head LeftEye:Head "
    "RightEye:Head LeftShoulder:Chest LeftArm:LeftShoulder LeftForeArm:LeftArm LeftHand:LeftForeArm "
    "LeftHandThumbEnd:LeftHand LeftHandMiddleEnd:LeftHand RightShoulder:Chest RightArm:RightShoulder "
    "RightForeArm:RightArm RightHand:RightForeArm RightHandThumbEnd:RightHand RightHandMiddleEnd:RightHand "
    "LeftLeg:Hips LeftShin:LeftLeg LeftFoot:LeftShin LeftToeBase:LeftFoot RightLeg:Hips RightShin:RightLeg "
    "RightFoot:RightShin RightToeBase:RightFoot";

constexpr double kFarthest = 1e6;     // [m]
constexpr double kSameLength = 0.01;  // [m] by which a joint may leave its place on its parent
constexpr double kUsualRate = 30.0;   // Kimodo's
constexpr std::array<std::string_view, 3> kRates{"fps", "mocap_frame_rate", "frame_rate"};

std::vector<BvhJoint> tree(std::string_view pairs) {
  std::vector<BvhJoint> joints;
  int channel = 0;
  while (!pairs.empty()) {
    const std::size_t end = std::min(pairs.find(' '), pairs.size());
    const std::string_view pair = pairs.substr(0, end);
    const std::size_t colon = pair.find(':');
    BvhJoint joint;
    joint.name = pair.substr(0, colon);
    const auto parent = std::find_if(joints.begin(), joints.end(),
                                     [&](const BvhJoint& j) { return j.name == pair.substr(colon + 1); });
    joint.parent = parent == joints.end() ? -1 : static_cast<int>(parent - joints.begin());
    if (joints.empty())
      joint.channels = {BvhChannel::Xposition, BvhChannel::Yposition, BvhChannel::Zposition};
    for (const BvhChannel c : {BvhChannel::Zrotation, BvhChannel::Xrotation, BvhChannel::Yrotation})
      joint.channels.push_back(c);
    joint.first_channel = channel;
    channel += static_cast<int>(joint.channels.size());
    joints.push_back(std::move(joint));
    pairs.remove_prefix(std::min(end + 1, pairs.size()));
  }
  return joints;
}

class Reader {
 public:
  Reader(const NpzArchive& archive, const std::string& name)
      : places_(archive.array(*archive.find("posed_joints"))),
        turns_(archive.array(*archive.find("global_rot_mats"))) {
    clip_.name = name;
    clip_.format = "kimodo";
    read_rate(archive);
  }

  BvhClip read() {
    const auto& shape = places_.shape;
    const bool points = places_.is_number() && shape.size() == 3 && shape[2] == 3 && shape[0] > 0;
    if (!points || (shape[1] != 77 && shape[1] != 30))
      throw FormatError(places_.where + ": must be of shape (frames, 77, 3), or 30 joints of SOMA");
    const std::vector<std::size_t> expected{shape[0], shape[1], 3, 3};
    if (!turns_.is_number() || turns_.shape != expected)
      throw FormatError(turns_.where + ": must be rotation matrices of shape (" + std::to_string(shape[0]) +
                        ", " + std::to_string(shape[1]) + ", 3, 3)");
    clip_.joints = tree(shape[1] == 77 ? kSoma77 : kSoma30);
    clip_.channel_count = 3 + 3 * static_cast<int>(shape[1]);
    clip_.frame_count = static_cast<std::int64_t>(shape[0]);
    for (std::size_t j = 1; j < shape[1]; ++j) clip_.joints[j].offset = offset(0, j);
    for (std::size_t k = 0; k < shape[0]; ++k) read_frame(k);
    return std::move(clip_);
  }

 private:
  void read_rate(const NpzArchive& archive) {
    clip_.rate_hz = kUsualRate;
    if (const auto member = archive.find_first(kRates)) {
      const NpyArray rate = archive.array(*member);
      clip_.rate_hz = rate.is_number() && rate.count == 1 ? rate.number(0) : 0.0;
      if (!is_rate(clip_.rate_hz))
        throw FormatError(rate.where + ": must be one number of frames per second between 0.001 and 10000");
    } else {
      clip_.notes.emplace_back(
          "the file has no rate ('fps'); 30 frames per second are assumed, as of Kimodo");
    }
    clip_.frame_time = 1.0 / clip_.rate_hz;
  }

  [[nodiscard]] Vector3d place(std::size_t frame, std::size_t joint) const {
    Vector3d p;
    for (std::size_t i = 0; i < 3; ++i)
      p[static_cast<int>(i)] = places_.number(3 * (frame * clip_.joints.size() + joint) + i);
    if (!(p.norm() < kFarthest)) fail(places_, frame, joint, "the position is not finite");
    return p;
  }

  [[nodiscard]] Matrix3d turn(std::size_t frame, std::size_t joint) const {
    Matrix3d R;
    for (std::size_t i = 0; i < 9; ++i)
      R(static_cast<int>(i / 3), static_cast<int>(i % 3)) =
          turns_.number(9 * (frame * clip_.joints.size() + joint) + i);
    if (!so3::is_rotation(R, 1e-3)) fail(turns_, frame, joint, "not a rotation matrix");
    return so3::project(R);
  }

  [[nodiscard]] Vector3d offset(std::size_t frame, std::size_t joint) const {
    const std::size_t parent = at(clip_.joints[joint].parent);
    return turn(frame, parent).transpose() * (place(frame, joint) - place(frame, parent));
  }

  void read_frame(std::size_t k) {
    const Vector3d root = place(k, 0);
    clip_.values.insert(clip_.values.end(), root.data(), root.data() + 3);
    for (std::size_t j = 0; j < clip_.joints.size(); ++j) {
      Matrix3d R = turn(k, j);
      if (j > 0) {
        R = turn(k, at(clip_.joints[j].parent)).transpose() * R;
        if (!((offset(k, j) - clip_.joints[j].offset).norm() < kSameLength))
          fail(places_, k, j, "lies elsewhere than global_rot_mats say");
      }
      const Vector3d angles = kToDegrees * euler::from_rotation(R, euler::ZXY);
      clip_.values.insert(clip_.values.end(), angles.data(), angles.data() + 3);
    }
  }

  [[noreturn]] void fail(const NpyArray& a, std::size_t frame, std::size_t joint, const char* what) const {
    throw FormatError(a.where + ": frame " + std::to_string(frame) + ", " + clip_.joints[joint].name + ": " +
                      what);
  }

  NpyArray places_, turns_;
  BvhClip clip_;
};

}  // namespace

bool holds_soma(const NpzArchive& archive) {
  return archive.find("posed_joints") && archive.find("global_rot_mats");
}

BvhClip read_soma(const NpzArchive& archive, const std::string& name) { return Reader(archive, name).read(); }

}  // namespace panto::io
