// Writes a character's motion as BVH.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/time.hpp"
#include "panto/io/bvh_character.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/stamps.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/kinematics.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Text = fmt::memory_buffer;

constexpr double kLongestPause = 60.0;  // [s] BVH has no stamps
constexpr double kLongestBridge = 0.5;  // [s] a longer pause holds the frame before it

// Wanted rotations of all joints against their parents, and where the base is, in the file's axes.
struct LocalPose {
  std::vector<Matrix3d> R;
  Vector3d p_base = Vector3d::Zero();
};

class CharacterFile final : public StateFile {
 public:
  CharacterFile(const Destination& to, const Model& model, std::shared_ptr<const BvhCharacter> character,
                const StateFileOptions& options)
      : character_(std::move(character)),
        clip_(character_->clip),
        own_(character_->character),
        rate_hz_(options.resample_hz > 0.0 ? options.resample_hz : options.rate_hz),
        model_(model),
        kinematics_(model),
        file_(to) {
    if (!(rate_hz_ >= 1.0 && rate_hz_ <= kFastestRate))
      throw ConfigError(fmt::format("a BVH file needs a frame rate from 1 to 10000 Hz, not {}", rate_hz_));
    bvh_pose(clip_, 0, rest_);
    angles_.assign(clip_.joints.size(), Vector3d::Zero());
    file_.end_header();
  }

  WriteStatus write(const State& state) noexcept override {
    try {
      if (!is_valid(state, model_) || (!states_.empty() && state.t <= states_.back().t))
        return WriteStatus::Dropped;
      states_.push_back(state);
      return WriteStatus::Written;
    } catch (...) {
      return WriteStatus::Dropped;
    }
  }

  void close() override {
    Text rows;
    std::int64_t frames = 0;
    for (std::size_t k = 0; k < states_.size(); ++k) add_until(k, frames, rows);
    (void)file_.write(write_bvh_hierarchy(clip_.joints) +
                      fmt::format("MOTION\nFrames: {}\nFrame Time: {}\n", frames, 1.0 / rate_hz_));
    (void)file_.write({rows.data(), rows.size()});
    file_.close();
  }

 private:
  // Adds the frames between the State before and this one, and at this one.
  void add_until(std::size_t k, std::int64_t& frames, Text& rows) {
    const Time start = states_.front().t, now = states_[k].t;
    const double pause = k > 0 ? to_seconds(now - states_[k - 1].t) : 0.0;
    if (pause > kLongestPause)
      throw Error(
          fmt::format("{}: the motion pauses for more than {} s, and BVH has no time stamps: write the parts "
                      "separately",
                      file_.path(), kLongestPause));
    LocalPose after = local_pose(states_[k]);
    for (; start + frame_time(frames, rate_hz_) <= now; ++frames) {
      const Time t = start + frame_time(frames, rate_hz_);
      if (t == now || k == 0) {
        add_row(after, rows);
        continue;
      }
      const double share = pause > kLongestBridge ? 0.0 : to_seconds(t - states_[k - 1].t) / pause;
      LocalPose between = before_;
      between.p_base += share * (after.p_base - before_.p_base);
      for (std::size_t j = 0; j < between.R.size(); ++j)
        between.R[j] = part_of_turn(before_.R[j], after.R[j], share);
      add_row(between, rows);
    }
    before_ = std::move(after);
  }

  [[nodiscard]] int parent(std::size_t joint) const { return clip_.joints[joint].parent; }

  [[nodiscard]] Matrix3d rest_turn(std::size_t joint) const {
    return parent(joint) < 0 ? rest_.R_FJ[joint]
                             : Matrix3d(rest_.R_FJ[at(parent(joint))].transpose() * rest_.R_FJ[joint]);
  }

  LocalPose local_pose(const State& state) {
    const Matrix3d R_FW = own_.rig.map.R_WF.transpose();
    kinematics_.update(state);
    LocalPose pose;
    pose.p_base = R_FW * state.p_WB / own_.rig.map.unit;
    std::vector<Matrix3d> R_FJ(clip_.joints.size());
    for (std::size_t j = 0; j < R_FJ.size(); ++j) {
      const Matrix3d R_FP = parent(j) < 0 ? Matrix3d(Matrix3d::Identity()) : R_FJ[at(parent(j))];
      const int link = own_.link[j];
      R_FJ[j] = link < 0 ? Matrix3d(R_FP * rest_turn(j))
                         : Matrix3d(R_FW * kinematics_.R_WL(link) * own_.R_JL[j].transpose());
      pose.R.emplace_back(R_FP.transpose() * R_FJ[j]);
    }
    return pose;
  }

  // Sets the rotation channels as near to R as they can turn, and R to what they do.
  void set_rotations(std::size_t joint, Matrix3d& R, std::span<double> values) {
    const BvhJoint& own = clip_.joints[joint];
    std::vector<int> axes;
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < own.channels.size(); ++c) {
      if (!is_rotation(own.channels[c])) continue;
      axes.push_back(axis_of(own.channels[c]));
      columns.push_back(at(own.first_channel) + c);
    }
    if (axes.size() == 1) {  // the twist about this axis
      const Eigen::Vector4d q = so3::to_quaternion_wxyz(R);
      angles_[joint][0] = euler::unwrap(2.0 * atan2(q[1 + axes[0]], q[0]), angles_[joint][0]);
    } else if (axes.size() >= 2) {
      const euler::Sequence order{axes[0], axes[1], axes.size() > 2 ? axes[2] : 3 - axes[0] - axes[1]};
      angles_[joint] = euler::nearest(R, order, angles_[joint]);
    }
    R.setIdentity();
    for (std::size_t i = 0; i < axes.size(); ++i) {
      R = R * so3::about_axis(axes[i], angles_[joint][static_cast<Eigen::Index>(i)]);
      values[columns[i]] = angles_[joint][static_cast<Eigen::Index>(i)] * kToDegrees;
    }
  }

  // The nearest joint from the base upwards that can be moved takes the way of the base.
  void set_place(const LocalPose& pose, std::span<double> values) {
    int mover = own_.base;
    const auto moves = [&](int joint) {
      for (const BvhChannel channel : clip_.joints[at(joint)].channels)
        if (!is_rotation(channel)) return true;
      return false;
    };
    while (mover >= 0 && !moves(mover)) mover = parent(at(mover));
    if (mover < 0) return;
    // joints above the base stay as at rest, so that the base is off by a constant
    const Vector3d p_F = pose.p_base - (rest_.p_FJ[at(own_.base)] - rest_.p_FJ[at(mover)]);
    const int above = parent(at(mover));
    const Vector3d local =
        above < 0 ? p_F : Vector3d(rest_.R_FJ[at(above)].transpose() * (p_F - rest_.p_FJ[at(above)]));
    const BvhJoint& joint = clip_.joints[at(mover)];
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      if (is_rotation(joint.channels[c])) continue;
      const int axis = axis_of(joint.channels[c]);
      values[at(joint.first_channel) + c] =
          local[axis] - (clip_.positions == BvhPositions::Add ? joint.offset[axis] : 0.0);
    }
  }

  void add_row(const LocalPose& pose, Text& rows) {
    std::vector<double> values = clip_.values;
    std::vector<Matrix3d> wanted(clip_.joints.size()), done(clip_.joints.size());
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      const bool root = parent(j) < 0;
      wanted[j] = root ? pose.R[j] : Matrix3d(wanted[at(parent(j))] * pose.R[j]);
      Matrix3d R = root ? wanted[j] : Matrix3d(done[at(parent(j))].transpose() * wanted[j]);
      set_rotations(j, R, values);
      done[j] = root ? R : Matrix3d(done[at(parent(j))] * R);
    }
    set_place(pose, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      // rounding noise prints as 0
      const double value = std::abs(values[i]) < 5e-7 ? 0.0 : values[i];
      fmt::format_to(std::back_inserter(rows), "{}{:.6f}", i > 0 ? " " : "", value);
    }
    rows.push_back('\n');
  }

  std::shared_ptr<const BvhCharacter> character_;
  const BvhClip& clip_;
  const rig::Character& own_;
  double rate_hz_;
  const Model& model_;
  Kinematics kinematics_;
  PartFile file_;
  SkeletonPose rest_;
  std::vector<State> states_;
  std::vector<Vector3d> angles_;  // of every joint in the row before [rad]
  LocalPose before_;
};

}  // namespace

std::unique_ptr<StateFile> create_bvh_character(const Destination& to, const Model& model,
                                                std::shared_ptr<const BvhCharacter> character,
                                                const StateFileOptions& options) {
  return std::make_unique<CharacterFile>(to, model, std::move(character), options);
}

}  // namespace panto::io
