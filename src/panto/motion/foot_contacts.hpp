#pragma once
// Finds when each foot of a person is in contact, and where the floor is, from the motion of the soles and,
// if present, the recorded contacts. For whole clips.

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
  Eigen::Vector3d heel = Eigen::Vector3d::Zero();  ///< rearmost contact point [m]
  Eigen::Vector3d ball = Eigen::Vector3d::Zero();  ///< foremost contact point [m]
  Eigen::Vector3d up = Eigen::Vector3d::UnitZ();   ///< unit; vertical when the foot lies flat
  double half_width = 0.0;                         ///< from this line to either edge [m]
};

/// Returns the sole of a person: the ball below the root of the toes, the heel a quarter of the foot's length
/// behind the ankle, both at the height of the ball.
[[nodiscard]] FootSole human_sole(const SubjectDimensions& subject, bool right);

/// Returns the corners of a sole: of the heel, then of the ball, right before left.
[[nodiscard]] std::array<Eigen::Vector3d, 4> corners(const FootSole& sole);

/// One foot over a clip. All lists have the length of `t`; those of recorded contacts may be empty.
struct FootTrack {
  std::string name;                          ///< for messages: "RightFoot"
  std::vector<Time> t;                       ///< [ns], increasing
  std::vector<Eigen::Vector3d> heel, ball;   ///< in world axes, z up [m]; not finite: not measured
  std::vector<signed char> heel_given = {};  ///< recorded contacts: 1, 0, or -1 for unknown
  std::vector<signed char> ball_given = {};
  std::vector<int> cuts = {};  ///< frames that do not continue the one before them
};

/// Returns the track of the segment at position `segment` of the samples; frames without its pose count as
/// not measured.
[[nodiscard]] FootTrack foot_track(std::string name, const std::vector<SegmentSample>& samples, int segment,
                                   const FootSole& sole);

/// Heights and speeds are for a leg of 0.9 m and scale with it.
struct ContactOptions {
  double leg_length = 0.9;     ///< hip to sole [m], > 0
  double height_on = 0.05;     ///< above the floor [m], > 0: lower, a contact may begin
  double height_off = 0.10;    ///< [m], >= height_on: higher, the contact ends
  double speed_on = 0.20;      ///< [m/s], > 0: slower, a contact may begin
  double speed_off = 0.40;     ///< [m/s], >= speed_on: faster, the contact ends
  double swing_share = 0.15;   ///< >= 0: both speeds grow with the swing speed, so that speed_off is at least
                               ///< this share of it: in running, recorded soles hardly come to rest
  double swing_window = 0.6;   ///< [s], > 0: the swing speed is taken from this time to either side
  double place = 0.05;         ///< [m], > 0: a contact point stays within this distance of one place
  double level_spread = 0.03;  ///< [m], >= 0: a point's own floor may lie this far above the lowest one,
                               ///< because soles are not measured exactly
  double window = 0.03;        ///< [s], >= 0: half width of the fit that gives speeds; larger: less noise
  double shortest_gap = 0.06;  ///< [s], >= 0: shorter gaps of a contact are closed
  double shortest_stand = 0.06;  ///< [s], >= 0: shorter contacts are discarded
};

/// Frames in which a foot stays in contact with one place.
struct PlantedInterval {
  int first = 0, last = 0;  ///< both included
};

/// Contacts of one foot, by frame.
struct FootContacts {
  std::string name;
  std::vector<unsigned char> heel, ball;  ///< 1 where that point is in contact
  std::vector<PlantedInterval> planted;   ///< in order; heel, ball or both are in contact
  double heel_level = 0.0;                ///< height of the point in contact [m]
  double ball_level = 0.0;
  double stance_share = 0.0;  ///< share of the measured frames in which the foot is in stance
  double raised_share = 0.0;  ///< share of them in which it is motionless above the floor
  /// If recorded contacts are used: the share of their frames and points in which height and speed alone
  /// agree.
  std::optional<double> given_agreement;
};

struct ClipContacts {
  double ground = 0.0;  ///< height of the floor [m]
  std::vector<FootContacts> feet;
  std::vector<std::string> notes;  ///< oddities, one sentence each
};

/// Finds contacts and floor of a clip. The floor is one plane z = ground: on slopes and stairs only points
/// near the lowest level count as contacts, and the rest is noted. @throws ConfigError for an option out of
/// range or lists of different lengths.
[[nodiscard]] ClipContacts find_contacts(const std::vector<FootTrack>& feet,
                                         const ContactOptions& options = {});

}  // namespace panto
