// A robot's motion in anybody's layout: arrays that fit each other, and how they are meant.

#include <algorithm>
#include <array>
#include <cmath>

#include "panto/io/npz_archive.hpp"
#include "panto/io/robot_arrays.hpp"
#include "panto/io/tell_motion.hpp"
#include "tests/fuzz/models.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_rows(const io::FrameRows& rows, std::size_t frames) {
  promise(rows.values.size() == rows.width * (rows.width == 0 ? 0 : frames), "a row a frame");
  for (const double value : rows.values) promise(std::isfinite(value), "numbers are finite");
}

const Model& told_robot() {
  static const Model robot = io::shipped_robot("unitree_g1");
  return robot;
}

void check_arrays(Bytes bytes) {
  Draws draws(bytes);
  const bool archive = draws.below(2) == 1;
  io::Input input(archive ? archive_of(draws.rest()) : std::string(text_of(draws.rest())),
                  archive ? "damaged.npz" : "damaged.csv");
  if (!io::is_robot_motion(input)) throw FormatError("damaged: no robot's motion");
  const io::RobotArrays arrays = io::read_robot_arrays(input);
  promise(arrays.frames > 0, "a motion has frames");
  for (const io::FrameRows* rows :
       {&arrays.place, &arrays.turn, &arrays.joints, &arrays.joint_rates, &arrays.body_places,
        &arrays.body_turns, &arrays.body_velocities, &arrays.body_turn_rates})
    check_rows(*rows, arrays.frames);
  if (arrays.frames > 100) return;
  // a joint at 1e300 is read as it stands, and its velocity overflows; the judgement names its frame
  if (std::any_of(arrays.joints.values.begin(), arrays.joints.values.end(),
                  [](double x) { return std::abs(x) > 1e6; }))
    return;
  const io::MotionRobot robot{"g1", &told_robot(), {}, told_robot().root_link(), Eigen::Vector3d::UnitZ()};
  check_motion(io::tell_motion(arrays, {robot}).motion, told_robot());
}

std::string layout_seed(const std::string& layout, bool archive) {
  const Motion motion = few_states(told_robot(), 12);
  const std::string name = std::string("a") + (archive ? ".npz" : ".csv");
  const std::string file = io::motion_bytes(motion, told_robot(), name, {.layout = layout});
  if (!archive) return std::string(1, '\0') += file;
  const io::NpzArchive members(file, name);
  Members packed;
  for (std::size_t i = 0; i < members.members().size(); ++i)
    packed.emplace_back(members.members()[i], members.array(i).content);
  return std::string(1, '\1') += members_in_a_row(packed);
}

Seeds seeds_of_arrays_of_robots() {
  return {layout_seed("unitree", false), layout_seed("bones", false), layout_seed("mjlab", true),
          layout_seed("mujoco", true)};
}

const Registered arrays_target("robot_motion", check_arrays, seeds_of_arrays_of_robots);

}  // namespace
}  // namespace panto::fuzz
