#include "panto/io/mapped_recording.hpp"

#include <algorithm>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/io/gltf.hpp"
#include "panto/io/input.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/io/rig_file.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/recording/grounded.hpp"
#include "panto/rig/persons.hpp"

namespace panto::io {
namespace {

// Puts a recording on the floor if that is asked, else notes that it is off.
std::unique_ptr<Recording> on_floor(std::unique_ptr<Recording> recording, const MappedHints& mapped,
                                    std::vector<std::string>& notes) {
  if (mapped.hints.ground) return grounded(std::move(recording));
  if (std::string note = off_floor_note(*recording); !note.empty()) notes.push_back(std::move(note));
  return recording;
}

}  // namespace

std::string place_in_map(const std::vector<std::string>& joints, const MappedHints& mapped) {
  const auto& rig = mapped.hints.rig;
  for (std::size_t i = 0; i < rig.joint.size(); ++i) {
    for (const std::string& joint : {rig.joint[i], rig.next[i]}) {
      if (joint.empty() || std::find(joints.begin(), joints.end(), joint) != joints.end()) continue;
      const int line = line_of_joint(mapped.file, joint);
      return line > 0 ? mapped.file + ":" + std::to_string(line) : mapped.file;
    }
  }
  return mapped.file;
}

MappedHints read_mapped_hints(const std::string& rig, double height, const std::string& person,
                              const std::string& take) {
  MappedHints mapped;
  mapped.file = rig;
  if (!rig.empty()) mapped.hints = read_rig_map(rig, mapped.notes);
  mapped.hints.height = height;
  mapped.take = take;
  if (!person.empty()) mapped.hints.rig.person = person;
  mapped.person_asked = !person.empty();
  return mapped;
}

std::unique_ptr<Recording> open_mapped(BvhClip clip, const MappedHints& mapped) {
  if (mapped.file.empty()) return open_bvh(std::move(clip), mapped.hints);
  std::vector<std::string> joints;
  for (const BvhJoint& joint : clip.joints) joints.push_back(joint.name);
  try {
    return open_bvh(std::move(clip), mapped.hints);
  } catch (const rig::UnknownPerson& error) {
    if (mapped.person_asked) throw;  // not the map's fault
    throw ModelError(mapped.file + ": " + error.what());
  } catch (const ConfigError& error) {
    throw ModelError(place_in_map(joints, mapped) + ": " + error.what());
  }
}

void check_choices(const Input& input, const MappedHints& mapped) {
  const RecordingKind kind = recognise(input);
  if (!mapped.hints.rig.person.empty() && !is_skeleton(kind))
    throw ConfigError(input.name() +
                      ": only a skeleton file (.bvh, .glb) can hold several people; do not choose " +
                      in_quotes(mapped.hints.rig.person) + " here");
  if (!mapped.take.empty() && kind != RecordingKind::Gltf)
    throw ConfigError(input.name() +
                      ": only a glTF file (.glb, .gltf) can hold several animations; do not choose " +
                      in_quotes(mapped.take) + " here");
}

std::unique_ptr<Recording> open_mapped_recording(const std::string& path, const MappedHints& mapped,
                                                 std::vector<std::string>& notes) {
  Input input(path, Folder::Allowed);
  return open_mapped_recording(input, mapped, notes);
}

std::unique_ptr<Recording> open_mapped_recording(Input& input, const MappedHints& mapped,
                                                 std::vector<std::string>& notes) {
  notes.insert(notes.end(), mapped.notes.begin(), mapped.notes.end());
  check_cleaning(input, mapped.hints.clean);
  check_choices(input, mapped);
  if (mapped.body.empty() && is_skeleton(recognise(input)))
    return on_floor(open_mapped(read_skeleton(input, mapped.take), mapped), mapped, notes);
  std::unique_ptr<Recording> recording;
  try {
    recording = open_recording(input, mapped.hints, mapped.body);
  } catch (const ConfigError& error) {
    if (!mapped.file.empty()) throw ModelError(mapped.file + ": " + error.what());
    throw;
  }
  if (!mapped.file.empty() && !recording->info().rig)
    notes.push_back(unused_map(mapped, recording->info().format));
  return on_floor(std::move(recording), mapped, notes);
}

std::string unused_map(const MappedHints& mapped, const std::string& format) {
  return "the rig map '" + mapped.file + "' is ignored: " + format + " has no skeleton of joints";
}

}  // namespace panto::io
