#pragma once
// When each foot of a person stands, on what, and where the floor is: from the motion of the soles alone, or
// together with the contacts that a recording has of its own. For whole clips.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/model/human.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// The sole of a foot in the frame of its segment or link: a line on the plane that touches the floor.
struct FootSole {
  Eigen::Vector3d heel = Eigen::Vector3d::Zero();  ///< rearmost point that stands [m]
  Eigen::Vector3d ball = Eigen::Vector3d::Zero();  ///< foremost point that stands [m]
  Eigen::Vector3d up = Eigen::Vector3d::UnitZ();   ///< unit; vertical where the foot lies flat
};

/// The sole of a person: the ball below the root of the toes, the heel a quarter of the foot's length behind
/// the ankle, both at the height of the ball.
[[nodiscard]] FootSole human_sole(const SubjectDimensions& subject, bool right);

/// One foot over a clip. All lists are as long as `t`; those of given contacts may be empty.
struct FootTrack {
  std::string name;                          ///< for sentences: "RightFoot"
  std::vector<Time> t;                       ///< [ns], increasing
  std::vector<Eigen::Vector3d> heel, ball;   ///< in world axes, z up [m]; not finite: not measured
  std::vector<signed char> heel_given = {};  ///< the recording's own contacts: 1, 0, or -1 for unknown
  std::vector<signed char> ball_given = {};
  std::vector<int> cuts = {};  ///< frames that do not continue the one before them
};

/// The track of the segment at position `segment` of the samples; frames without its pose are not measured.
[[nodiscard]] FootTrack foot_track(std::string name, const std::vector<SegmentSample>& samples, int segment,
                                   const FootSole& sole);

/// Heights and speeds are for a leg of 0.9 m and scale with it.
struct ContactOptions {
  double leg_length = 0.9;   ///< hip to sole [m], > 0
  double height_on = 0.05;   ///< above the floor [m], > 0: lower, and a point may begin to stand
  double height_off = 0.10;  ///< [m], >= height_on: higher, and it does not stand any more
  double speed_on = 0.20;    ///< [m/s], > 0: slower, and it may begin to stand
  double speed_off = 0.40;   ///< [m/s], >= speed_on: faster, and it does not stand any more
  double swing_share =
      0.15;             ///< >= 0: both speeds grow with that of the swing, so that speed_off is at least
                        ///< this share of it: where people run, recorded soles hardly come to rest
  double place = 0.05;  ///< [m], > 0: a point that stands keeps within so far of one place
  double level_spread = 0.03;    ///< [m], >= 0: the floor that a point shows of its own may lie so far above
                                 ///< the lowest: soles are not measured exactly
  double window = 0.03;          ///< [s], >= 0: half width of the fit that gives speeds; larger: less noise
  double shortest_gap = 0.06;    ///< [s], >= 0: shorter gaps of a contact are closed
  double shortest_stand = 0.06;  ///< [s], >= 0: shorter contacts are none
};

/// Frames in which a foot stands on one place.
struct PlantedInterval {
  int first = 0, last = 0;  ///< frames, both in it
};

/// Contacts of one foot, by frame.
struct FootContacts {
  std::string name;
  std::vector<unsigned char> heel, ball;  ///< 1 where that point stands
  std::vector<PlantedInterval> planted;   ///< in order; the foot stands on heel, ball or both
  double heel_level = 0.0;                ///< height at which the point stands [m]
  double ball_level = 0.0;
  double stance_share = 0.0;  ///< of the frames that were measured, those in which the foot stands
  double raised_share = 0.0;  ///< of them, those in which it is still, but above the floor
  /// Where the recording has contacts of its own that are used: of the frames and points that it speaks of,
  /// those in which height and speed alone say the same.
  std::optional<double> given_agreement;
};

struct ClipContacts {
  double ground = 0.0;  ///< height of the floor [m]
  std::vector<FootContacts> feet;
  std::vector<std::string> notes;  ///< what is odd, one sentence each
};

/// Contacts and floor of a clip. The floor is one plane z = ground: on slopes and stairs only what is near
/// the lowest level counts as standing, and the rest is noted. @throws ConfigError for an option out of range
/// or lists of different lengths.
[[nodiscard]] ClipContacts find_contacts(const std::vector<FootTrack>& feet,
                                         const ContactOptions& options = {});

}  // namespace panto
