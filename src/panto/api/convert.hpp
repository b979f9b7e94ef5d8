#pragma once
// Converts recordings to the human model's frames and names, and writes them as measured.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/findings.hpp"
#include "panto/recording/recording.hpp"
#include "panto/tracking/observer.hpp"

namespace panto::io {
struct Destination;
}  // namespace panto::io

namespace panto {

/// Makes a recording of the segments that a human model follows, under its links' names and in their frames
/// (x forward, y left, z up in the T-pose). Where it follows none, names and frames stay.
[[nodiscard]] std::unique_ptr<Recording> in_human_frames(std::unique_ptr<Recording> recording);

/// What `write_samples` did.
struct WrittenSamples {
  std::int64_t frames = 0;            ///< frames read
  std::int64_t written = 0;           ///< frames written
  std::int64_t dropped = 0;           ///< frames that could not be written
  std::vector<std::string> segments;  ///< in the file
  std::vector<Finding> findings;      ///< of the recording
  std::optional<std::string> damage;  ///< where and why reading stopped early
};

/// Writes a recording from its current position to its end, as measured, in the human's frames: points
/// (.trc, .npz), points with orientations (.csv) or orientations (.sto). The file appears complete or not at
/// all. Uses `note` and `progress` of `observer`.
/// @throws FormatError for a recording without motion, or without anything that the format can hold;
/// ConfigError for an unknown extension or a name that the format cannot hold; Error when the file cannot be
/// written; Cancelled, leaving nothing behind.
WrittenSamples write_samples(Recording& recording, const io::Destination& to, const Observer& observer = {});

/// Returns what a conversion of the recording loses, one entry each.
[[nodiscard]] std::vector<std::string> losses(const Recording& recording);

}  // namespace panto
