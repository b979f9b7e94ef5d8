// The reader of .mot and .sto. Facts: OpenSim's file formats (formats, section 4).

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "panto/base/text.hpp"
#include "panto/io/opensim.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

constexpr std::size_t kHeaderLines = 10'000;  // a longer header means another format
constexpr std::string_view kBlanks = " \t";

std::vector<std::string> split(std::string_view line, std::string_view separators) {
  std::vector<std::string> parts;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(separators), line.size());
    const std::string_view part = trimmed(line.substr(0, end));
    if (!part.empty()) parts.emplace_back(part);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return parts;
}

// the table's size as declared in the header
struct Declared {
  std::optional<long long> rows;
  std::optional<long long> columns;
};

class TableReader {
 public:
  explicit TableReader(LineReader& reader) : reader_(reader) { table_.path = reader.path(); }

  OpenSimTable read() {
    read_header();
    read_labels();
    read_rows();
    check_counts();
    check_degrees();
    return std::move(table_);
  }

 private:
  void note(std::string text) { table_.notes.push_back(std::move(text)); }

  // --- header

  void read_header() {
    std::string_view line;
    for (std::size_t count = 0;; ++count) {
      if (!reader_.next(line)) throw reader_.error("the file ends before the line 'endheader'");
      if (count == kHeaderLines) throw reader_.error("no line 'endheader' in the first 10000 lines");
      const std::string_view text = trimmed(line);
      if (equal_ignoring_case(text, "endheader")) break;
      if (!text.empty()) read_header_line(text, count == 0);
    }
    if (table_.version < 1 || table_.version > 3) {
      note("version=" + std::to_string(table_.version) + " is unknown; read as version 3");
    }
  }

  void read_header_line(std::string_view text, bool first) {
    std::size_t delimiter = text.find('=');
    if (delimiter == std::string_view::npos) {
      // SIMM: "datarows 211"
      delimiter = text.find_first_of(kBlanks);
      const std::string_view word = text.substr(0, delimiter);
      const bool simm =
          word == "datarows" || word == "datacolumns" || word == "nr" || word == "nc" || word == "name";
      if (!simm || delimiter == std::string_view::npos) {
        if (first) {
          table_.name = text;
        } else {
          table_.comments.emplace_back(text);
        }
        return;
      }
    }
    const std::string_view key = trimmed(text.substr(0, delimiter));
    const std::string_view value = trimmed(text.substr(delimiter + 1));
    table_.header.emplace_back(key, value);
    read_key(key, value);
  }

  void read_key(std::string_view key, std::string_view value) {
    if (equal_ignoring_case(key, "nRows") || key == "datarows" || key == "nr") {
      declared_.rows = read_count(key, value);
    } else if (equal_ignoring_case(key, "nColumns") || key == "datacolumns" || key == "nc") {
      declared_.columns = read_count(key, value);
    } else if (equal_ignoring_case(key, "version")) {
      const auto version = read_count(key, value);
      if (version) table_.version = static_cast<int>(std::min(*version, 1000LL));
    } else if (equal_ignoring_case(key, "inDegrees")) {
      read_degrees(value);
    } else if (equal_ignoring_case(key, "DataType")) {
      read_data_type(value);
    } else if (equal_ignoring_case(key, "DataRate")) {
      const auto rate = parse_number(value);
      if (rate && std::isfinite(*rate) && *rate > 0.0) {
        table_.data_rate_hz = rate;
      } else {
        note("DataRate=" + in_quotes(value) + " is not a positive number; ignored");
      }
    } else if (key == "name") {
      table_.name = value;
    }
  }

  std::optional<long long> read_count(std::string_view key, std::string_view value) {
    long long count = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), count);
    if (error == std::errc{} && stop == value.data() + value.size() && count >= 0) return count;
    note(std::string(key) + "=" + in_quotes(value) + " is not a count; left out");
    return std::nullopt;
  }

  void read_degrees(std::string_view value) {
    for (const std::string_view yes : {"yes", "y", "true", "1"}) {
      if (equal_ignoring_case(value, yes)) table_.in_degrees = true;
    }
    for (const std::string_view no : {"no", "n", "false", "0"}) {
      if (equal_ignoring_case(value, no)) table_.in_degrees = false;
    }
    if (!table_.in_degrees) note("inDegrees=" + in_quotes(value) + " is neither yes nor no; left out");
  }

  void read_data_type(std::string_view value) {
    struct Kind {
      std::string_view name;
      int components;
    };
    static constexpr Kind kinds[] = {
        {"double", 1}, {"Quaternion", 4}, {"Vec3", 3}, {"UnitVec3", 3}, {"SpatialVec", 6}};
    table_.data_type = value;
    for (const Kind& kind : kinds) {
      if (!equal_ignoring_case(value, kind.name)) continue;
      table_.components = kind.components;
      return;
    }
    // Vec2 .. Vec12
    int size = 0;
    const char* const end = value.data() + value.size();
    if (value.starts_with("Vec") && value.size() > 3 &&
        std::from_chars(value.data() + 3, end, size).ptr == end && size >= 2 && size <= 12) {
      table_.components = size;
      return;
    }
    throw reader_.error("DataType=" + in_quotes(value) +
                        "; expected double, Quaternion, Vec3, UnitVec3, SpatialVec or Vec2 to Vec12");
  }

  // --- labels

  void read_labels() {
    std::string_view line;
    do {
      if (!reader_.next(line)) throw reader_.error("the file ends before the line of column labels");
    } while (trimmed(line).empty());
    // Tabs separate labels, and OpenSim's own reader also splits at blanks. If labels contain blanks, the
    // declared columns decide which is meant, else the first row.
    by_tabs_ = split(line, "\t");
    by_blanks_ = split(line, kBlanks);
    label_line_ = reader_.number();
    if (!equal_ignoring_case(by_blanks_.front(), "time")) {
      throw reader_.error("the first label is " + in_quotes(by_blanks_.front()) + ", but it must be 'time'");
    }
    table_.labels =
        by_tabs_.size() == by_blanks_.size() || matches_declared(by_tabs_) || !matches_declared(by_blanks_)
            ? by_tabs_
            : by_blanks_;
    if (table_.labels.size() > kMostNames)
      throw reader_.error(std::to_string(table_.labels.size()) + " labels, more than " +
                          std::to_string(kMostNames));
  }

  bool matches_declared(const std::vector<std::string>& labels) const {
    return declared_.columns && *declared_.columns == static_cast<long long>(labels.size());
  }

  // chooses the labels for rows of `cells` cells, time included
  void settle_labels(std::size_t cells) {
    for (const auto* labels : {&by_tabs_, &by_blanks_}) {
      if (cells != table_.labels.size() && cells == labels->size()) table_.labels = *labels;
    }
  }

  void finish_labels() {
    if (!equal_ignoring_case(table_.labels.front(), "time")) {
      throw FormatError(table_.path + ":" + std::to_string(label_line_) + ": the first label is " +
                        in_quotes(table_.labels.front()) + ", but it must be 'time'");
    }
    table_.labels.erase(table_.labels.begin());
    std::set<std::string_view> seen;
    for (const std::string& label : table_.labels) {
      if (!seen.insert(label).second)
        note("label " + in_quotes(label) + " occurs twice; the first one is used");
    }
  }

  // --- rows

  void read_rows() {
    std::string_view line;
    bool settled = false;
    while (reader_.next(line)) {
      std::string_view text = trimmed(line);
      if (text.empty()) continue;
      try {
        read_row(text);
        if (!settled) settle_labels(cells_.size() / components() + 1);
        settled = true;
        check_row();
      } catch (const FormatError&) {
        // a truncated last line is not a row
        if (reader_.terminated() || table_.time.empty()) throw;
        note("the last line is truncated and left out");
        table_.incomplete = true;
        break;
      }
      table_.values.insert(table_.values.end(), cells_.begin(), cells_.end());
      add_time();
    }
    finish_labels();
    if (backwards_ > 0) {
      note("the time does not increase at " + counted(backwards_, "row") + ", first in line " +
           std::to_string(first_backwards_));
    }
    if (not_finite_ > 0) note(std::to_string(not_finite_) + " numbers are NaN or infinite");
  }

  void check_row() const {
    if (cells_.size() == (table_.labels.size() - 1) * components()) return;
    throw reader_.error(std::to_string(cells_.size() / components() + 1) + " cells under " +
                        std::to_string(table_.labels.size()) + " labels" +
                        (reader_.terminated() ? "" : "; the file seems to be truncated"));
  }

  std::size_t components() const { return static_cast<std::size_t>(table_.components); }

  // reads time into row_time_, everything else into cells_
  void read_row(std::string_view text) {
    cells_.clear();
    const auto time = parse_number(next_token(text));
    if (!time || !std::isfinite(*time)) throw reader_.error("the time is not a finite number");
    row_time_ = *time;
    for (std::size_t column = 1; !text.empty(); ++column) read_cell(text, column);
  }

  void add_time() {
    if (!table_.time.empty() && row_time_ <= table_.time.back() && backwards_++ == 0) {
      first_backwards_ = reader_.number();
    }
    table_.time.push_back(row_time_);
    table_.lines.push_back(reader_.number());
  }

  // returns the text up to the next blank, tab or comma and removes it and following blanks from `text`
  static std::string_view next_token(std::string_view& text) {
    const std::size_t end = std::min(text.find_first_of(" \t,"), text.size());
    const std::string_view token = text.substr(0, end);
    text = trimmed(text.substr(end));
    return token;
  }

  // reads one cell: the numbers of the data type, separated by commas (and perhaps blanks)
  void read_cell(std::string_view& text, std::size_t column) {
    for (int i = 0; i < table_.components; ++i) {
      const std::string_view token = next_token(text);
      const auto value = parse_number(token);
      if (!value) {
        throw reader_.error("cell " + std::to_string(column + 1) + " holds " + in_quotes(token) +
                            ", not a number");
      }
      if (!std::isfinite(*value)) ++not_finite_;
      cells_.push_back(*value);
      const bool comma = text.starts_with(',');
      if (comma != (i + 1 < table_.components)) {
        throw reader_.error("cell " + std::to_string(column + 1) + " has " +
                            (comma ? "more than " : "only ") + std::to_string(i + 1) + " of the " +
                            std::to_string(table_.components) + " numbers of DataType " + table_.data_type +
                            (comma ? comma_hint(",") : ""));
      }
      if (comma) text = trimmed(text.substr(1));
    }
  }

  // --- plausibility

  void check_counts() {
    if (declared_.rows && *declared_.rows != static_cast<long long>(table_.rows())) {
      note("the header says nRows=" + std::to_string(*declared_.rows) + ", but there " +
           (table_.rows() == 1 ? "is " : "are ") + counted(static_cast<std::int64_t>(table_.rows()), "row") +
           (*declared_.rows > static_cast<long long>(table_.rows()) ? ": the file may be truncated" : ""));
      table_.incomplete = table_.incomplete || *declared_.rows > static_cast<long long>(table_.rows());
    }
    if (declared_.columns && *declared_.columns != static_cast<long long>(table_.labels.size()) + 1) {
      note("the header says nColumns=" + std::to_string(*declared_.columns) + ", but there are " +
           std::to_string(table_.labels.size() + 1) + " columns, time included");
    }
    if (table_.rows() > 0 && !reader_.terminated())
      note("the last line has no line end: the file may be truncated");
  }

  // recognises OpenSim's names of lengths and of columns that are not coordinates
  static bool may_be_angle(std::string_view label) {
    if (label.ends_with("/value")) label.remove_suffix(6);
    for (const std::string_view end : {"_tx", "_ty", "_tz", "_vx", "_vy", "_vz", "_px", "_py", "_pz",
                                       "/speed", "/activation", "/fiber_length", "_u", "_force", "_moment"}) {
      if (label.ends_with(end)) return false;
    }
    return label.find("force") == std::string_view::npos && label.find("torque") == std::string_view::npos;
  }

  // The flag may be wrong. Degrees of a moving body exceed 10, which no joint reaches in radians; radians
  // never exceed about 3.2.
  void check_degrees() {
    if (!table_.in_degrees || table_.components != 1) return;
    double largest = 0.0;
    std::size_t angles = 0;
    for (std::size_t column = 0; column < table_.labels.size(); ++column) {
      if (!may_be_angle(table_.labels[column])) continue;
      ++angles;
      for (std::size_t row = 0; row < table_.rows(); ++row) {
        const double value = std::abs(table_.cell(row, column)[0]);
        if (std::isfinite(value)) largest = std::max(largest, value);
      }
    }
    std::string shown;
    append_number(largest, shown);
    if (!*table_.in_degrees && largest > 10.0) {
      note("inDegrees=no, but an angle of " + shown + " occurs; these are probably degrees");
    }
    if (*table_.in_degrees && angles >= 6 && largest > 0.02 && largest < 3.2) {
      note("inDegrees=yes, but no angle is larger than " + shown + "; these may be radians");
    }
  }

  LineReader& reader_;
  OpenSimTable table_;
  Declared declared_;
  std::vector<std::string> by_tabs_, by_blanks_;
  long label_line_ = 0;
  double row_time_ = 0.0;
  std::vector<double> cells_;
  long backwards_ = 0, first_backwards_ = 0, not_finite_ = 0;
};

}  // namespace

std::span<const double> OpenSimTable::cell(std::size_t row, std::size_t column) const {
  const auto width = static_cast<std::size_t>(components);
  return std::span(values).subspan((row * labels.size() + column) * width, width);
}

FormatError OpenSimTable::error(std::size_t row, const std::string& problem) const {
  return FormatError(path + ":" + std::to_string(lines[row]) + ": " + problem);
}

std::vector<Time> OpenSimTable::stamps() const {
  std::vector<Time> result;
  result.reserve(rows());
  for (std::size_t k = 0; k < rows(); ++k) {
    if (!(std::abs(time[k]) < 9e9)) throw error(k, "the time is out of range");
    const Time t = from_seconds(time[k]);
    const auto before = k > 0 ? std::optional(result.back()) : std::nullopt;
    if (const std::string refusal = refusal_of_stamp(t, before); !refusal.empty()) throw error(k, refusal);
    result.push_back(t);
  }
  return result;
}

std::optional<std::size_t> OpenSimTable::find(std::string_view label) const noexcept {
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (found == labels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - labels.begin());
}

std::optional<std::string_view> OpenSimTable::find_header(std::string_view key) const noexcept {
  for (const auto& [name_of, value] : header) {
    if (name_of == key) return value;
  }
  return std::nullopt;
}

OpenSimTable read_opensim_table(const std::string& path) {
  LineReader reader(path);
  return TableReader(reader).read();
}

OpenSimTable read_opensim_table(std::istream& stream, const std::string& name) {
  LineReader reader(stream, name);
  return TableReader(reader).read();
}

}  // namespace panto::io
