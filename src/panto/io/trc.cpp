// Reads and writes marker files (.trc) of OpenSim, Cortex and compatible programs. Facts: OpenSim's file
// formats (formats, section 4).

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/keypoint_io.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounded = 1.1e-3;  // [s] rounding error of times with three decimals
constexpr std::size_t kCountDigits = 9;
// Numbers of all markers that are kept: so many, and so many for each cell that is there.
constexpr std::size_t kFreeNumbers = 1'000'000, kNumbersPerCell = 50;

// splits at tabs and trims blanks; a line without tabs is split into words
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  if (line.find('\t') == std::string_view::npos) {
    for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
      const std::size_t end = std::min(line.find(' '), line.size());
      cells.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    return cells;
  }
  for (bool more = true; more;) {
    const std::size_t tab = line.find('\t');
    more = tab != std::string_view::npos;
    cells.push_back(trimmed(line.substr(0, tab)));
    if (more) line.remove_prefix(tab + 1);
  }
  while (!cells.empty() && cells.back().empty()) cells.pop_back();
  return cells;
}

class TrcReader {
 public:
  explicit TrcReader(LineReader& reader) : reader_(reader) {
    clip_.name = reader.path();
    clip_.x_forward = true;
  }

  KeypointClip read() {
    read_head();
    read_names();
    read_rows();
    settle_times();
    return std::move(clip_);
  }

 private:
  std::string_view line(const char* what) {
    std::string_view text;
    if (!reader_.next(text)) throw reader_.error(std::string("the file ends before ") + what);
    return text;
  }

  void read_head() {
    const std::string_view first = line("its first line");
    if (!trimmed(first).starts_with("PathFileType"))
      throw reader_.error("begins with " + in_quotes(trimmed(first)) +
                          "; a .trc file begins with PathFileType");
    // keys and values in the same order
    std::vector<std::string> keys;
    for (const std::string_view key : cells_of(line("the line of header keys"))) {
      if (!key.empty()) keys.emplace_back(key);
    }
    std::vector<std::string> values;
    for (const std::string_view value : cells_of(line("the line of header values"))) {
      if (!value.empty()) values.emplace_back(value);
    }
    for (std::size_t i = 0; i < std::min(keys.size(), values.size()); ++i) read_key(keys[i], values[i]);
    if (clip_.unit == 0.0)
      clip_.notes.emplace_back("the header has no Units; the unit is found from the body's size");
  }

  void read_key(std::string_view key, std::string_view value) {
    if (equal_ignoring_case(key, "Units")) {
      if (equal_ignoring_case(value, "mm")) clip_.unit = 1e-3;
      if (equal_ignoring_case(value, "cm")) clip_.unit = 1e-2;
      if (equal_ignoring_case(value, "m") || equal_ignoring_case(value, "meters")) clip_.unit = 1.0;
      if (clip_.unit == 0.0) throw reader_.error("Units are " + in_quotes(value) + "; expected mm, cm or m");
      return;
    }
    const bool rate = equal_ignoring_case(key, "DataRate"), frames = equal_ignoring_case(key, "NumFrames"),
               markers = equal_ignoring_case(key, "NumMarkers");
    if (!rate && !frames && !markers) return;
    const auto number = parse_number(value);
    if (!number || !std::isfinite(*number) || *number < 0.0) {
      clip_.notes.push_back(std::string(key) + " is " + in_quotes(value) + ", not a number; left out");
      return;
    }
    if (rate && is_rate(*number)) clip_.rate_hz = *number;
    if (frames) declared_frames_ = number;
    if (markers) declared_markers_ = number;
  }

  void read_names() {
    const auto cells = cells_of(line("the line of marker names"));
    if (cells.size() < 2 || !cells[0].starts_with("Frame") || !equal_ignoring_case(cells[1], "Time"))
      throw reader_.error("the line of marker names must begin with Frame# and Time");
    for (std::size_t i = 2; i < cells.size(); ++i) {
      if (!cells[i].empty()) clip_.names.emplace_back(cells[i]);
    }
    if (clip_.names.empty()) throw reader_.error("the file has no marker names");
    if (clip_.names.size() > kMostNames)
      throw reader_.error(std::to_string(clip_.names.size()) + " markers, more than " +
                          std::to_string(kMostNames));
    if (declared_markers_ && *declared_markers_ != static_cast<double>(clip_.names.size())) {
      clip_.notes.push_back("the header says NumMarkers=" + shown(*declared_markers_) + ", but " +
                            std::to_string(clip_.names.size()) + " have names");
    }
    (void)line("the line of X1, Y1, Z1");
  }

  static std::string shown(double number) {
    std::string text;
    append_number(number, text);
    return text;
  }

  void read_rows() {
    std::string_view text;
    while (reader_.next(text)) {
      if (trimmed(text).empty()) continue;
      const auto cells = cells_of(text);
      // a truncated line has lost at least part of its last number
      if (!reader_.terminated() && cells.size() < 2 + 3 * clip_.names.size()) {
        clip_.notes.push_back("the last line is truncated and left out");
        clip_.incomplete = true;
        break;
      }
      read_row(cells);
    }
    if (clip_.times.empty()) throw reader_.error("the file has no frames");
    if (incomplete_ > 0)
      clip_.notes.push_back(counted(incomplete_, "marker") +
                            " with missing coordinates in a frame taken as not visible");
    if (declared_frames_ && *declared_frames_ != static_cast<double>(clip_.times.size())) {
      clip_.notes.push_back("the header says NumFrames=" + shown(*declared_frames_) + ", but there are " +
                            std::to_string(clip_.times.size()));
      clip_.incomplete = clip_.incomplete || *declared_frames_ > static_cast<double>(clip_.times.size());
    }
  }

  void read_row(const std::vector<std::string_view>& cells) {
    const std::size_t expected = 2 + 3 * clip_.names.size();
    if (cells.size() < 2 || cells.size() > expected)
      throw reader_.error(std::to_string(cells.size()) + " cells, but frame, time and " +
                          counted(std::ssize(clip_.names), "marker") + " need " + std::to_string(expected));
    // rows may end before the last markers, but a few cells must not take the memory of thousands
    cells_ += cells.size();
    if (clip_.positions.size() + 3 * clip_.names.size() > kFreeNumbers + kNumbersPerCell * cells_)
      throw reader_.error("most of the " + std::to_string(clip_.names.size()) +
                          " markers are missing in most frames");
    const auto frame = parse_number(cells[0]);
    const auto time = parse_seconds(cells[1]);
    if (!frame || !std::isfinite(*frame))
      throw reader_.error("the frame " + in_quotes(cells[0]) + " is not a number");
    if (!time)
      throw reader_.error("the time " + in_quotes(cells[1]) + " is not a number of seconds" +
                          comma_hint(cells[1]));
    const auto before = clip_.times.empty() ? std::nullopt : std::optional(clip_.times.back());
    if (const std::string refusal = refusal_of_stamp(*time, before); !refusal.empty())
      throw reader_.error(refusal);
    clip_.times.push_back(*time);
    frames_.push_back(*frame);
    for (std::size_t j = 0; j < clip_.names.size(); ++j) {
      std::array<double, 3> p{kNone, kNone, kNone};
      int there = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t column = 2 + 3 * j + axis;
        if (column >= cells.size() || cells[column].empty()) continue;
        const auto value = parse_number(cells[column]);
        if (!value) {
          throw reader_.error("cell " + std::to_string(column + 1) + " (marker " + in_quotes(clip_.names[j]) +
                              ") is " + in_quotes(cells[column]) + ", not a number" +
                              comma_hint(cells[column]));
        }
        p[axis] = *value;
        there += std::isfinite(*value) ? 1 : 0;
      }
      if (there < 3) {
        incomplete_ += there > 0 ? 1 : 0;
        p.fill(kNone);
      }
      clip_.positions.insert(clip_.positions.end(), p.begin(), p.end());
    }
  }

  // Times are often rounded to a millisecond, which disturbs differences of poses. If frame numbers and rate
  // agree with the times, they are used instead.
  void settle_times() {
    if (clip_.rate_hz > 0.0) {
      const auto exact = [&](std::size_t k) {
        return clip_.times.front() + from_seconds((frames_[k] - frames_.front()) / clip_.rate_hz);
      };
      bool agree = true;
      for (std::size_t k = 0; k < frames_.size() && agree; ++k) {
        // in seconds, because frame numbers are arbitrary
        const double span = (frames_[k] - frames_.front()) / clip_.rate_hz;
        agree = (k == 0 || frames_[k] > frames_[k - 1]) &&
                std::abs(to_seconds(clip_.times[k] - clip_.times.front()) - span) < kRounded;
      }
      if (agree) {
        for (std::size_t k = frames_.size(); k-- > 1;) clip_.times[k] = exact(k);
        return;
      }
      clip_.notes.emplace_back("the times of the frames contradict DataRate; the times are used");
    }
    clip_.rate_hz = settle_rate(clip_.times, clip_.rate_hz, clip_.notes);
  }

  LineReader& reader_;
  KeypointClip clip_;
  std::vector<double> frames_;  // numbers as written
  std::optional<double> declared_frames_, declared_markers_;
  long incomplete_ = 0;
  std::size_t cells_ = 0;
};

// ---- writing ----------------------------------------------------------------------------------------------

std::string padded(long long count) {
  std::string digits = std::to_string(count);
  if (digits.size() < kCountDigits) digits.insert(0, kCountDigits - digits.size(), '0');
  return digits;
}

class TrcFile final : public SampleFile {
 public:
  TrcFile(const Destination& to, const std::vector<std::string>& segments, double rate_hz)
      : segments_(segments.size()), file_(to) {
    std::string rate;
    append_number(rate_hz, rate);
    std::string names = "Frame#\tTime", axes = "\t";
    for (std::size_t j = 0; j < segments.size(); ++j) {
      names.append("\t").append(segments[j]).append(j + 1 < segments.size() ? "\t\t" : "");
      for (const char* axis : {"\tX", "\tY", "\tZ"}) axes.append(axis).append(std::to_string(j + 1));
    }
    // close() throws a failure
    (void)file_.write(
        "PathFileType\t4\t(X/Y/Z)\tpanto.trc\n"
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames"
        "\n" +
        rate + "\t" + rate + "\t");
    count_ = file_.write_placeholder(padded(0));
    (void)file_.write("\t" + std::to_string(segments.size()) + "\tmm\t" + rate + "\t1\t");
    original_count_ = file_.write_placeholder(padded(0));
    (void)file_.write("\n" + names + "\n" + axes + "\n\n");
    file_.end_header();
  }

  WriteStatus write(const SegmentSample& sample) noexcept override {
    if (sample.segments.size() != segments_ || (last_ && sample.t <= *last_)) return WriteStatus::Dropped;
    line_ = std::to_string(written_ + 1) + "\t";
    append_seconds(sample.t, line_);
    for (const SegmentMotion& segment : sample.segments) {
      // our x, y, z are OpenSim's X, -Z, Y
      const Eigen::Vector3d p = 1e3 * Eigen::Vector3d(segment.p_WS.x(), segment.p_WS.z(), -segment.p_WS.y());
      for (const double x : p) {
        line_ += '\t';
        if (segment.has_position && p.allFinite()) append_number(x, line_);
      }
    }
    line_ += '\n';
    if (!file_.write(line_)) return WriteStatus::Dropped;
    last_ = sample.t;
    ++written_;
    return WriteStatus::Written;
  }

  void close() override {
    if (file_.good()) {
      file_.patch(count_, padded(written_));
      file_.patch(original_count_, padded(written_));
    }
    file_.close();
  }

 private:
  std::size_t segments_;
  PartFile file_;
  int count_ = 0, original_count_ = 0;
  long long written_ = 0;
  std::optional<Time> last_;
  std::string line_;
};

}  // namespace

KeypointClip read_trc(const std::string& path) {
  LineReader reader(path);
  return TrcReader(reader).read();
}

KeypointClip read_trc(std::istream& stream, const std::string& name) {
  LineReader reader(stream, name);
  return TrcReader(reader).read();
}

std::unique_ptr<SampleFile> create_trc(const Destination& to, const std::vector<std::string>& segments,
                                       const SampleFileOptions& options) {
  if (!(options.rate_hz > 0.0 && std::isfinite(options.rate_hz)))
    throw ConfigError("a .trc file needs a rate above 0 Hz");
  for (const std::string& name : segments) {
    if (name.empty() || name.find_first_of("\t\r\n") != std::string::npos)
      throw ConfigError("segment " + in_quotes(name) +
                        " cannot be the name of a marker: names must not be empty or contain tabs");
  }
  return std::make_unique<TrcFile>(to, segments, options.rate_hz);
}

}  // namespace panto::io
