#include "panto/ik/attachments.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "panto/math/lanes.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human_segments.hpp"

namespace panto {

AttachmentMap mvn_attachments(bool n_pose_arms) {
  AttachmentMap map;
  map.source = n_pose_arms ? "mvnx 3" : "mvnx 4";
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    Attachment a;
    a.segment = a.link = std::string(kHumanSegmentNames[static_cast<std::size_t>(i)]);
    a.position = i == Pelvis;
    const bool right = i >= RightUpperArm && i <= RightHand, left = i >= LeftUpperArm && i <= LeftHand;
    if (n_pose_arms && (right || left)) a.R_SF = so3::about_axis(0, (right ? 0.5 : -0.5) * std::numbers::pi);
    map.attachments.push_back(std::move(a));
  }
  return map;
}

namespace {

constexpr double kOrthonormal = 1e-14;  // largest entry of M'M - I of a matrix that is taken as it is

double positive(const std::optional<double>& own, double fallback, const std::string& link) {
  const double value = own.value_or(fallback);
  if (!(std::isfinite(value) && value > 0.0)) {
    throw ConfigError("attachment of link '" + link + "': weight " + std::to_string(value) +
                      " must be finite and > 0");
  }
  return value;
}

// The rotation nearest to M, if M is one within 1e-2 (a NaN or an infinity is not): R (I - E/2 + 3/8 E^2)
// with E = M'M - I.
bool project(const Eigen::Matrix3d& M, Eigen::Matrix3d& R) noexcept {
  const Eigen::Matrix3d E = M.transpose() * M - Eigen::Matrix3d::Identity();
  const double error = E.cwiseAbs().maxCoeff();
  const bool near = error <= 1e-2 && M.col(0).cross(M.col(1)).dot(M.col(2)) > 0.0 && std::isfinite(E.sum());
  if (!near) return false;
  R = M;
  if (error > kOrthonormal) R -= M * (0.5 * E - 0.375 * E * E);
  if (error > 1e-6) R = so3::polar_step(R);
  if (error > 1e-3) R = so3::polar_step(R);
  return true;
}

// By lane 1 where M is a rotation as it stands.
PANTO_WIDE void find_rotations(const Chunk<9>& matrices, Chunk<1>& rotation) noexcept {
#pragma GCC ivdep
  for (std::size_t l = 0; l < kLanes; ++l) {
    const Mat3 M = mat3(matrices, l);
    const double xx = dot(M.x, M.x) - 1.0, yy = dot(M.y, M.y) - 1.0, zz = dot(M.z, M.z) - 1.0;
    const double xy = dot(M.x, M.y), xz = dot(M.x, M.z), yz = dot(M.y, M.z);
    double good = dot(cross(M.x, M.y), M.z) > 0.0 ? 1.0 : 0.0;
    const auto small = [&](double e) { good = std::abs(e) <= kOrthonormal ? good : 0.0; };
    small(xx), small(yy), small(zz), small(xy), small(xz), small(yz);
    rotation.v[0][l] = good;
  }
}

// beyond this, in metres or radians (per second), is damage and not motion; squares of it stay finite
constexpr double kLargest = 1e9;

// false for a NaN too
bool plausible(const Eigen::Vector3d& v) noexcept { return v.squaredNorm() <= kLargest * kLargest; }

bool plausible(const SegmentMotion& m) noexcept {
  return (!m.has_position || plausible(m.p_WS)) && (!m.has_angular_velocity || plausible(m.w_WS)) &&
         (!m.has_linear_velocity || plausible(m.v_WS));
}

}  // namespace

Attachments::Attachments(const AttachmentMap& map, const Model& model,
                         const std::vector<std::string>& segments, const TargetDefaults& defaults)
    : segment_count_(segments.size()) {
  if (map.attachments.empty()) throw ConfigError("the map attaches nothing: no segment is given to any link");
  for (const Attachment& a : map.attachments) {
    const auto found = std::find(segments.begin(), segments.end(), a.segment);
    if (found == segments.end())
      throw ConfigError(unknown_name("segment", a.segment, "the source", segments));
    if (!so3::is_rotation(a.R_SF, 1e-6))
      throw ConfigError("attachment of link '" + a.link + "': R_SF is not a rotation");
    if (!a.orientation && !a.position)
      throw ConfigError("attachment of link '" + a.link + "' follows neither orientation nor position");
    Target row;
    row.link = model.link_index(a.link);
    row.orientation_weight =
        a.orientation ? positive(a.orientation_weight, defaults.orientation_weight, a.link) : 0.0;
    row.position_weight = a.position ? positive(a.position_weight, defaults.position_weight, a.link) : 0.0;
    row.orientation_gain = defaults.orientation_gain;
    row.position_gain = defaults.position_gain;
    for (const Target& other : rows_) {
      if (other.link == row.link) throw ConfigError("link '" + a.link + "' is attached twice");
    }
    rows_.push_back(row);
    segment_.push_back(static_cast<int>(found - segments.begin()));
    R_SF_.push_back(a.R_SF);
    turned_.push_back(a.R_SF.isIdentity(0.0) ? 0 : 1);
    follows_orientation_.push_back(row.orientation_weight > 0.0 ? 1 : 0);
    follows_position_.push_back(row.position_weight > 0.0 ? 1 : 0);
  }
}

StepStatus Attachments::apply(const SegmentSample& sample, Targets& targets) const noexcept {
  if (sample.segments.size() != segment_count_ || targets.rows.size() != rows_.size())
    return StepStatus::SizeMismatch;
  targets.t = sample.t;
  Chunk<9> R;
  Chunk<1> rotation;
  for (std::size_t first = 0; first < rows_.size(); first += kLanes) {
    const std::size_t count = std::min(kLanes, rows_.size() - first);
    for (std::size_t l = 0; l < count; ++l) store(to_mat3(segment_motion(sample, first + l).R_WS), R, l);
    for (std::size_t l = count; l < kLanes; ++l) store(full(diagonal(1.0)), R, l);
    find_rotations(R, rotation);
    for (std::size_t l = 0; l < count; ++l) {
      if (!apply_row(segment_motion(sample, first + l), first + l, rotation.v[0][l] != 0.0, targets))
        return StepStatus::TargetNotFinite;
    }
  }
  return StepStatus::Solved;
}

// False when a valid number is no measurement.
bool Attachments::apply_row(const SegmentMotion& m, std::size_t j, bool is_rotation,
                            Targets& targets) const noexcept {
  Target& row = targets.rows[j];
  if (!plausible(m)) return false;
  row.has_orientation = m.has_orientation && follows_orientation_[j] != 0;
  row.has_position = m.has_position && follows_position_[j] != 0;
  row.has_angular_velocity = m.has_angular_velocity && row.has_orientation;
  row.has_linear_velocity = m.has_linear_velocity && row.has_position;
  if (m.has_orientation) {
    if (is_rotation) {
      row.R_WF = m.R_WS;
    } else if (!project(m.R_WS, row.R_WF)) {
      return false;
    }
    if (turned_[j] != 0) row.R_WF = row.R_WF * R_SF_[j];
  }
  row.p_WF = m.p_WS;
  row.w_WF = m.w_WS;
  row.v_WF = m.v_WS;
  return true;
}

}  // namespace panto
