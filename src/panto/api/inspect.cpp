#include "panto/api/inspect.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/mapped_recording.hpp"
#include "panto/io/mvnx.hpp"
#include "panto/io/opensim.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/recording/trackable.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

std::array<double, 3> extent(const std::vector<Vector3d>& points) {
  Vector3d low = Vector3d::Zero(), high = Vector3d::Zero();
  for (std::size_t i = 0; i < points.size(); ++i) {
    low = i == 0 ? points[i] : Vector3d(low.cwiseMin(points[i]));
    high = i == 0 ? points[i] : Vector3d(high.cwiseMax(points[i]));
  }
  const Vector3d size = high - low;
  return {size.x(), size.y(), size.z()};
}

// joints that turn in principle and never do
std::vector<std::string> constant_joints(const io::BvhClip& clip) {
  std::vector<std::string> constant;
  if (clip.frame_count < 2) return constant;
  for (const io::BvhJoint& joint : clip.joints) {
    bool turns = false, moves = false;
    for (std::size_t c = 0; c < joint.channels.size() && !moves; ++c) {
      if (!io::is_rotation(joint.channels[c])) continue;
      turns = true;
      const std::size_t column = at(joint.first_channel) + c;
      const double first = clip.frame(0)[column];
      for (std::int64_t k = 1; k < clip.frame_count && !moves; ++k)
        moves = std::abs(clip.frame(k)[column] - first) > 1e-6;
    }
    if (turns && !moves) constant.push_back(joint.name);
  }
  return constant;
}

void add_bvh_facts(const std::string& path, Inspection& result) {
  const io::BvhClip clip = io::read_bvh_file(path);
  SkeletonFacts facts;
  facts.joint_count = clip.joints.size();
  facts.channel_count = at(clip.channel_count);
  for (const io::BvhJoint& joint : clip.joints) {
    facts.root_count += joint.parent < 0 ? 1 : 0;
    facts.joints.push_back(joint.name);
  }
  facts.frame_time_s = clip.frame_time;
  SkeletonPose rest;
  io::bvh_rest_pose(clip, rest);
  std::vector<Vector3d> points = rest.p_FJ, way;
  for (std::size_t j = 0; j < clip.joints.size(); ++j) {
    for (const Vector3d& end : clip.joints[j].end_sites)
      points.emplace_back(rest.p_FJ[j] + rest.R_FJ[j] * end);
  }
  facts.size = extent(points);
  // the root's own channels say where it goes
  SkeletonPose pose;
  for (std::int64_t k = 0; k < clip.frame_count && !clip.joints.empty(); ++k) {
    io::bvh_pose(clip, k, pose);
    way.push_back(pose.p_FJ[0]);
  }
  facts.travel = extent(way);
  facts.constant = constant_joints(clip);

  result.skeleton = std::move(facts);
  result.file_frames = clip.frame_count;
  if (result.damage.empty()) result.damage = clip.damage;
  result.rate_hz = clip.rate_hz;
  if (clip.frame_time > 0.0 && std::abs(1.0 / clip.frame_time - clip.rate_hz) > 1e-9 * clip.rate_hz)
    result.stated_rate_hz = 1.0 / clip.frame_time;
  if (result.format.empty()) {
    result.format = "bvh";
    result.notes = clip.notes;
  }
}

void add_mvnx_facts(const std::string& path, Inspection& result) {
  const io::MvnxFile file(path, io::only(io::MvnxVector::Orientation));
  const io::MvnxHeader& header = file.header();
  result.mvnx =
      MvnxFacts{header.version,         header.software,      header.subject,       header.configuration,
                header.segments.size(), header.joints.size(), header.sensors.size()};
}

// a table that is none is not told here: the refusal of the reader says more
bool add_table_facts(const std::string& path, Inspection& result) {
  const std::string extension = io::extension_of(path);
  if (extension != ".sto" && extension != ".mot") return false;
  try {
    const io::OpenSimTable table = io::read_opensim_table(path);
    result.table = TableFacts{table.name, table.data_type, table.rows(), table.labels};
    result.file_frames = static_cast<std::int64_t>(table.rows());
    if (table.rows() > 1 && table.time.back() > table.time.front()) {
      result.figures.duration_s = table.time.back() - table.time.front();
      result.rate_hz = static_cast<double>(table.rows() - 1) / *result.figures.duration_s;
    }
    if (result.format.empty()) result.format = "opensim table";
    result.notes = table.notes;
  } catch (const FormatError&) {
    return false;
  }
  return true;
}

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
  result.oddities = health.oddities();
}

void add_recording(Recording& file, Inspection& result) {
  read_motion(file, result);
  const RecordingInfo& info = file.info();  // now with the notes that came up on the way
  result.trackable = result.figures.frames > 0;
  if (!result.trackable)
    result.refusal = result.damage.empty() ? result.path + ": holds no frames of motion" : result.damage;
  if (result.trackable && !result.measured) {
    result.trackable = false;
    result.refusal = result.path + ": no segment is measured in any of its frames";
  }
  try {
    check_trackable(file);
  } catch (const FormatError& error) {
    result.trackable = false;
    result.refusal = error.what();
  }
  result.format = info.format;
  result.rate_hz = info.rate_hz;
  result.subject = info.subject;
  result.has_angular_velocity = info.has_angular_velocity;
  result.has_linear_velocity = info.has_linear_velocity;
  result.rig = info.rig;
  result.rig_joints = info.rig_joints;
  result.rest_pose_dropped = info.rest_pose_dropped;
  if (info.rest_pose_dropped)
    result.rest_pose_reason =
        *info.rest_pose_dropped ? info.rest_pose_reason : "frame 0 goes over into the motion";
  result.notes.insert(result.notes.end(), info.notes.begin(), info.notes.end());
}

}  // namespace

Inspection inspect_file(const std::string& path, const std::string& rig) {
  Inspection result;
  result.path = path;
  const bool bvh = io::recognise(path) == io::RecordingKind::Bvh;
  try {
    const std::unique_ptr<Recording> file = io::open_mapped_recording(path, rig, 0.0, result.notes);
    add_recording(*file, result);
  } catch (const FormatError& error) {
    result.refusal = error.what();
    // BVH and tables hold what is no human's motion, too
    if (!bvh && !add_table_facts(path, result)) throw;
  }
  if (bvh) add_bvh_facts(path, result);
  if (result.format.starts_with("mvnx")) add_mvnx_facts(path, result);
  return result;
}

}  // namespace panto
