#include "panto/io/character_poses.hpp"

#include <fmt/core.h>

#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/time.hpp"
#include "panto/io/stamps.hpp"
#include "panto/math/directions.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kLongestPause = 60.0;  // [s] frames are steady
constexpr double kLongestBridge = 0.5;  // [s] a longer pause holds the frame before it

}  // namespace

CharacterPoses::CharacterPoses(const Model& model, std::shared_ptr<const BvhCharacter> character,
                               const StateFileOptions& options, std::string file)
    : character_(std::move(character)),
      file_(std::move(file)),
      rate_hz_(options.resample_hz > 0.0 ? options.resample_hz : options.rate_hz),
      model_(model),
      kinematics_(model) {
  if (!(rate_hz_ >= 1.0 && rate_hz_ <= kFastestRate))
    throw ConfigError(
        fmt::format("a character's motion needs a frame rate from 1 to 10000 Hz, not {}", rate_hz_));
  bvh_pose(character_->clip, 0, rest_);
}

WriteStatus CharacterPoses::add(const State& state) noexcept {
  try {
    if (!is_valid(state, model_) || (!states_.empty() && state.t <= states_.back().t))
      return WriteStatus::Dropped;
    states_.push_back(state);
    return WriteStatus::Written;
  } catch (...) {
    return WriteStatus::Dropped;
  }
}

void CharacterPoses::for_each_frame(const std::function<void(const CharacterPose&)>& take) {
  std::int64_t frames = 0;
  CharacterPose before;
  for (std::size_t k = 0; k < states_.size(); ++k) {
    const Time start = states_.front().t, now = states_[k].t;
    const double pause = k > 0 ? to_seconds(now - states_[k - 1].t) : 0.0;
    if (pause > kLongestPause)
      throw Error(
          fmt::format("{}: the motion pauses for more than {} s, and a character's frames are steady: write "
                      "the parts separately",
                      file_, kLongestPause));
    CharacterPose after = pose_of(states_[k]);
    for (; start + frame_time(frames, rate_hz_) <= now; ++frames) {
      const Time t = start + frame_time(frames, rate_hz_);
      if (t == now || k == 0) {
        take(after);
        continue;
      }
      const double share = pause > kLongestBridge ? 0.0 : to_seconds(t - states_[k - 1].t) / pause;
      CharacterPose between = before;
      between.p_base += share * (after.p_base - before.p_base);
      for (std::size_t j = 0; j < between.R.size(); ++j)
        between.R[j] = part_of_turn(before.R[j], after.R[j], share);
      take(between);
    }
    before = std::move(after);
  }
}

std::optional<CharacterPlace> CharacterPoses::place_of(const CharacterPose& pose) const {
  const auto moves = [&](int joint) {
    for (const BvhChannel channel : character_->clip.joints[at(joint)].channels)
      if (!is_rotation(channel)) return true;
    return false;
  };
  const int base = character_->character.base;
  int mover = base;
  while (mover >= 0 && !moves(mover)) mover = parent(at(mover));
  if (mover < 0) return {};
  // joints above the base stay as at rest, so that the base is off by a constant
  const Vector3d p_F = pose.p_base - (rest_.p_FJ[at(base)] - rest_.p_FJ[at(mover)]);
  return CharacterPlace{mover, in_parent(at(mover), p_F)};
}

Vector3d CharacterPoses::rest_place(std::size_t joint) const { return in_parent(joint, rest_.p_FJ[joint]); }

Vector3d CharacterPoses::in_parent(std::size_t joint, const Vector3d& p_F) const {
  const int above = parent(joint);
  return above < 0 ? p_F : Vector3d(rest_.R_FJ[at(above)].transpose() * (p_F - rest_.p_FJ[at(above)]));
}

int CharacterPoses::parent(std::size_t joint) const { return character_->clip.joints[joint].parent; }

Matrix3d CharacterPoses::rest_turn(std::size_t joint) const {
  return parent(joint) < 0 ? rest_.R_FJ[joint]
                           : Matrix3d(rest_.R_FJ[at(parent(joint))].transpose() * rest_.R_FJ[joint]);
}

CharacterPose CharacterPoses::pose_of(const State& state) {
  const rig::Character& own = character_->character;
  const Matrix3d R_FW = own.rig.map.R_WF.transpose();
  kinematics_.update(state);
  CharacterPose pose;
  pose.p_base = R_FW * state.p_WB / own.rig.map.unit;
  std::vector<Matrix3d> R_FJ(character_->clip.joints.size());
  for (std::size_t j = 0; j < R_FJ.size(); ++j) {
    const Matrix3d R_FP = parent(j) < 0 ? Matrix3d(Matrix3d::Identity()) : R_FJ[at(parent(j))];
    const int link = own.link[j];
    R_FJ[j] = link < 0 ? Matrix3d(R_FP * rest_turn(j))
                       : Matrix3d(R_FW * kinematics_.R_WL(link) * own.R_JL[j].transpose());
    pose.R.emplace_back(R_FP.transpose() * R_FJ[j]);
  }
  return pose;
}

}  // namespace panto::io
