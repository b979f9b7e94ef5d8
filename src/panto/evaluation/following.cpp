#include "panto/evaluation/following.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

constexpr double kCollapsed = 90.0;  // [deg]

bool turns_freely(const FollowedLink& link) { return link.follows.minCoeff() >= FollowingBuilder::kFollows; }

// returns the part of the rotation from the link to its target about the axes that it can turn about [deg]
double followable_angle(const FollowedLink& link, const Eigen::Matrix3d& R_WS, const Eigen::Matrix3d& R_WF) {
  const Eigen::Matrix3d R_WS_now = R_WF * link.pair.R_SF.transpose();
  Eigen::Vector3d off = so3::log(R_WS.transpose() * R_WS_now);  // in the segment's axes
  for (int k = 0; k < 3; ++k) {
    if (link.follows[k] < FollowingBuilder::kFollows) off[k] = 0.0;
  }
  return off.norm() * kToDegrees;
}

}  // namespace

FollowingBuilder::FollowingBuilder(const Model& model, std::vector<FollowedLink> links, Time settle)
    : model_(&model), links_(std::move(links)), settle_(settle), kinematics_(model) {
  std::vector<TrackedPair> pairs;
  for (const FollowedLink& link : links_) pairs.push_back(link.pair);
  check_pairs(model, pairs);
  worst_.assign(links_.size(), 0.0);
  collapse_.resize(links_.size());
}

void FollowingBuilder::add(const SegmentSample& sample, const State& state) {
  if (!is_valid(state, *model_)) return;
  if (!first_) first_ = sample.t;
  const bool settled = sample.t >= settling_end(*first_, settle_);
  kinematics_.update(state);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const FollowedLink& link = links_[i];
    if (!link.pair.orientation || at(link.pair.segment) >= sample.segments.size()) continue;
    const SegmentMotion& target = sample.segments[at(link.pair.segment)];
    if (!target.has_orientation) continue;
    const double angle = followable_angle(link, target.R_WS, kinematics_.R_WL(link.pair.link));
    (settled ? settled_ : settling_).add(angle);
    if (settled) worst_[i] = std::max(worst_[i], angle);
    Collapse& collapse = collapse_[i];
    if (!turns_freely(link) || !(angle > kCollapsed)) {
      collapse.since.reset();
      continue;
    }
    if (!collapse.since) collapse.since = sample.t;
    collapse.longest = std::max(collapse.longest, to_seconds(sample.t - *collapse.since));
  }
}

FollowingFigures FollowingBuilder::report() const {
  const SampleStatistics& angles = settled_.count() > 0 ? settled_ : settling_;
  FollowingFigures figures;
  figures.followable_mean_deg = angles.mean();
  figures.followable_p99_deg = angles.percentile(0.99);
  figures.followable_max_deg = angles.max();
  const auto name = [&](std::size_t i) { return model_->link_names()[at(links_[i].pair.link)]; };
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (worst_[i] > 0.0 && worst_[i] == figures.followable_max_deg) figures.worst_link = name(i);
    if (!(collapse_[i].longest > figures.collapsed_longest_s)) continue;
    figures.collapsed_longest_s = collapse_[i].longest;
    figures.collapsed_link = name(i);
  }
  return figures;
}

std::vector<ReportValue> report_values(const FollowingFigures& figures) {
  const auto value = [](const char* key, std::optional<double> number) {
    return ReportValue{key, number, std::nullopt};
  };
  return {value("followable_mean_deg", figures.followable_mean_deg),
          value("followable_p99_deg", figures.followable_p99_deg),
          value("followable_max_deg", figures.followable_max_deg),
          value("collapsed_longest_s", figures.collapsed_longest_s)};
}

}  // namespace panto
