#pragma once
// What follows a live stream: opened by its name, of the person's size.

#include <optional>
#include <string>
#include <vector>

#include "panto/api/live_person.hpp"
#include "panto/io/open_model.hpp"
#include "panto/stream/sample_stream.hpp"

namespace panto::bridge {

/// What is asked to follow a stream: a robot, a model, or nothing.
struct FollowingOptions {
  std::string robot, model;               ///< at most one of them
  std::vector<std::string> package_dirs;  ///< where meshes of `robot` may be too
  std::string sensors;                    ///< mounting of raw sensors; empty: the stream sends persons
  std::string mounts;  ///< text of a sensors file that counts instead, as a recording keeps it; empty: none
  std::string worn_by = "human48";  ///< of raw sensors with `robot`: the human that wears them
  std::optional<double> height;     ///< of the person [m]; unset: as the stream says
  std::optional<BaseKind> base;     ///< unset: told from the robot
  FeetMode feet = FeetMode::Plant;
  Collisions collisions = Collisions::Avoid;
  double look_ahead = 0.1;  ///< [s]
  bool view = false;        ///< a view shows it: opens the robot's shapes, too

  /// Returns whether something follows.
  [[nodiscard]] bool any() const noexcept { return !robot.empty() || !model.empty(); }
};

/// What follows the stream.
struct Following {
  std::optional<Model> model;  ///< unset: nothing follows
  std::optional<Robot> robot;  ///< if that is a robot
  std::vector<io::LinkMesh> meshes;
  std::string urdf;  ///< path of the robot's own file; empty: none
  SubjectDimensions person = scaled_subject(1.75);
  bool average = false;  ///< neither the stream nor the options tell the person's size
  std::vector<std::string> notes;

  /// Returns the names of the segments that outputs of persons get.
  [[nodiscard]] std::vector<std::string> person_names(
      const stream::SampleStream<SegmentSample>& decoder) const;
  [[nodiscard]] std::vector<std::string> person_names(const stream::SampleStream<ImuSample>& decoder) const;
};

/// Checks that robot or model can be opened, before anybody puts a suit on. @throws Error as
/// `io::open_robot`, `io::open_model`.
void check_following(const FollowingOptions& options);

/// Opens what follows a stream. `told`: the person, as the stream says. @throws as `check_following`.
[[nodiscard]] Following open_following(const FollowingOptions& options,
                                       const std::optional<SubjectDimensions>& told);

/// Makes the follower of a stream. @throws Error as `live_robot`, `live_human`, `live_sensors`.
[[nodiscard]] LiveFollower<SegmentSample> follower_of(const FollowingOptions& options,
                                                      const Following& following,
                                                      const stream::SampleStream<SegmentSample>& decoder);
[[nodiscard]] LiveFollower<ImuSample> follower_of(const FollowingOptions& options, const Following& following,
                                                  const stream::SampleStream<ImuSample>& decoder);

}  // namespace panto::bridge
