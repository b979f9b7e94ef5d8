#pragma once
// Landmarks of people in video as detectors store them: tables, JSON, arrays (docs/formats/landmarks.md).
// Internal.

#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "panto/sample/keypoint_sample.hpp"

namespace panto::io {

/// What a file holds, before names, units and axes are known.
struct LandmarkRows {
  std::string name;                ///< of the file, for messages
  std::vector<std::string> names;  ///< of the points; empty: the file has none
  std::size_t points = 0;
  std::vector<double> frames;      ///< their numbers, increasing; empty: 0, 1, 2 ...
  std::vector<double> seconds;     ///< their times; empty: from the numbers and the rate
  double rate_hz = 0.0;            ///< 0: the file does not say
  std::vector<double> values;      ///< frames x points x (x, y, z, confidence); NaN: none
  std::vector<std::string> notes;  ///< oddities, one sentence each
  bool incomplete = false;
};

/// Names the points, takes those of low confidence as not seen, and stamps the frames. @throws FormatError
/// "name: ..." for points of an image (2D, pixels), for points without names in an unknown set, and for times
/// that do not increase.
[[nodiscard]] KeypointClip landmark_clip(LandmarkRows rows);
/// The same without stamps, for files whose times are read elsewhere.
[[nodiscard]] KeypointClip unstamped_landmarks(LandmarkRows rows);

/// Returns what to do about points of an image, for messages.
[[nodiscard]] const std::string& flat_points_advice();

/// Returns true when a table that begins with `head` has columns of landmarks: x, y of at least five points,
/// or a column of names beside x and y.
[[nodiscard]] bool is_landmark_csv(std::string_view head);
/// Reads it. @throws FormatError "name:line: ...".
[[nodiscard]] KeypointClip read_landmark_csv(std::istream& stream, const std::string& name);

/// Returns true when JSON that begins with `head` holds landmarks.
[[nodiscard]] bool is_landmark_json(std::string_view head);
/// Reads it: frames with landmarks as objects (x, y, z) or numbers, whatever they lie in. @throws FormatError
/// "name: ...".
[[nodiscard]] KeypointClip read_landmark_json(std::string_view text, const std::string& name);
/// Reads a folder of one JSON file a frame, in the order of their numbers, as OpenPose writes it. @throws
/// FormatError when it holds none.
[[nodiscard]] KeypointClip read_landmark_folder(const std::string& path);
/// Returns true for a folder with JSON files.
[[nodiscard]] bool is_landmark_folder(const std::string& path);

}  // namespace panto::io
