#include "panto/evaluation/body_overlaps.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "panto/base/index.hpp"

namespace panto {
namespace {

std::string pair_name(std::string first, const std::string& second) {
  return first.append(" - ").append(second);
}

}  // namespace

BodyOverlaps::BodyOverlaps(CapsuleBody body) : body_(std::move(body)), ends_(body_.capsules.size()) {
  std::vector<int> cluster_of;
  for (int i = 0; i < static_cast<int>(body_.capsules.size()); ++i) {
    const Capsule& own = body_.capsules[at(i)];
    const auto cluster = std::find_if(clusters_.begin(), clusters_.end(), [&](const Cluster& c) {
      const Capsule& other = body_.capsules[at(c.capsules.front())];
      return other.from.link == own.from.link && other.to.link == own.to.link && other.name == own.name;
    });
    cluster_of.push_back(static_cast<int>(cluster - clusters_.begin()));
    if (cluster == clusters_.end()) {
      clusters_.emplace_back().capsules = {i};
    } else {
      cluster->capsules.push_back(i);
    }
  }
  const auto clusters = [&](const std::pair<int, int>& pair) {
    return std::pair(cluster_of[at(pair.first)], cluster_of[at(pair.second)]);
  };
  std::stable_sort(body_.pairs.begin(), body_.pairs.end(),
                   [&](const auto& x, const auto& y) { return clusters(x) < clusters(y); });
  for (std::size_t k = 0; k < body_.pairs.size(); ++k) {
    const auto [a, b] = clusters(body_.pairs[k]);
    if (groups_.empty() || groups_.back().a != a || groups_.back().b != b) {
      const std::string& first = body_.capsules[at(body_.pairs[k].first)].name;
      const std::string& second = body_.capsules[at(body_.pairs[k].second)].name;
      const std::string both = pair_name(first, second);
      auto name = std::find(names_.begin(), names_.end(), both);
      if (name == names_.end()) name = std::find(names_.begin(), names_.end(), pair_name(second, first));
      const auto index = static_cast<int>(name - names_.begin());
      if (name == names_.end()) names_.push_back(both);
      groups_.push_back({a, b, index, k, k});
    }
    groups_.back().last = k + 1;
  }
  depths_.resize(names_.size());
}

const std::vector<double>& BodyOverlaps::depths(const Kinematics& kinematics) {
  const auto place = [&](const LinkPoint& point) -> Eigen::Vector3d {
    return kinematics.p_WL(point.link) + kinematics.R_WL(point.link) * point.p_L;
  };
  for (Cluster& cluster : clusters_) {
    cluster.low.setConstant(kInfinity);
    cluster.high.setConstant(-kInfinity);
    for (const int i : cluster.capsules) {
      const Capsule& capsule = body_.capsules[at(i)];
      ends_[at(i)] = {place(capsule.from), place(capsule.to)};
      for (const Eigen::Vector3d* end : {&ends_[at(i)].from, &ends_[at(i)].to}) {
        cluster.low = cluster.low.min(end->array() - capsule.radius);
        cluster.high = cluster.high.max(end->array() + capsule.radius);
      }
    }
  }
  std::fill(depths_.begin(), depths_.end(), 0.0);
  for (const Group& group : groups_) {
    const Cluster &a = clusters_[at(group.a)], &b = clusters_[at(group.b)];
    if ((a.low > b.high).any() || (b.low > a.high).any()) continue;
    double& deepest = depths_[at(group.name)];
    for (std::size_t k = group.first; k < group.last; ++k) {
      const std::size_t i = at(body_.pairs[k].first), j = at(body_.pairs[k].second);
      const double distance = segment_distance(ends_[i].from, ends_[i].to, ends_[j].from, ends_[j].to);
      const double depth = body_.capsules[i].radius + body_.capsules[j].radius - distance;
      if (depth > body_.contact) deepest = std::max(deepest, depth);
    }
  }
  return depths_;
}

}  // namespace panto
