#pragma once
// Is a robot's motion good? Feet that slide or sink, hands that miss each other, limits, jerk, limbs that run
// through each other: figures of a whole motion, collected frame by frame.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/evaluation/capsules.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/evaluation/thresholds.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

/// A line of the body that hands touch: of the trunk, a thigh.
struct TouchLine {
  std::string name;  ///< for tables and keys: "right thigh"
  LinkPoint from, to;
};

/// What of a robot is judged. What is empty is not.
struct RobotParts {
  std::vector<RobotFoot> feet;
  std::vector<LinkPoint> hands;   ///< two points whose distance is judged, or none
  std::vector<LinkPoint> wrists;  ///< points that touch `lines`
  std::vector<TouchLine> lines;
  CapsuleBody body;
};

/// Which points of a sole stand.
struct SoleContact {
  bool heel = false, ball = false;
};

/// A wrist that is meant to touch the body: at a place of a line, so far away from it.
struct WristTouch {
  int wrist = 0, line = 0;  ///< indices into RobotParts::wrists and lines
  double share = 0.0;       ///< place on the line: 0 its begin, 1 its end
  double distance = 0.0;    ///< [m]
};

/// What is known of a frame beside the robot's state.
struct RobotFrame {
  std::vector<SoleContact> contacts;     ///< of RobotParts::feet; empty: not known
  std::optional<double> hand_distance;   ///< that the hands should have: the person's, scaled [m]
  std::vector<WristTouch> touches = {};  ///< of the body in this frame
};

struct RobotFiguresOptions {
  double ground = 0.0;             ///< height of the floor [m]
  double speed_limit = kInfinity;  ///< of joints whose model has none [rad/s] or [m/s], > 0
  Time settle = 500'000'000;  ///< [ns], >= 0: feet, hands, jerk and accelerations leave out earlier frames
  double on_limit = 1e-6;     ///< [rad], [m], [rad/s] or [m/s], >= 0: nearer is on the limit
  double close_hands = 0.15;  ///< [m], > 0: hands nearer than this are meant to touch
  double touch_down = 0.1;    ///< [s], >= 0: before and after a foot comes down, for accelerations there
};

/// The figures of a motion. Field names are keys of the JSON form and stable; what is not known is absent.
/// Limits and overlaps are over all frames, all else leaves out the first `settle` seconds.
struct RobotFigures {
  std::int64_t frames = 0;

  /// Horizontal speed of the points of the soles that stand, from frame to frame.
  std::optional<double> foot_skate_median_mm_s, foot_skate_p95_mm_s, foot_skate_max_mm_s;
  /// Depth of the lowest point of a sole under the floor, over the frames and feet where it is there.
  std::optional<double> foot_penetration_mean_mm, foot_penetration_max_mm;
  std::optional<double> foot_penetration_share;  ///< of frames and feet, those under the floor (> 1e-6 m)
  /// Height of the lowest point of a sole above the floor while it stands; negative: below.
  std::optional<double> foot_float_median_mm, foot_float_max_mm;
  std::optional<double> stance_share;  ///< of frames and feet, those that stand

  /// |distance of the hands - the one that they should have|.
  std::optional<double> hand_distance_error_mean_mm, hand_distance_error_max_mm;
  std::optional<double> hand_distance_close_max_mm;  ///< the same where they are meant to touch

  /// Of wrists that are meant to touch the body: |distance from their place on it - the one that they should
  /// have|, over frames and wrists; all together and by line.
  struct Touch {
    std::string name;
    std::int64_t frames = 0;
    double mean_mm = 0.0, max_mm = 0.0;
  };
  std::int64_t hand_body_frames = 0;  ///< frames and wrists that are meant to touch
  std::optional<double> hand_body_error_mean_mm, hand_body_error_max_mm;
  std::vector<Touch> hand_body;  ///< of the lines that are touched at all

  std::optional<double> jerk_rms_rad_s3;                     ///< revolute joints, third differences
  std::optional<double> joint_acceleration_max_rad_s2;       ///< revolute joints, second differences
  std::optional<double> touch_down_acceleration_max_rad_s2;  ///< the same where a foot comes down

  std::int64_t limit_violations = 0;  ///< joints outside their position limits by more than 1e-9, all frames
  double limit_violation_max_rad = 0.0;  ///< revolute joints
  std::int64_t velocity_violations = 0;  ///< joints faster than their limit by more than 1e-9: the velocity
                                         ///< that the state says, or the difference to the frame before
  double velocity_violation_max_rad_s = 0.0;  ///< revolute joints
  std::int64_t row_violations = 0;            ///< coupled rows broken by more than 1e-9
  double row_violation_max = 0.0;             ///< in the unit of the row
  std::optional<double> on_limit_share;       ///< of the frames, those with a joint on a limit
  std::vector<double> joint_on_limit_share;   ///< the same of every joint, by State::s
  std::vector<unsigned char> joint_moved;     ///< by State::s, 1: it moved at all; not in the JSON form

  struct Overlap {
    std::string name;         ///< "LeftForeArm - Trunk"
    std::int64_t frames = 0;  ///< in which they overlap
    double max_mm = 0.0;
  };
  std::vector<Overlap> overlaps;        ///< pairs that do, deepest first
  std::int64_t overlap_frames = 0;      ///< frames with at least one
  std::optional<double> overlap_share;  ///< of all frames; absent when no pair is watched
  double overlap_max_mm = 0.0;
};

/// Collects a motion frame by frame.
class RobotFiguresBuilder {
 public:
  /// The model must outlive it. @throws ModelError for links that it has not, ConfigError for options out of
  /// range or a number of hands that is neither 0 nor 2.
  RobotFiguresBuilder(const Model& model, RobotParts parts, const RobotFiguresOptions& options = {});

  /// The next frame. A state that is not valid is left out and counts as a gap.
  void add(const State& state, const RobotFrame& frame = {});
  /// Nothing is differenced across this point.
  void interrupt() noexcept;

  /// The figures so far. A motion without a frame after `settle` has statistics over all of it.
  [[nodiscard]] RobotFigures report() const;

 private:
  // everything that leaves the settling time out
  struct Statistics {
    explicit Statistics(const Model& model) : jerk(model) {}
    SampleStatistics skate, depth, height, hands, close_hands, touches;
    std::vector<SampleStatistics> line_touches;
    JointJerk jerk;
    std::vector<std::pair<Time, double>> acceleration;  // largest of the joints, by frame
    std::vector<Time> touch_downs;
    std::int64_t soles = 0, standing = 0, judged_contacts = 0, frames = 0;
  };

  void judge_feet(const RobotFrame& frame, Time t, Statistics& statistics);
  void judge_hands(const RobotFrame& frame, Statistics& statistics);
  void judge_touches(const RobotFrame& frame, Statistics& statistics);
  [[nodiscard]] Eigen::Vector3d place(const LinkPoint& point) const;
  void judge_acceleration(const State& state, Statistics& statistics);
  void judge_limits(const State& state);
  void judge_rows(const State& state);
  void judge_overlaps();

  struct Row {
    std::vector<std::pair<int, double>> terms;
    double lower, upper;
  };

  const Model* model_;
  RobotParts parts_;
  RobotFiguresOptions options_;
  Kinematics kinematics_;
  Eigen::VectorXd speed_;  // limits in force
  std::vector<Row> rows_;
  Statistics settling_, settled_;
  LimitViolations limits_;
  RobotFigures counts_;                 // what is counted as it comes
  std::vector<std::int64_t> on_limit_;  // frames, by joint
  std::vector<unsigned char> moved_;    // by joint
  std::optional<Eigen::VectorXd> begun_at_;
  std::int64_t any_on_limit_ = 0;
  std::vector<RobotFigures::Overlap> overlaps_;  // of all pairs
  std::optional<Time> first_;
  // the last frames, newest first; `before_` of them hold
  std::array<State, 2> last_;
  std::vector<Eigen::Vector3d> soles_;  // heel and ball of every foot in the frame before
  std::vector<SoleContact> contacts_;
  int before_ = 0;
};

/// All single figures by key, in order: for JSON and thresholds. Those of joints and pairs are not among
/// them.
[[nodiscard]] std::vector<ReportValue> report_values(const RobotFigures& figures);

}  // namespace panto
