#include "panto/api/inspect.hpp"
#include "panto/api/inspect_facts.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/gltf.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/input.hpp"
#include "panto/io/mapped_recording.hpp"
#include "panto/io/mvnx.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/opensim.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/recording/grounded.hpp"
#include "panto/recording/trackable.hpp"

namespace panto {
namespace {

void read_motion(Recording& file, Inspection& result) {
  RecordingHealth health(human_names(file), file.info().rate_hz, file.info().first_frame);
  SegmentSample sample;
  ReadStatus status{};
  while ((status = file.read(sample)) == ReadStatus::Sample) {
    health.add(sample);
    for (const SegmentMotion& segment : sample.segments)
      result.measured = result.measured || segment.has_orientation || segment.has_position;
  }
  if (status == ReadStatus::Malformed) result.damage = file.problem();
  result.figures = health.figures();
  result.findings = health.findings();
}

void add_recording(Recording& file, Inspection& result) {
  read_motion(file, result);
  const RecordingInfo& info = file.info();  // now with the notes of reading
  result.trackable = result.figures.frames > 0;
  if (!result.trackable)
    result.refusal = result.damage.empty() ? result.path + ": holds no frames of motion" : result.damage;
  if (result.trackable && !result.measured) {
    result.trackable = false;
    result.refusal = result.path + ": no frame has a measured segment";
  }
  try {
    check_trackable(file);
  } catch (const FormatError& error) {
    result.trackable = false;
    result.refusal = error.what();
  }
  if (result.trackable) result.part = part_of_person(file);
  result.format = info.format;
  result.up = info.up;
  result.rate_hz = info.rate_hz;
  result.subject = info.subject;
  result.has_angular_velocity = info.has_angular_velocity;
  result.has_linear_velocity = info.has_linear_velocity;
  result.rig = info.rig;
  result.rig_joints = info.rig_joints;
  result.rest_pose_dropped = info.rest_pose_dropped;
  if (info.rest_pose_dropped)
    result.rest_pose_reason =
        *info.rest_pose_dropped ? info.rest_pose_reason : "frame 0 continues into the motion";
  result.notes.insert(result.notes.end(), info.notes.begin(), info.notes.end());
  if (!result.trackable || !result.damage.empty()) return;
  file.rewind();
  if (std::string floor = off_floor_note(file); !floor.empty()) result.notes.push_back(std::move(floor));
}

// Opens with `open` and inspects; false: no recording, `refusal` has the reason.
template <typename Open>
bool try_recording(Open&& open, Inspection& result) {
  try {
    const std::unique_ptr<Recording> recording = open();
    add_recording(*recording, result);
    return true;
  } catch (const FormatError& error) {
    result.refusal = error.what();
    return false;
  }
}

// the likeliest map of a skeleton that is too uncertain to use, for people to correct; none: no body at all
void guess_rig(io::BvhClip clip, io::MappedHints mapped, Inspection& result) {
  mapped.hints.rig.guess = true;
  try {
    const std::unique_ptr<Recording> guess = io::open_mapped(std::move(clip), mapped);
    result.rig = guess->info().rig;
    result.rig_joints = guess->info().rig_joints;
  } catch (const FormatError&) {
    return;  // the refusal says why
  }
}

// a BVH may hold other motion than a person's
void inspect_bvh(io::Input& input, const io::MappedHints& mapped, Inspection& result) {
  io::BvhClip clip = io::read_skeleton(input, mapped.take);
  result.skeleton = skeleton_facts(clip);
  const std::string damage = clip.damage;
  const std::vector<std::string> notes = clip.notes;
  const std::int64_t frames = clip.frame_count;
  const double rate_hz = clip.rate_hz, frame_time = clip.frame_time;
  const auto open = [&] { return io::open_mapped(clip, mapped); };
  if (!try_recording(open, result) && result.format.empty()) {
    result.format = clip.format;
    result.notes = notes;
    guess_rig(std::move(clip), mapped, result);
  }
  result.file_frames = frames;
  if (result.damage.empty()) result.damage = damage;
  result.rate_hz = rate_hz;
  if (frame_time > 0.0 && std::abs(1.0 / frame_time - rate_hz) > 1e-9 * rate_hz)
    result.stated_rate_hz = 1.0 / frame_time;
}

void inspect_mvnx(io::Input& input, Inspection& result) {
  io::MvnxHeader header;
  const std::string name = input.name();
  const auto recording = io::open_mvnx(std::move(input).take_stream(), name, &header);
  add_recording(*recording, result);
  result.mvnx = mvnx_facts(header);
}

// tables may hold other data than a person's motion
void inspect_table(io::Input& input, const RecordingHints& hints, io::RecordingKind kind,
                   Inspection& result) {
  io::OpenSimTable table = io::read_opensim_table(input.stream(), input.name());
  const TableFacts facts = table_facts(table);
  const std::vector<std::string> notes = table.notes;
  const double first = table.rows() > 0 ? table.time.front() : 0.0,
               last = table.rows() > 0 ? table.time.back() : 0.0;
  const auto open = [&] {
    return kind == io::RecordingKind::Orientations ? io::open_orientations(std::move(table))
                                                   : io::open_state_table(table, hints);
  };
  if (try_recording(open, result)) return;
  result.table = facts;
  result.file_frames = static_cast<std::int64_t>(facts.rows);
  if (facts.rows > 1 && last > first) {
    result.figures.duration_s = last - first;
    result.rate_hz = static_cast<double>(facts.rows - 1) / *result.figures.duration_s;
  }
  if (result.format.empty()) result.format = "opensim table";
  result.notes = notes;
}

}  // namespace

Inspection inspect(Recording& recording) {
  Inspection result;
  result.path = recording.info().path;
  add_recording(recording, result);
  return result;
}

Inspection inspect(io::Input& input, const io::MappedHints& mapped) {
  Inspection result;
  result.path = input.name();
  result.notes = mapped.notes;
  const io::RecordingKind kind = io::recognise(input);
  io::check_choices(input, mapped);
  const std::string extension = io::extension_of(input.name());
  const bool table =
      (kind == io::RecordingKind::Orientations || kind == io::RecordingKind::States) &&
      (extension == ".sto" || extension == ".mot") &&
      (kind == io::RecordingKind::Orientations || io::recognise_imu(input) == io::ImuFormat::None);
  if (io::is_skeleton(kind)) {
    inspect_bvh(input, mapped, result);
    return result;
  }
  if (kind == io::RecordingKind::Mvnx) {
    inspect_mvnx(input, result);
  } else if (table) {
    inspect_table(input, mapped.hints, kind, result);
  } else {
    add_recording(*io::open_recording(input, mapped.hints), result);
  }
  if (!result.table && !mapped.file.empty())
    result.notes.insert(result.notes.begin() + std::ssize(mapped.notes),
                        io::unused_map(mapped, result.format));
  return result;
}

Inspection inspect_bytes(std::string bytes, const std::string& name, const RecordingHints& hints) {
  io::Input input(std::move(bytes), name);
  return inspect(input, {hints, "", {}});
}

}  // namespace panto
