#include "panto/io/landmark_lists.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "panto/io/text_lines.hpp"

namespace panto::io {
namespace {

using Json = nlohmann::json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kDeepest = 12;             // landmarks lie no deeper
constexpr std::size_t kLeastPoints = 5;  // of a body
constexpr std::size_t kJudged = 50;      // frames that tell where the landmarks are
constexpr std::array<std::string_view, 5> kPeople{"people", "instances", "persons", "bodies", "detections"};

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_point(const Json& node) {
  if (node.is_object()) return node.contains("x") && node.contains("y");
  return node.is_array() && node.size() >= 2 && node.size() <= 4 &&
         std::all_of(node.begin(), node.end(), [](const Json& n) { return n.is_number() || n.is_null(); });
}

std::optional<LandmarkList> list_of(const Json& node, const std::string& key, const Json* owner) {
  if (holds(key, "hand") || holds(key, "face") || holds(key, "score")) return std::nullopt;
  LandmarkList list{&node, owner, 0, holds(key, "world") || holds(key, "3d") ? 3 : holds(key, "2d") ? 1 : 2};
  if (node.size() < kLeastPoints) return std::nullopt;
  if (node.is_object())
    return std::all_of(node.begin(), node.end(), is_point) ? std::optional(list) : std::nullopt;
  if (!node.is_array()) return std::nullopt;
  if (is_point(node.front())) {
    if (node.front().is_array() && node.front().size() == 2) list.rank = 1;
    return list;
  }
  const bool flat =
      node.front().is_number() && (holds(key, "keypoints") || holds(key, "landmarks") || key == "joints");
  if (!flat) return std::nullopt;
  list.width = holds(key, "3d") && node.size() % 4 == 0 ? 4 : 3;
  return node.size() % list.width == 0 && node.size() / list.width >= kLeastPoints ? std::optional(list)
                                                                                   : std::nullopt;
}

void find_lists(const Json& node, const std::string& key, const Json* owner, int depth,
                std::vector<LandmarkList>& found) {
  if (depth > kDeepest || !node.is_structured()) return;
  if (const auto list = list_of(node, key, owner)) {
    found.push_back(*list);
    return;
  }
  if (node.is_object()) {
    for (const auto& [name, value] : node.items()) find_lists(value, lower(name), &node, depth + 1, found);
    return;
  }
  for (const Json& value : node) find_lists(value, key, owner, depth + 1, found);
}

int rank_of(const Json& node, const std::string& key) {
  std::vector<LandmarkList> found;
  find_lists(node, key, nullptr, 0, found);
  int rank = 0;
  for (const LandmarkList& list : found) rank = std::max(rank, list.rank);
  return rank;
}

const Json* frames_of(const Json& node, std::string& key, int depth) {
  if (depth > kDeepest || !node.is_structured()) return nullptr;
  if (list_of(node, key, nullptr)) return nullptr;
  if (node.is_array()) return rank_of_frames(node, key) > 0 ? &node : nullptr;
  if (const auto frames = numbered(node); frames.size() > 1 && rank_of(*frames.front().second, key) > 0)
    return &node;
  const Json* best = nullptr;
  std::string best_key;
  int best_rank = 0;
  for (const auto& [name, value] : node.items()) {
    const std::string here = lower(name);
    if (std::find(kPeople.begin(), kPeople.end(), here) != kPeople.end()) continue;
    std::string inner = here;
    const Json* frames = frames_of(value, inner, depth + 1);
    if (frames == nullptr) continue;
    const int rank = frames->is_array() ? rank_of_frames(*frames, inner) : 2;
    if (rank < best_rank || (rank == best_rank && best != nullptr && frames->size() <= best->size()))
      continue;
    best = frames;
    best_key = inner;
    best_rank = rank;
  }
  if (best != nullptr) key = best_key;
  return best;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

double number_in(std::string_view text) {
  const std::size_t last = text.find_last_of("0123456789");
  if (last == std::string_view::npos) return kNone;
  const std::size_t before = text.find_last_not_of("0123456789", last);
  const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
  return parse_number(text.substr(first, last + 1 - first)).value_or(kNone);
}

int rank_of_frames(const Json& frames, const std::string& key) {
  int rank = 0;
  std::size_t judged = 0;
  for (const Json& frame : frames) {
    if (judged++ == kJudged) break;
    rank = std::max(rank, rank_of(frame, key));
  }
  return rank;
}

void find_lists(const Json& node, const std::string& key, std::vector<LandmarkList>& found) {
  find_lists(node, key, nullptr, 0, found);
}

const Json* frames_of(const Json& node, std::string& key) { return frames_of(node, key, 0); }

std::vector<std::pair<double, const Json*>> numbered(const Json& object) {
  std::vector<std::pair<double, const Json*>> frames;
  for (const auto& [name, value] : object.items()) frames.emplace_back(number_in(name), &value);
  const auto is_numbered = [](const auto& frame) {
    return std::isfinite(frame.first) && frame.second->is_structured();
  };
  if (!std::all_of(frames.begin(), frames.end(), is_numbered)) return {};
  std::stable_sort(frames.begin(), frames.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return frames;
}

}  // namespace panto::io
