// Writes a character's motion as BVH.

#include <fmt/core.h>

#include <cmath>
#include <utility>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/io/append.hpp"
#include "panto/io/character_file.hpp"
#include "panto/io/character_poses.hpp"
#include "panto/io/part_file.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

class BvhCharacterFile final : public StateFile {
 public:
  BvhCharacterFile(const Destination& to, const Model& model, std::shared_ptr<const BvhCharacter> character,
                   const StateFileOptions& options)
      : character_(std::move(character)),
        clip_(character_->clip),
        poses_(model, character_, options, to.path),
        file_(to) {
    angles_.assign(clip_.joints.size(), Vector3d::Zero());
    file_.end_header();
  }

  WriteStatus write(const State& state) noexcept override { return poses_.add(state); }

  void close() override {
    std::string rows;
    std::int64_t frames = 0;
    poses_.for_each_frame([&](const CharacterPose& pose) {
      add_row(pose, rows);
      ++frames;
    });
    (void)file_.write(write_bvh_hierarchy(clip_.joints) +
                      fmt::format("MOTION\nFrames: {}\nFrame Time: {}\n", frames, 1.0 / poses_.rate_hz()));
    (void)file_.write(rows);
    file_.close();
  }

 private:
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

  void set_place(const CharacterPose& pose, std::span<double> values) {
    const auto place = poses_.place_of(pose);
    if (!place) return;
    const BvhJoint& joint = clip_.joints[at(place->joint)];
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      if (is_rotation(joint.channels[c])) continue;
      const int axis = axis_of(joint.channels[c]);
      values[at(joint.first_channel) + c] =
          place->p[axis] - (clip_.positions == BvhPositions::Add ? joint.offset[axis] : 0.0);
    }
  }

  void add_row(const CharacterPose& pose, std::string& rows) {
    std::vector<double> values = clip_.values;
    std::vector<Matrix3d> wanted(clip_.joints.size()), done(clip_.joints.size());
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      const int parent = clip_.joints[j].parent;
      wanted[j] = parent < 0 ? pose.R[j] : Matrix3d(wanted[at(parent)] * pose.R[j]);
      Matrix3d R = parent < 0 ? wanted[j] : Matrix3d(done[at(parent)].transpose() * wanted[j]);
      set_rotations(j, R, values);
      done[j] = parent < 0 ? R : Matrix3d(done[at(parent)] * R);
    }
    set_place(pose, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      // rounding noise prints as 0
      const double value = std::abs(values[i]) < 5e-7 ? 0.0 : values[i];
      append(rows, "{}{:.6f}", i > 0 ? " " : "", value);
    }
    rows.push_back('\n');
  }

  std::shared_ptr<const BvhCharacter> character_;
  const BvhClip& clip_;
  CharacterPoses poses_;
  PartFile file_;
  std::vector<Vector3d> angles_;  // of every joint in the row before [rad]
};

}  // namespace

std::unique_ptr<StateFile> create_bvh_character(const Destination& to, const Model& model,
                                                std::shared_ptr<const BvhCharacter> character,
                                                const StateFileOptions& options) {
  return std::make_unique<BvhCharacterFile>(to, model, std::move(character), options);
}

}  // namespace panto::io
