#include "panto/rig/part_body.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/rig/persons.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

// average proportions, of the body height (model/human.cpp)
constexpr double kThigh = 0.275, kShank = 0.250, kUpperArm = 0.168, kForeArm = 0.138, kHip = 0.0525,
                 kShoulder = 0.102, kTrunk = 0.29, kHead = 0.34;

// The joints of a limb as the names tell them; -1: none.
struct NamedLimb {
  int girdle = -1, root = -1, middle = -1, end = -1, toe = -1, ahead = -1;
  bool own = false;  // of the clip, not added
  [[nodiscard]] bool whole() const noexcept { return root >= 0 && middle >= 0 && end >= 0; }
};

struct LimbNames {
  BodyPart girdle, root, middle, end, toe;
};
constexpr LimbNames kArm{BodyPart::Clavicle, BodyPart::UpperArm, BodyPart::ForeArm, BodyPart::Hand,
                         BodyPart::Unknown};
constexpr LimbNames kLeg{BodyPart::Unknown, BodyPart::Thigh, BodyPart::Shank, BodyPart::Foot, BodyPart::Toe};

// Reads the limbs from names, then adds what is missing.
class Completion {
 public:
  Completion(const SkeletonClip& clip, const NameReading& names) : clip_(clip), tree_(clip), names_(names) {
    for (const int side : {0, 1}) {
      arm_[at(side)] = limb(kArm, side);
      leg_[at(side)] = limb(kLeg, side);
    }
    head_ = named(BodyPart::Head, NamedSide::None);
    neck_ = named(BodyPart::Neck, NamedSide::None);
    find_trunk();
  }

  // two whole limbs of one kind, or one and a trunk; but not four
  [[nodiscard]] bool usable() const {
    const int arms = count(arm_), legs = count(leg_);
    const bool trunk = chest_ != pelvis_ || head_ >= 0 || neck_ >= 0;
    return pelvis_ >= 0 && arms + legs < 4 && (legs == 2 || (trunk && arms + legs > 0));
  }

  // for a body that is `usable`
  std::optional<CompletedBody> run() {
    find_directions();
    if (!(up_.norm() > 0.5 && aside_.norm() > 0.5)) return {};
    result_.clip = clip_;
    add_legs();
    add_arms();
    add_head();
    fill_body();
    result_.names = names_;
    result_.names.parts.resize(result_.clip.joints.size());
    return std::move(result_);
  }

 private:
  [[nodiscard]] int named(BodyPart part, NamedSide side) const {
    for (std::size_t j = 0; j < names_.parts.size(); ++j) {
      if (names_.parts[j].part == part &&
          (part == BodyPart::Head || part == BodyPart::Neck || names_.parts[j].side == side))
        return static_cast<int>(j);
    }
    return -1;
  }

  [[nodiscard]] NamedLimb limb(const LimbNames& words, int side) const {
    const NamedSide which = side == 0 ? NamedSide::Left : NamedSide::Right;
    NamedLimb limb;
    limb.root = named(words.root, which);
    limb.middle = named(words.middle, which);
    limb.end = named(words.end, which);
    if (words.girdle != BodyPart::Unknown) limb.girdle = named(words.girdle, which);
    if (words.toe != BodyPart::Unknown) limb.toe = named(words.toe, which);
    if (limb.root < 0 || limb.middle < 0 || !tree_.is_below(limb.middle, limb.root)) return {limb.girdle};
    if (limb.end < 0) {
      const std::vector<int> chain = tree_.longest_chain(limb.middle);
      if (chain.size() > 1) limb.end = chain[1];
    }
    limb.ahead = limb.toe;
    if (limb.ahead < 0 && limb.end >= 0 && !tree_.is_tip(limb.end)) {
      const std::vector<int> chain = tree_.longest_chain(limb.end);
      if (chain.size() > 1) limb.ahead = chain[1];
    }
    limb.own = limb.whole();
    return limb.own ? limb : NamedLimb{limb.girdle};
  }

  [[nodiscard]] static int count(const std::array<NamedLimb, 2>& limbs) {
    return (limbs[0].whole() ? 1 : 0) + (limbs[1].whole() ? 1 : 0);
  }

  // the pelvis carries the legs; the chest the arms, or else the neck
  void find_trunk() {
    // of several, the innermost is the segment: a hip joint may carry pelvis and spine
    for (std::size_t j = 0; j < names_.parts.size(); ++j)
      if (names_.parts[j].part == BodyPart::Pelvis) pelvis_ = static_cast<int>(j);
    for (const NamedLimb& leg : leg_)
      if (pelvis_ < 0 && leg.whole()) pelvis_ = tree_.parent(leg.root);
    for (const NamedLimb& arm : arm_) {
      const int first = arm.girdle >= 0 ? arm.girdle : arm.root;
      if (chest_ < 0 && first >= 0) chest_ = tree_.parent(first);
    }
    const int above = neck_ >= 0 ? neck_ : head_;
    if (chest_ < 0 && above >= 0) chest_ = tree_.parent(above);
    for (int j = tree_.joint_count() - 1; chest_ < 0 && j >= 0; --j)
      if (names_.parts[at(j)].part == BodyPart::Spine) chest_ = j;
    if (pelvis_ < 0 && chest_ >= 0) {
      pelvis_ = chest_;
      while (tree_.parent(pelvis_) >= 0) pelvis_ = tree_.parent(pelvis_);
    }
    if (chest_ < 0 || (pelvis_ >= 0 && tree_.path(pelvis_, chest_).empty())) chest_ = pelvis_;
  }

  // mean over the frames of a vector in the frame of a joint
  template <typename Function>
  [[nodiscard]] Vector3d mean_in(int joint, const Function& vector) const {
    Vector3d sum = Vector3d::Zero();
    for (int f = 0; f < tree_.frame_count(); ++f)
      sum += tree_.orientation(joint, f).transpose() * Vector3d(vector(f));
    return sum / tree_.frame_count();
  }

  [[nodiscard]] Vector3d hips(int f) const {
    if (count(leg_) < 2) return tree_.p(pelvis_, f);
    return 0.5 * (tree_.p(leg_[0].root, f) + tree_.p(leg_[1].root, f));
  }

  // up along the trunk and to the left in the frame of the chest, and the body height
  void find_directions() {
    const int top = neck_ >= 0 ? neck_ : head_;
    up_ = mean_in(chest_, [&](int f) -> Vector3d {
      if (top >= 0) return tree_.p(top, f) - hips(f);
      if (count(arm_) == 2) return 0.5 * (tree_.p(arm_[0].root, f) + tree_.p(arm_[1].root, f)) - hips(f);
      if (chest_ != pelvis_) return tree_.p(chest_, f) - hips(f);
      Vector3d thighs = Vector3d::Zero();
      for (const NamedLimb& leg : leg_)
        if (leg.whole()) thighs += (tree_.p(leg.root, f) - tree_.p(leg.middle, f)).normalized();
      return thighs;
    });
    up_.normalize();
    aside_ = mean_in(chest_, [&](int f) -> Vector3d {
      if (count(leg_) == 2) return tree_.p(leg_[0].root, f) - tree_.p(leg_[1].root, f);
      if (count(arm_) == 2) return tree_.p(arm_[0].root, f) - tree_.p(arm_[1].root, f);
      for (const auto* limbs : {&arm_, &leg_}) {
        for (const int side : {0, 1}) {
          if ((*limbs)[at(side)].whole())
            return (side == 0 ? 1.0 : -1.0) * (tree_.p((*limbs)[at(side)].root, f) - hips(f));
        }
      }
      return Vector3d::Zero();
    });
    aside_ -= aside_.dot(up_) * up_;
    aside_.normalize();
    double lengths = 0.0, shares = 0.0;
    const auto measure = [&](const NamedLimb& limb, double share) {
      if (!limb.whole()) return;
      lengths += tree_.length(limb.root, limb.middle) + tree_.length(limb.middle, limb.end);
      shares += share;
    };
    for (const int side : {0, 1}) {
      measure(leg_[at(side)], kThigh + kShank);
      measure(arm_[at(side)], kUpperArm + kForeArm);
    }
    height_ = lengths / shares;
    // the same directions from the pelvis
    up_low_ = turned(chest_, pelvis_, up_);
    aside_low_ = turned(chest_, pelvis_, aside_);
    const Vector3d low = mean_in(chest_, [&](int f) -> Vector3d { return hips(f) - tree_.p(chest_, f); });
    trunk_ = low + kTrunk * height_ * up_;
  }

  // a direction in the frame of one joint, as the mean in the frame of another
  [[nodiscard]] Vector3d turned(int from, int to, const Vector3d& direction) const {
    const Vector3d mean =
        mean_in(to, [&](int f) -> Vector3d { return tree_.orientation(from, f) * direction; });
    return mean.norm() > 1e-3 ? Vector3d(mean.normalized()) : direction;
  }

  template <typename Function>
  void each_pose(const Function& function) {
    const auto add = [&](SkeletonPose& pose) {
      if (at(pelvis_) < pose.p_FJ.size() && at(chest_) < pose.p_FJ.size()) function(pose);
    };
    add(result_.clip.rest);
    for (SkeletonPose& pose : result_.clip.frames) add(pose);
  }

  // adds a joint at `offset` in the frame of joint `on`
  int add_fixed(int parent, int on, const Vector3d& offset) {
    result_.clip.joints.push_back({"", parent, {}});
    each_pose([&](SkeletonPose& pose) {
      pose.R_FJ.push_back(pose.R_FJ[at(on)]);
      pose.p_FJ.push_back(pose.p_FJ[at(on)] + pose.R_FJ[at(on)] * offset);
    });
    return static_cast<int>(result_.clip.joints.size()) - 1;
  }

  // adds a joint that mirrors `other` across the middle of joint `on`
  int add_mirrored(int parent, int on, const Vector3d& aside, int other) {
    result_.clip.joints.push_back({"", parent, {}});
    each_pose([&](SkeletonPose& pose) {
      const Vector3d normal = pose.R_FJ[at(on)] * aside, middle = pose.p_FJ[at(on)];
      const Vector3d p = place(pose, other);
      pose.R_FJ.push_back(pose.R_FJ[at(on)]);
      pose.p_FJ.push_back(p - 2.0 * normal.dot(p - middle) * normal);
    });
    return static_cast<int>(result_.clip.joints.size()) - 1;
  }

  // the place of a joint or a tip
  [[nodiscard]] Vector3d place(const SkeletonPose& pose, int point) const {
    if (!tree_.is_tip(point)) return pose.p_FJ[at(point)];
    const int owner = tree_.owner(point);
    const std::vector<int>& tips = tree_.tips(owner);
    const auto which = std::find(tips.begin(), tips.end(), point) - tips.begin();
    std::vector<Vector3d> away;
    for (const Vector3d& tip : tree_.clip().joints[at(owner)].tips)
      if (tip.norm() > 0.0) away.push_back(tip);
    const Vector3d tip =
        at(static_cast<int>(which)) < away.size() ? away[static_cast<std::size_t>(which)] : Vector3d::Zero();
    return pose.p_FJ[at(owner)] + pose.R_FJ[at(owner)] * tip;
  }

  void miss(const std::string& what) { result_.missing += (result_.missing.empty() ? "" : " and ") + what; }

  // Adds the limbs of one kind: the mirror of the other side, or average ones that hang from `root`.
  void add_limbs(std::array<NamedLimb, 2>& limbs, const std::string& name, int on, const Vector3d& middle,
                 double width, double upper, double lower) {
    const bool low = on == pelvis_;
    const Vector3d &up = low ? up_low_ : up_, &aside = low ? aside_low_ : aside_;
    const int there = count(limbs);
    if (there == 0) miss(name + "s");
    if (there == 1) miss((limbs[0].whole() ? "right " : "left ") + name);
    for (const int side : {0, 1}) {
      NamedLimb& own = limbs[at(side)];
      const NamedLimb other = limbs[at(1 - side)];
      if (own.whole()) continue;
      if (there == 1) {
        own.root = add_mirrored(own.girdle >= 0 ? own.girdle : on, on, aside, other.root);
        own.middle = add_mirrored(own.root, on, aside, other.middle);
        own.end = add_mirrored(own.middle, on, aside, other.end);
        continue;
      }
      const Vector3d root = middle + (side == 0 ? 1.0 : -1.0) * width * height_ * aside;
      own.root = add_fixed(on, on, root);
      own.middle = add_fixed(own.root, on, root - upper * height_ * up);
      own.end = add_fixed(own.middle, on, root - (upper + lower) * height_ * up);
    }
  }

  void add_legs() {
    result_.legless = count(leg_) == 0;
    add_limbs(leg_, "leg", pelvis_, Vector3d::Zero(), kHip, kThigh, kShank);
  }
  void add_arms() {
    result_.has_trunk = chest_ != pelvis_ || count(arm_) > 0 || head_ >= 0 || neck_ >= 0;
    add_limbs(arm_, "arm", chest_, trunk_, kShoulder, kUpperArm, kForeArm);
  }
  void add_head() {
    if (head_ >= 0 || neck_ >= 0) return;
    head_ = add_fixed(chest_, chest_, trunk_ + (kHead - kTrunk) * height_ * up_);
  }

  void fill_body() {
    Body& body = result_.body;
    const int added = static_cast<int>(result_.clip.joints.size()) - tree_.joint_count();
    for (const std::size_t side : {0U, 1U}) {
      // tips come after the joints
      const auto fill = [&](const NamedLimb& named) {
        const auto point = [&](int index) {
          return named.own && index >= tree_.joint_count() ? index + added : index;
        };
        return Limb{named.girdle,     point(named.root), point(named.middle),
                    point(named.end), point(named.toe),  point(named.ahead)};
      };
      body.leg[side] = fill(leg_[side]);
      body.arm[side] = fill(arm_[side]);
    }
    body.pelvis = pelvis_;
    // the spine begins above what carries pelvis and chest
    const std::vector<int> path = tree_.path(pelvis_, chest_);
    const auto top = path.empty() ? path.end() : std::min_element(path.begin(), path.end());
    for (auto joint = top; joint != path.end(); ++joint)
      if (*joint != pelvis_ && (joint != top || *joint == chest_)) body.spine.push_back(*joint);
    body.head = body.crown = head_ >= 0 ? head_ : neck_;
    if (body.head < tree_.joint_count()) {
      const int crown = tree_.longest_chain(body.head).back();
      body.crown = tree_.is_tip(crown) ? crown + added : crown;
    }
    body.neck = head_ >= 0 ? neck_ : -1;
  }

  const SkeletonClip& clip_;
  Tree tree_;  // of the clip alone
  const NameReading& names_;
  CompletedBody result_;
  std::array<NamedLimb, 2> arm_, leg_;  // left, right
  int head_ = -1, neck_ = -1, chest_ = -1, pelvis_ = -1;
  Vector3d up_, aside_;          // in the frame of the chest
  Vector3d up_low_, aside_low_;  // in the frame of the pelvis
  Vector3d trunk_;               // from the chest to between the shoulders
  double height_ = 0.0;          // [units]
};

// Whether the motion or the rest pose is that of a body with all limbs.
bool holds_body(const SkeletonClip& clip, const NameReading& names) {
  const auto holds = [&](const SkeletonClip& seen) {
    try {
      (void)find_body(Tree(seen), names);
      return true;
    } catch (const FormatError&) {
      return false;
    }
  };
  if (holds(clip)) return true;
  if (names.family == "unknown" || clip.rest.p_FJ.size() != clip.joints.size()) return false;
  return holds({clip.name, clip.joints, clip.rest, {clip.rest}, {0.0}});
}

}  // namespace

std::optional<CompletedBody> complete_body(const SkeletonClip& clip) {
  const std::vector<std::string> joints = joint_names(clip);
  const NameReading names = read_names(joints, true);
  Completion completion(clip, names);
  if (!completion.usable() || holds_body(clip, read_names(joints))) return {};
  return completion.run();
}

UnitReading read_unit_by_arms(double stature, bool cmu_names) {
  UnitReading best = read_unit(stature, cmu_names);
  for (const double longer : {0.9, 1.1, 1.2, 1.25}) {
    if (!best.name.empty()) break;
    best = read_unit(longer * stature, cmu_names);
  }
  return best.name.empty() ? read_unit(stature, cmu_names) : best;
}

Map without_added(Map map, const CompletedBody& completed, std::size_t joint_count) {
  const auto added = [&](int joint) { return joint >= 0 && at(joint) >= joint_count; };
  const auto clear = [&](int segment) { map.segments[at(segment)] = {}; };
  for (int s = 0; s < kHumanSegmentCount; ++s) {
    if (added(map.segments[at(s)].joint) || added(map.segments[at(s)].next)) clear(s);
  }
  // without an arm there is no shoulder that the chest could stand for
  for (const int side : {0, 1}) {
    const int shoulder = side == 0 ? LeftShoulder : RightShoulder;
    if (added(completed.body.arm[at(side)].root) && completed.body.arm[at(side)].girdle < 0) clear(shoulder);
  }
  if (!completed.has_trunk) {
    for (int s = L5; s <= Head; ++s) clear(s);
  }
  std::erase_if(map.unmapped, added);
  map.decisions.insert(map.decisions.begin(),
                       {"body", "part of a person", "no " + completed.missing + " in the file", 0.9});
  return map;
}

}  // namespace panto::rig
