#include "panto/evaluation/limb_following.hpp"

#include <algorithm>
#include <cmath>

#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"

namespace panto {

std::string plain_name(const std::string& segment) {
  std::string name;
  for (const char c : segment) {
    const bool large = c >= 'A' && c <= 'Z';
    if (large && !name.empty()) name += ' ';
    name += large ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const auto& [technical, plain] : {std::pair<const char*, const char*>{"upper leg", "thigh"},
                                         {"lower leg", "shank"},
                                         {"fore arm", "forearm"}}) {
    const std::size_t at = name.find(technical);
    if (at != std::string::npos) name.replace(at, std::string(technical).size(), plain);
  }
  return name;
}

LimbFollowing::LimbFollowing(std::vector<std::string> names)
    : names_(std::move(names)), lost_since_(names_.size()) {}

void LimbFollowing::interrupt() noexcept { std::fill(lost_since_.begin(), lost_since_.end(), std::nullopt); }

void LimbFollowing::add(Time t, std::size_t i, const Eigen::Vector3d& robot, const Eigen::Vector3d& person) {
  if (!robot.allFinite() || !person.allFinite() || robot.isZero(0.0) || person.isZero(0.0)) return;
  const double angle = angle_between(robot, person) * kToDegrees;
  angle_.add(angle);
  worst_.keep(angle, t, names_[i]);
  std::optional<Time>& since = lost_since_[i];
  if (!(angle > kLost)) {
    since.reset();
    return;
  }
  if (!since) since = t;
  const double lasted = to_seconds(t - *since);
  if (!longest_.value || lasted > *longest_.value) longest_ = {lasted, to_seconds(*since), names_[i]};
}

LimbFigures LimbFollowing::report() const {
  LimbFigures figures;
  figures.limb_direction_mean_deg = angle_.mean();
  figures.limb_direction_p95_deg = angle_.percentile(0.95);
  figures.limb_direction_max_deg = worst_.value;
  figures.limb_direction_max_at_s = worst_.at_s;
  figures.limb_direction_max_limb = worst_.name;
  if (angle_.count() == 0) return figures;
  figures.limb_over_60_longest_s = longest_.value.value_or(0.0);
  figures.limb_over_60_longest_at_s = longest_.at_s;
  figures.limb_over_60_longest_limb = longest_.name;
  return figures;
}

}  // namespace panto
