// Poses of a body model on a skeleton of average proportions.

#include <algorithm>
#include <string_view>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/body_model.hpp"
#include "panto/io/body_shape.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/recording/grounded.hpp"
#include "panto/rig/axes.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using enum HumanSegment::Index;

constexpr double kUsualHeight = 1.7;  // [m] of a person of unknown stature
constexpr double kUpright = 0.8;      // mean cosine of trunk and up of a person who stands or walks
constexpr double kSure = 0.9;         // confidence of an up axis that overrules the source's convention

// a joint and the human segment that begins there; names and order: smplx, joint_names.py
struct Joint {
  std::string_view name;
  int parent, segment;
};
constexpr std::array<Joint, kBodyJoints> kTree{{{"pelvis", -1, Pelvis},
                                                {"left_hip", 0, LeftUpperLeg},
                                                {"right_hip", 0, RightUpperLeg},
                                                {"spine1", 0, L3},
                                                {"left_knee", 1, LeftLowerLeg},
                                                {"right_knee", 2, RightLowerLeg},
                                                {"spine2", 3, T12},
                                                {"left_ankle", 4, LeftFoot},
                                                {"right_ankle", 5, RightFoot},
                                                {"spine3", 6, T8},
                                                {"left_foot", 7, LeftToe},
                                                {"right_foot", 8, RightToe},
                                                {"neck", 9, Neck},
                                                {"left_collar", 9, LeftShoulder},
                                                {"right_collar", 9, RightShoulder},
                                                {"head", 12, Head},
                                                {"left_shoulder", 13, LeftUpperArm},
                                                {"right_shoulder", 14, RightUpperArm},
                                                {"left_elbow", 16, LeftForeArm},
                                                {"right_elbow", 17, RightForeArm},
                                                {"left_wrist", 18, LeftHand},
                                                {"right_wrist", 19, RightHand}}};

// x forward, y left, z up becomes the model's x left, y up, z forward
Vector3d in_model_axes(const Vector3d& v) { return {v.y(), v.z(), v.x()}; }

Vector3d offset_of(std::size_t joint, const SubjectDimensions& person) {
  if (kTree[joint].parent < 0) return Vector3d::Zero();
  const int parent = kTree[at(kTree[joint].parent)].segment;
  Vector3d offset = Vector3d::Zero();
  for (int s = kTree[joint].segment; s != parent && s >= 0; s = kHumanSegmentParent[at(s)])
    offset += person.origin[at(s)];
  return in_model_axes(offset);
}

std::vector<BvhJoint> tree(double height, const BodyShape* shape) {
  const SubjectDimensions person = scaled_subject(height);
  std::vector<BvhJoint> joints(kBodyJoints);
  int channel = 0;
  for (std::size_t j = 0; j < kBodyJoints; ++j) {
    joints[j].name = kTree[j].name;
    joints[j].parent = kTree[j].parent;
    joints[j].offset = offset_of(j, person);
    if (shape != nullptr && j > 0) joints[j].offset = shape->joints[j] - shape->joints[at(kTree[j].parent)];
    if (j == 0) joints[j].channels = {BvhChannel::Xposition, BvhChannel::Yposition, BvhChannel::Zposition};
    for (const BvhChannel c : {BvhChannel::Zrotation, BvhChannel::Xrotation, BvhChannel::Yrotation})
      joints[j].channels.push_back(c);
    joints[j].first_channel = channel;
    channel += static_cast<int>(joints[j].channels.size());
    const Vector3d end = in_model_axes(person.end[at(kTree[j].segment)]);
    if (end != Vector3d::Zero()) joints[j].end_sites = {end};
  }
  return joints;
}

// the stature, and a sentence about where it comes from
std::pair<double, std::string> stature(const BodyPoses& poses, const RecordingHints& hints) {
  const std::string average =
      "the file has rotations, not lengths: average proportions (Drillis and Contini) ";
  if (hints.height > 0.0)
    return {hints.height, average + "for the height given, " + decimals(hints.height, 2) + " m"};
  if (poses.has_path) {
    const rig::LegPaths legs = leg_paths(poses);
    const rig::StatureFit fit = rig::stature_from_stances(std::span(&legs, 1));
    if (fit.found)
      return {fit.height, average + "for " + decimals(fit.height, 2) + " m (+- " +
                              decimals(fit.deviation, 2) + " m), the stature that keeps the feet of " +
                              counted(static_cast<std::int64_t>(fit.stances), "stance") +
                              " in place; --height sets it"};
  }
  return {kUsualHeight, average + "for " + decimals(kUsualHeight, 1) +
                            " m, because the feet do not show the stature; --height sets it"};
}

// Returns the file axis along which the trunk points on average; empty: it points along none. The rest pose,
// always y up, is no witness here.
std::string upright_axis(const BodyPoses& poses) {
  Vector3d sum = Vector3d::Zero();
  for (std::size_t k = 0; k < poses.path.size(); ++k)
    sum += so3::exp(poses.turns[k * kBodyJoints]) * Vector3d::UnitY();
  const Vector3d mean = sum / static_cast<double>(poses.path.size());
  return mean.cwiseAbs().maxCoeff() > kUpright ? rig::to_string(rig::nearest_axis(mean)) : "";
}

// Returns the up axis that the body shows with confidence, else the source's.
std::string up_axis(const BodyPoses& poses, const BvhClip& clip, const RecordingHints& hints,
                    std::vector<std::string>& notes) {
  if (!hints.rig.up.empty()) return hints.rig.up;
  if (poses.up.empty()) return upright_axis(poses);
  try {
    const std::unique_ptr<Recording> free = open_bvh(clip, hints);
    const std::string seen = free->info().up;
    for (const rig::Decision& decision : free->info().rig->map.decisions) {
      if (decision.what != "up axis" || seen == poses.up || decision.confidence < kSure) continue;
      notes.push_back("up is " + seen + " (" + decision.reason + "), not " + poses.up + " as usual for " +
                      poses.source + "; results in camera axes ('incam') are like that: prefer the world's");
      return seen;
    }
  } catch (const FormatError&) {
    return poses.up;  // the body alone does not show it
  }
  return poses.up;
}

// Opens the motion with the person's own joints. A model turns about its pelvis, so the path is known, too.
std::unique_ptr<Recording> open_with_shape(BodyPoses poses, const RecordingHints& hints,
                                           const std::string& body) {
  const BodyShape shape = read_body_shape(body, poses.betas);
  poses.notes.push_back("lengths from " + body + " with " +
                        counted(static_cast<std::int64_t>(shape.betas), "shape parameter") +
                        ": a person of " + decimals(shape.height, 2) + " m");
  for (Vector3d& place : poses.path) place += shape.joints[0];
  BvhClip clip = body_model_clip(poses, shape.height, &shape);
  RecordingHints known = hints;
  if (known.rig.unit == 0.0) known.rig.unit = 1.0;
  known.rig.up = up_axis(poses, clip, known, clip.notes);
  return open_bvh(std::move(clip), known);
}

}  // namespace

rig::LegPaths leg_paths(const BodyPoses& poses) {
  constexpr std::array<std::array<std::size_t, 5>, 2> chains{{{0, 1, 4, 7, 10}, {0, 2, 5, 8, 11}}};
  const SubjectDimensions unit = scaled_subject(1.0);
  rig::LegPaths paths;
  paths.rate_hz = poses.rate_hz;
  paths.pelvis = poses.path;
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t k = 0; k < poses.path.size(); ++k) {
      Matrix3d R = so3::exp(poses.turns[k * kBodyJoints]);
      Vector3d reach = Vector3d::Zero();
      for (std::size_t i = 1; i < 5; ++i) {
        reach += R * offset_of(chains[side][i], unit);
        if (i < 4) R = R * so3::exp(poses.turns[k * kBodyJoints + chains[side][i]]);
      }
      paths.reach[side].push_back(reach);
      paths.foot[side].push_back(R);
    }
  }
  return paths;
}

BvhClip body_model_clip(const BodyPoses& poses, double height, const BodyShape* shape) {
  BvhClip clip;
  clip.name = poses.name;
  clip.format = poses.source;
  clip.joints = tree(height, shape);
  clip.channel_count = 3 + 3 * static_cast<int>(kBodyJoints);
  clip.frame_count = static_cast<std::int64_t>(poses.path.size());
  clip.rate_hz = poses.rate_hz;
  clip.frame_time = 1.0 / poses.rate_hz;
  clip.notes = poses.notes;
  clip.values.reserve(poses.path.size() * at(clip.channel_count));
  for (std::size_t k = 0; k < poses.path.size(); ++k) {
    clip.values.insert(clip.values.end(), poses.path[k].data(), poses.path[k].data() + 3);
    for (std::size_t j = 0; j < kBodyJoints; ++j) {
      const Vector3d angles =
          kToDegrees * euler::from_rotation(so3::exp(poses.turns[k * kBodyJoints + j]), euler::ZXY);
      clip.values.insert(clip.values.end(), angles.data(), angles.data() + 3);
    }
  }
  return clip;
}

std::unique_ptr<Recording> open_body_poses(BodyPoses poses, const RecordingHints& hints,
                                           const std::string& body) {
  if (!body.empty()) return open_with_shape(std::move(poses), hints, body);
  auto [height, why] = stature(poses, hints);
  poses.notes.push_back(std::move(why));
  BvhClip clip = body_model_clip(poses, height);
  RecordingHints known = hints;
  if (known.rig.unit == 0.0) known.rig.unit = 1.0;
  known.rig.up = up_axis(poses, clip, known, clip.notes);
  std::unique_ptr<Recording> recording = open_bvh(clip, known);
  const FloorFit floor = find_floor(read_soles(*recording));
  if (!floor.found) {
    recording->rewind();
    return recording;
  }
  // the place of the root is known up to a constant only
  const Vector3d shift = recording->info().rig->map.R_WF.transpose() * Vector3d(0.0, 0.0, floor.height);
  for (std::size_t k = 0; k < poses.path.size(); ++k) {
    for (int i = 0; i < 3; ++i) clip.values[k * at(clip.channel_count) + at(i)] -= shift[i];
  }
  clip.notes.push_back("the file has no height of the floor: moved by " + decimals(-floor.height, 2) +
                       " m, so that the soles stand on it");
  return open_bvh(std::move(clip), known);
}

}  // namespace panto::io
