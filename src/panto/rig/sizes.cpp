#include "panto/rig/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

using Eigen::Vector3d;

constexpr double kLowest = 0.3, kHighest = 3.0;  // [m] heights of people

// The person in the T-pose, where all segment frames have the same orientation.
class Figure {
 public:
  Figure(const Clip& clip, const Alignment& alignment) : clip_(&clip), alignment_(&alignment) {
    done_.fill(0);
    centre_.fill(Vector3d::Zero());
    origin_ = centre_;
    average_ = scaled_subject(std::clamp(height_from_bones(), kLowest, kHighest));
    done_[Pelvis] = 1;
    for (int segment = Pelvis + 1; segment < kHumanSegmentCount; ++segment) {
      if (clip.start(segment) >= 0) place(segment);
    }
    for (int segment = Pelvis + 1; segment < kHumanSegmentCount; ++segment) {
      if (done_[at(segment)] == 0) place_unmeasured(segment);
    }
  }

  SubjectDimensions subject() const {
    SubjectDimensions subject = average_;
    double lowest = 0.0, highest = 0.0;
    for (int segment = 0; segment < kHumanSegmentCount; ++segment) {
      const int parent = kHumanSegmentParent[at(segment)];
      const Vector3d& origin = origin_[at(segment)];
      subject.origin[at(segment)] = parent < 0 ? Vector3d::Zero() : Vector3d(origin - origin_[at(parent)]);
      subject.end[at(segment)] = end_of(segment);
      const Vector3d end = origin + subject.end[at(segment)];
      lowest = std::min({lowest, origin.z(), end.z()});
      highest = std::max({highest, origin.z(), end.z()});
    }
    // from the crown to the tip of the toes, which is within a centimetre of the sole
    subject.height = highest - lowest;
    return subject;
  }

  // from the source's joint to ours, in our axes
  Vector3d moved(int segment) const { return origin_[at(segment)] - centre_[at(segment)]; }

 private:
  // legs are .525 of the height, arms to the wrist .306, hips to neck .29 (scaled_subject)
  double height_from_bones() const {
    const auto chain = [&](int first, int count) {
      double length = 0.0;
      for (int segment = first; segment < first + count; ++segment) {
        if (!clip_->has(segment) || !clip_->has(segment + 1)) return 0.0;
        length += clip_->seen_from(clip_->joint(segment), clip_->joint(segment + 1)).norm();
      }
      return length;
    };
    // mean over the sides that are measured
    const auto mean = [](double right, double left) {
      const int sides = (right > 0.0 ? 1 : 0) + (left > 0.0 ? 1 : 0);
      return sides > 0 ? (right + left) / sides : 0.0;
    };
    const double legs = mean(chain(RightUpperLeg, 2), chain(LeftUpperLeg, 2)),
                 arms = mean(chain(RightUpperArm, 2), chain(LeftUpperArm, 2));
    if (legs > 0.0) return legs / 0.525;
    if (arms > 0.0) return arms / 0.306;
    const double trunk = clip_->trunk(kRest).norm();
    return trunk > 0.0 ? trunk / 0.29 : 1.75;
  }

  int measured_parent(int segment) const {
    int parent = kHumanSegmentParent[at(segment)];
    while (parent > Pelvis && clip_->start(parent) < 0) parent = kHumanSegmentParent[at(parent)];
    return parent;
  }

  // mean position of the centre of b in the frame of a, in our axes
  Vector3d seen_from(int a, int b) const {
    if (!clip_->has(a)) {
      Vector3d sum = Vector3d::Zero();
      for (int k = 0; k < clip_->frame_count(); ++k)
        sum += alignment_->R_WS(k, a).transpose() *
               (clip_->p_WJ(k, clip_->start(b)) - clip_->p_WJ(k, clip_->start(a)));
      return sum / clip_->frame_count();
    }
    return alignment_->offsets()[at(a)].R_JS.transpose() * clip_->seen_from(clip_->joint(a), clip_->start(b));
  }

  void place(int segment) {
    const int from = measured_parent(segment);
    if (clip_->start(from) < 0) return;
    centre_[at(segment)] = centre_[at(from)] + seen_from(from, segment);
    origin_[at(segment)] = centre_[at(segment)];
    done_[at(segment)] = 1;
    std::vector<int> between;
    for (int s = kHumanSegmentParent[at(segment)]; s != from; s = kHumanSegmentParent[at(s)]) {
      if (done_[at(s)] == 0) between.insert(between.begin(), s);
    }
    if (between.empty()) return;
    const auto spread = [&](int s) { return clip_->map().segments[at(s)].next >= 0; };
    if (std::any_of(between.begin(), between.end(), spread)) {
      place_spread(from, between, segment);
    } else {
      place_along(from, between, segment);
    }
  }

  // places unmeasured joints along the way, by average proportions
  void place_along(int from, const std::vector<int>& between, int segment) {
    int start = from;
    for (int s = kHumanSegmentParent[at(segment)]; s != from; s = kHumanSegmentParent[at(s)]) {
      if (std::find(between.begin(), between.end(), s) == between.end()) {
        start = s;
        break;
      }
    }
    // average lengths; the remainder is distributed by length
    double whole = average_.origin[at(segment)].norm();
    Vector3d rest = centre_[at(segment)] - origin_[at(start)] - average_.origin[at(segment)];
    for (const int s : between) {
      whole += average_.origin[at(s)].norm();
      rest -= average_.origin[at(s)];
    }
    Vector3d place = origin_[at(start)];
    for (const int s : between) {
      const Vector3d& average = average_.origin[at(s)];
      place += average + average.norm() / whole * rest;
      origin_[at(s)] = centre_[at(s)] = place;
      done_[at(s)] = 1;
    }
  }

  // Places joints that share the rotation of one source joint around it, so that their mean position,
  // weighted by share, is at the source joint. Then small rotations do not displace what is above.
  void place_spread(int from, const std::vector<int>& between, int segment) {
    std::vector<double> parts;
    double before = 0.0;
    for (const int s : between) {
      const MapEntry& entry = clip_->map().segments[at(s)];
      const double share = entry.next >= 0 ? std::clamp(entry.share, before, 1.0) : before;
      parts.push_back(share - before);
      before = share;
    }
    parts.push_back(1.0 - before);
    const auto count = static_cast<double>(parts.size());
    const Vector3d below = centre_[at(segment)] - centre_[at(from)];
    Vector3d above = below;
    for (int s = next_outwards(segment); s >= 0 && s <= Head; s = next_outwards(s)) {
      if (clip_->start(s) < 0) continue;
      above = seen_from(segment, s);
      break;
    }
    const Vector3d way = below + above;
    const Vector3d along = way.norm() > 0.0 ? Vector3d(way.normalized()) : Vector3d::UnitZ();
    const double spacing = std::min(below.norm(), above.norm()) / count;
    double mean = 0.0;
    for (std::size_t k = 0; k < parts.size(); ++k) mean += static_cast<double>(k) * parts[k];
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const int s = k < between.size() ? between[k] : segment;
      origin_[at(s)] = centre_[at(segment)] + spacing * (static_cast<double>(k) - mean) * along;
      if (s != segment) centre_[at(s)] = origin_[at(s)];
      done_[at(s)] = 1;
    }
  }

  // the last measured segment may end where the next one would begin
  void place_unmeasured(int segment) {
    const int parent = kHumanSegmentParent[at(segment)];
    const bool hand = segment == RightHand || segment == LeftHand,
               toe = segment == RightToe || segment == LeftToe;
    Vector3d offset = average_.origin[at(segment)];
    if ((hand || toe) && clip_->has(parent)) {
      if (const auto end = clip_->far_end(parent))
        offset = (toe ? kBall : 1.0) * (alignment_->offsets()[at(parent)].R_JS.transpose() * *end);
    }
    origin_[at(segment)] = centre_[at(segment)] = origin_[at(parent)] + offset;
    done_[at(segment)] = 1;
  }

  // the end that reaches furthest along the segment
  Vector3d end_of(int segment) const {
    if (next_outwards(segment) >= 0) return Vector3d::Zero();
    const Vector3d& average = average_.end[at(segment)];
    if (!clip_->has(segment)) return average;
    const Vector3d along = average.normalized();
    Vector3d best = Vector3d::Zero();
    for (const Vector3d& end : clip_->ends_beyond(clip_->joint(segment), true)) {
      const Vector3d ours = alignment_->offsets()[at(segment)].R_JS.transpose() * end;
      if (ours.dot(along) > best.dot(along)) best = ours;
    }
    // a head may end in its middle; a toe or hand may have no end
    return best.dot(along) > (segment == Head ? 0.75 : 0.3) * average.norm() ? best : average;
  }

  static constexpr double kBall = 0.7;  // of the way from the ankle to the tip of the foot (scaled_subject)

  const Clip* clip_;
  const Alignment* alignment_;
  SubjectDimensions average_;
  std::array<Vector3d, kHumanSegmentCount> centre_;  // of the source's joints, from the pelvis
  std::array<Vector3d, kHumanSegmentCount> origin_;  // of our joints
  std::array<unsigned char, kHumanSegmentCount> done_;
};

}  // namespace

SubjectDimensions measure_subject(const Clip& clip, const Alignment& alignment, Offsets& offsets) {
  const Figure figure(clip, alignment);
  const SubjectDimensions subject = figure.subject();
  for (int segment = 0; segment < kHumanSegmentCount; ++segment) {
    Offset& offset = offsets[at(segment)];
    if (offset.valid && clip.has(segment)) offset.p_JS = offset.R_JS * figure.moved(segment);
  }
  const auto longer = [](const Vector3d& v) { return !(v.norm() < kHighest); };
  const bool absurd = std::any_of(subject.origin.begin(), subject.origin.end(), longer) ||
                      std::any_of(subject.end.begin(), subject.end.end(), longer);
  if (absurd || !(subject.height >= kLowest && subject.height <= kHighest)) {
    throw FormatError(clip.skeleton().name + ": the skeleton is " + std::to_string(subject.height) +
                      " m tall, people are " + std::to_string(kLowest).substr(0, 3) + " to " +
                      std::to_string(kHighest).substr(0, 1) + " m: check the unit of length");
  }
  return subject;
}

}  // namespace panto::rig
