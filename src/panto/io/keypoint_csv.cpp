// Reads and writes points and orientations as comma-separated tables (docs/formats/keypoint_csv.md).

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/keypoint_io.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kQuaternionNorm = 1e-2;  // tolerance for files

// Content of one column of a point.
struct Column {
  enum Kind : unsigned char { Position, Quaternion, Euler, Unknown } kind = Unknown;
  std::string name;         // of the point
  int component = 0;        // axis; for quaternions w, x, y, z; for Euler angles the position in the order
  double factor = 1.0;      // to metres or radians
  euler::Sequence order{};  // of Euler angles
};

// returns the part after the last '_' and removes it from `text` with its '_'
std::string_view pop_word(std::string_view& text) {
  const std::size_t line = text.rfind('_');
  if (line == std::string_view::npos) return {};
  const std::string_view word = text.substr(line + 1);
  text = text.substr(0, line);
  return word;
}

std::optional<int> axis_of(std::string_view word) {
  if (word.size() != 1 || word[0] < 'x' || word[0] > 'z') return std::nullopt;
  return word[0] - 'x';
}

std::optional<euler::Sequence> order_of(std::string_view word) {
  if (word.size() != 3) return std::nullopt;
  euler::Sequence order{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto axis = axis_of(word.substr(i, 1));
    if (!axis) return std::nullopt;
    order[i] = *axis;
  }
  if (order[0] == order[1] || order[1] == order[2] || order[0] == order[2]) return std::nullopt;
  return order;
}

Column column_of(std::string_view label) {
  Column column;
  std::string_view rest = label;
  const std::string_view last = pop_word(rest);
  if (last.size() == 2 && last[0] == 'q') {
    const std::size_t component = std::string_view("wxyz").find(last[1]);
    if (component == std::string_view::npos || rest.empty()) return column;
    column = {Column::Quaternion, std::string(rest), static_cast<int>(component), 1.0, {}};
    return column;
  }
  const double metres = last == "m" ? 1.0 : last == "cm" ? 1e-2 : last == "mm" ? 1e-3 : 0.0;
  const double radians = last == "deg" ? kDegree : last == "rad" ? 1.0 : 0.0;
  const auto axis = axis_of(pop_word(rest));
  if (!axis || rest.empty()) return column;
  if (metres > 0.0) return {Column::Position, std::string(rest), *axis, metres, {}};
  if (radians == 0.0) return column;
  const auto order = order_of(pop_word(rest));
  if (!order || rest.empty()) return column;
  const auto place = std::find(order->begin(), order->end(), *axis) - order->begin();
  return {Column::Euler, std::string(rest), static_cast<int>(place), radians, *order};
}

std::optional<double> time_factor(std::string_view label) {
  if (label == "time_s" || label == "t_s") return 1.0;
  if (label == "time_ms" || label == "t_ms") return 1e-3;
  return std::nullopt;
}

// Columns of one point; -1 for missing ones.
struct Point {
  std::string name;
  std::array<int, 3> position{-1, -1, -1}, angles{-1, -1, -1};
  std::array<int, 4> quaternion{-1, -1, -1, -1};
  std::array<double, 3> metres{}, radians{};
  euler::Sequence order{};
};

class CsvReader {
 public:
  explicit CsvReader(LineReader& reader) : reader_(reader) { clip_.name = reader.path(); }

  KeypointClip read() {
    read_header();
    std::string_view line;
    while (next(line)) read_row(split_cells(line));
    if (clip_.times.empty()) throw reader_.error("the table has no rows");
    finish();
    return std::move(clip_);
  }

 private:
  // reads the next line that is neither empty nor a comment
  bool next(std::string_view& line) {
    while (reader_.next(line)) {
      line = trimmed(line);
      if (line.empty()) continue;
      if (line.front() != '#') return true;
      read_comment(trimmed(line.substr(1)));
    }
    return false;
  }

  void read_comment(std::string_view text) {
    if (!text.starts_with("up")) return;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || trimmed(text.substr(0, equals)) != "up") return;
    const std::string_view axis = trimmed(text.substr(equals + 1));
    if (!is_file_axis(axis))
      throw reader_.error("up is " + in_quotes(axis) + "; it must be x, y, z, -x, -y or -z");
    clip_.up = axis;
  }

  void read_header() {
    std::string_view line;
    if (!next(line)) throw reader_.error("empty; a header line was expected");
    const auto labels = split_cells(line);
    columns_ = labels.size();
    if (columns_ > kMostNames)
      throw reader_.error(std::to_string(columns_) + " columns, more than " + std::to_string(kMostNames));
    const auto factor = time_factor(labels[0]);
    if (!factor)
      throw reader_.error("column 1 is " + in_quotes(labels[0]) + ", but it must be time_s or time_ms");
    time_factor_ = *factor;
    for (std::size_t i = 1; i < labels.size(); ++i) {
      const Column column = column_of(labels[i]);
      if (column.kind == Column::Unknown) {
        throw reader_.error(
            "column " + std::to_string(i + 1) + " is " + in_quotes(labels[i]) +
            "; expected <name>_x_m (_cm, _mm), <name>_qw, or <name>_zyx_z_deg (_rad) with the "
            "order of the turns");
      }
      add(column, static_cast<int>(i));
    }
    check_complete();
    for (const Point& point : points_) clip_.names.push_back(point.name);
    oriented_ = std::any_of(points_.begin(), points_.end(), [](const Point& point) {
      return point.quaternion[0] >= 0 || point.angles[0] >= 0;
    });
  }

  void add(const Column& column, int index) {
    auto found =
        std::find_if(points_.begin(), points_.end(), [&](const Point& p) { return p.name == column.name; });
    if (found == points_.end()) {
      points_.emplace_back().name = column.name;
      found = points_.end() - 1;
    }
    Point& point = *found;
    const std::size_t component = at(column.component);
    int* place = nullptr;
    if (column.kind == Column::Position) {
      place = &point.position[component];
      point.metres[component] = column.factor;
    } else if (column.kind == Column::Quaternion) {
      place = &point.quaternion[component];
    } else {
      const bool first = point.angles == std::array<int, 3>{-1, -1, -1};
      if (!first && point.order != column.order)
        throw reader_.error("column " + std::to_string(index + 1) + ": the angles of " +
                            in_quotes(column.name) + " have two different orders");
      place = &point.angles[component];
      point.radians[component] = column.factor;
      point.order = column.order;
    }
    if (*place >= 0)
      throw reader_.error("column " + std::to_string(index + 1) + " repeats column " +
                          std::to_string(*place + 1));
    *place = index;
  }

  // an incomplete point is a mistake in the header
  void check_complete() const {
    if (points_.empty()) throw reader_.error("the table has only a time column");
    const auto check = [&](const Point& point, std::span<const int> columns, const char* what) {
      const auto there = std::count_if(columns.begin(), columns.end(), [](int c) { return c >= 0; });
      if (there != 0 && there != static_cast<std::ptrdiff_t>(columns.size()))
        throw reader_.error(in_quotes(point.name) + " has only " + std::to_string(there) + " of its " +
                            std::to_string(columns.size()) + " columns of " + what);
    };
    for (const Point& point : points_) {
      check(point, point.position, "position");
      check(point, point.quaternion, "its quaternion");
      check(point, point.angles, "angles");
      if (point.quaternion[0] >= 0 && point.angles[0] >= 0)
        throw reader_.error(in_quotes(point.name) + " has a quaternion and angles; give only one of them");
    }
  }

  void read_row(const std::vector<std::string_view>& cells) {
    if (cells.size() != columns_) {
      // a truncated last line is not a row
      if (!reader_.terminated() && !clip_.times.empty()) {
        clip_.notes.emplace_back("the last line is truncated and left out");
        clip_.incomplete = true;
        return;
      }
      throw reader_.error(std::to_string(cells.size()) + " cells instead of " + std::to_string(columns_) +
                          (cells.size() > columns_ ? comma_hint(",") : ""));
    }
    values_.assign(columns_, kNone);
    for (std::size_t i = 1; i < cells.size(); ++i) {
      if (cells[i].empty()) continue;
      const auto value = parse_number(cells[i]);
      if (!value)
        throw reader_.error("cell " + std::to_string(i + 1) + " is " + in_quotes(cells[i]) +
                            ", not a number");
      if (std::isfinite(*value)) values_[i] = *value;
    }
    add_time(cells[0]);
    for (const Point& point : points_) {
      add_position(point);
      if (oriented_) add_orientation(point);
    }
  }

  void add_time(std::string_view cell) {
    std::optional<Time> t;
    if (time_factor_ == 1.0) {
      t = parse_seconds(cell);
    } else if (const auto value = parse_number(cell); value && std::abs(*value * time_factor_) < 9e9) {
      t = from_seconds(*value * time_factor_);
    }
    if (!t) throw reader_.error("the time " + in_quotes(cell) + " is not a number in range");
    const auto before = clip_.times.empty() ? std::nullopt : std::optional(clip_.times.back());
    if (const std::string refusal = refusal_of_stamp(*t, before); !refusal.empty())
      throw reader_.error(refusal);
    clip_.times.push_back(*t);
  }

  void add_position(const Point& point) {
    std::array<double, 3> p{kNone, kNone, kNone};
    if (point.position[0] >= 0) {
      for (std::size_t i = 0; i < 3; ++i) p[i] = point.metres[i] * values_[at(point.position[i])];
    }
    const double sum = p[0] + p[1] + p[2];
    if (!std::isfinite(sum)) p.fill(kNone);
    clip_.positions.insert(clip_.positions.end(), p.begin(), p.end());
  }

  void add_orientation(const Point& point) {
    Eigen::Vector4d q = Eigen::Vector4d::Constant(kNone);
    if (point.quaternion[0] >= 0) {
      for (int i = 0; i < 4; ++i) q[i] = values_[at(point.quaternion[at(i)])];
      if (!q.allFinite()) {
        q.setConstant(kNone);
      } else if (!(std::abs(q.norm() - 1.0) <= kQuaternionNorm)) {
        std::string norm;
        append_number(q.norm(), norm);
        throw reader_.error("the quaternion of " + in_quotes(point.name) + " has length " + norm +
                            " instead of 1");
      }
    } else if (point.angles[0] >= 0) {
      Eigen::Vector3d angles;
      for (int i = 0; i < 3; ++i) angles[i] = point.radians[at(i)] * values_[at(point.angles[at(i)])];
      if (angles.allFinite() && angles.cwiseAbs().maxCoeff() < 1e5)
        q = so3::to_quaternion_wxyz(euler::to_rotation(angles, point.order));
    }
    clip_.orientations.insert(clip_.orientations.end(), q.begin(), q.end());
  }

  void finish() {
    clip_.unit = 1.0;
    clip_.rate_hz = settle_rate(clip_.times, 0.0, clip_.notes);
  }

  LineReader& reader_;
  KeypointClip clip_;
  std::vector<Point> points_;
  std::size_t columns_ = 0;
  double time_factor_ = 1.0;
  bool oriented_ = false;
  std::vector<double> values_;
};

// ---- writing ----------------------------------------------------------------------------------------------

class KeypointCsvFile final : public SampleFile {
 public:
  KeypointCsvFile(const Destination& to, const std::vector<std::string>& segments)
      : segments_(segments.size()), file_(to) {
    std::string header = "# up = z\ntime_s";
    for (const std::string& name : segments) {
      for (const char* column : {"_x_m", "_y_m", "_z_m", "_qw", "_qx", "_qy", "_qz"})
        header += "," + name + column;
    }
    (void)file_.write(header + "\n");  // close() throws a failure
    file_.end_header();
  }

  WriteStatus write(const SegmentSample& sample) noexcept override {
    if (sample.segments.size() != segments_ || (last_ && sample.t <= *last_)) return WriteStatus::Dropped;
    line_.clear();
    append_seconds(sample.t, line_);
    const auto append = [&](bool there, double value) {
      line_ += ',';
      if (there && std::isfinite(value)) append_number(value, line_);
    };
    for (const SegmentMotion& segment : sample.segments) {
      for (const double x : segment.p_WS) append(segment.has_position, x);
      for (const double x : so3::to_quaternion_wxyz(segment.R_WS)) append(segment.has_orientation, x);
    }
    line_ += '\n';
    if (!file_.write(line_)) return WriteStatus::Dropped;
    last_ = sample.t;
    return WriteStatus::Written;
  }

  void close() override { file_.close(); }

 private:
  std::size_t segments_;
  PartFile file_;
  std::optional<Time> last_;
  std::string line_;
};

}  // namespace

bool is_keypoint_csv(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = trimmed(head.substr(0, end));
    const bool cut = end == head.size();
    head.remove_prefix(std::min(end + 1, head.size()));
    if (line.empty() || line.front() == '#' || line.starts_with("\xef\xbb\xbf#")) continue;
    auto labels = split_cells(line);
    if (cut && labels.size() > 1) labels.pop_back();
    if (labels.size() < 2 || std::find(labels.begin(), labels.end(), "base_qw") != labels.end()) return false;
    return std::any_of(labels.begin() + 1, labels.end(),
                       [](std::string_view label) { return column_of(label).kind != Column::Unknown; });
  }
  return false;
}

KeypointClip read_keypoint_csv(const std::string& path) {
  LineReader reader(path);
  return CsvReader(reader).read();
}

KeypointClip read_keypoint_csv(std::istream& stream, const std::string& name) {
  LineReader reader(stream, name);
  return CsvReader(reader).read();
}

std::unique_ptr<SampleFile> create_keypoint_csv(const Destination& to,
                                                const std::vector<std::string>& segments,
                                                const SampleFileOptions& /*options*/) {
  for (const std::string& name : segments) {
    if (name.empty() || name.find_first_of(",\"\r\n#") != std::string::npos)
      throw ConfigError(
          "segment " + in_quotes(name) +
          " cannot be part of a column's name (empty, or contains a comma, quote, line break or #)");
  }
  return std::make_unique<KeypointCsvFile>(to, segments);
}

}  // namespace panto::io
