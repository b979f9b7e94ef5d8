#include "panto/api/inspect_facts.hpp"

#include <cmath>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/mvnx.hpp"
#include "panto/io/opensim.hpp"

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

// joints that have rotation channels but never turn
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

}  // namespace

SkeletonFacts skeleton_facts(const io::BvhClip& clip) {
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
  // the root's own channels give its path
  SkeletonPose pose;
  for (std::int64_t k = 0; k < clip.frame_count && !clip.joints.empty(); ++k) {
    io::bvh_pose(clip, k, pose);
    way.push_back(pose.p_FJ[0]);
  }
  facts.travel = extent(way);
  facts.constant = constant_joints(clip);
  return facts;
}

MvnxFacts mvnx_facts(const io::MvnxHeader& header) {
  return {header.version,         header.software,      header.subject,       header.configuration,
          header.segments.size(), header.joints.size(), header.sensors.size()};
}

TableFacts table_facts(const io::OpenSimTable& table) {
  return {table.name, table.data_type, table.rows(), table.labels};
}

}  // namespace panto
