// Reads landmarks from JSON: whatever lies around them, frames hold people and people hold lists of points
// (docs/formats/landmarks.md).

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/landmark_lists.hpp"
#include "panto/io/landmarks.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

using Json = nlohmann::json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostPoints = 1000;
constexpr std::size_t kLargestFrame = std::size_t{4} << 20U;  // file of one frame [bytes]
constexpr double kLongStep = 1.0;  // stamps without a unit that are further apart are milliseconds

constexpr std::array<std::string_view, 7> kFrame{"frame",        "frame_id",   "frame_index", "frame_idx",
                                                 "frame_number", "frameIndex", "image_id"};
constexpr std::array<std::string_view, 4> kPerson{"person_id", "track_id", "instance_id", "id"};
constexpr std::array<std::string_view, 5> kScores{"keypoint_scores", "keypoints_scores", "scores",
                                                  "confidence", "visibility"};
constexpr std::array<std::string_view, 7> kScore{"visibility", "confidence", "score", "likelihood",
                                                 "presence",   "conf",       "v"};
constexpr std::array<std::string_view, 5> kNames{"keypoint_names", "joint_names", "landmark_names", "names",
                                                 "keypoint_id2name"};
constexpr std::array<std::string_view, 5> kRates{"fps", "frame_rate", "framerate", "video_fps", "frameRate"};
struct Clock {
  std::string_view key;
  double seconds;  // 0: to be found
};
constexpr std::array<Clock, 7> kClocks{{{"timestamp_ms", 1e-3},
                                        {"timestampMs", 1e-3},
                                        {"time_ms", 1e-3},
                                        {"time_s", 1.0},
                                        {"timestamp", 0.0},
                                        {"time", 0.0},
                                        {"t", 0.0}}};

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

template <typename Keys>
const Json* member(const Json& object, const Keys& keys) {
  if (!object.is_object()) return nullptr;
  for (const std::string_view key : keys) {
    if (const auto found = object.find(key); found != object.end()) return &*found;
  }
  return nullptr;
}

double number(const Json* value) {
  return value != nullptr && value->is_number() ? value->get<double>() : kNone;
}

class Collector {
 public:
  explicit Collector(const std::string& name) { rows_.name = name; }

  // reads a whole document
  void add(const Json& root) {
    read_facts(root);
    std::string key;
    const Json* frames = frames_of(root, key);
    if (frames == nullptr) {
      add_frame(root, kNone, "");
    } else if (frames->is_object()) {
      for (const auto& [number, frame] : numbered(*frames)) add_frame(*frame, number, key);
    } else {
      rank_ = rank_of_frames(*frames, key);
      for (const Json& frame : *frames) add_frame(frame, kNone, key);
    }
  }

  void read_facts(const Json& root) {
    for (const Json* node : {&root, member(root, std::array{std::string_view("meta_info")}),
                             member(root, std::array{std::string_view("metadata")}),
                             member(root, std::array{std::string_view("info")})}) {
      if (node == nullptr) continue;
      if (const double hz = number(member(*node, kRates)); hz > 1e-3 && hz < 1e6) rows_.rate_hz = hz;
      const Json* names = member(*node, kNames);
      if (names == nullptr || !rows_.names.empty()) continue;
      if (names->is_array()) add_names(*names);
      if (!names->is_object()) continue;
      for (const auto& [index, name] : numbered_names(*names)) rows_.names.push_back(name);
    }
  }

  void add_frame(const Json& frame, double given, const std::string& key) {
    std::vector<LandmarkList> people;
    find_lists(frame, key, people);
    if (rank_ == 0) {
      for (const LandmarkList& list : people) rank_ = std::max(rank_, list.rank);
    }
    std::erase_if(people, [&](const LandmarkList& list) { return list.rank != rank_; });
    if (const Json* stated = member(frame, kFrame)) {
      given = stated->is_string() ? number_in(stated->get_ref<const std::string&>()) : number(stated);
    }
    // people of one frame as elements of their own
    const bool again = std::isfinite(given) && !rows_.frames.empty() && given == rows_.frames.back();
    if (again) {
      several_ += people.empty() ? 0 : 1;
      return;
    }
    rows_.frames.push_back(std::isfinite(given) ? given : static_cast<double>(rows_.frames.size()));
    stamps_.push_back(stamp_of(frame));
    several_ += people.size() > 1 ? 1 : 0;
    read_person(people);
  }

  LandmarkRows finish() {
    if (rows_.points == 0)
      throw FormatError(rows_.name + ": holds no landmarks: no list of at least 5 points with x and y");
    for (std::size_t k = 1; k < rows_.frames.size(); ++k) {
      if (rows_.frames[k] <= rows_.frames[k - 1])
        throw FormatError(rows_.name + ": the frame " + digits(rows_.frames[k], 9) + " comes after frame " +
                          digits(rows_.frames[k - 1], 9));
    }
    if (!std::all_of(rows_.names.begin(), rows_.names.end(),
                     [](const std::string& n) { return !n.empty(); }) ||
        rows_.names.size() != rows_.points)
      rows_.names.clear();
    if (several_ > 0)
      rows_.notes.push_back("several people in " + counted(several_, "frame") +
                            ": the first one is followed");
    if (other_counts_ > 0)
      rows_.notes.push_back(counted(other_counts_, "frame") +
                            " with another number of points taken as not seen");
    set_times();
    return std::move(rows_);
  }

 private:
  static std::vector<std::pair<double, std::string>> numbered_names(const Json& object) {
    std::vector<std::pair<double, std::string>> names;
    for (const auto& [index, name] : object.items()) {
      if (name.is_string()) names.emplace_back(number_in(index), name.get<std::string>());
    }
    std::stable_sort(names.begin(), names.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    return names;
  }

  void add_names(const Json& names) {
    for (const Json& name : names) rows_.names.push_back(name.is_string() ? name.get<std::string>() : "");
  }

  void read_person(const std::vector<LandmarkList>& people) {
    const LandmarkList* person = follow(people);
    if (person == nullptr) {
      if (rows_.points > 0) append_missing(1);
      return;
    }
    const std::size_t count = person->points();
    if (rows_.points == 0) {
      if (count > kMostPoints)
        throw FormatError(rows_.name + ": " + std::to_string(count) + " points in a frame are no body");
      rows_.points = count;
      if (rows_.names.empty()) read_names(*person);
      append_missing(rows_.frames.size() - 1);
    }
    if (count != rows_.points) {
      ++other_counts_;
      append_missing(1);
      return;
    }
    const Json* scores = person->owner != nullptr ? member(*person->owner, kScores) : nullptr;
    if (scores != nullptr && (!scores->is_array() || scores->size() != count)) scores = nullptr;
    std::size_t j = 0;
    const auto add = [&](const Json& point) {
      std::array<double, 4> values = values_of(point);
      if (scores != nullptr && !std::isfinite(values[3])) values[3] = number(&(*scores)[j]);
      rows_.values.insert(rows_.values.end(), values.begin(), values.end());
      ++j;
    };
    if (person->width > 0) {
      append_flat(*person);
    } else {
      for (const Json& point : *person->node) add(point);
    }
    last_ = place_of(*person);
    if (person->owner != nullptr && id_ == nullptr) {
      if (const Json* id = member(*person->owner, kPerson)) id_ = *id;
    }
  }

  void read_names(const LandmarkList& list) {
    if (list.width > 0) return;
    for (const auto& [key, point] : list.node->items()) {
      if (list.node->is_object()) {
        rows_.names.push_back(key);
      } else if (const Json* name = member(point, std::array{std::string_view("name")});
                 name && name->is_string()) {
        rows_.names.push_back(name->get<std::string>());
      }
    }
  }

  void append_missing(std::size_t frames) {
    rows_.values.insert(rows_.values.end(), 4 * rows_.points * frames, kNone);
  }

  void append_flat(const LandmarkList& list) {
    for (std::size_t i = 0; i < list.node->size(); i += list.width) {
      std::array<double, 4> values{kNone, kNone, kNone, kNone};
      for (std::size_t c = 0; c < list.width; ++c) values[c] = number(&(*list.node)[i + c]);
      // x, y and a confidence
      if (list.width == 3) values[3] = std::exchange(values[2], kNone);
      rows_.values.insert(rows_.values.end(), values.begin(), values.end());
    }
  }

  static std::array<double, 4> values_of(const Json& point) {
    std::array<double, 4> values{kNone, kNone, kNone, kNone};
    if (point.is_array()) {
      for (std::size_t c = 0; c < std::min<std::size_t>(4, point.size()); ++c) values[c] = number(&point[c]);
    } else if (point.is_object()) {
      constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
      for (std::size_t c = 0; c < 3; ++c) values[c] = number(member(point, std::array{axes[c]}));
      values[3] = number(member(point, kScore));
    }
    return values;
  }

  // the mean of a person's first points
  static Eigen::Vector2d place_of(const LandmarkList& list) {
    Eigen::Vector2d sum = Eigen::Vector2d::Zero();
    if (list.width > 0) return {number(&(*list.node)[0]), number(&(*list.node)[1])};
    for (const Json& point : *list.node) {
      const auto values = values_of(point);
      sum += Eigen::Vector2d(values[0], values[1]) / static_cast<double>(list.node->size());
    }
    return sum;
  }

  // the person of the frames before: by id, else the nearest one
  const LandmarkList* follow(const std::vector<LandmarkList>& people) const {
    const LandmarkList* best = people.empty() ? nullptr : &people.front();
    double nearest = std::numeric_limits<double>::infinity();
    for (const LandmarkList& list : people) {
      const Json* id = list.owner != nullptr ? member(*list.owner, kPerson) : nullptr;
      if (id != nullptr && id_ != nullptr && *id == id_) return &list;
      if (!last_) continue;
      const auto place = place_of(list);
      const double distance = (place - *last_).norm();
      if (!(distance < nearest)) continue;
      nearest = distance;
      best = &list;
    }
    return best;
  }

  double stamp_of(const Json& frame) {
    if (!frame.is_object()) return kNone;
    for (const auto& [key, seconds] : kClocks) {
      const auto found = frame.find(key);
      if (found == frame.end() || !found->is_number()) continue;
      stamp_unit_ = seconds;
      return found->get<double>();
    }
    return kNone;
  }

  void set_times() {
    if (!std::all_of(stamps_.begin(), stamps_.end(), [](double t) { return std::isfinite(t); })) return;
    if (stamp_unit_ == 0.0) {
      const double steps = static_cast<double>(std::max<std::size_t>(2, stamps_.size()) - 1);
      const bool milliseconds = (stamps_.back() - stamps_.front()) / steps > kLongStep;
      stamp_unit_ = milliseconds ? 1e-3 : 1.0;
      if (milliseconds) rows_.notes.emplace_back("times without a unit are taken as milliseconds");
    }
    for (double& stamp : stamps_) stamp *= stamp_unit_;
    rows_.seconds = std::move(stamps_);
  }

  LandmarkRows rows_;
  int rank_ = 0;
  Json id_;  // of the person who is followed
  std::optional<Eigen::Vector2d> last_;
  std::vector<double> stamps_;
  double stamp_unit_ = 0.0;
  std::int64_t several_ = 0, other_counts_ = 0;
};

// Python writes NaN and Infinity, which JSON does not have: they become null.
std::string without_nan(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    bool replaced = false;
    for (const std::string_view word : {"NaN", "-Infinity", "Infinity"}) {
      if (quoted || text.substr(i, word.size()) != word) continue;
      result += "null";
      i += word.size() - 1;
      replaced = true;
      break;
    }
    if (!replaced) result += c;
  }
  return result;
}

Json parsed(std::string_view text, const std::string& name) {
  try {
    if (holds(text, "NaN") || holds(text, "Infinity")) return Json::parse(without_nan(text));
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw FormatError(name + ": invalid JSON at byte " + std::to_string(std::min(error.byte, text.size())) +
                      " of " + std::to_string(text.size()) +
                      (error.byte > text.size() ? ": the file is cut off" : ""));
  } catch (const Json::exception& error) {
    throw FormatError(name + ": " + error.what());
  }
}

// one object a line
bool is_lines(std::string_view text) {
  const std::string_view first = trimmed(text.substr(0, text.find('\n')));
  if (!first.starts_with('{') || !first.ends_with('}') || text.find('\n') == std::string_view::npos)
    return false;
  return trimmed(text.substr(text.find('\n') + 1)).starts_with('{');
}

std::vector<std::filesystem::path> json_files(const std::string& path) {
  std::vector<std::filesystem::path> files;
  std::error_code unknown;
  for (std::filesystem::directory_iterator entry(path, unknown), end; !unknown && entry != end;
       entry.increment(unknown)) {
    if (lower(entry->path().extension().string()) == ".json" && entry->is_regular_file(unknown))
      files.push_back(entry->path());
  }
  return files;
}

}  // namespace

bool is_landmark_json(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  head = trimmed(head);
  while (!head.empty() && (head.front() == '\n' || head.front() == '\r')) head = trimmed(head.substr(1));
  if (!head.starts_with('{') && !head.starts_with('[')) return false;
  // MIME words of other JSON: scenes of glTF have a sign of their own (foreign_format.hpp)
  const std::string text = lower(head.substr(1));
  return text.find_first_not_of(" \t\r\n[]{}\",:-+.0123456789e") == std::string::npos ||
         holds(text, "landmark") || holds(text, "keypoint") || holds(text, "\"x\"") || holds(text, "joint") ||
         holds(text, "people");
}

KeypointClip read_landmark_json(std::string_view text, const std::string& name) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Collector collector(name);
  if (!is_lines(text)) {
    collector.add(parsed(text, name));
    return landmark_clip(collector.finish());
  }
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const std::string_view object = trimmed(text.substr(0, end)); !object.empty()) {
      const Json frame = parsed(object, name + ":" + std::to_string(line));
      collector.read_facts(frame);
      collector.add_frame(frame, kNone, "");
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return landmark_clip(collector.finish());
}

bool is_landmark_folder(const std::string& path) { return !json_files(path).empty(); }

KeypointClip read_landmark_folder(const std::string& path) {
  std::vector<std::pair<double, std::string>> files;
  for (const std::filesystem::path& file : json_files(path))
    files.emplace_back(number_in(file.stem().string()), file.string());
  if (files.empty()) throw FormatError(path + ": this folder holds no JSON files");
  if (!std::all_of(files.begin(), files.end(), [](const auto& file) { return std::isfinite(file.first); }))
    throw FormatError(path + ": the JSON files of a folder must have numbers in their names, a frame each");
  std::sort(files.begin(), files.end());
  Collector collector(path);
  for (const auto& [number, file] : files) {
    const Json frame = parsed(read_text_file(file, kLargestFrame), file);
    collector.read_facts(frame);
    collector.add_frame(frame, number, "");
  }
  return landmark_clip(collector.finish());
}

}  // namespace panto::io
