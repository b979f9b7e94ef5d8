#pragma once
// Judges a robot's motion: foot skate and penetration, distance of the hands, limits, jerk, limbs that
// penetrate each other. Figures of a whole motion, collected frame by frame.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/evaluation/base_following.hpp"
#include "panto/evaluation/body_overlaps.hpp"
#include "panto/evaluation/capsules.hpp"
#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/floor_depth.hpp"
#include "panto/evaluation/limb_following.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

/// A line of the body that hands touch: on the trunk or a thigh.
struct TouchLine {
  std::string name;  ///< for tables and keys: "right thigh"
  LinkPoint from, to;
};

/// A limb of a robot between two joints.
struct LimbLine {
  std::string name;  ///< for people: "left thigh"
  LinkPoint from, to;
};

/// Parts of a robot that are judged; empty parts are not.
struct RobotParts {
  std::vector<RobotFoot> feet;
  std::vector<LinkPoint> hands;   ///< two points with a judged distance, or none
  std::vector<LinkPoint> wrists;  ///< points that touch `lines`
  std::vector<TouchLine> lines;
  CapsuleBody body;
  std::vector<Capsule> outline = {};  ///< what must not be under the floor, named for people
  std::vector<LimbLine> limbs = {};   ///< whose direction is judged
  int base = -1;                      ///< link that follows the person's pelvis; -1: none
  std::vector<bool> idle = {};        ///< joints that move no followed link, by State::s; empty: none
};

/// The person's pelvis in one frame.
struct PersonBase {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();      ///< its place in the robot's size [m]
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  ///< orientation that the robot's base should have
};

/// Contact points of a sole.
struct SoleContact {
  bool heel = false, ball = false;
};

/// A wrist that should touch the body: at a place of a line, at a given distance.
struct WristTouch {
  int wrist = 0, line = 0;  ///< indices into RobotParts::wrists and lines
  double share = 0.0;       ///< place on the line: 0 its begin, 1 its end
  double distance = 0.0;    ///< [m]
};

/// How deep the body is in an obstacle.
struct InObstacle {
  double depth = 0.0;  ///< [m], > 0: inside
  std::string pair;    ///< of the deepest: "bar and head_link"
};

/// Data of a frame besides the robot's state.
struct RobotFrame {
  std::vector<SoleContact> contacts;     ///< of RobotParts::feet; empty: unknown
  std::optional<double> hand_distance;   ///< target distance of the hands: the person's, scaled [m]
  std::vector<WristTouch> touches = {};  ///< touches of the body in this frame
  std::optional<PersonBase> base = {};
  std::vector<Eigen::Vector3d> limbs = {};  ///< directions that RobotParts::limbs should have; zero: unknown
  std::optional<InObstacle> obstacle = {};  ///< unset: there are no obstacles
};

struct RobotFiguresOptions {
  double ground = 0.0;             ///< height of the floor [m]
  double speed_limit = kInfinity;  ///< for joints without a limit in the model [rad/s] or [m/s], > 0
  Time settle =
      500'000'000;  ///< [ns], >= 0: figures of feet, hands, jerk and accelerations leave out earlier frames
  double on_limit = 1e-6;  ///< [rad], [m], [rad/s] or [m/s], >= 0: a nearer joint is on the limit
  double limit_tolerance =
      kLimitTolerance;        ///< [rad], [m], [rad/s] or [m/s]: less beyond a limit is rounding
  double close_hands = 0.15;  ///< [m], > 0: hands with a smaller target distance should touch
  bool overlaps = true;       ///< false: parts of the body that are in each other are not judged
  double touch_down = 0.1;    ///< [s], >= 0: before and after a touch-down, for accelerations there
};

/// Collects a motion frame by frame.
class RobotFiguresBuilder {
 public:
  /// The model must outlive this object. @throws ModelError for unknown links, ConfigError for options out of
  /// range or a number of hands that is neither 0 nor 2.
  RobotFiguresBuilder(const Model& model, RobotParts parts, const RobotFiguresOptions& options = {});

  /// Adds the next frame. An invalid state is left out and counts as a gap.
  void add(const State& state, const RobotFrame& frame = {});
  /// Marks a cut: no difference crosses this point.
  void interrupt() noexcept;

  /// Returns the figures so far. A motion without a frame after `settle` has statistics over all frames.
  [[nodiscard]] RobotFigures report() const;

 private:
  // figures without the settling time
  struct Statistics {
    Statistics(const Model& model, const RobotParts& parts, double ground);
    BaseFollowing base;
    LimbFollowing limbs;
    FloorDepth floor;
    SampleStatistics skate, depth, height, hands, close_hands, touches;
    std::vector<SampleStatistics> line_touches;
    JointJerk jerk;
    std::vector<std::pair<Time, double>> acceleration;  // largest of the joints, by frame
    RootMeanSquare joint_acceleration;
    Peak hardest;
    std::vector<Time> touch_downs;
    std::vector<double> heights, unplanted;  // of the base, where feet are judged; .. where none stands [m]
    std::int64_t soles = 0, near_floor = 0, standing = 0, judged_contacts = 0, frames = 0, deep = 0;
  };

  void judge_feet(const RobotFrame& frame, Time t, Statistics& statistics);
  void judge_body(const RobotFrame& frame, Time t, Statistics& statistics);
  void judge_hands(const RobotFrame& frame, Statistics& statistics);
  void judge_touches(const RobotFrame& frame, Statistics& statistics);
  [[nodiscard]] Eigen::Vector3d place(const LinkPoint& point) const;
  void judge_acceleration(const State& state, Statistics& statistics);
  void judge_limits(const State& state);
  void judge_rows(const State& state);
  void judge_overlaps();
  void judge_obstacle(const RobotFrame& frame);
  void report_limits(RobotFigures& figures) const;
  void report_overlaps(RobotFigures& figures) const;

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
  RobotFigures counts_;                 // running counts
  std::vector<std::int64_t> on_limit_;  // frames, by joint
  std::vector<unsigned char> moved_;    // by joint
  std::optional<Eigen::VectorXd> begun_at_;
  std::int64_t any_on_limit_ = 0;
  BodyOverlaps body_;
  std::vector<RobotFigures::Overlap> overlaps_;  // of all pairs
  std::int64_t in_obstacle_ = 0;                 // frames
  std::optional<Time> first_;
  // the last frames, newest first; `before_` of them are valid
  std::array<State, 2> last_;
  std::vector<Eigen::Vector3d> soles_;  // heel and ball of every foot in the frame before
  std::vector<SoleContact> contacts_;
  int before_ = 0;
};

}  // namespace panto
