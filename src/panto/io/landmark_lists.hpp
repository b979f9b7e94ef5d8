#pragma once
// Finds lists of landmarks in JSON, and the frames that they belong to. Internal.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::io {

/// A list of landmarks: objects or arrays; an object of named landmarks; numbers in a row.
struct LandmarkList {
  const nlohmann::json* node = nullptr;
  const nlohmann::json* owner = nullptr;  ///< the object that holds it, with scores and an id; null: none
  std::size_t width = 0;                  ///< numbers a landmark, of numbers in a row; 0: another kind
  int rank = 0;                           ///< points in space before points of an image

  [[nodiscard]] std::size_t points() const { return width > 0 ? node->size() / width : node->size(); }
};

/// Adds the lists in a node. `key`: its name, in lower case.
void find_lists(const nlohmann::json& node, const std::string& key, std::vector<LandmarkList>& found);

/// Returns the highest rank of the lists in the first elements of an array; 0: it has none.
[[nodiscard]] int rank_of_frames(const nlohmann::json& frames, const std::string& key);

/// Returns the array or object whose elements are frames, and sets its `key`; nullptr: the node is one frame.
[[nodiscard]] const nlohmann::json* frames_of(const nlohmann::json& node, std::string& key);

/// Returns the values of an object in the order of the numbers in their names ("0", "frame_12"); empty: a
/// name has none.
[[nodiscard]] std::vector<std::pair<double, const nlohmann::json*>> numbered(const nlohmann::json& object);

/// Returns the last number in a name, "frame_0012.jpg"; NaN: none.
[[nodiscard]] double number_in(std::string_view text);

/// Returns the text with ASCII letters in lower case.
[[nodiscard]] std::string lower(std::string_view text);

}  // namespace panto::io
