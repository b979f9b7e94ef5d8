// Reads landmarks from tables: a column a coordinate, or a row a landmark (docs/formats/landmarks.md).

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/landmarks.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/keypoints/landmarks.hpp"
#include "panto/keypoints/point_sets.hpp"

namespace panto::io {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLeastPoints = 5;    // with x and y: fewer are other tables
constexpr std::size_t kMostPoints = 1000;  // of all sets, 553 is the largest
constexpr double kLongStep = 1.0;          // stamps without a unit that are further apart are milliseconds

// Words of column names, lower case.
using Words = std::span<const std::string_view>;
constexpr std::array<std::string_view, 8> kConfidence{"v",     "vis",  "visibility", "c",
                                                      "score", "conf", "confidence", "likelihood"};
constexpr std::array<std::string_view, 13> kGeneric{"landmark", "landmarks", "lmk",   "lm",    "kp",
                                                    "kpt",      "keypoint",  "joint", "point", "pt",
                                                    "world",    "pose",      "3d"};
constexpr std::array<std::string_view, 9> kFrame{"frame",      "frameidx",    "frameindex",
                                                 "frameid",    "framenumber", "framenum",
                                                 "framecount", "frameno",     "imageid"};
constexpr std::array<std::string_view, 14> kName{
    "landmark",  "landmarkid", "landmarkidx", "landmarkindex", "landmarkname", "joint", "jointid",
    "jointname", "keypoint",   "keypointid",  "keypointname",  "bodypart",     "point", "pointid"};
constexpr std::array<std::string_view, 5> kPerson{"person", "personid", "trackid", "personidx", "poseid"};
struct Unit {
  std::string_view word;
  double seconds;  // 0: to be found
};
constexpr std::array<Unit, 17> kTimes{{{"time", 0.0},
                                       {"timestamp", 0.0},
                                       {"t", 0.0},
                                       {"times", 1.0},
                                       {"timesec", 1.0},
                                       {"timeseconds", 1.0},
                                       {"timestamps", 1.0},
                                       {"timestampsec", 1.0},
                                       {"tsec", 1.0},
                                       {"seconds", 1.0},
                                       {"sec", 1.0},
                                       {"ms", 1e-3},
                                       {"timems", 1e-3},
                                       {"timestampms", 1e-3},
                                       {"tms", 1e-3},
                                       {"milliseconds", 1e-3},
                                       {"timestampus", 1e-6}}};

bool is_one_of(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "LEFT_HIP.x" -> left, hip, x; "leftHipX" -> left, hip, x; "x11" -> x, 11; "lmk0_x" -> lmk, 0, x
std::vector<std::string> words_of(std::string_view label) {
  std::vector<std::string> words{""};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  for (std::size_t i = 0; i < label.size(); ++i) {
    const char c = label[i], before = i > 0 ? label[i - 1] : ' ';
    if (!is_digit(c) && !is_upper(c) && !is_lower(c)) {
      if (!words.back().empty()) words.emplace_back();
      continue;
    }
    const bool turns = (is_upper(c) && is_lower(before)) || (is_digit(c) != is_digit(before));
    if (turns && !words.back().empty() && before != '_') words.emplace_back();
    words.back() += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::optional<int> component_of(std::string_view word) {
  if (word == "x") return 0;
  if (word == "y") return 1;
  if (word == "z") return 2;
  if (is_one_of(word, kConfidence)) return 3;
  return std::nullopt;
}

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

struct Column {
  enum Kind : unsigned char { Other, Coordinate, Frame, Stamp, Name, Person } kind = Other;
  std::string point;   // its name, or its number; empty in tables of one landmark a row
  int component = -1;  // 0 .. 2, 3 confidence
  double seconds = 0.0;
  bool world = false;
};

Column column_of(std::string_view label) {
  std::vector<std::string> words = words_of(label);
  std::string key;
  for (const std::string& word : words) key += word;
  Column column;
  if (is_one_of(key, kFrame)) column.kind = Column::Frame;
  if (is_one_of(key, kName)) column.kind = Column::Name;
  if (is_one_of(key, kPerson)) column.kind = Column::Person;
  for (const auto& [word, seconds] : kTimes) {
    if (key != word) continue;
    column.kind = Column::Stamp;
    column.seconds = seconds;
  }
  if (column.kind != Column::Other || words.empty()) return column;
  column.world = std::find(words.begin(), words.end(), "world") != words.end();
  std::erase_if(words, [](const std::string& word) { return is_one_of(word, kGeneric); });
  if (words.empty()) return column;
  // a confidence of one letter must not eat the side of a name
  if (const auto last = component_of(words.back())) {
    column.component = *last;
    words.pop_back();
  } else if (const auto first = component_of(words.front())) {
    column.component = *first;
    words.erase(words.begin());
  } else {
    return column;
  }
  column.kind = Column::Coordinate;
  for (const std::string& word : words)
    column.point += (column.point.empty() || whole_number(word) ? "" : "_") + word;
  return column;
}

struct Header {
  std::vector<Column> columns;
  std::vector<std::string> points;  // names or numbers
  bool tall = false;                // one landmark a row
  bool numbered = false;
};

// separators as spreadsheets write them
char separator_of(std::string_view line) {
  char best = ',';
  for (const char c : {';', '\t'}) {
    if (std::count(line.begin(), line.end(), c) > std::count(line.begin(), line.end(), best)) best = c;
  }
  return best;
}

std::optional<Header> header_of(std::string_view line) {
  Header header;
  bool world = false;
  for (const std::string_view label : split_cells(line, separator_of(line))) {
    header.columns.push_back(column_of(label));
    world = world || header.columns.back().world;
  }
  std::map<std::string, unsigned> axes;  // by point, a bit each
  bool name = false;
  for (Column& column : header.columns) {
    // a pose in the image beside the pose in the world
    if (world && !column.world && column.component >= 0 && column.component < 3) column.kind = Column::Other;
    name = name || column.kind == Column::Name;
    if (column.kind != Column::Coordinate) continue;
    unsigned& known = axes[column.point];
    if ((known & 1U << static_cast<unsigned>(column.component)) != 0) return std::nullopt;
    if (known == 0) header.points.push_back(column.point);
    known |= 1U << static_cast<unsigned>(column.component);
  }
  const auto flat = [](unsigned known) { return (known & 3U) == 3U; };
  if (name && axes.contains("") && flat(axes[""])) {
    header.tall = true;
    header.points.clear();
    return header;
  }
  std::erase_if(header.points, [&](const std::string& point) { return point.empty() || !flat(axes[point]); });
  if (header.points.size() < kLeastPoints) return std::nullopt;
  header.numbered = std::all_of(header.points.begin(), header.points.end(),
                                [](const std::string& point) { return whole_number(point).has_value(); });
  if (header.numbered) return header;
  const auto landmarks = keypoints::read_landmark_names(header.points).landmark;
  const auto known =
      std::count_if(landmarks.begin(), landmarks.end(), [](int landmark) { return landmark >= 0; });
  return known >= static_cast<std::ptrdiff_t>(kLeastPoints) ? std::optional(header) : std::nullopt;
}

// One row, or one landmark of a row.
struct Entry {
  std::size_t frame = 0, point = 0;
  std::array<double, 4> values{kNone, kNone, kNone, kNone};
};

class Reader {
 public:
  Reader(std::istream& stream, const std::string& name) : reader_(stream, name) { rows_.name = name; }

  LandmarkRows read() {
    std::string_view line;
    do {
      if (!reader_.next(line)) throw reader_.error("the file ends before its header");
    } while (trimmed(line).empty());
    separator_ = separator_of(line);
    const auto header = header_of(line);
    if (!header)
      throw reader_.error("the header names no landmarks: expected columns such as nose_x, nose_y, nose_z");
    header_ = *header;
    if (!header_.tall) place_points();
    while (reader_.next(line)) {
      if (!trimmed(line).empty()) read_row(line);
    }
    finish();
    return std::move(rows_);
  }

 private:
  // where the points of a wide table lie in the rows
  void place_points() {
    for (std::size_t j = 0; j < header_.points.size(); ++j) index_[header_.points[j]] = j;
    if (header_.numbered) number_points(header_.points);
  }

  // numbers begin with 0 or 1 and leave none out
  void number_points(const std::vector<std::string>& points) {
    std::vector<int> numbers;
    for (const std::string& point : points) numbers.push_back(*whole_number(point));
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    if (*low > 1 || *high - *low + 1 != static_cast<int>(numbers.size()))
      throw reader_.error("the landmarks are numbered " + std::to_string(*low) + " to " +
                          std::to_string(*high) + ", and there are " + std::to_string(numbers.size()) +
                          ": part of a set has no meaning without names");
    for (std::size_t j = 0; j < points.size(); ++j) index_[points[j]] = at(numbers[j] - *low);
  }

  void read_row(std::string_view line) {
    const auto cells = split_cells(line, separator_);
    if (cells.size() != header_.columns.size()) {
      if (reader_.terminated())
        throw reader_.error(std::to_string(cells.size()) + " cells instead of " +
                            std::to_string(header_.columns.size()));
      rows_.notes.emplace_back("the last line is truncated and left out");
      rows_.incomplete = true;
      return;
    }
    double frame = kNone, stamp = kNone;
    std::string_view name, person;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Column& column = header_.columns[i];
      if (column.kind == Column::Frame) frame = number(cells[i], i);
      if (column.kind == Column::Stamp && !(std::isfinite(stamp))) {
        stamp = number(cells[i], i);
        stamp_unit_ = column.seconds;
      }
      if (column.kind == Column::Name && (name.empty() || !whole_number(cells[i]))) name = cells[i];
      if (column.kind == Column::Person) person = cells[i];
    }
    if (rows_read_++ == 0) person_ = person;
    if (person != person_) {
      ++others_;
      return;
    }
    if (!begin_frame(frame, stamp)) return;
    if (header_.tall && (name.empty() || !index_.contains(std::string(name)))) add_name(name);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Column& column = header_.columns[i];
      if (column.kind != Column::Coordinate) continue;
      const auto point = index_.find(header_.tall ? std::string(name) : column.point);
      if (point == index_.end()) continue;
      entry(point->second).values[at(column.component)] = number(cells[i], i);
    }
  }

  void add_name(std::string_view name) {
    if (name.empty()) throw reader_.error("the landmark has no name");
    if (index_.size() == kMostPoints)
      throw reader_.error("more than " + std::to_string(kMostPoints) + " landmarks with names");
    index_[std::string(name)] = index_.size();
    header_.points.emplace_back(name);
  }

  // Returns false for a row of a frame that is there already: that of another person.
  bool begin_frame(double frame, double stamp) {
    const bool same = header_.tall && !rows_.frames.empty() &&
                      (std::isfinite(frame) ? frame == rows_.frames.back() : stamp == stamps_.back());
    if (same) return true;
    if (std::isfinite(frame) && !rows_.frames.empty() && frame <= rows_.frames.back()) {
      if (frame < rows_.frames.back())
        throw reader_.error("the frame " + digits(frame, 9) + " comes after frame " +
                            digits(rows_.frames.back(), 9));
      ++others_;
      return false;
    }
    if (header_.tall && !std::isfinite(frame) && !std::isfinite(stamp))
      throw reader_.error("a table of one landmark a row needs a column 'frame'");
    rows_.frames.push_back(std::isfinite(frame) ? frame : static_cast<double>(rows_.frames.size()));
    stamps_.push_back(stamp);
    return true;
  }

  Entry& entry(std::size_t point) {
    const std::size_t frame = rows_.frames.size() - 1;
    if (entries_.empty() || entries_.back().frame != frame || entries_.back().point != point)
      entries_.push_back({frame, point, {kNone, kNone, kNone, kNone}});
    return entries_.back();
  }

  // empty: not seen
  double number(std::string_view cell, std::size_t column) const {
    if (cell.empty() || cell == "None" || cell == "null" || cell == "NA") return kNone;
    const auto value = parse_number(cell);
    if (!value)
      throw reader_.error("cell " + std::to_string(column + 1) + " is " + in_quotes(cell) + ", not a number" +
                          comma_hint(cell));
    return *value;
  }

  void finish() {
    if (rows_.frames.empty()) throw reader_.error("the table has no rows");
    if (header_.tall) {
      header_.numbered =
          std::all_of(header_.points.begin(), header_.points.end(),
                      [](const std::string& point) { return whole_number(point).has_value(); });
      if (header_.numbered) renumber();
    }
    rows_.points = header_.points.size();
    if (!header_.numbered) rows_.names = header_.points;
    // a file that names each landmark once has no body in a frame
    if (rows_.points * rows_.frames.size() > 16 * entries_.size() + 1000)
      throw FormatError(rows_.name + ": most of its " + counted(std::ssize(header_.points), "landmark") +
                        " are missing in most frames");
    rows_.values.assign(4 * rows_.points * rows_.frames.size(), kNone);
    for (const Entry& entry : entries_) {
      for (std::size_t i = 0; i < 4; ++i) {
        double& value = rows_.values[4 * (entry.frame * rows_.points + entry.point) + i];
        if (std::isfinite(entry.values[i])) value = entry.values[i];
      }
    }
    if (others_ > 0)
      rows_.notes.push_back(counted(others_, "row") + " of other people left out: the first person is read");
    set_times();
  }

  void renumber() {
    const std::map<std::string, std::size_t> before = std::exchange(index_, {});
    number_points(header_.points);
    std::vector<std::size_t> place(header_.points.size());
    for (const auto& [point, index] : before) place[index] = index_[point];
    for (Entry& entry : entries_) entry.point = place[entry.point];
  }

  void set_times() {
    if (!std::all_of(stamps_.begin(), stamps_.end(), [](double t) { return std::isfinite(t); })) return;
    if (stamp_unit_ == 0.0) {
      const double step = stamps_.size() > 1
                              ? (stamps_.back() - stamps_.front()) / static_cast<double>(stamps_.size() - 1)
                              : 0.0;
      stamp_unit_ = step > kLongStep ? 1e-3 : 1.0;
      if (step > kLongStep) rows_.notes.emplace_back("times without a unit are taken as milliseconds");
    }
    for (double& stamp : stamps_) stamp *= stamp_unit_;
    rows_.seconds = std::move(stamps_);
  }

  LineReader reader_;
  LandmarkRows rows_;
  Header header_;
  char separator_ = ',';
  std::map<std::string, std::size_t> index_;  // of a point, by its name or number
  std::vector<Entry> entries_;
  std::vector<double> stamps_;
  double stamp_unit_ = 0.0;
  std::string person_;
  std::int64_t rows_read_ = 0, others_ = 0;
};

}  // namespace

bool is_landmark_csv(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    std::string_view line = trimmed(head.substr(0, end));
    if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    if (!line.empty()) {
      // a long header is cut: its last label is not whole
      if (end == std::string_view::npos && line.find_last_of(",;\t") != std::string_view::npos)
        line = line.substr(0, line.find_last_of(",;\t"));
      return header_of(line).has_value();
    }
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  return false;
}

KeypointClip read_landmark_csv(std::istream& stream, const std::string& name) {
  return landmark_clip(Reader(stream, name).read());
}

}  // namespace panto::io
