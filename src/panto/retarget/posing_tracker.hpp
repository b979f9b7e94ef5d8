#pragma once
// Poses a character: every link takes the orientation that it should have, without a solver
// (docs/character.md).

#include <Eigen/Core>
#include <array>
#include <memory>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/recording/joint_motion.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/sample/stages.hpp"

namespace panto {

/// What the orientation of one link comes from: of those that are set the first counts, in this order; of
/// none, the model's rest pose.
struct PosedLink {
  int parent = -1;                    ///< the link before; -1: this is the base
  std::array<int, 3> order{0, 1, 2};  ///< axes of its three joints, outermost first
  int first_dof = 0;                  ///< position of the first of them in State::s
  int joint = -1,
      joint_parent = -1;  ///< of the recorded skeleton: it takes their rotation since the rest pose
  Eigen::Matrix3d from_joint = Eigen::Matrix3d::Identity();  ///< the joint's frame in the link
  int entry = -1;                    ///< of the samples: it takes the segment's orientation
  int lower = -1, upper_entry = -1;  ///< it takes a share of the turn from a link to a segment ..
  double share = 0.0;                ///< .. 0 to 1
  Eigen::Matrix3d R_rest = Eigen::Matrix3d::Identity();  ///< of `joint`: the link at rest, in the link before
};

/// Sets base and joints of a model from `rig::make_character`. What is not measured in a frame keeps its
/// joints.
class PosingTracker final : public Tracker<SegmentSample> {
 public:
  /// `links`: by link, each after its parent. `base_entry`: of the samples, for the base. `joints`: may be
  /// null.
  PosingTracker(std::vector<PosedLink> links, std::size_t base_entry,
                std::shared_ptr<const JointMotion> joints, const Model& model);

  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

 private:
  [[nodiscard]] bool place(const PosedLink& link, const SegmentSample& sample,
                           Eigen::Matrix3d& R_WL) const noexcept;
  [[nodiscard]] Eigen::Matrix3d joint_turn(const PosedLink& link) const noexcept;

  std::vector<PosedLink> links_;
  std::size_t base_entry_;
  std::shared_ptr<const JointMotion> joints_;
  std::vector<Eigen::Matrix3d> R_WL_;
  SkeletonPose pose_;
  bool posed_ = false;  // the recorded skeleton is known in this frame
  Eigen::VectorXd rest_;
  bool began_ = false;
  StepReport report_;
};

}  // namespace panto
