#pragma once
// Retargets a recording of a person onto a robot, within the robot's limits.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panto/api/track.hpp"
#include "panto/evaluation/figures.hpp"
#include "panto/model/human.hpp"
#include "panto/motion/passes.hpp"
#include "panto/robot/map.hpp"

namespace panto::io {
struct RobotFile;
struct BvhCharacter;
struct OpenedCharacter;
}  // namespace panto::io

namespace panto {

/// A robot or a character, at rest in its map's rest pose, and its map.
struct Robot {
  Model model;
  robot::Map map;
  std::vector<robot::MapReason> reasons;  ///< by attachment of the map
  std::vector<std::string> notes;         ///< for people
  /// Of a character: its skeleton. It is posed like the person, joint by joint, instead of solved.
  std::shared_ptr<const io::BvhCharacter> character = nullptr;
};

/// Makes a robot from a model. `map`: unset: found from the model. `shapes`: of its feet, to find the soles;
/// may be empty. `map_source`: names the map in messages. `base`: how the base moves; unset: as the map, else
/// the model's file says, else told from legs and wheels. @throws ModelError when no map can be found, when
/// the given one does not fit, or when no joint can move.
[[nodiscard]] Robot make_robot(const Model& model, const std::optional<robot::Map>& map = {},
                               std::span<const robot::LinkPoints> shapes = {},
                               const std::string& map_source = "the map", std::optional<BaseKind> base = {});

/// Makes the robot of an opened file: with the file's map, or one found from the model, and with soles found
/// from the shapes of its feet. Messages name the file. @throws ModelError as above.
[[nodiscard]] Robot robot_of(const io::RobotFile& file);

/// Makes the robot of an opened character, which follows as a robot does. `write_motion` writes its motion in
/// the file's own hierarchy.
[[nodiscard]] Robot robot_of(const io::OpenedCharacter& opened);

/// Returns the methods' default options for robots: limits, gains and weights.
[[nodiscard]] SolverOptions robot_solver_options();

/// How `LiveRetargeter` plants feet.
struct LiveFeetOptions {
  /// [s], 0 to 0.3: output is this late, and feet know as much of what comes. Larger: less skate, a calmer
  /// base.
  double look_ahead = 0.1;
  std::optional<double> floor = std::nullopt;  ///< height of the floor [m]; unset: found on the way
};

/// How `retarget` works.
struct RetargetOptions {
  SolverKind solver = SolverKind::Dynamical;  ///< the method
  SolverOptions method = robot_solver_options();
  /// True: falls back to the dynamical method, with a note, for a robot that `solver` cannot follow; false:
  /// ModelError.
  bool any_method = false;
  /// Targets and joint rows beside the person's, in links and joints of the robot. `update` gets what the
  /// robot should do: the person's sample in its proportions. Neither with `scale`; rows not with `smooth`.
  OwnTargetsOption own;
  FeetMode feet = FeetMode::Plant;
  std::optional<robot::RelativeTargets> relative;  ///< of the hands; unset: the map's
  /// Parts of the body that would be in each other. Not with own targets.
  Collisions collisions = Collisions::Avoid;
  std::vector<Obstacle> obstacles = {};      ///< that the body keeps out of too, as far as arms and legs can
  bool raise_touch_gain = true;              ///< hands with firm touch get a higher gain
  std::optional<SmoothingOptions> smooth;    ///< of the whole motion; not with `scale`
  std::optional<ScaleOptions> scale;         ///< solved without limits, then scaled into range and time
  bool two_way = true;                       ///< forwards and backwards where forwards alone gets stuck
  double settle = 0.5;                       ///< [s] >= 0: start that the statistics leave out
  bool keep_motion = true;                   ///< false: `RetargetResult::motion` stays empty
  std::optional<SubjectDimensions> subject;  ///< the person; unset: as `subject_of` says
  LiveFeetOptions live;                      ///< of `LiveRetargeter` alone
};

/// What retargeting a recording yields.
struct RetargetResult : TrackResult {
  FollowingFigures following;
  RobotFigures figures;
  std::int64_t ambiguous_starts = 0;  ///< starts where another pose fits about as well
  /// Between these times planted feet do not depend on what a cut has left out: after the stances in which
  /// the recording begins, before those in which it ends [ns]. Empty for other laws of the feet.
  std::optional<Time> feet_from, feet_until;
  std::optional<ScalingReport> scaling;
  SolverKind solver = SolverKind::Dynamical;  ///< the method used
  FeetMode feet = FeetMode::Plant;            ///< how feet were placed
  bool smoothed = false;
  std::vector<std::string> not_judged;  ///< what the figures leave out, and why: a sentence each
  bool posed = false;                   ///< a character: no joint has limits, angles may be singular
};

/// Returns the method that `retarget` uses: `options.solver`, or with `any_method` the dynamical one for a
/// robot that `options.solver` cannot follow.
[[nodiscard]] SolverKind method_for(const Robot& robot, const RetargetOptions& options);

/// Returns how a method places feet unless it is told: planted; off for the modular one, which follows
/// directions.
[[nodiscard]] constexpr FeetMode default_feet(SolverKind solver) noexcept {
  return solver == SolverKind::Modular ? FeetMode::Off : FeetMode::Plant;
}

/// Returns the pairs of link and segment that `retarget` uses for a recording.
[[nodiscard]] std::vector<TrackedPair> followed_pairs(Recording& recording, const Robot& robot,
                                                      const RetargetOptions& options);

/// Retargets a recording. Reads it several times, each from its beginning.
/// @throws FormatError for a recording without motion, without a segment that the robot follows, or without a
/// solvable frame; ModelError for a robot that the method cannot follow, own targets that do not fit it, and
/// a method without own targets; ConfigError for options out of range or in contradiction; whatever
/// `own.update` throws; Cancelled.
[[nodiscard]] RetargetResult retarget(Recording& recording, const Robot& robot,
                                      const RetargetOptions& options = {}, const Observer& observer = {});

}  // namespace panto
