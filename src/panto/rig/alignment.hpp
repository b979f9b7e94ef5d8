#pragma once
// Finds the orientation of every human segment in its joint's frame: from bone directions, hinges, feet in
// stance, the rest pose and the mean posture. (docs/algorithms/rig.md)

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "panto/rig/clip.hpp"
#include "panto/rig/families.hpp"

namespace panto::rig {

/// The hinge of a knee or elbow, in the frame of the proximal segment's joint.
struct Hinge {
  bool found = false;
  Eigen::Vector3d axis = Eigen::Vector3d::Zero();        ///< across the bone; flexion is positive about it
  Eigen::Vector3d outer_axis = Eigen::Vector3d::Zero();  ///< the same axis in the distal joint's frame, where
                                                         ///< both joints rotate about one axis; else zero
  double confidence = 0.0;
  std::string reason;
};

/// Finds the axis about which the distal bone bends against the proximal one over the clip. `bone`,
/// `next_bone`: unit vectors in the frames of `joint` and `next`.
[[nodiscard]] Hinge find_hinge(const Clip& clip, int joint, const Eigen::Vector3d& bone, int next,
                               const Eigen::Vector3d& next_bone);

/// Returns whole degrees for people: "12 deg".
[[nodiscard]] std::string degrees_text(double radians);

class Alignment {
 public:
  /// `clip` must outlive this object. Offsets in `known` that are valid are kept.
  Alignment(const Clip& clip, const RestJudgement& rest, const Offsets& known);

  [[nodiscard]] const Offsets& offsets() const noexcept { return offsets_; }
  /// Orientation of a measured segment's frame in world axes, at a frame of the clip.
  [[nodiscard]] Eigen::Matrix3d R_WS(int frame, int segment) const;

 private:
  void align_posture(int segment);
  void align_exactly(int segment);
  [[nodiscard]] bool has_exact_rest() const;
  [[nodiscard]] Offset posture_of(int segment, int joint) const;
  [[nodiscard]] Eigen::Matrix3d mean_posture(int segment, int joint) const;
  void align_limb(int first);
  void align_bone(int segment, const Hinge& hinge);
  bool veto(int segment, const std::string& why);  // notes why the family's frame is not the body's; false
  [[nodiscard]] bool take_family_twist(int segment, const Eigen::Vector3d& bone, Eigen::Matrix3d* R_JS);
  void align_hand(int segment);
  void align_foot(int segment);
  void align_toe(int toe);
  [[nodiscard]] double raised_heel(int segment) const;
  [[nodiscard]] Eigen::Vector3d mean_up(int segment) const;
  [[nodiscard]] bool align_foot_by_family(int segment);
  [[nodiscard]] bool align_foot_by_shank(int segment);
  [[nodiscard]] bool align_hand_by_family(int segment);
  [[nodiscard]] bool align_hand_by_knuckles(int segment);
  [[nodiscard]] std::optional<Eigen::Vector3d> hand_bone(int segment, std::string* reason) const;
  [[nodiscard]] Eigen::Vector3d rest_twist(int segment, const Eigen::Vector3d& bone) const;
  [[nodiscard]] Eigen::Vector3d mean_twist(int segment, const Eigen::Vector3d& bone, double* share) const;
  [[nodiscard]] int measured_parent(int segment) const;
  void set(int segment, const Eigen::Matrix3d& R_JS, double confidence, std::string reason);

  const Clip* clip_;
  RestJudgement rest_;
  bool exact_ = false;  // the rest pose is that of Xsens MVN
  Offsets offsets_;
  std::vector<double> upright_;                  // weight of every frame
  std::array<std::vector<double>, 2> standing_;  // weight of every frame for the right and left foot
  const Family* family_ = nullptr;               // of the names; null: no conventions are known
  std::array<std::string, kHumanSegmentCount>
      vetoed_;                      // by segment: why the family's frame is not the body's
  std::array<double, 2> raised_{};  // heel of a foot that stands only on its toes, right and left [rad]
};

}  // namespace panto::rig
