// States of a human model as the BVH that Xsens exports: 23 joints, YXZ angles, centimetres,
// y up, zero in the T-pose. (formats, section 3.4)
//
// Frame k of the file is the instant k / rate, as in Xsens' exports. These overwrite frame 0 with a rest
// pose, which readers leave out (ours recognises it). So a motion that begins at t = 0 is written from frame
// 0 on; if its first pose is exactly that rest pose, it is moved by 10 nanometres. A motion that begins later
// gets a rest pose as frame 0 and continues with frame 1.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/base/time.hpp"
#include "panto/io/append.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/state_file.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/euler.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"

namespace panto::io {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::size_t kCount = kHumanSegmentCount;
/// Xsens' names of the segments' joints, by HumanSegment: its "shoulder" is the upper arm.
constexpr std::array<std::string_view, kCount> kXsensNames{
    "Hips",         "Chest",       "Chest2",        "Chest3",     "Chest4",     "Neck",
    "Head",         "RightCollar", "RightShoulder", "RightElbow", "RightWrist", "LeftCollar",
    "LeftShoulder", "LeftElbow",   "LeftWrist",     "RightHip",   "RightKnee",  "RightAnkle",
    "RightToe",     "LeftHip",     "LeftKnee",      "LeftAnkle",  "LeftToe"};
constexpr double kCentimetres = 100.0;
constexpr double kRestTolerance = 1e-9;              // [m] within which the reader sees "at the origin"
constexpr double kNudge = 1e-8;                      // [m]
constexpr double kLongestHold = 60.0;                // [s] of repeated frames
constexpr std::int64_t kUnknownFrames = 99'999'999;  // until close(): readers use the frames present

// MVN's x is BVH's z, y is x, z is y: A^T v
Vector3d to_bvh(const Vector3d& v) { return {v.y(), v.z(), v.x()}; }

Matrix3d to_bvh(const Matrix3d& R) {
  constexpr std::array<int, 3> from{1, 2, 0};
  Matrix3d result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      result(i, j) = R(from[static_cast<std::size_t>(i)], from[static_cast<std::size_t>(j)]);
    }
  }
  return result;
}

// converts to centimetres without rounding noise of the factor 100
Vector3d centimetres(const Vector3d& metres) {
  return (to_bvh(metres) * (kCentimetres * 1e9)).array().round() / 1e9;
}

std::array<int, kCount> find_links(const Model& model) {
  std::array<int, kCount> links{};
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto found = model.find_link(kHumanSegmentNames[i]);
    if (!found) {
      throw ConfigError(
          "a BVH file holds the 23 segments of a human model: " +
          unknown_name("link", kHumanSegmentNames[i], "model '" + model.name() + "'", model.link_names()));
    }
    links[i] = *found;
  }
  return links;
}

// returns the origin of every segment in its parent's frame [m] at the given joints
std::array<Vector3d, kCount> origins(const Model& model, const std::array<int, kCount>& links,
                                     const State& state) {
  Kinematics kinematics(model);
  kinematics.update(state);
  std::array<Vector3d, kCount> result;
  for (std::size_t i = 0; i < kCount; ++i) {
    const int parent = kHumanSegmentParent[i];
    result[i].setZero();
    if (parent < 0) continue;
    const int parent_link = links[static_cast<std::size_t>(parent)];
    result[i] =
        kinematics.R_WL(parent_link).transpose() * (kinematics.p_WL(links[i]) - kinematics.p_WL(parent_link));
  }
  return result;
}

// BVH bones are rigid: every segment must turn about its own origin
std::array<Vector3d, kCount> rigid_origins(const Model& model, const std::array<int, kCount>& links) {
  State state = rest_state(model);
  state.s.setZero();
  const auto straight = origins(model, links, state);
  for (Eigen::Index i = 0; i < state.s.size(); ++i) state.s[i] = 0.3 + 0.1 * static_cast<double>(i % 7);
  const auto bent = origins(model, links, state);
  for (std::size_t i = 0; i < kCount; ++i) {
    if ((straight[i] - bent[i]).norm() > 1e-6) {
      throw ConfigError("model '" + model.name() + "' cannot be written as BVH: link '" +
                        std::string(kHumanSegmentNames[i]) + "' moves in '" +
                        std::string(kHumanSegmentNames[static_cast<std::size_t>(kHumanSegmentParent[i])]) +
                        "', but BVH bones are rigid");
    }
  }
  return straight;
}

std::vector<BvhJoint> xsens_joints(const std::array<Vector3d, kCount>& origin) {
  // a model has no ends of head, hands and toes: use an average person's, scaled by the length of the leg
  const SubjectDimensions average = scaled_subject(1.75);
  const auto leg = [](const auto& at) { return at[RightLowerLeg].norm() + at[RightFoot].norm(); };
  const double scale = leg(origin) / leg(average.origin);

  std::vector<BvhJoint> joints(kCount);
  int channel = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    BvhJoint& joint = joints[i];
    joint.name = kXsensNames[i];
    joint.parent = kHumanSegmentParent[i];
    joint.offset = centimetres(origin[i]);
    if (i == Pelvis) joint.channels = {BvhChannel::Xposition, BvhChannel::Yposition, BvhChannel::Zposition};
    joint.channels.insert(joint.channels.end(),
                          {BvhChannel::Yrotation, BvhChannel::Xrotation, BvhChannel::Zrotation});
    joint.first_channel = channel;
    channel += static_cast<int>(joint.channels.size());
    if (i == Head || i == RightHand || i == LeftHand || i == RightToe || i == LeftToe) {
      joint.end_sites = {centimetres(scale * average.end[i])};
    }
  }
  return joints;
}

// hips above the ground when the T-pose stands on it [m]
double standing_height(const std::vector<BvhJoint>& joints) {
  std::vector<double> height(joints.size(), 0.0);
  double lowest = 0.0;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (joints[i].parent >= 0)
      height[i] = height[static_cast<std::size_t>(joints[i].parent)] + joints[i].offset.y();
    lowest = std::min(lowest, height[i]);
    for (const Vector3d& end : joints[i].end_sites) lowest = std::min(lowest, height[i] + end.y());
  }
  return -lowest / kCentimetres;
}

double checked_rate(double rate_hz) {
  // readers mistake a Frame Time beyond 1 s for milliseconds
  if (rate_hz >= 1.0 && rate_hz <= kFastestRate) return rate_hz;
  throw ConfigError(fmt::format("a BVH file needs a frame rate from 1 to 10000 Hz, not {}", rate_hz));
}

class BvhStateFile final : public StateFile {
 public:
  BvhStateFile(const Destination& to, const Model& model, const StateFileOptions& options)
      : model_(model),
        rate_hz_(checked_rate(options.rate_hz)),
        links_(find_links(model)),
        joints_(xsens_joints(rigid_origins(model, links_))),
        standing_height_(standing_height(joints_)),
        kinematics_(model),
        file_(to) {
    angles_.fill(Vector3d::Zero());
    // a failure is kept and thrown by close()
    (void)file_.write(write_bvh_hierarchy(joints_) + "MOTION\nFrames: ");
    count_ = file_.write_placeholder(padded(kUnknownFrames));
    (void)file_.write(fmt::format("\nFrame Time: {}\n", 1.0 / rate_hz_));
    file_.end_header();
  }

  WriteStatus write(const State& state) noexcept override {
    try {
      return is_valid(state, model_) && file_.good() ? place(state) : WriteStatus::Dropped;
    } catch (const std::exception& error) {
      problem_ = error.what();
      return WriteStatus::Dropped;
    }
  }

  void close() override {
    if (squeezed_ > 0 && problem_.empty())
      problem_ = fmt::format(
          "{} came faster than the rate of {:g} Hz, and BVH has no time stamps: the stated rate of the "
          "recording is wrong",
          counted(squeezed_, "frame"), rate_hz_);
    if (!problem_.empty()) throw Error(file_.part_path() + ": " + problem_);
    file_.patch(count_, padded(written_));
    file_.close();
  }

 private:
  static std::string padded(std::int64_t count) { return fmt::format("{:<10}", count); }

  // finds the state's frame in the file and writes everything that comes before it
  WriteStatus place(const State& state) {
    const auto index = static_cast<std::int64_t>(std::llround(to_seconds(state.t) * rate_hz_));
    if (written_ == 0) {
      shift_ = index == 0 ? 0 : index - 1;
      if (index != 0) write_rest_pose();
    }
    const std::int64_t frame = index - shift_;
    if (frame < written_) {
      if (state.t > last_t_) ++squeezed_;
      return WriteStatus::Dropped;
    }
    last_t_ = state.t;
    if (static_cast<double>(frame - written_) > kLongestHold * rate_hz_) {
      problem_ = fmt::format(
          "the motion pauses for more than {} s before t = {} s, and BVH has no time stamps: write the parts "
          "separately",
          kLongestHold, to_seconds(state.t));
      return WriteStatus::Dropped;
    }
    // missing frames repeat the one before, so that every stamp stays right
    while (written_ < frame) write_row();
    format_row(state);
    return write_row();
  }

  void write_rest_pose() {
    row_.clear();
    append(row_, "0 {:.6f} 0", kCentimetres * standing_height_);
    for (std::size_t i = 0; i < kCount; ++i) append(row_, " 0 0 0");
    append(row_, "\n");
    write_row();
  }

  void format_row(const State& state) {
    kinematics_.update(state);
    std::array<Matrix3d, kCount> R;
    row_.clear();
    for (std::size_t i = 0; i < kCount; ++i) {
      R[i] = to_bvh(kinematics_.R_WL(links_[i]));
      const int parent = kHumanSegmentParent[i];
      if (parent < 0) append_hips(to_bvh(kinematics_.p_WL(links_[i])));
      const Matrix3d R_PC =
          parent < 0 ? R[i] : Matrix3d(R[static_cast<std::size_t>(parent)].transpose() * R[i]);
      // keeps the curves continuous for people who plot them
      angles_[i] = euler::nearest(R_PC, euler::YXZ, angles_[i]);
      const Vector3d degrees = angles_[i] * kToDegrees;
      append(row_, " {:.8f} {:.8f} {:.8f}", degrees[0], degrees[1], degrees[2]);
    }
    append(row_, "\n");
  }

  void append_hips(Vector3d p) {
    // a motion's own first frame must not look like the exporter's rest pose
    const bool at_origin = std::abs(p.x()) < 2.0 * kRestTolerance && std::abs(p.z()) < 2.0 * kRestTolerance;
    if (written_ == 0 && at_origin) p.x() = kNudge;
    p *= kCentimetres;
    append(row_, "{:.8f} {:.8f} {:.8f}", p[0], p[1], p[2]);
  }

  WriteStatus write_row() {
    if (!file_.write(row_)) return WriteStatus::Dropped;
    ++written_;
    return WriteStatus::Written;
  }

  const Model& model_;
  double rate_hz_;
  std::array<int, kCount> links_;
  std::vector<BvhJoint> joints_;
  double standing_height_;  // of the hips in the rest pose [m]
  Kinematics kinematics_;
  PartFile file_;
  int count_ = 0;                        // position of the number of frames
  std::array<Vector3d, kCount> angles_;  // of the last frame [rad]
  std::string row_;
  std::int64_t written_ = 0;                        // frames in the file
  std::int64_t shift_ = 0;                          // frame of the motion that is frame 0 of the file
  Time last_t_ = std::numeric_limits<Time>::min();  // of the last written frame
  std::int64_t squeezed_ = 0;                       // later states that fall onto a written frame
  std::string problem_;
};

}  // namespace

std::unique_ptr<StateFile> create_bvh(const Destination& to, const Model& model,
                                      const StateFileOptions& options) {
  return std::make_unique<BvhStateFile>(to, model, options);
}

}  // namespace panto::io
