#include "panto/robot/touch_weights.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/base/error.hpp"

namespace panto::robot {
namespace {

// A position that weighs more while its segment touches something.
struct Touch {
  std::size_t segment;  // of the samples
  double weight, more;  // [1/m^2] without touch, and how much more with it
};

double checked(const Attachment& a) {
  if (std::isfinite(*a.touch_weight) && *a.touch_weight > 0.0) return *a.touch_weight;
  throw ConfigError("attachment of link '" + a.link + "': touch_weight " + std::to_string(*a.touch_weight) +
                    " must be finite and > 0");
}

}  // namespace

OwnTargetsOption with_touch_weights(OwnTargetsOption own, const AttachmentMap& map,
                                    const std::vector<std::string>& segments, double position_weight) {
  std::vector<FollowedPosition>& followed = own.targets.followed;
  const std::size_t first = followed.size();
  std::vector<Touch> touching;
  for (const Attachment& a : map.attachments) {
    if (!a.position || !a.touch_weight) continue;
    const double weight = a.position_weight.value_or(position_weight), more = checked(a) - weight;
    const auto segment = std::find(segments.begin(), segments.end(), a.segment);
    const bool is_weighed = std::any_of(followed.begin(), followed.end(),
                                        [&](const FollowedPosition& f) { return f.link == a.link; });
    if (more == 0.0 || segment == segments.end() || is_weighed) continue;
    touching.push_back({static_cast<std::size_t>(segment - segments.begin()), weight, more});
    followed.push_back({a.link, weight});
  }
  if (touching.empty()) return own;
  own.update = [user = std::move(own.update), touching, first](const SegmentSample& sample,
                                                               const State& state, OwnTargets& targets) {
    if (user) user(sample, state, targets);
    if (targets.followed.size() != first + touching.size()) return;
    for (std::size_t k = 0; k < touching.size(); ++k) {
      const double touch = std::clamp(sample.segments[touching[k].segment].touch, 0.0, 1.0);
      targets.followed[first + k].weight = touching[k].weight + touch * touching[k].more;
    }
  };
  return own;
}

}  // namespace panto::robot
