#include "panto/rig/map.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/elementary.hpp"
#include "panto/rig/families.hpp"
#include "panto/rig/map_check.hpp"
#include "panto/rig/part_body.hpp"
#include "panto/rig/persons.hpp"
#include "panto/rig/sides.hpp"
#include "panto/rig/up.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

constexpr double kEnough = 0.5;         // lower confidence is refused
constexpr double kAgainstNames = 0.8;   // confidence that body evidence needs to overrule the side in names
constexpr int kSpineSegments = 4;       // L5, L3, T12, T8
constexpr double kUpright = 0.75;       // cosine of an upright body
constexpr double kAsNamed = 0.75;       // confidence of limbs that the names alone tell
constexpr double kAlwaysOnFours = 0.8;  // share of the frames
constexpr double kDoubtful = 0.4;       // confidence of a decision that the user should look at
constexpr double kPassive = 1.0 / kToDegrees;  // [rad] rotation of a joint that only marks an end

// segments of the arms and legs: [0] left, [1] right
struct SidedSegments {
  std::array<int, 2> segment;
  BodyPart part;
};
constexpr SidedSegments kShoulders{{LeftShoulder, RightShoulder}, BodyPart::Clavicle};
constexpr SidedSegments kUpperArms{{LeftUpperArm, RightUpperArm}, BodyPart::UpperArm};
constexpr SidedSegments kForeArms{{LeftForeArm, RightForeArm}, BodyPart::ForeArm};
constexpr SidedSegments kHands{{LeftHand, RightHand}, BodyPart::Hand};
constexpr SidedSegments kThighs{{LeftUpperLeg, RightUpperLeg}, BodyPart::Thigh};
constexpr SidedSegments kShanks{{LeftLowerLeg, RightLowerLeg}, BodyPart::Shank};
constexpr SidedSegments kFeet{{LeftFoot, RightFoot}, BodyPart::Foot};
constexpr SidedSegments kToes{{LeftToe, RightToe}, BodyPart::Toe};

bool is_left(int segment) { return kHumanSegmentNames[at(segment)].substr(0, 4) == "Left"; }
bool is_right(int segment) { return kHumanSegmentNames[at(segment)].substr(0, 5) == "Right"; }

// Builds the map decision by decision; each function below adds one.
class Mapper {
 public:
  /// `part`: the clip is that of a completed body; null: the body is found.
  Mapper(const SkeletonClip& clip, const Hints& hints, const CompletedBody* part = nullptr)
      : clip_(clip),
        hints_(hints),
        part_(part),
        tree_(clip),
        names_(part != nullptr ? part->names : read_names(joint_names(clip))) {}

  Map run() {
    map_.family = names_.family;
    find_hints();
    if (hints_.complete) {
      take_given_map();
    } else {
      find_limbs();
      choose_sides();
      map_limbs();
      map_trunk();
    }
    apply_hints();
    choose_up();
    refuse_animals();
    choose_unit();
    finish();
    return std::move(map_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw FormatError(clip_.name + ": " + why); }
  [[nodiscard]] bool legless() const noexcept { return part_ != nullptr && part_->legless; }
  // what a map can settle: refused, unless a guess is wanted
  void doubt(const std::string& why) const {
    if (!hints_.guess) refuse(why);
  }

  void find_hints();
  void take_given_map();
  [[nodiscard]] Limb given_limb(int upper, int end) const;
  void find_limbs();
  [[nodiscard]] SkeletonClip at_rest() const;
  [[nodiscard]] double limb_confidence() const;
  void choose_sides();
  [[nodiscard]] std::optional<int> left_by_hints() const;
  void name_half_a_swap(Decision& decision);
  void set(int segment, int joint, BodyPart part, double confidence, const std::string& reason);
  [[nodiscard]] bool is_named_end(int joint) const;
  void map_limbs();
  void map_trunk();
  void map_spine();
  void apply_hints();
  [[nodiscard]] std::optional<FileAxis> up_at_rest() const;
  void choose_up();
  void refuse_animals();
  void choose_unit();
  void finish();

  const SkeletonClip& clip_;
  const Hints& hints_;
  const CompletedBody* part_;
  Tree tree_;
  NameReading names_;
  Body body_;
  std::array<int, kHumanSegmentCount> hinted_{}, hinted_next_{};
  int left_ = 0;
  double limbs_ = 0.0;
  bool has_body_ = true;  // enough joints are known to measure the person
  double matters_ = 1.0;  // lowest confidence of the decisions that must be certain
  double guess_ = 1.0;    // confidence of the up axis, which may be a guess
  Map map_;
};

void Mapper::find_hints() {
  for (std::size_t s = 0; s < hinted_.size(); ++s) {
    hinted_[s] = hints_.joint[s].empty() ? -1 : joint_named(clip_, hints_.joint[s]);
    hinted_next_[s] = hints_.next[s].empty() ? -1 : joint_named(clip_, hints_.next[s]);
  }
}

// a limb of a given map; its end is given, or the point after the middle. The three segments are consecutive.
Limb Mapper::given_limb(int upper, int ball) const {
  Limb limb;
  limb.root = hinted_[at(upper)];
  limb.middle = hinted_[at(upper + 1)];
  limb.end = hinted_[at(upper + 2)];
  limb.toe = ball >= 0 ? hinted_[at(ball)] : -1;
  const auto next = [&](int point) {
    const std::vector<int> chain =
        point < 0 || tree_.is_tip(point) ? std::vector<int>{} : tree_.longest_chain(point);
    return chain.size() > 1 ? chain[1] : -1;
  };
  if (limb.end < 0) limb.end = next(limb.middle);
  limb.ahead = limb.toe >= 0 ? limb.toe : next(limb.end);
  return limb;
}

// the whole map is given, sides included; the person is measured if enough joints are named
void Mapper::take_given_map() {
  body_.leg = {given_limb(LeftUpperLeg, LeftToe), given_limb(RightUpperLeg, RightToe)};
  body_.arm = {given_limb(LeftUpperArm, -1), given_limb(RightUpperArm, -1)};
  body_.pelvis = hinted_[Pelvis];
  body_.head = body_.crown = hinted_[Head] >= 0 ? hinted_[Head] : hinted_[Neck];
  for (const auto* limbs : {&body_.leg, &body_.arm}) {
    for (const Limb& limb : *limbs)
      has_body_ = has_body_ && limb.root >= 0 && limb.middle >= 0 && limb.end >= 0;
  }
  has_body_ = has_body_ && body_.head >= 0;
  map_.decisions.push_back({"left and right", "as given", "the map names the sides", 1.0});
}

// the rest pose as a clip of its own
SkeletonClip Mapper::at_rest() const { return {clip_.name, clip_.joints, clip_.rest, {clip_.rest}, {0.0}}; }

// Shape and motion first. A clip without upright or human-like motion may still be of a human skeleton: if
// the names of a known family agree with the rest pose, the rest pose decides.
void Mapper::find_limbs() {
  if (part_ != nullptr) {
    body_ = part_->body;
    limbs_ = kAsNamed;
    return;
  }
  try {
    body_ = find_body(tree_, names_);
    limbs_ = limb_confidence();
  } catch (const FormatError&) {
    if (names_.family == "unknown" || clip_.rest.p_FJ.size() != clip_.joints.size()) throw;
    const SkeletonClip rest = at_rest();
    const Tree rest_tree(rest);
    body_ = find_body(rest_tree, names_);
    if (!is_long_as(tree_, rest_tree, body_)) throw;
    limbs_ = std::min(0.6, limb_confidence());
    map_.decisions.push_back(
        {"limbs", "from the rest pose",
         "the clip does not move like a human, but its rest pose and names fit the family " + names_.family,
         limbs_});
  }
}

// high if no other reading of the tree comes close and this one resembles a human
double Mapper::limb_confidence() const {
  return (1.0 - 0.5 * exp(-body_.margin / 2.0)) * exp(-std::max(0.0, body_.cost - 12.0) / 20.0);
}

// from joints to which the user gave a side
std::optional<int> Mapper::left_by_hints() const {
  for (int s = 0; s < kHumanSegmentCount; ++s) {
    if (hinted_[at(s)] < 0 || (!is_left(s) && !is_right(s))) continue;
    for (const int side : {0, 1}) {
      for (const auto* limbs : {&body_.leg, &body_.arm}) {
        const std::vector<int> own = joints_of(tree_, (*limbs)[at(side)]);
        if (std::find(own.begin(), own.end(), hinted_[at(s)]) != own.end())
          return is_left(s) ? side : 1 - side;
      }
    }
  }
  return std::nullopt;
}

// If not all names are swapped, those of the legs or the arms alone may be.
void Mapper::name_half_a_swap(Decision& decision) {
  for (const auto& [limbs, what] : {std::pair{&body_.leg, "legs"}, std::pair{&body_.arm, "arms"}}) {
    const SideVotes votes = votes_of(tree_, names_, *limbs);
    if (votes.named < 2 || !votes.clear() || (votes.for_side > 0) == (left_ == 0)) continue;
    map_.names_swapped = true;
    decision.answer = "not as all are named";
    decision.reason = std::string("the names of the ") + what +
                      " are swapped: their left is the body's right; " + decision.reason;
  }
}

void Mapper::choose_sides() {
  const SideReading bodies = read_sides(tree_, body_);
  const std::optional<int> named = left_by_names(tree_, names_, body_);
  // arms alone bend too freely to show their side
  const bool shown = bodies.confidence >= kEnough && !legless();
  Decision decision{"left and right", "as the body is", bodies.reason, bodies.confidence};
  left_ = bodies.left;
  const bool disagree = named.has_value() && *named != bodies.left;
  const std::string settle =
      ". Use a clip in which the person walks or bends the knees, or name both thighs in a map (`panto "
      "inspect FILE -o rig.toml` writes one)";
  if (const std::optional<int> hinted = left_by_hints()) {
    left_ = *hinted;
    decision = {"left and right", "as given", "the map names the sides", 1.0};
  } else if (!shown && !named) {
    doubt("left and right are unknown: " + bodies.reason + ", and the names have no sides" + settle);
  } else if (!shown) {
    left_ = *named;
    decision = {"left and right", "as named", "the names decide, not the body: " + bodies.reason, 0.6};
  } else if (disagree) {
    if (!(bodies.confidence >= kAgainstNames)) {
      doubt("left and right are unknown: names and body contradict each other (" + bodies.reason + ")" +
            settle);
    }
    map_.names_swapped = true;
    decision.answer = "not as named";
    decision.reason = "the names are swapped: their left is the body's right; " + bodies.reason;
  } else if (named) {
    decision.answer = "as named";
    decision.confidence = 1.0 - 0.3 * (1.0 - bodies.confidence);
  } else {
    name_half_a_swap(decision);
  }
  matters_ = std::min(matters_, decision.confidence);
  map_.decisions.push_back(decision);
  const Eigen::Vector3d forward = bodies.forward * (left_ == bodies.left ? 1.0 : -1.0) / tree_.frame_count();
  map_.decisions.push_back(
      {"facing", to_string(nearest_axis(forward)),
       "mean over the clip; " + decimals(forward.cwiseAbs().maxCoeff(), 2) + " along that axis of the file",
       decision.confidence});
}

void Mapper::set(int segment, int joint, BodyPart part, double confidence, const std::string& reason) {
  MapEntry& entry = map_.segments[at(segment)];
  entry.joint = joint;
  entry.confidence = confidence;
  const BodyPart named = names_.parts[at(joint)].part;
  if (named == part) {
    entry.confidence = 1.0 - 0.2 * (1.0 - confidence);
    entry.reason = "named " + clip_.joints[at(joint)].name + "; " + reason;
  } else {
    const bool other = named != BodyPart::Unknown;
    entry.confidence *= other ? 0.9 : 1.0;
    entry.reason = reason + (other ? ", though named " + clip_.joints[at(joint)].name : "");
  }
}

// "LeftForeArm_End": where a bone ends, no part of the body
bool Mapper::is_named_end(int joint) const {
  return names_.parts[at(joint)].part == BodyPart::Other && tree_.children(joint).empty() &&
         tree_.tips(joint).empty() && tree_.turn(joint) < kPassive;
}

void Mapper::map_limbs() {
  for (const int i : {0, 1}) {
    const std::size_t side = at(i == 0 ? left_ : 1 - left_);
    const Limb& leg = body_.leg[side];
    const Limb& arm = body_.arm[side];
    const auto bone = [&](const Limb& limb, int from, int to) {
      return "bone of " + digits(tree_.length(from, to), 4) + " units, bend range " +
             decimals(tree_.bend_range(limb.root, limb.middle, limb.end) * kToDegrees, 0) + " deg";
    };
    const auto put = [&](const SidedSegments& which, int point, double confidence,
                         const std::string& reason) {
      if (point >= 0 && !tree_.is_tip(point) && !is_named_end(point))
        set(which.segment[at(i)], point, which.part, confidence, reason);
    };
    put(kThighs, leg.root, limbs_, "hip, " + bone(leg, leg.root, leg.middle));
    put(kShanks, leg.middle, limbs_, "knee, " + bone(leg, leg.middle, leg.end));
    put(kFeet, leg.end, limbs_, "end of the shank");
    put(kToes, leg.toe, limbs_ * (tree_.turn(leg.toe >= 0 ? leg.toe : 0) > 0.01 ? 1.0 : 0.8),
        "after the foot");
    put(kUpperArms, arm.root, limbs_, "shoulder, " + bone(arm, arm.root, arm.middle));
    put(kForeArms, arm.middle, limbs_, "elbow, " + bone(arm, arm.middle, arm.end));
    put(kHands, arm.end, limbs_, "end of the forearm");
    if (arm.girdle >= 0) {
      put(kShoulders, arm.girdle, limbs_, "between chest and upper arm");
    } else {
      set(kShoulders.segment[at(i)], body_.chest(), BodyPart::Spine, limbs_,
          "no collar bone: follows the chest");
    }
  }
}

void Mapper::map_trunk() {
  set(Pelvis, body_.pelvis, BodyPart::Pelvis, limbs_, "carries both thighs");
  map_spine();
  set(Head, body_.head, BodyPart::Head, limbs_, "top of the chain above the chest");
  if (body_.neck >= 0) {
    set(Neck, body_.neck, BodyPart::Neck, limbs_, "first above the chest");
  } else {
    map_.segments[Neck] = {body_.chest(), body_.head, 0.5, limbs_,
                           "no neck: half of the rotation from chest to head"};
  }
}

// Maps our four spine segments to n joints. Joint k (1 .. n) is the last of its group of segments; the others
// of the group take even shares of its rotation. With more joints than segments, some joints are skipped.
void Mapper::map_spine() {
  const auto n = static_cast<int>(body_.spine.size());
  std::string answer = counted(n, "joint");
  if (n == 0) {
    answer = "none";
    for (int s = L5; s <= T8; ++s)
      set(s, body_.pelvis, BodyPart::Spine, limbs_, "no spine: follows the pelvis");
  }
  int segment = 0;
  for (int k = 1; k <= std::min(n, kSpineSegments); ++k) {
    const int groups = std::min(n, kSpineSegments);
    const auto index = static_cast<int>(std::lround(static_cast<double>(k * n) / groups)) - 1;
    const int joint = body_.spine[at(index)];
    const int below = k == 1 ? body_.pelvis : map_.segments[at(L5 + segment - 1)].joint;
    const auto last = static_cast<int>(std::lround(static_cast<double>(k * kSpineSegments) / groups));
    const int size = last - segment;
    for (int i = 1; i < size; ++i) {
      const double share = static_cast<double>(i) / size;
      map_.segments[at(L5 + segment + i - 1)] = {below, joint, share, limbs_,
                                                 std::to_string(i) + "/" + std::to_string(size) +
                                                     " of the rotation up to " +
                                                     clip_.joints[at(joint)].name};
    }
    set(L5 + last - 1, joint, BodyPart::Spine, limbs_,
        "joint " + std::to_string(index + 1) + " of " + std::to_string(n) + " from the pelvis to the chest");
    segment = last;
  }
  map_.decisions.push_back({"spine", answer,
                            n == 0                ? "the four segments follow the pelvis"
                            : n == kSpineSegments ? "one for each of the four segments"
                            : n > kSpineSegments  ? "four of them, evenly spaced, turn the four segments"
                                                  : "the four segments share their rotations",
                            limbs_});
}

void Mapper::apply_hints() {
  for (int s = 0; s < kHumanSegmentCount; ++s) {
    MapEntry& entry = map_.segments[at(s)];
    if (hinted_[at(s)] >= 0) {
      entry = {hinted_[at(s)], hinted_next_[at(s)], hints_.share[at(s)], 1.0, "given"};
    } else if (hints_.complete) {
      entry = {};
    }
  }
  check_limbs(clip_, map_, hints_);
}

// The axis along which the person stands in the rest pose. Nearly upright is enough if the clip itself gives
// no evidence and its names are a known family's.
std::optional<FileAxis> Mapper::up_at_rest() const {
  if (!has_body_ || clip_.rest.p_FJ.size() != clip_.joints.size()) return {};
  const SkeletonClip rest = at_rest();
  const Tree rest_tree(rest);
  if (const auto axis = standing_axis(rest_tree, body_)) return axis;
  const BodyPosture posture = read_posture(rest_tree, body_);
  const Eigen::Vector3d trunk = mid_point(rest_tree, body_.arm, 0) - mid_point(rest_tree, body_.leg, 0);
  if ((posture.axis.negative ? -1 : 1) * trunk.normalized()[posture.axis.axis] < kUpright) return {};
  const bool bent = read_posture(tree_, body_).along < kUpright;
  if (!bent || names_.family == "unknown" || posture.along <= 0.95) return {};
  return posture.axis;
}

void Mapper::choose_up() {
  if (!has_body_ && hints_.up.empty()) {
    throw ConfigError(clip_.name + ": the map names too few joints to find the up axis; add it to the map");
  }
  Decision decision{"up axis", hints_.up, "given", 1.0};
  if (hints_.up.empty()) {
    UpHints known{up_at_rest(), {}};
    if (const Family* family = find_family(names_.family); family != nullptr && !family->up.empty())
      known.family = parse_file_axis(std::string(family->up));
    const UpReading up = read_up(tree_, body_, known);
    decision = {"up axis", to_string(up.axis), up.reason, up.confidence};
    if (up.refuted) {
      doubt("the up axis is unknown: " + decision.answer + " (" + up.reason + ")" +
            (up.against.empty() ? "" : " or " + up.against) +
            ". Use a clip in which the person stands or walks, or put the axis into a rig map of two "
            "lines:\n  version = 1\n  up = \"" +
            decision.answer + "\"");
    }
  }
  map_.R_WF = world_from_file(parse_file_axis(decision.answer));
  guess_ = decision.confidence;
  map_.decisions.push_back(decision);
}

void Mapper::refuse_animals() {
  if (!has_body_ || hints_.complete) return;
  const FileAxis up = nearest_axis(map_.R_WF.transpose() * Eigen::Vector3d::UnitZ());
  const AnimalReading animal = read_animal(tree_, body_, up);
  if (animal.on_all_fours < kAlwaysOnFours) return;
  const std::string reason =
      "on all fours in " + decimals(100.0 * animal.on_all_fours, 0) + " % of the frames";
  if (!animal.named.empty()) {
    doubt("not a human skeleton: " + reason + ", and joint '" + animal.named +
          "' is an animal's. For a person, set `complete = true` in a rig map");
  }
  map_.decisions.push_back({"body", "human", reason + "; check that it is no animal", kDoubtful});
}

void Mapper::choose_unit() {
  if (!has_body_ && !(hints_.unit > 0.0)) {
    throw ConfigError(clip_.name +
                      ": the map names too few joints to find the unit of length; add it to the map");
  }
  const bool cmu_names = names_.family == "cmu" || names_.family == "cgspeed" || names_.family == "asf";
  const double height = has_body_ ? stature(tree_, body_) : 1.0;
  const UnitReading read = legless() ? read_unit_by_arms(height, cmu_names) : read_unit(height, cmu_names);
  Decision decision{
      "unit of length", digits(read.unit, 6) + " m",
      "a person of about " + digits(height, 4) + " units, " + decimals(read.height, 2) + " m in " + read.name,
      read.confidence};
  if (read.name.empty()) {
    decision.reason = "a body height of about " + digits(height, 4) +
                      " is implausible in every usual unit: scaled to " + decimals(read.height, 2) + " m";
  }
  map_.unit = read.unit;
  if (hints_.unit > 0.0) {
    map_.unit = hints_.unit;
    decision = {"unit of length", digits(hints_.unit, 6) + " m", "given", 1.0};
  }
  map_.decisions.push_back(decision);
}

void Mapper::finish() {
  std::vector<bool> used(clip_.joints.size(), false);
  for (const MapEntry& entry : map_.segments) {
    if (entry.joint < 0) continue;
    used[at(entry.joint)] = true;
    if (entry.next >= 0) used[at(entry.next)] = true;
    matters_ = std::min(matters_, entry.confidence);
  }
  for (std::size_t j = 0; j < used.size(); ++j) {
    if (!used[j]) map_.unmapped.push_back(static_cast<int>(j));
  }
  map_.confidence = std::min(matters_, guess_);
  if (matters_ < kEnough && !hints_.complete) {
    doubt("the joints are ambiguous (confidence " + decimals(matters_, 2) +
          "): another reading of the limbs is as likely; name the joints in a map");
  }
}

// Reads one person, or part of one.
Map map_person(const SkeletonClip& clip, const Hints& hints) {
  if (const std::optional<CompletedBody> part = complete_body(clip))
    return without_added(Mapper(part->clip, hints, &*part).run(), *part, clip.joints.size());
  return Mapper(clip, hints).run();
}

}  // namespace

Map map_rig(const SkeletonClip& clip, const Hints& hints) {
  if (hints.complete) {
    const std::optional<Decision> person = check_person(clip, hints);
    Map map = Mapper(clip, hints).run();
    if (person) map.decisions.insert(map.decisions.begin(), *person);
    return map;
  }
  if (const std::optional<Person> bare = undressed(clip))
    return among_all(map_rig(joints_alone(clip, bare->joints), hints), *bare, clip.joints.size());
  const std::vector<Person> people = find_people(clip);
  if (people.empty() && !hints.person.empty() && (clip.joints.empty() || clip.joints[0].name != hints.person))
    throw no_such_person(clip, hints.person);
  if (people.empty()) return map_person(clip, hints);
  const Person& person = choose_person(people, hints.person, clip.name);
  Map map = among_all(Mapper(joints_alone(clip, person.joints), hints).run(), person, clip.joints.size());
  map.decisions.insert(map.decisions.begin(), person_decision(people, person, !hints.person.empty()));
  return map;
}

}  // namespace panto::rig
