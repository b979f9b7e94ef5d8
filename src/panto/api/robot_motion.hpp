#pragma once
// A robot's motion in anybody's layout: opened, judged, and seen as a person's
// (docs/formats/robot_motion.md). (not installed)

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/api/retarget.hpp"
#include "panto/io/input.hpp"
#include "panto/io/tell_motion.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/retarget/led_motion.hpp"

namespace panto {

/// A robot's motion, and how its file was understood.
struct RobotMotion {
  std::string format;      ///< "mjlab"
  std::string robot_name;  ///< "unitree_g1", as given or told
  Robot robot;
  Motion motion;
  std::vector<io::ToldFact> facts;
  std::vector<std::string> notes;  ///< warnings and open questions, for people
  bool open = false;               ///< a question is open: do not use the motion before it is answered
};

/// Opens a file that `io::is_robot_motion` recognises. `robot`: a name or file, as for `io::open_robot`;
/// empty: told among those that ship with Panto. @throws Error as `io::read_robot_arrays`, `io::open_robot`
/// and `io::tell_motion`.
[[nodiscard]] RobotMotion open_robot_motion(io::Input& input, const std::string& robot = {},
                                            const io::MotionHints& hints = {});

/// The same for arrays that were read elsewhere.
[[nodiscard]] RobotMotion tell_robot_motion(const io::RobotArrays& arrays, const std::string& robot = {},
                                            const io::MotionHints& hints = {});

/// Checks that no question is open. @throws ConfigError with all that are, and the words that settle them.
void check_settled(const RobotMotion& motion);

/// Judges a motion by itself: limits, speeds, feet, floor, overlaps, accelerations. Contacts are found from
/// the robot's own soles; figures of how well it follows a person stay empty. `settle`: as in
/// RetargetOptions.
[[nodiscard]] RetargetResult judge_motion(const RobotMotion& motion, double settle = 0.0);

/// Returns a motion of a robot at `fps` [Hz] (0: its own rate) with a lead-in, a lead-out or a loop. Adds
/// what they became to `notes`. @throws as `led_motion`.
[[nodiscard]] Motion with_leads(const Robot& robot, Motion motion, double fps, const LeadOptions& leads,
                                std::vector<std::string>& notes);

/// Writes the motion as `layout` wants it (`io::robot_layouts`; empty: by extension, as Panto does),
/// resampled to `fps` [Hz]; 0: the rate that its reader expects; with `leads`, which change `motion` and add
/// notes to it. @throws as `io::write_motion` and `with_leads`.
void write_robot_motion(RobotMotion& motion, const io::Destination& to, const std::string& layout, double fps,
                        const LeadOptions& leads = {});

/// Opens the person whom a robot's motion shows; adds what was decided about the file to `notes`.
/// @throws as `open_robot_motion` and `check_settled`.
[[nodiscard]] std::unique_ptr<Recording> open_person(io::Input& input, const std::string& robot,
                                                     const io::MotionHints& hints,
                                                     std::vector<std::string>& notes);

/// Returns the person whom the robot's motion shows, to retarget onto other robots: segments turn as the
/// links that follow them, in a body of 1.75 m whose legs stand where the robot's do. `name`: the
/// recording's.
[[nodiscard]] std::unique_ptr<Recording> person_of(const RobotMotion& motion, const std::string& name);

}  // namespace panto
