// Reads joint angles of our human models, as written by `create_csv`, `create_npz_states` and
// `create_opensim`, as a source of body segments.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/csv.hpp"
#include "panto/io/npz_motion.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/opensim.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/state_file.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/keypoints/point_geometry.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/euler.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

constexpr double kAverageHeight = 1.75;  // [m]

// counts a model's joints that `named` finds
template <typename Has>
int joints_named(const Model& model, Has&& has) {
  int count = 0;
  for (const std::string& joint : model.joint_names()) count += has(joint) ? 1 : 0;
  return count;
}

// Finds the model whose joints are all named, the larger one first.
template <typename Has>
Model model_named(const std::string& path, const SubjectDimensions& subject, Has&& has) {
  Model large = human66(subject), small = human48(subject);
  const int of_large = joints_named(large, has), of_small = joints_named(small, has);
  // a table with joints of only the larger model belongs to it
  Model& model = of_large > of_small ? large : small;
  const int of_model = std::max(of_large, of_small);
  if (of_model == model.dof()) return std::move(model);
  const std::vector<std::string> joints = model.joint_names();
  const std::string missing = *std::find_if_not(joints.begin(), joints.end(), has);
  throw FormatError(path + ": " + (of_model == 0 ? "none" : "only " + std::to_string(of_model)) + " of the " +
                    std::to_string(model.dof()) + " joints of " + model.name() + " are columns (" +
                    (of_model == 0 ? "jL5S1_rotx, ..." : "'" + missing + "' is not") +
                    "); a motion needs all joint angles of human66 or human48 and the base, as "
                    "`panto track -o` writes them");
}

Motion motion_of(const OpenSimTable& table, const Model& model) {
  constexpr std::array<const char*, 6> base{"pelvis_tilt", "pelvis_list", "pelvis_rotation",
                                            "pelvis_tx",   "pelvis_ty",   "pelvis_tz"};
  std::array<std::size_t, 6> base_column{};
  for (std::size_t i = 0; i < base.size(); ++i) {
    const auto column = table.find(base[i]);
    if (!column) throw FormatError(table.path + ": the column '" + base[i] + "' of the base is missing");
    base_column[i] = *column;
  }
  std::vector<std::size_t> columns;
  for (const std::string& joint : model.joint_names()) columns.push_back(table.find(joint).value_or(0));
  const double factor = table.in_degrees.value_or(false) ? kDegree : 1.0;

  const std::vector<Time> times = table.stamps();
  Motion motion;
  motion.model_name = model.name();
  motion.joint_names = model.joint_names();
  motion.rate_hz = table.data_rate_hz.value_or(0.0);
  for (std::size_t k = 0; k < table.rows(); ++k) {
    const auto value = [&](std::size_t column) {
      const double number = table.cell(k, column)[0];
      if (std::isfinite(number)) return number;
      throw table.error(k, io::in_quotes(table.labels[column]) + " is not a finite number");
    };
    State state = rest_state(model);
    state.t = times[k];
    const Vector3d zxy =
        factor * Vector3d(value(base_column[0]), value(base_column[1]), value(base_column[2]));
    state.R_WB =
        keypoints::from_y_up() * euler::to_rotation(zxy, euler::ZXY) * keypoints::from_y_up().transpose();
    state.p_WB = keypoints::from_y_up() *
                 Vector3d(value(base_column[3]), value(base_column[4]), value(base_column[5]));
    for (int i = 0; i < model.dof(); ++i) state.s[i] = factor * value(columns[at(i)]);
    motion.states.push_back(std::move(state));
  }
  return motion;
}

[[noreturn]] void refuse_frame(const std::string& path, std::size_t frame, const std::string& why) {
  throw FormatError(path + ": frame " + std::to_string(frame) + ": " + why);
}

class StateSource final : public Recording {
 public:
  StateSource(const std::string& path, const std::string& format, Model model, Motion motion,
              const SubjectDimensions& subject, bool average, std::vector<std::string> notes = {},
              bool incomplete = false)
      : model_(std::move(model)), motion_(std::move(motion)), kinematics_(model_) {
    if (motion_.states.empty()) throw FormatError(path + ": the table has no rows");
    info_.notes = std::move(notes);
    info_.incomplete = incomplete;
    std::vector<Time> times;
    for (const State& state : motion_.states) {
      const auto before = times.empty() ? std::nullopt : std::optional(times.back());
      if (const std::string refusal = refusal_of_stamp(state.t, before); !refusal.empty())
        refuse_frame(path, times.size() + 1, refusal);
      times.push_back(state.t);
    }
    for (int i = 0; i < kHumanSegmentCount; ++i) links_[at(i)] = model_.link_index(kHumanSegmentNames[at(i)]);
    info_.path = path;
    info_.format = format + " (" + model_.name() + ")";
    info_.rate_hz = settle_rate(times, motion_.rate_hz, info_.notes);
    info_.frames = static_cast<std::int64_t>(motion_.states.size());
    info_.subject = subject;
    info_.attachments = mvn_attachments();
    if (average)
      info_.notes.emplace_back("joint angles contain no body sizes: an average body of 1.75 m is used");
  }

  const std::vector<std::string>& names() const noexcept override { return human_segment_names(); }
  const RecordingInfo& info() const noexcept override { return info_; }
  const std::string& problem() const noexcept override { return problem_; }
  void rewind() override {
    next_ = 0;
    problem_.clear();
  }

  ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ >= motion_.states.size()) return ReadStatus::EndOfMotion;
    const State& state = motion_.states[next_++];
    kinematics_.update(state);
    sample.t = state.t;
    sample.segments.resize(kHumanSegmentCount);
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      SegmentMotion& segment = sample.segments[at(i)] = {};
      segment.R_WS = kinematics_.R_WL(links_[at(i)]);
      segment.p_WS = kinematics_.p_WL(links_[at(i)]);
      segment.has_orientation = segment.has_position = true;
    }
    return ReadStatus::Sample;
  }

 private:
  Model model_;
  Motion motion_;
  Kinematics kinematics_;
  RecordingInfo info_;
  std::string problem_;
  std::array<int, kHumanSegmentCount> links_{};
  std::size_t next_ = 0;
};

// reads the header of our table, which has no comments
std::string header_line(std::istream& stream, const std::string& name) {
  LineReader reader(stream, name);
  std::string_view line;
  if (!reader.next(line)) throw FormatError(name + ":1: empty; a header line was expected");
  if (line.find(';') != std::string_view::npos && line.find(',') == std::string_view::npos)
    throw reader.error(
        "the columns are separated by semicolons; use commas, and points in "
        "the numbers");
  return std::string(line);
}

// names a robot's motion as what it is; `has`: whether a joint is a column
template <typename Has>
void refuse_robot(const std::string& name, const std::string& header, Has&& has) {
  if (joints_named(human66(scaled_subject(kAverageHeight)), has) > 0) return;
  std::vector<std::string> joints;
  for (const std::string_view cell : split_cells(header))
    if (cell.ends_with("_rad")) joints.push_back(std::string(cell.substr(0, cell.size() - 4)));
  if (!joints.empty())
    throw FormatError(
        name + ": holds " + counted(std::ssize(joints), "joint angle") + " of a robot (" + listed(joints, 2) +
        "), as `panto retarget -o` writes them: a result, not a recording; give the recording of "
        "the person");
}

// the person, and whether it is unknown
std::pair<SubjectDimensions, bool> person(const RecordingHints& hints) {
  const bool average = hints.height == 0.0;
  return {scaled_subject(average ? kAverageHeight : hints.height), average};
}

}  // namespace

std::unique_ptr<Recording> open_state_csv(std::istream& stream, const std::string& name,
                                          const RecordingHints& hints) {
  const auto [subject, average] = person(hints);
  const std::string header = "," + header_line(stream, name) + ",";
  if (header.find(",base_qw,") == std::string::npos) {
    throw FormatError(name +
                      ":1: unknown table; expected points (<name>_x_m, ...) or joint angles with their base "
                      "(time_s, base_x_m, ..., <joint>_rad)");
  }
  const auto has = [&](const std::string& joint) {
    return header.find("," + joint + "_rad,") != std::string::npos;
  };
  refuse_robot(name, header, has);
  Model model = model_named(name, subject, has);
  stream.clear();
  stream.seekg(0);
  std::vector<std::string> notes;
  Motion motion = read_csv_motion(stream, name, model, &notes);
  return std::make_unique<StateSource>(name, "csv", std::move(model), std::move(motion), subject, average,
                                       std::move(notes));
}

std::unique_ptr<Recording> open_state_npz(std::string_view bytes, const std::string& name,
                                          const RecordingHints& hints) {
  const auto [subject, average] = person(hints);
  const std::vector<std::string> joints = joints_of_states(NpzArchive(bytes, name));
  const auto has = [&](const std::string& joint) {
    return std::find(joints.begin(), joints.end(), joint) != joints.end();
  };
  if (joints_named(human66(subject), has) == 0)
    throw FormatError(
        name +
        ": holds joint angles of a model or a robot, as `panto retarget -o` writes them: a result, "
        "not a recording; give the recording of the person");
  Model model = model_named(name, subject, has);
  Motion motion = read_npz_motion(bytes, name, model);
  return std::make_unique<StateSource>(name, "npz", std::move(model), std::move(motion), subject, average);
}

std::unique_ptr<Recording> open_state_table(const OpenSimTable& table, const RecordingHints& hints) {
  const auto [subject, average] = person(hints);
  if (table.components != 1)
    throw FormatError(table.path + ": DataType=" + table.data_type +
                      " is neither joint angles (double) nor orientations (Quaternion)");
  const auto has = [&](const std::string& joint) { return table.find(joint).has_value(); };
  if (has("pelvis_tilt") && joints_named(human66(subject), has) == 0) {
    std::vector<std::string> joints = table.labels;
    std::erase_if(joints, [](const std::string& label) { return label.starts_with("pelvis_"); });
    throw FormatError(
        table.path + ": holds joint angles of another model than human66 or human48 (" + listed(joints, 2) +
        "), a robot's or OpenSim's: a result, not a recording; give the recording of the person");
  }
  Model model = model_named(table.path, subject, has);
  Motion motion = motion_of(table, model);
  return std::make_unique<StateSource>(table.path, "opensim", std::move(model), std::move(motion), subject,
                                       average, table.notes, table.incomplete);
}

}  // namespace panto::io
