#include "panto/io/csv.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "panto/io/isb_columns.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/state_file.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kBaseColumns = 8;    // time, position, quaternion
constexpr std::size_t kNumberLength = 25;  // longest shortest double and its comma
constexpr double kQuaternionNorm = 1e-3;   // tolerance for files

std::string csv_cell(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string cell = "\"";
  for (const char c : name) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

std::vector<std::string> model_columns(const Model& model) {
  std::vector<std::string> names{"time_s",  "base_x_m", "base_y_m", "base_z_m",
                                 "base_qw", "base_qx",  "base_qy",  "base_qz"};
  for (int dof = 0; dof < model.dof(); ++dof) {
    const Joint& joint = model.joint(dof);
    names.push_back(joint.name + (joint.type == JointType::Prismatic ? "_m" : "_rad"));
  }
  return names;
}

// after the joints, if present
std::vector<std::string> deviation_columns(const Model& model) {
  std::vector<std::string> names;
  for (int dof = 0; dof < model.dof(); ++dof) {
    const Joint& joint = model.joint(dof);
    names.push_back(joint.name + (joint.type == JointType::Prismatic ? "_sd_m" : "_sd_rad"));
  }
  return names;
}

std::vector<std::string> isb_names() {
  std::vector<std::string> names{"time_s"};
  for (int i = 0; i < kIsbJointCount; ++i) {
    for (const char* axis : {"_x_deg", "_y_deg", "_z_deg"}) names.push_back(IsbColumns::joint_name(i) + axis);
  }
  return names;
}

class CsvFile final : public StateFile {
 public:
  CsvFile(const Destination& to, const Model& model, const StateFileOptions& options)
      : model_(&model), has_deviations_(options.deviations), isb_(isb_columns(model, options)), file_(to) {
    std::vector<std::string> names = isb_ ? isb_names() : model_columns(model);
    if (has_deviations_) {
      for (std::string& name : deviation_columns(model)) names.push_back(std::move(name));
    }
    std::string header;
    for (const std::string& name : names) header += (header.empty() ? "" : ",") + csv_cell(name);
    (void)file_.write(header + "\n");  // a failure is kept and thrown by close()
    file_.end_header();
    line_.reserve(names.size() * kNumberLength + 1);
  }

  WriteStatus write(const State& state) noexcept override { return write_with(state, {}); }

  WriteStatus write_with(const State& state, const Eigen::VectorXd& deviation) noexcept override {
    if (!is_valid(state, *model_) || (last_ && state.t <= *last_)) return WriteStatus::Dropped;
    line_.clear();
    append_seconds(state.t, line_);
    isb_ ? append_isb(state) : append_model(state);
    if (has_deviations_) append_deviation(deviation);
    line_ += '\n';
    if (!file_.write(line_)) return WriteStatus::Dropped;
    last_ = state.t;
    return WriteStatus::Written;
  }

  void close() override { file_.close(); }

 private:
  void append(double value) {
    line_ += ',';
    append_number(value, line_);
  }

  void append_model(const State& state) {
    for (const double x : state.p_WB) append(x);
    for (const double x : so3::to_quaternion_wxyz(state.R_WB)) append(x);
    for (const double x : state.s) append(x);
  }

  void append_deviation(const Eigen::VectorXd& deviation) {
    const bool known = deviation.size() == model_->dof();
    for (int i = 0; i < model_->dof(); ++i) append(known ? deviation[i] : kNoNumber);
  }

  void append_isb(const State& state) {
    for (const Eigen::Vector3d& joint : isb_->angles(state)) {
      for (const double angle : joint) append(angle * kToDegrees);
    }
  }

  const Model* model_;
  bool has_deviations_;
  std::optional<IsbColumns> isb_;  // before the file, so that an unsuitable model creates no file
  PartFile file_;
  std::optional<Time> last_;
  std::string line_;
};

// splits one line into cells; quotes matter only in the header
std::vector<std::string> split_header(const LineReader& reader, std::string_view line) {
  std::vector<std::string> cells{""};
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      const bool doubled = inside && i + 1 < line.size() && line[i + 1] == '"';
      if (doubled) {
        cells.back() += '"';
        ++i;
      } else {
        inside = !inside;
      }
    } else if (c == ',' && !inside) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  if (inside) throw reader.error("a quote in the header is not closed");
  return cells;
}

// Returns the number of columns; standard deviations after the joints may be present and are not read.
Eigen::Index check_header(const LineReader& reader, std::string_view line, const Model& model) {
  const std::vector<std::string> found = split_header(reader, line);
  std::vector<std::string> expected = model_columns(model);
  if (found.size() == expected.size() + static_cast<std::size_t>(model.dof())) {
    for (std::string& name : deviation_columns(model)) expected.push_back(std::move(name));
  }
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    if (trimmed(found[i]) == trimmed(expected[i])) continue;
    throw reader.error("column " + std::to_string(i + 1) + " is " + in_quotes(trimmed(found[i])) +
                       ", but a motion of model '" + model.name() + "' has " + in_quotes(expected[i]) +
                       " there");
  }
  if (found.size() != expected.size()) {
    throw reader.error(std::to_string(found.size()) + " columns; a motion of model '" + model.name() +
                       "' needs " + std::to_string(expected.size()) + ": is it another model's?");
  }
  return static_cast<Eigen::Index>(found.size());
}

// reads one line of numbers; the stamp separately, because it is exact
void read_cells(const LineReader& reader, std::string_view line, Time& t, Eigen::VectorXd& values) {
  const auto columns = values.size() + 1;
  Eigen::Index column = 0;
  for (bool more = true; more; ++column) {
    const std::size_t comma = line.find(',');
    more = comma != std::string_view::npos;
    const std::string_view cell = trimmed(line.substr(0, comma));
    if (column == columns)
      throw reader.error("more than " + std::to_string(columns) + " cells" + comma_hint(","));
    const auto value = parse_number(cell);
    if (!value || !std::isfinite(*value)) {
      throw reader.error("cell " + std::to_string(column + 1) + " is " + in_quotes(cell) +
                         ", not a finite number");
    }
    if (column == 0) {
      const auto stamp = parse_seconds(cell);
      if (!stamp) throw reader.error("the time " + in_quotes(cell) + " s is out of range");
      t = *stamp;
    } else {
      values[column - 1] = *value;
    }
    if (more) line.remove_prefix(comma + 1);
  }
  if (column != columns) {
    throw reader.error(std::to_string(column) + " cells instead of " + std::to_string(columns) +
                       (reader.terminated() ? "" : "; the file seems to be truncated"));
  }
}

State to_state(const LineReader& reader, Time t, const Eigen::VectorXd& values, int dof) {
  State state;
  state.t = t;
  state.p_WB = values.head<3>();
  const Eigen::Vector4d q = values.segment<4>(3);
  if (!(std::abs(q.norm() - 1.0) <= kQuaternionNorm)) {
    std::string norm;
    append_number(q.norm(), norm);
    throw reader.error("the base quaternion has length " + norm + " instead of 1");
  }
  state.R_WB = so3::from_quaternion_wxyz(q);
  state.s = values.segment(static_cast<Eigen::Index>(kBaseColumns) - 1, dof);
  state.sdot = Eigen::VectorXd::Zero(state.s.size());
  return state;
}

// With `notes`, a truncated last line is left out and noted; without, it is an error.
Motion read_motion(LineReader& reader, const Model& model, std::vector<std::string>* notes) {
  std::string_view line;
  if (!reader.next(line)) throw FormatError(reader.path() + ":1: empty; a header line was expected");
  const Eigen::Index columns = check_header(reader, line, model);

  Motion motion;
  motion.model_name = model.name();
  motion.joint_names = model.joint_names();
  Eigen::VectorXd values(columns - 1);
  while (reader.next(line)) {
    if (trimmed(line).empty()) continue;
    Time t = 0;
    try {
      read_cells(reader, line, t, values);
      const auto before = motion.states.empty() ? std::nullopt : std::optional(motion.states.back().t);
      if (const std::string refusal = refusal_of_stamp(t, before); !refusal.empty())
        throw reader.error(refusal);
      motion.states.push_back(to_state(reader, t, values, model.dof()));
    } catch (const FormatError&) {
      if (notes == nullptr || reader.terminated() || motion.states.empty()) throw;
      notes->emplace_back("the last line is truncated and left out");
    }
  }
  std::vector<Time> times;
  for (const State& state : motion.states) times.push_back(state.t);
  motion.rate_hz = usual_rate(times);
  return motion;
}

}  // namespace

std::unique_ptr<StateFile> create_csv(const Destination& to, const Model& model,
                                      const StateFileOptions& options) {
  return std::make_unique<CsvFile>(to, model, options);
}

Motion read_csv_motion(const std::string& path, const Model& model, std::vector<std::string>* notes) {
  LineReader reader(path);
  return read_motion(reader, model, notes);
}

Motion read_csv_motion(std::istream& stream, const std::string& name, const Model& model,
                       std::vector<std::string>* notes) {
  LineReader reader(stream, name);
  return read_motion(reader, model, notes);
}

}  // namespace panto::io
