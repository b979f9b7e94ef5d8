#include "panto/io/robot_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/motion_manifest.hpp"
#include "panto/io/npy_array.hpp"
#include "panto/io/npz_archive.hpp"
#include "panto/io/npz_motion.hpp"
#include "panto/io/robot_layout.hpp"
#include "panto/io/robot_table.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

using enum LayoutPart;

// Archives that are read and not written, and what is in pickles, which Python hands over as archives.
const std::vector<RobotLayout>& foreign_layouts() {
  static const std::vector<RobotLayout> all{
      {.name = "panto",  // `-o motion.npz` without `--for`
       .reader = "Panto",
       .extension = ".npz",
       .rate_hz = 0.0,
       .members = {{"base_position", BasePlace},
                   {"base_quaternion_wxyz", BaseTurn},
                   {"joint_names", JointNames},
                   {"joint_position", Joints},
                   {"joint_velocity", JointRates},
                   {"rate_hz", Rate}}},
      {.name = "gmr",
       .reader = "GMR and TWIST2",
       .extension = ".pkl",
       .rate_hz = 30.0,
       .xyzw = true,
       .members = {{"dof_pos", Joints},
                   {"root_pos", BasePlace},
                   {"root_rot", BaseTurn},
                   {"fps", Rate},
                   {"local_body_pos", BodyPlaces},
                   {"link_body_list", BodyNames}}},
      {.name = "phuma",
       .reader = "PHUMA",
       .extension = ".npy",
       .rate_hz = 30.0,
       .xyzw = true,
       .members = {{"dof_pos", Joints}, {"root_trans", BasePlace}, {"root_ori", BaseTurn}, {"fps", Rate}}},
      {.name = "phc",
       .reader = "PHC, ASAP, HumanoidVerse and SONIC's training",
       .extension = ".pkl",
       .rate_hz = 30.0,
       .xyzw = true,
       .members = {{"dof", Joints}, {"root_trans_offset", BasePlace}, {"root_rot", BaseTurn}, {"fps", Rate}}},
      {.name = "mimickit",  // rows of place, rotation vector, joints
       .reader = "MimicKit",
       .extension = ".pkl",
       .rate_hz = 0.0,
       .members = {{"frames", Pose}, {"loop_mode", Description}, {"fps", Rate}}},
      {.name = "locomujoco",
       .reader = "LocoMuJoCo",
       .extension = ".npz",
       .rate_hz = 0.0,
       .members = {{"qpos", Pose}, {"qvel", PoseRates}, {"frequency", Rate}, {"joint_names", JointNames}}},
  };
  return all;
}

bool is_optional(LayoutPart part) {
  return part != Joints && part != Pose && part != BasePlace && part != BaseTurn;
}

// Returns the layout with the most members in this archive, among those of which it has all that are needed.
const RobotLayout* layout_of(const NpzArchive& archive) {
  const RobotLayout* best = nullptr;
  std::size_t most = 0;
  const auto consider = [&](const RobotLayout& layout) {
    if (layout.extension == ".csv") return;
    std::size_t found = 0;
    bool moves = false;
    for (const LayoutMember& member : layout.members) {
      const bool there = archive.find(member.name).has_value();
      if (!there && !is_optional(member.part)) return;
      const bool body = member.part == BodyPlaces || member.part == BodyTurns;
      if (!there && ((body && layout.name != "gmr") || layout.name == "mimickit")) return;
      found += there ? 1 : 0;
      moves = moves || member.part == Joints || member.part == Pose;
    }
    if (moves && found > most) (best = &layout, most = found);
  };
  for (const RobotLayout& layout : robot_layouts()) consider(layout);
  for (const RobotLayout& layout : foreign_layouts()) consider(layout);
  return best;
}

// A human's motion in Panto's own layout is a recording of a person.
bool is_humans(const NpzArchive& archive) {
  const auto names = archive.find("joint_names");
  if (!names) return false;
  const NpyArray array = archive.array(*names);
  return array.is_text() && array.count > 0 && is_humans_joint(array.text(0));
}

class ArchiveReader {
 public:
  ArchiveReader(std::string_view bytes, const std::string& name) : archive_(bytes, name) {
    arrays_.name = name;
  }

  RobotArrays read() {
    const RobotLayout* layout = layout_of(archive_);
    if (layout == nullptr) throw FormatError(arrays_.name + ": holds no robot's motion that Panto knows");
    take_conventions(*layout, arrays_);
    bool tells_rate = false;
    std::string_view pose;
    for (const LayoutMember& member : layout->members) {
      tells_rate = tells_rate || member.part == Rate || member.part == RateList || member.part == Description;
      if (member.part == Pose) pose = member.name;
      if (archive_.find(member.name)) take(member);
    }
    arrays_.usual_rate_hz = tells_rate ? layout->rate_hz : 0.0;  // else a file beside it does
    split_poses(pose == "qpos" || pose == "frames", pose == "frames" ? 3 : 4);
    if (arrays_.frames == 0) throw FormatError(arrays_.name + ": holds no frames");
    if (arrays_.is_own()) arrays_.contacts = npz_contacts(archive_, arrays_.name, arrays_.frames);
    return std::move(arrays_);
  }

 private:
  [[nodiscard]] NpyArray open(std::string_view key) const { return archive_.array(*archive_.find(key)); }

  void take(const LayoutMember& member) {
    switch (member.part) {
      case Rate:
      case RateList:
        return take_rate(open(member.name));
      case JointNames:
        arrays_.joint_names = names(open(member.name));
        return;
      case BodyNames:
        arrays_.body_names = names(open(member.name));
        return;
      case Description:
        return take_description(open(member.name));
      case BasePlace:
        return take_rows(open(member.name), {3}, arrays_.place);
      case BaseTurn:
        return take_rows(open(member.name), {4, 3}, arrays_.turn);
      case Joints:
      case Pose:
        return take_rows(open(member.name), {}, arrays_.joints);
      case JointRates:
      case PoseRates:
        return take_rows(open(member.name), {}, arrays_.joint_rates);
      case BodyPlaces:
        arrays_.local_bodies = arrays_.layout == "gmr";
        if (arrays_.local_bodies && open(member.name).shape.size() != 3) return;  // GMR writes None
        return take_rows(open(member.name), {3}, arrays_.body_places, 3);
      case BodyTurns:
        return take_rows(open(member.name), {4}, arrays_.body_turns, 3);
      case BodyVelocities:
      case MassVelocities:
        return take_rows(open(member.name), {3}, arrays_.body_velocities, 3);
      case BodyTurnRates:
        return take_rows(open(member.name), {3}, arrays_.body_turn_rates, 3);
      default:
        return;
    }
  }

  // `last`: allowed sizes of the last dimension; empty: any
  void take_rows(const NpyArray& array, const std::vector<std::size_t>& last, FrameRows& rows,
                 std::size_t dimensions = 2) {
    const auto& shape = array.shape;
    if (!array.is_number() || shape.size() != dimensions ||
        (!last.empty() && std::find(last.begin(), last.end(), shape.back()) == last.end()))
      throw FormatError(array.where + ": must be numbers in " + std::to_string(dimensions) + " dimensions" +
                        (last.empty() ? "" : ", the last of " + std::to_string(last.front())));
    if (arrays_.frames != 0 && shape[0] != arrays_.frames)
      throw FormatError(array.where + ": has " + counted(static_cast<std::int64_t>(shape[0]), "frame") +
                        ", others have " + std::to_string(arrays_.frames));
    if (array.count == 0) throw FormatError(array.where + ": is empty");
    if (shape[0] > kMostMotionRows) throw FormatError(array.where + ": has over 20 million frames");
    arrays_.frames = shape[0];
    rows.width = array.count / shape[0];
    rows.values.reserve(array.count);
    for (std::size_t i = 0; i < array.count; ++i) {
      const double number = array.number(i);
      if (!std::isfinite(number))
        throw FormatError(array.where + ": frame " + std::to_string(i / rows.width) + " is not finite");
      rows.values.push_back(number);
    }
  }

  void take_rate(const NpyArray& array) {
    if (!array.is_number() || array.count != 1)
      throw FormatError(array.where + ": must be one number, the rate in Hz");
    set_rate(array.number(0), array.where);
  }

  void set_rate(double rate_hz, const std::string& where) {
    if (!(rate_hz > 0.0 && rate_hz <= kFastestRate))
      throw FormatError(where + ": " + digits(rate_hz, 6) + " Hz is no rate: above 0, at most 10000");
    arrays_.rate_hz = rate_hz;
  }

  static std::vector<std::string> names(const NpyArray& array) {
    if (!array.is_text() || array.shape.size() != 1)
      throw FormatError(array.where + ": must be names in one dimension");
    std::vector<std::string> all;
    for (std::size_t i = 0; i < array.count; ++i) all.push_back(array.text(i));
    return all;
  }

  void take_description(const NpyArray& array) {
    if (!array.is_text() || array.count != 1) return;
    const auto json = nlohmann::json::parse(array.text(0), nullptr, false);
    if (!json.is_object()) throw FormatError(array.where + ": must be a JSON object");
    const auto list = [&](const char* key, std::vector<std::string>& into) {
      if (const auto found = json.find(key); found != json.end() && found->is_array())
        for (const auto& word : *found)
          if (word.is_string()) into.push_back(word.get<std::string>());
    };
    list("dof_names", arrays_.joint_names);
    list("body_names", arrays_.body_names);
    for (const char* key : {"motion_fps", "fps"})
      if (const auto found = json.find(key); found != json.end() && found->is_number())
        return set_rate(found->get<double>(), array.where);
  }

  // qpos (`whole`) and qvel: the base, whose turn has `turn` numbers, then the joints
  void split_poses(bool whole, std::size_t turn) {
    FrameRows &pose = arrays_.joints, &rates = arrays_.joint_rates;
    if (!whole && (rates.empty() || rates.width + 1 != pose.width)) return;
    const std::size_t base = 3 + turn;
    if (pose.width <= base)
      throw FormatError(arrays_.name + ": " + std::to_string(pose.width) + " numbers a pose; a base takes " +
                        std::to_string(base) + " of them, its joints follow");
    const std::size_t joints = pose.width - base;
    if (arrays_.layout == "mjlab" || arrays_.layout == "beyondmimic")
      take_conventions(robot_layout("holosoma"), arrays_);
    arrays_.place = part(pose, 0, 3);
    arrays_.turn = part(pose, 3, turn);
    pose = part(pose, base, joints);
    if (!rates.empty() && rates.width == joints + 6) rates = part(rates, 6, joints);
    if (arrays_.joint_names.size() == joints + 1) arrays_.joint_names.erase(arrays_.joint_names.begin());
  }

  FrameRows part(const FrameRows& rows, std::size_t from, std::size_t width) const {
    FrameRows some{width, {}};
    for (std::size_t k = 0; k < arrays_.frames; ++k)
      some.values.insert(some.values.end(), rows.row(k) + from, rows.row(k) + from + width);
    return some;
  }

  NpzArchive archive_;
  RobotArrays arrays_;
};

bool is_npy(const Input& input) { return input.head().starts_with("\x93NUMPY"); }

NpyArray npy_of(Input& input) { return read_npy(std::string(input.whole(kLargestNpy)), input.name()); }

// one array of poses: places, then quaternions, as in a table without a head
bool holds_poses(const NpyArray& array) {
  if (!array.is_number() || array.shape.size() != 2 || array.count == 0) return false;
  const std::size_t width = array.shape[1];
  if (width <= kPoseBase || array.shape[0] > kMostMotionRows) return false;
  for (const std::size_t frame : {std::size_t{0}, array.shape[0] / 2, array.shape[0] - 1}) {
    double norm = 0.0;
    for (std::size_t i = 3; i < kPoseBase; ++i) {
      const double number = array.number(frame * width + i);
      norm += number * number;
    }
    if (!(std::abs(norm - 1.0) < 2e-2)) return false;
  }
  return true;
}

RobotArrays read_array(Input& input) {
  const NpyArray array = npy_of(input);
  if (!holds_poses(array))
    throw FormatError(input.name() + ": its rows are no poses: x y z, a quaternion, joints");
  FrameRows rows{array.shape[1], {}};
  rows.values.reserve(array.count);
  for (std::size_t i = 0; i < array.count; ++i) {
    rows.values.push_back(array.number(i));
    if (!std::isfinite(rows.values.back()))
      throw FormatError(input.name() + ": frame " + std::to_string(i / rows.width) + " is not finite");
  }
  return poses_without_head(rows, array.shape[0], input.name());
}

}  // namespace

bool is_robot_motion(Input& input) {
  if (input.is_folder()) return false;
  const bool archive = input.head().substr(0, 2) == "PK";
  if (!archive && !is_npy(input)) return is_robot_table(input);
  try {
    if (!archive) return holds_poses(npy_of(input));
    const NpzArchive content(input.whole(kLargestNpzFile), input.name());
    const RobotLayout* layout = layout_of(content);
    return layout != nullptr && (layout->name != "panto" || !is_humans(content));
  } catch (const FormatError&) {
    return false;  // whoever reads it next says why
  }
}

RobotArrays read_robot_arrays(Input& input) {
  if (is_npy(input)) return read_array(input);
  if (input.head().substr(0, 2) != "PK") return read_robot_table(input);
  RobotArrays arrays = ArchiveReader(input.whole(kLargestNpzFile), input.name()).read();
  if (arrays.layout == "any4hdmi" && !input.in_memory()) take_manifest(arrays);
  return arrays;
}

}  // namespace panto::io
