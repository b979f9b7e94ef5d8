#include "panto/stream/mxtp_scale.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/model/measured_subject.hpp"
#include "panto/stream/mxtp.hpp"
#include "panto/stream/y_up.hpp"

namespace panto::stream {
namespace {

using enum HumanSegment::Index;

constexpr std::uint32_t kAll = (1U << kHumanSegmentCount) - 1U;

// "RightUpperArm", also as "Right Upper Arm"
bool same_name(std::string_view ours, std::string_view sent) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::size_t matched = 0;
  for (const char c : sent) {
    if (c == ' ') continue;
    if (matched == ours.size() || lower(ours[matched]) != lower(c)) return false;
    ++matched;
  }
  return matched == ours.size();
}

int find_segment(std::string_view name) noexcept {
  const auto found = std::find_if(kHumanSegmentNames.begin(), kHumanSegmentNames.end(),
                                  [name](std::string_view ours) { return same_name(ours, name); });
  return found == kHumanSegmentNames.end() ? -1 : static_cast<int>(found - kHumanSegmentNames.begin());
}

}  // namespace

bool MxtpScale::take(std::span<const std::byte> datagram) noexcept {
  if (!read_scale(
          datagram, [](const MxtpScaleSegment&) {}, [](const MxtpScalePoint&) {}))
    return false;
  const auto keep_segment = [this](const MxtpScaleSegment& segment) {
    const int i = find_segment(segment.name);
    if (i < 0 || !segment.p_W.allFinite()) return;
    p_W_[at(i)] = segment.p_W;
    segments_ |= 1U << static_cast<unsigned>(i);
  };
  const auto keep_point = [this](const MxtpScalePoint& point) {
    if (point.segment < 1 || point.segment > kHumanSegmentCount || !point.p_S.allFinite()) return;
    const std::size_t i = at(point.segment - 1);
    if (!point.name.empty() && point.name == far_end_name(point.segment - 1)) end_[i] = point.p_S;
    if (point.name.empty() || point.name.front() != 'p') return;  // "p...": on the skin, "j...": a joint
    lowest_[i][0] = std::min(lowest_[i][0], point.p_S.z());
    lowest_[i][1] = std::min(lowest_[i][1], point.p_S.y());
  };
  return read_scale(datagram, keep_segment, keep_point);
}

std::optional<SubjectDimensions> MxtpScale::person(std::vector<std::string>& notes) const {
  if (segments_ != kAll) {
    std::vector<std::string> missing;
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      if ((segments_ >> static_cast<unsigned>(i) & 1U) == 0) missing.emplace_back(kHumanSegmentNames[at(i)]);
    }
    notes.push_back("no dimensions of the person: the scale datagrams (type 13) lack " + listed(missing, 5));
    return std::nullopt;
  }
  // the T-pose stands, so the head is above the pelvis
  const Eigen::Vector3d up = p_W_[Head] - p_W_[Pelvis];
  const bool y_up = up.y() > std::abs(up.z());
  const auto turned = [y_up](const Eigen::Vector3d& v) { return y_up ? z_up_from_y_up(v) : v; };
  SubjectPoints points;
  for (int i = 1; i < kHumanSegmentCount; ++i) {
    points.origin[at(i)] = turned(p_W_[at(i)] - p_W_[at(kHumanSegmentParent[at(i)])]);
  }
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    if (end_[i]) points.end[i] = turned(*end_[i]);
  }
  const auto z = height_over_pelvis(points.origin);
  for (const int foot : {RightFoot, LeftFoot, RightToe, LeftToe}) {
    const double lowest = z[at(foot)] + lowest_[at(foot)][y_up ? 1 : 0];
    if (std::isfinite(lowest)) points.sole = std::min(points.sole.value_or(lowest), lowest);
  }
  return measured_subject(points, notes);
}

}  // namespace panto::stream
