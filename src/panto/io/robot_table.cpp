#include "panto/io/robot_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/base/time.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

// one row of numbers; nothing if a cell is none
std::optional<std::vector<double>> row_numbers(std::string_view line) {
  std::vector<double> numbers;
  for (const std::string_view cell : split_cells(line)) {
    const auto number = parse_number(cell);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// columns of a table with a head
struct Columns {
  std::optional<std::size_t> time;
  std::vector<std::size_t> place, turn, joints;
  std::vector<std::string> names;
  [[nodiscard]] bool bones() const {
    return !time && place.size() == 3 && turn.size() == 3 && !joints.empty();
  }
  [[nodiscard]] bool panto() const {
    return time && place.size() == 3 && turn.size() == 4 && !joints.empty() &&
           !is_humans_joint(names.front());
  }
};

Columns columns_of(std::string_view head) {
  Columns columns;
  const std::vector<std::string_view> cells = split_cells(head);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view cell = cells[i];
    const auto joint = [&](std::string_view unit) {
      columns.joints.push_back(i);
      columns.names.emplace_back(cell.substr(0, cell.size() - unit.size()));
    };
    if (cell == "time_s")
      columns.time = i;
    else if (cell.starts_with("root_translate") || cell == "base_x_m" || cell == "base_y_m" ||
             cell == "base_z_m")
      columns.place.push_back(i);
    else if (cell.starts_with("root_rotate") || (cell.size() == 7 && cell.starts_with("base_q")))
      columns.turn.push_back(i);
    else if (cell.ends_with("_dof"))
      joint("_dof");
    else if (columns.time && !cell.ends_with("_sd_rad") && !cell.ends_with("_sd_m"))
      for (const std::string_view unit : {"_rad", "_m"})
        if (cell.ends_with(unit)) joint(unit);
  }
  return columns;
}

std::string_view opening_line(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  return head.substr(0, head.find_first_of("\r\n"));
}

// whether column 0 counts frames or seconds: steps of one size, and a quaternion one column later
bool begins_with_count(const FrameRows& rows, std::size_t frames) {
  if (frames < 3 || rows.width <= kPoseBase + 1) return false;
  const double step = rows.row(1)[0] - rows.row(0)[0];
  if (!(step > 0.0)) return false;
  for (std::size_t k = 1; k < frames; ++k) {
    const double here = rows.row(k)[0] - rows.row(k - 1)[0];
    const double* q = rows.row(k) + 4;
    const double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (std::abs(here - step) > 0.01 * step || std::abs(norm - 1.0) > 1e-2) return false;
  }
  return true;
}

FrameRows columns(const FrameRows& rows, const std::vector<std::size_t>& which, std::size_t frames) {
  FrameRows some{which.size(), {}};
  some.values.reserve(which.size() * frames);
  for (std::size_t k = 0; k < frames; ++k)
    for (const std::size_t column : which) some.values.push_back(rows.row(k)[column]);
  return some;
}

std::vector<std::size_t> from_to(std::size_t from, std::size_t to) {
  std::vector<std::size_t> all;
  for (std::size_t i = from; i < to; ++i) all.push_back(i);
  return all;
}

FrameRows read_rows(LineReader& lines, std::string_view line, std::size_t width, bool first) {
  FrameRows rows{width, {}};
  for (bool more = first || lines.next(line); more; more = lines.next(line)) {
    if (trimmed(line).empty()) continue;
    const auto numbers = row_numbers(line);
    if (!numbers) throw lines.error("a cell is not a number" + comma_hint(line));
    if (numbers->size() != width)
      throw lines.error("has " + counted(std::ssize(*numbers), "column") + ", the first row has " +
                        std::to_string(width) + (lines.terminated() ? "" : "; is the file cut off?"));
    if (!std::all_of(numbers->begin(), numbers->end(), [](double number) { return std::isfinite(number); }))
      throw lines.error("a number is not finite");
    rows.values.insert(rows.values.end(), numbers->begin(), numbers->end());
    if (rows.values.size() / width > kMostMotionRows) throw lines.error("over 20 million frames");
  }
  return rows;
}

// takes the rate from the stamps of a column
void take_stamps(const FrameRows& rows, std::size_t column, RobotArrays& arrays) {
  constexpr double kEven = 0.01;  // of a step
  std::vector<Time> stamps;
  for (std::size_t k = 0; k < arrays.frames; ++k) {
    const double second = rows.row(k)[column];
    const std::string place = arrays.name + ": frame " + std::to_string(k) + ": ";
    if (!(std::abs(second) < to_seconds(kLatestStamp)))
      throw FormatError(place + digits(second, 6) + " s is out of range");
    const Time t = from_seconds(second);
    const std::string refusal =
        refusal_of_stamp(t, stamps.empty() ? std::nullopt : std::optional(stamps.back()));
    if (!refusal.empty()) throw FormatError(place + refusal);
    stamps.push_back(t);
  }
  arrays.rate_hz = usual_rate(stamps);
  check_rate(*arrays.rate_hz, arrays.name);
  if (!(*arrays.rate_hz > 0.0)) arrays.rate_hz.reset();
  for (std::size_t k = 1; k < stamps.size() && arrays.rate_hz; ++k) {
    const double step = to_seconds(stamps[k] - stamps[k - 1]) * *arrays.rate_hz;
    if (std::abs(step - 1.0) <= kEven) continue;
    arrays.notes.push_back("warning: " + arrays.name + ": frames " + std::to_string(k - 1) + " and " +
                           std::to_string(k) + " are " + digits(step, 3) +
                           " steps apart; all are taken to be 1/" + digits(*arrays.rate_hz, 6) + " s apart");
    break;
  }
}

}  // namespace

bool is_humans_joint(std::string_view name) {
  return name.starts_with('j') && name.substr(0, name.size() - 1).ends_with("_rot");
}

void take_conventions(const RobotLayout& layout, RobotArrays& arrays) {
  arrays.layout = layout.name;
  arrays.xyzw = layout.xyzw;
  arrays.breadth_first = layout.breadth_first;
}

bool is_robot_table(const Input& input) {
  if (extension_of(input.name()) != ".csv") return false;
  const std::string_view line = opening_line(input.head());
  const Columns named = columns_of(line);
  if (named.bones() || named.panto()) return true;
  const auto numbers = row_numbers(line);
  return numbers && numbers->size() > kPoseBase;
}

RobotArrays poses_without_head(const FrameRows& rows, std::size_t frames, const std::string& name) {
  RobotArrays arrays;
  arrays.name = name;
  arrays.frames = frames;
  take_conventions(robot_layout("unitree"), arrays);
  arrays.usual_rate_hz = robot_layout("unitree").rate_hz;
  const std::size_t from = begins_with_count(rows, frames) ? 1 : 0;
  if (from == 1)
    arrays.notes.push_back(
        name + ": column 1 counts frames or time; left out, because other programs may misread it");
  arrays.place = columns(rows, from_to(from, from + 3), frames);
  arrays.turn = columns(rows, from_to(from + 3, from + kPoseBase), frames);
  arrays.joints = columns(rows, from_to(from + kPoseBase, rows.width), frames);
  return arrays;
}

RobotArrays read_robot_table(Input& input) {
  RobotArrays arrays;
  arrays.name = input.name();
  LineReader lines(input.stream(), input.name());
  std::string_view line;
  if (!lines.next(line)) throw FormatError(input.name() + ":1: the file is empty");
  const Columns named = columns_of(line);
  const bool headed = named.bones() || named.panto();
  const std::size_t width = split_cells(line).size();
  const FrameRows rows = read_rows(lines, line, width, !headed);
  arrays.frames = rows.values.size() / width;
  if (arrays.frames == 0) throw FormatError(input.name() + ": holds no frames");
  if (!headed) return poses_without_head(rows, arrays.frames, input.name());
  if (named.bones()) {
    take_conventions(robot_layout("bones"), arrays);
    arrays.usual_rate_hz = robot_layout("bones").rate_hz;
    arrays.fixed_angles = true;
  } else {
    arrays.layout = "panto";
    take_stamps(rows, *named.time, arrays);
  }
  arrays.joint_names = named.names;
  arrays.place = columns(rows, named.place, arrays.frames);
  arrays.turn = columns(rows, named.turn, arrays.frames);
  arrays.joints = columns(rows, named.joints, arrays.frames);
  return arrays;
}

}  // namespace panto::io
