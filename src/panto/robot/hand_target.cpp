#include "panto/robot/hand_target.hpp"

#include <algorithm>
#include <optional>

#include "panto/model/human.hpp"

namespace panto::robot {
namespace {

struct Hand {
  std::size_t segment;  // index in the samples
  std::string link;
  Eigen::Matrix3d R_SF;
};

std::optional<Hand> find_hand(int human, const Map& map, const std::vector<std::string>& segments) {
  const std::string name(kHumanSegmentNames[static_cast<std::size_t>(human)]);
  const auto segment = std::find(segments.begin(), segments.end(), name);
  if (segment == segments.end()) return std::nullopt;
  for (const Attachment& attachment : map.attachments.attachments) {
    if (attachment.segment == name)
      return Hand{static_cast<std::size_t>(segment - segments.begin()), attachment.link, attachment.R_SF};
  }
  return std::nullopt;
}

bool is_known(const SegmentMotion& m) noexcept { return m.has_orientation && m.has_position; }

}  // namespace

OwnTargetsOption hand_target(const Model& model, const Map& map, const std::vector<std::string>& segments,
                             const HandTargetOptions& options) {
  const std::optional<Hand> left = find_hand(HumanSegment::LeftHand, map, segments),
                            right = find_hand(HumanSegment::RightHand, map, segments);
  OwnTargetsOption own;
  if (!left || !right || left->link == right->link) return own;
  RelativeTarget target{.from = left->link, .link = right->link};
  target.position_weight = target.orientation_weight = 0.0;
  target.gain = options.gain;
  own.targets.relatives.push_back(target);
  check(own.targets, model);
  own.update = [left = *left, right = *right, options](const SegmentSample& sample, const State&,
                                                       OwnTargets& targets) {
    RelativeTarget& hands = targets.relatives.front();
    const SegmentMotion &a = sample.segments[left.segment], &b = sample.segments[right.segment];
    const double touch = is_known(a) && is_known(b) ? std::clamp(std::min(a.touch, b.touch), 0.0, 1.0) : 0.0;
    const Eigen::Matrix3d R_WA = a.R_WS * left.R_SF;
    hands.place_A = R_WA.transpose() * (b.p_WS - a.p_WS);
    hands.R_AB = R_WA.transpose() * b.R_WS * right.R_SF;
    hands.position_weight = touch * options.position_weight;
    hands.orientation_weight = touch * options.orientation_weight;
  };
  return own;
}

}  // namespace panto::robot
