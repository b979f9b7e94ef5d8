#pragma once
// A BVH skeleton as a character that follows a person, and its motion in the file's own hierarchy
// (docs/character.md).

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "panto/io/bvh.hpp"
#include "panto/io/mapped_recording.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/rig/character.hpp"

namespace panto::io {

struct GltfCharacter;

/// A character and the file that it comes from.
struct BvhCharacter {
  BvhClip clip;  ///< its one frame holds the channels at rest
  rig::Character character;
  std::shared_ptr<const GltfCharacter> gltf = nullptr;  ///< null: it is a BVH
  bool travels = true;                                  ///< false: the file keeps the body in one place
};

struct OpenedCharacter {
  BvhCharacter character;
  Model model;
  std::vector<std::pair<std::string, double>> rest;  ///< joints of the model at rest [rad]
  std::vector<std::string> notes;                    ///< decisions and what the file cannot hold, for people
};

/// Understands a skeleton, with its frames if there are any. `person`: of the recording
/// that will move it: frames are taken from its skeleton if both have the same axes. `own`: a map of the
/// character's joints. @throws FormatError
/// "<name>: ..." for one without a body, or whose sides or axes are unknown, and for a joint that turns twice
/// about one axis; ConfigError for a map that names no pelvis, that does not fit the skeleton, or that puts
/// the head below the pelvis.
[[nodiscard]] OpenedCharacter open_bvh_character(BvhClip clip, const RecordingInfo& person = {},
                                                 const MappedHints& own = {});

}  // namespace panto::io
