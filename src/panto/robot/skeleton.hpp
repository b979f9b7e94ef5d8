#pragma once
// A person's motion in a robot's proportions: poses the robot's own skeleton like the person to find where
// hands, feet and pelvis belong (docs/algorithms/robot_skeleton.md).

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/motion/foot_contacts.hpp"
#include "panto/robot/body_touch.hpp"
#include "panto/robot/map.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto::robot {

struct SkeletonOptions {
  /// Height of the floor under the person [m].
  double floor = 0.0;
  /// Hands of the person this close to each other [m] keep their distance on the robot; from `hands_apart`
  /// on, each follows the robot's arm alone. 0 <= hands_near < hands_apart.
  bool keep_hands = true;
  double hands_near = 0.15, hands_apart = 0.45;
  /// Hands that touch the person's own body touch the robot's at the same place.
  bool keep_body = false;
  BodyTouchOptions body;
  /// Forearms that roll turn with the hand; else as the person's, for characters whose elbows turn freely.
  bool roll_forearms = true;
};

/// A line of a robot's body between points that move with its links.
struct BodyLinePlace {
  int from_link = 0, to_link = 0;
  Eigen::Vector3d from = Eigen::Vector3d::Zero(),
                  to = Eigen::Vector3d::Zero();  ///< in their links' frames [m]
  bool known = false;
};

/// Converts samples of a person to samples for a robot's map: orientations stay, origins become those of the
/// robot's links. noexcept and without allocation after construction.
class Skeleton {
 public:
  /// `segments`: names of the person's samples in their order, each one of `kHumanSegmentNames`, with frames
  /// aligned in the T-pose. Ignores attachments of other segments. @throws ModelError or ConfigError as
  /// `Attachments` does; ConfigError for options out of range.
  Skeleton(const Model& robot, const Map& map, const SubjectDimensions& person,
           const std::vector<std::string>& segments, const SkeletonOptions& options = {});

  /// Fills `robot` with one entry per segment, valid for the attached ones: the person's orientation and
  /// rate, the link's origin, and `touch` of hands as far as they touch each other or the body. A base that
  /// floats travels the person's way times `scale()`, at a height at which the lowest sole is as far above
  /// the floor (z = 0) as the person's, times `scale()`. For a base that does not, all is relative to the
  /// root link (`base()`), and the person is seen from the pelvis, or from T8 if the base carries both arms
  /// without a joint that turns between; upright if the base rolls on a trunk that turns.
  void pose(const SegmentSample& person, SegmentSample& robot) noexcept;

  /// A pose of the root link in the world.
  struct BasePose {
    Eigen::Matrix3d R_WB = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();  ///< [m]
  };
  /// Returns where a base that does not float is in the last pose: one that is fixed always at the same
  /// place, one that rolls upright, at the same height, on the person's way times `scale()` and with its
  /// heading.
  [[nodiscard]] const BasePose& base() const noexcept { return base_; }
  /// Returns whether samples are relative to a base that is not at the world's origin.
  [[nodiscard]] bool carried() const noexcept {
    return !floating_base_ && (rolls_ || turned_ || base_.p_WB.z() != 0.0);
  }

  /// Moves the floor under the person, as in `SkeletonOptions::floor` [m].
  void set_floor(double floor) noexcept { options_.floor = floor; }

  /// Returns the robot's leg length over the person's; arm length if there are no legs; 1 without either.
  [[nodiscard]] double scale() const noexcept { return scale_; }
  /// Returns where a foot touches the ground, in the frame of its link [m]: heel and ball. `side`: right,
  /// left. Empty for a robot without that foot.
  [[nodiscard]] const std::vector<Eigen::Vector3d>& sole(int side) const {
    return sole_[static_cast<std::size_t>(side)];
  }
  /// Returns half the width of the sole [m]; 0 for a robot without that foot.
  [[nodiscard]] double sole_half_width(int side) const {
    return sole_half_width_[static_cast<std::size_t>(side)];
  }
  /// Returns the sample entry that the base follows.
  [[nodiscard]] std::size_t base_entry() const noexcept {
    return static_cast<std::size_t>(std::max(0, bones_.front().segment));
  }
  /// Returns how the hands, right and left, touched the body in the last pose, whether the robot keeps it or
  /// not.
  [[nodiscard]] const std::array<HandTouch, 2>& touches() const noexcept { return touches_; }
  /// Returns the robot's body as lines; lines missing in the map are unknown.
  [[nodiscard]] const std::array<BodyLinePlace, kBodyPartCount>& body() const noexcept { return body_; }
  /// Returns the joint that carries a segment, in its link's frame [m]; zero for the root and missing
  /// segments.
  [[nodiscard]] Eigen::Vector3d joint_of(int segment) const noexcept;
  /// Returns the attached link of a segment (`HumanSegment`); -1: none.
  [[nodiscard]] int link_of(int segment) const noexcept;
  /// Returns the link's frame in the segment, R_SF; `up` the segment's z axis (up in the T-pose) in that
  /// frame.
  [[nodiscard]] Eigen::Matrix3d offset(int segment) const noexcept;
  [[nodiscard]] Eigen::Vector3d up(int segment) const noexcept { return offset(segment).row(2).transpose(); }

 private:
  struct Bone {
    int segment = -1;  ///< index in the sample; -1: the base of a map that attaches nothing to it
    int human = 0;     ///< HumanSegment
    int link = 0;
    int before = -1;  ///< the parent bone; -1: this is the root
    int hand = -1;    ///< of a forearm that the robot rolls: the bone whose twist it takes
    Eigen::Matrix3d R_SF = Eigen::Matrix3d::Identity();
    Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< the joint in the link's frame
    Eigen::Vector3d from = Eigen::Vector3d::Zero();    ///< the same point in the parent link's frame
    Eigen::Matrix3d R_WF = Eigen::Matrix3d::Identity();
    Eigen::Vector3d origin = Eigen::Vector3d::Zero();  ///< of the link, in the world
    double touch = 0.0;
    bool placed = false;
    bool on_base = false;  ///< of a base that does not float: it stays as measured
  };
  struct BodyBones {
    int from = -1, to = -1;  // bones that move the ends of a line
  };

  void add_bones(const Model& robot, const Map& map, const std::vector<std::string>& segments);
  void find_rolling_forearms(const Model& robot);
  void measure(const Model& robot, const Map& map);
  void set_scale(const SubjectDimensions& person);
  void set_soles(const Model& robot, const Map& map);
  [[nodiscard]] const Bone* bone_of(int human) const noexcept;
  void find_body();
  void add_line(BodyPart::Index part, int from, const Eigen::Vector3d& from_W, int to,
                const Eigen::Vector3d& to_W);
  [[nodiscard]] int index_of(int human) const noexcept;
  [[nodiscard]] int common_bone(int a, int b) const noexcept;
  [[nodiscard]] double chain_length(int first, int second, int third) const noexcept;
  void take_orientations(const SegmentSample& person, SegmentSample& robot) noexcept;
  void place_bones() noexcept;
  void place_base(const SegmentSample& person) noexcept;
  void keep_hands(const SegmentSample& person) noexcept;
  void keep_body(const SegmentSample& person) noexcept;
  [[nodiscard]] BodyLines robot_body() const noexcept;
  [[nodiscard]] BodyLines person_body(const SegmentSample& person) const noexcept;
  void choose_sight(const Model& robot);
  void move_base(const SegmentSample& person) noexcept;
  void turn_base(const Eigen::Matrix3d& R_WS) noexcept;
  [[nodiscard]] double person_clearance(const SegmentSample& person) const noexcept;
  [[nodiscard]] const SegmentMotion* motion_of(const SegmentSample& person, int human) const noexcept;

  SkeletonOptions options_;
  bool floating_base_ = true, rolls_ = false;
  int sight_ = 0;         ///< segment from which a robot whose base does not float sees the person
  bool upright_ = false;  ///< with its heading alone
  bool turned_ = false;   ///< the root link's axes are not those of a person's segment
  Eigen::Matrix3d R_SB_ = Eigen::Matrix3d::Identity();    ///< root link in the axes of a person's segment
  Eigen::Matrix3d R_seen_ = Eigen::Matrix3d::Identity();  ///< from the person's world to the robot's
  Eigen::Vector3d w_sight_ = Eigen::Vector3d::Zero();     ///< [rad/s] of the sight, in the person's world
  bool has_sight_ = false, has_sight_rate_ = false, turns_ = false;
  double heading_ = 0.0;  ///< [rad]
  BasePose base_;
  std::vector<Bone> bones_;                           ///< each after its parent
  std::array<int, kHumanSegmentCount> segment_of_;    ///< index in the sample, by HumanSegment; -1: none
  std::array<std::vector<Eigen::Vector3d>, 2> sole_;  ///< right, left
  std::array<double, 2> sole_half_width_{};           ///< right, left
  std::array<FootSole, 2> person_sole_;               ///< in the frame of the Foot segment
  std::array<BodyLinePlace, kBodyPartCount> body_;
  std::array<BodyBones, kBodyPartCount> body_bones_;
  std::array<HandTouch, 2> touches_;                    ///< right, left
  double height_ = 1.75;                                ///< of the person
  Eigen::Vector3d head_top_ = Eigen::Vector3d::Zero();  ///< of the person, in the head's frame
  double scale_ = 1.0;
};

}  // namespace panto::robot
