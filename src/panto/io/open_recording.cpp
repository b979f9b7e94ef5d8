#include "panto/io/open_recording.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/io/body_model.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/foreign_format.hpp"
#include "panto/io/gltf.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/input.hpp"
#include "panto/io/keypoint_io.hpp"
#include "panto/io/landmarks.hpp"
#include "panto/io/mjcf.hpp"
#include "panto/io/mvnx.hpp"
#include "panto/io/npz_archive.hpp"
#include "panto/io/npz_motion.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/io/soma_motion.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

constexpr std::size_t kLargestJson = std::size_t{64}
                                     << 20U;  // [bytes]; in memory it is twenty times as large

// OpenSim's header line DataType=Quaternion, before the table begins
bool is_orientation_table(std::string_view head) {
  const std::string_view header = head.substr(0, head.find("endheader"));
  const std::size_t found = header.find("DataType");
  if (found == std::string_view::npos) return false;
  const std::string_view line = header.substr(found, header.find_first_of("\r\n", found) - found);
  return line.find("Quaternion") != std::string_view::npos;
}

}  // namespace

namespace {

// returns the head without byte order mark and leading blanks
std::string_view first_words(std::string_view head) {
  if (head.substr(0, 3) == "\xef\xbb\xbf") head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return head;
}

RecordingKind recognise(const std::string& path, const std::string& head) {
  if (is_gltf(head)) return RecordingKind::Gltf;
  if (!foreign_format(head).empty() || is_mjcf(head)) return RecordingKind::Unknown;
  const std::string_view text = first_words(head);
  if (equal_ignoring_case(text.substr(0, 9), "HIERARCHY")) return RecordingKind::Bvh;
  if (text.substr(0, 1) == "<" && text.find("mvnx") != std::string_view::npos) return RecordingKind::Mvnx;
  if (text.substr(0, 12) == "PathFileType") return RecordingKind::Trc;
  if (head.substr(0, 2) == "PK" || head.starts_with(kNpyMagic)) return RecordingKind::Npz;
  const std::string extension = extension_of(path);
  if (extension == ".sto" || extension == ".mot")
    return is_orientation_table(text) ? RecordingKind::Orientations : RecordingKind::States;
  if (is_landmark_json(head)) return RecordingKind::Landmarks;
  if (extension == ".csv" || extension == ".tsv") {
    if (is_keypoint_csv(head)) return RecordingKind::KeypointCsv;
    return is_landmark_csv(head) ? RecordingKind::Landmarks : RecordingKind::States;
  }
  if (extension == ".trc") return RecordingKind::Trc;
  if (extension == ".npz") return RecordingKind::Npz;
  if (extension == ".bvh") return RecordingKind::Bvh;
  if (extension == ".mvnx") return RecordingKind::Mvnx;
  return RecordingKind::Unknown;
}

}  // namespace

namespace {

std::unique_ptr<Recording> open_npz(Input& input, const RecordingHints& hints, const std::string& body) {
  const std::string_view bytes = input.whole(kLargestNpzFile);
  if (bytes.starts_with(kNpyMagic)) {
    if (!is_body_array(npy_shape(bytes))) return open_keypoints(read_npz(bytes, input.name()), "npy", hints);
    return open_body_poses(read_body_poses(bytes, input.name()), hints, body);
  }
  if (bytes.empty())
    throw FormatError(input.name() + ": the file is empty; expected NumPy arrays (numpy.savez writes them)");
  const NpzArchive archive(bytes, input.name());
  const std::vector<std::string>& members = archive.members();
  if (std::none_of(members.begin(), members.end(),
                   [](const auto& member) { return member.ends_with(".npy"); }))
    throw FormatError(
        input.name() +
        ": is a ZIP archive without NumPy arrays; unpack it and give a recording that it holds");
  if (!joints_of_states(archive).empty()) return open_state_npz(bytes, input.name(), hints);
  if (holds_body_poses(archive)) return open_body_poses(read_body_poses(archive, input.name()), hints, body);
  if (holds_soma(archive)) return open_bvh(read_soma(archive, input.name()), hints);
  if (const std::string advice = no_body_motion(archive); !advice.empty())
    throw FormatError(input.name() + ": " + advice);
  return open_keypoints(read_npz(bytes, input.name()), "npz", hints);
}

std::unique_ptr<Recording> open_landmarks(Input& input, const RecordingHints& hints) {
  const std::string& name = input.name();
  if (!is_landmark_json(input.head()))
    return open_keypoints(read_landmark_csv(input.stream(), name), "csv", hints);
  return open_keypoints(read_landmark_json(input.whole(kLargestJson), name), "json", hints);
}

}  // namespace

RecordingKind recognise(const std::string& path) { return recognise(path, read_head(path)); }

RecordingKind recognise(const Input& input) { return recognise(input.name(), input.head()); }

namespace {

bool holds_no_points(RecordingKind kind) {
  using enum RecordingKind;
  return kind == Mvnx || kind == Bvh || kind == Gltf || kind == Orientations || kind == States;
}

std::unique_ptr<Recording> open_kind(Input& input, const RecordingHints& hints, const std::string& body) {
  const std::string& name = input.name();
  const RecordingKind kind = recognise(input);
  if (!body.empty() && kind != RecordingKind::Npz)
    throw ConfigError("a body model (" + body + ") applies to SMPL, SMPL-H and SMPL-X motions only; '" +
                      name + "' holds no such motion: open it without the body model");
  check_cleaning(input, hints.clean);
  const bool table =
      kind == RecordingKind::States || kind == RecordingKind::Npz || kind == RecordingKind::Unknown;
  if (table && recognise_imu(input) != ImuFormat::None)
    throw FormatError(name +
                      ":1: holds raw inertial sensors, not segments; for joint angles use `panto track " +
                      name + " --sensors FILE`");
  if (kind == RecordingKind::Unknown || (kind == RecordingKind::States && extension_of(name) == ".csv"))
    if (const std::string advice = unread_sensors(input.head()); !advice.empty())
      throw FormatError(name + ":1: " + advice);
  switch (kind) {
    case RecordingKind::Mvnx:
      return open_mvnx(std::move(input).take_stream(), name);
    case RecordingKind::Bvh:
    case RecordingKind::Gltf:
      return open_bvh(read_skeleton(input), hints);
    case RecordingKind::Trc:
      return open_keypoints(read_trc(input.stream(), name), "trc", hints);
    case RecordingKind::Npz:
      return open_npz(input, hints, body);
    case RecordingKind::KeypointCsv:
      return open_keypoints(read_keypoint_csv(input.stream(), name), "csv", hints);
    case RecordingKind::Landmarks:
      return open_landmarks(input, hints);
    case RecordingKind::Orientations:
      return open_orientations(read_opensim_table(input.stream(), name));
    case RecordingKind::States:
      return extension_of(name) == ".csv" ? open_state_csv(input.stream(), name, hints)
                                          : open_state_table(read_opensim_table(input.stream(), name), hints);
    case RecordingKind::Unknown:
      break;
  }
  if (const std::string_view advice = foreign_format(input.head()); !advice.empty())
    throw FormatError(name + ": " + std::string(advice));
  if (input.is_folder()) {
    if (is_landmark_folder(name)) return open_keypoints(read_landmark_folder(name), "json", hints);
    throw FormatError(
        name +
        ": this folder holds neither sensor exports (.txt of MT Manager, separated by tabs) nor "
        "landmarks (.json, a frame each); give a file, or the folder to `panto batch`");
  }
  const std::string_view text = first_words(input.head());
  if (const bool mjcf = is_mjcf(input.head()); mjcf || text.find("<robot") != std::string_view::npos)
    throw FormatError(name + ": this is a robot (" + (mjcf ? "MJCF" : "URDF") +
                      "), not a recording; `panto map` shows how it is understood");
  throw FormatError(
      name + ":1: " +
      (text.empty() ? "the file is empty"
                    : "begins with " + in_quotes(text.substr(0, text.find_first_of("\r\n")))) +
      "; expected MVNX (begins with <?xml or <mvnx), BVH (begins with HIERARCHY), glTF, TRC (begins "
      "with PathFileType), NPZ, JSON of landmarks, or a table (.csv, .sto, .mot)");
}

}  // namespace

void check_cleaning(const Input& input, PointCleaning clean) {
  if (clean == PointCleaning::Strong && holds_no_points(recognise(input)))
    throw ConfigError("cleaning applies to points (markers, keypoints, landmarks) only; '" + input.name() +
                      "' holds none: open it without that choice");
}

std::unique_ptr<Recording> open_recording(Input& input, const RecordingHints& hints,
                                          const std::string& body) {
  const std::string name = input.name();
  std::unique_ptr<Recording> recording = open_kind(input, hints, body);
  check_rate(recording->info().rate_hz, name);
  return recording;
}

std::unique_ptr<Recording> open_recording(const std::string& path, const RecordingHints& hints) {
  Input input(path, Folder::Allowed);
  return open_recording(input, hints);
}

std::unique_ptr<Recording> open_recording(std::string bytes, const std::string& name,
                                          const RecordingHints& hints) {
  Input input(std::move(bytes), name);
  return open_recording(input, hints);
}

}  // namespace panto::io
