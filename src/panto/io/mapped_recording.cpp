#include "panto/io/mapped_recording.hpp"

#include "panto/base/error.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/rig_file.hpp"

namespace panto::io {
namespace {

// the line of the map that names a joint which the recording does not have; the map as a whole where none
// does
std::string place_in_map(const std::string& path, const std::string& rig, const RecordingHints& hints) {
  if (recognise(path) != RecordingKind::Bvh) return rig;
  const BvhClip clip = read_bvh_file(path);
  for (std::size_t i = 0; i < hints.rig.joint.size(); ++i) {
    for (const std::string& joint : {hints.rig.joint[i], hints.rig.next[i]}) {
      if (joint.empty() || clip.find_joint(joint)) continue;
      const int line = line_of_joint(rig, joint);
      return line > 0 ? rig + ":" + std::to_string(line) : rig;
    }
  }
  return rig;
}

}  // namespace

std::unique_ptr<Recording> open_mapped_recording(const std::string& path, const std::string& rig,
                                                 double height, std::vector<std::string>& notes) {
  RecordingHints hints;
  if (!rig.empty()) hints = read_rig_map(rig, notes);
  hints.height = height;
  std::unique_ptr<Recording> recording;
  try {
    recording = open_recording(path, hints);
  } catch (const ConfigError& error) {
    if (!rig.empty()) throw ModelError(place_in_map(path, rig, hints) + ": " + error.what());
    throw;
  }
  if (!rig.empty() && !recording->info().rig)
    notes.push_back("the rig map '" + rig + "' is not used: " + recording->info().format +
                    " is no skeleton of joints");
  return recording;
}

}  // namespace panto::io
