#include "panto/robot/skeleton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "panto/base/finite_options.hpp"
#include "panto/base/index.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/robot/follows.hpp"
#include "panto/robot/forearm_twist.hpp"
#include "panto/robot/joint_centre.hpp"

namespace panto::robot {
namespace {

using enum HumanSegment::Index;
using enum BodyPart::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kRolls = 0.7;  // of 1: joints turn a forearm's link about its bone
constexpr double kTouch = 0.7;  // share of the way from touching hands to hands apart at which they touch
constexpr double kNoHeading = 0.1,
                 kHeading = 0.4;       // of 2, cosine of the tilt plus 1: no heading, and a sure one
constexpr double kLeastLength = 1e-3;  // [m] a shorter limb has no proportions

constexpr std::array<int, 2> kUpperLeg{RightUpperLeg, LeftUpperLeg}, kLowerLeg{RightLowerLeg, LeftLowerLeg},
    kFoot{RightFoot, LeftFoot}, kUpperArm{RightUpperArm, LeftUpperArm}, kForeArm{RightForeArm, LeftForeArm},
    kHand{RightHand, LeftHand};

constexpr double kSlim = 0.2;  // half the width of an unknown sole over its length

// of a robot's leg: distance of the ball in front of the ankle, largest height of the ankle; [m] least height
constexpr double kRobotBall = 0.15, kMostAnkle = 0.25, kLeastAnkle = 0.02;

int human_segment(const std::string& name) {
  const int segment = find_human_segment(name);
  if (segment < 0) throw ConfigError(unknown_name("segment", name, "the human", human_segment_names()));
  return segment;
}

}  // namespace

Skeleton::Skeleton(const Model& robot, const Map& map, const SubjectDimensions& person,
                   const std::vector<std::string>& segments, const SkeletonOptions& options)
    : options_(options),
      floating_base_(robot.floating_base()),
      rolls_(robot.base() == BaseKind::Rolling),
      height_(person.height),
      head_top_(person.end[Head]) {
  if (!std::all_of(options.body.near.begin(), options.body.near.end(), positive) ||
      !positive(options.body.fade))
    throw ConfigError("robot skeleton: `near` and `fade` of hands that touch the body must be > 0");
  if (!(options.hands_near >= 0.0) || !(options.hands_apart > options.hands_near) ||
      !std::isfinite(options.floor))
    throw ConfigError("robot skeleton: need 0 <= hands_near < hands_apart and a finite floor");
  segment_of_.fill(-1);
  for (std::size_t i = 0; i < segments.size(); ++i)
    segment_of_[at(human_segment(segments[i]))] = static_cast<int>(i);
  for (const std::size_t side : {0U, 1U}) person_sole_[side] = human_sole(person, side == 0);
  add_bones(robot, map, segments);
  if (options.roll_forearms) find_rolling_forearms(robot);
  measure(robot, map);
  if (!floating_base_) choose_sight(robot);
  base_ = {R_SB_, {0.0, 0.0, floating_base_ ? 0.0 : map.base_height}};
  set_scale(person);
  set_soles(robot, map);
  find_body();
}

void Skeleton::add_bones(const Model& robot, const Map& map, const std::vector<std::string>& segments) {
  for (const Attachment& a : map.attachments.attachments) {
    if (std::find(segments.begin(), segments.end(), a.segment) == segments.end()) {
      (void)human_segment(a.segment);
      continue;
    }
    Bone bone;
    bone.human = human_segment(a.segment);
    bone.segment = segment_of_[at(bone.human)];
    bone.link = robot.link_index(a.link);
    bone.R_SF = a.R_SF;
    bones_.push_back(bone);
  }
  if (bones_.empty()) throw ConfigError("the recording has none of the segments in the robot map");
  const auto body = [&robot](const Bone& bone) { return robot.frame(bone.link).body; };
  // bones without a carrier in the map hang on the base, which then stays still
  if (std::none_of(bones_.begin(), bones_.end(), [&](const Bone& bone) { return body(bone) == 0; })) {
    Bone base;
    base.human = Pelvis;
    base.link = robot.root_link();
    bones_.push_back(base);
  }
  // level order: each body after its parent
  std::stable_sort(bones_.begin(), bones_.end(),
                   [&](const Bone& a, const Bone& b) { return body(a) < body(b); });
  for (std::size_t j = 1; j < bones_.size(); ++j) {
    bones_[j].before = 0;
    for (int i = body(bones_[j]); i >= 0 && bones_[j].before == 0; i = robot.tree().parent[at(i)]) {
      for (std::size_t k = j; k-- > 1;) {
        if (body(bones_[k]) == i) bones_[j].before = static_cast<int>(k);
      }
    }
  }
}

// A forearm's link beyond the joint that rolls it turns with the hand; one before it cannot.
void Skeleton::find_rolling_forearms(const Model& robot) {
  for (const std::size_t side : {0U, 1U}) {
    const int forearm = index_of(kForeArm[side]), hand = index_of(kHand[side]);
    if (forearm < 0 || hand < 0 || bones_[at(hand)].before != forearm) continue;
    Bone& bone = bones_[at(forearm)];
    const LinkFrame& frame = robot.frame(bone.link);
    const int before = robot.frame(bones_[at(bone.before)].link).body;
    if (axes_that_follow(robot, before, frame.body, bone.R_SF * frame.R_BL.transpose()).y() > kRolls)
      bone.hand = hand;
  }
}

// Measures joint centres and the bones between them, in the robot's rest pose.
void Skeleton::measure(const Model& robot, const Map& map) {
  State state = rest_state(robot);
  state.s = rest_of(map, robot);
  Kinematics kinematics(robot);
  kinematics.update(state);
  for (Bone& bone : bones_) {
    bone.R_WF = kinematics.R_WL(bone.link);
    bone.origin = kinematics.p_WL(bone.link);
    bone.on_base = !floating_base_ && robot.frame(bone.link).body == 0 && bone.segment >= 0;
    if (bone.before < 0) continue;
    const Bone& before = bones_[at(bone.before)];
    const int body = robot.frame(bone.link).body, end = robot.frame(before.link).body;
    // a character turns about its links' origins, whatever turns between two links of the map
    const Vector3d centre = options_.roll_forearms ? joint_centre(kinematics, body, end) : bone.origin;
    bone.centre = bone.R_WF.transpose() * (centre - bone.origin);
    bone.from = before.R_WF.transpose() * (centre - before.origin);
  }
}

// Chooses how a robot whose base does not float sees the person.
void Skeleton::choose_sight(const Model& robot) {
  const auto moves = [&](const Bone& bone) {
    for (int i = robot.frame(bone.link).body; i > 0; i = robot.tree().parent[at(i)])
      if (robot.tree().type[at(i)] == JointType::Revolute) return true;
    return false;
  };
  const Bone *right = bone_of(RightUpperArm), *left = bone_of(LeftUpperArm), *chest = bone_of(T8);
  const bool stiff = right != nullptr && left != nullptr && (chest == nullptr || !moves(*chest));
  sight_ = stiff && segment_of_[T8] >= 0 ? T8 : Pelvis;
  upright_ = rolls_ && !stiff;
  for (const Bone& bone : bones_) {
    if (!bone.on_base) continue;
    R_SB_ = so3::project(bone.R_SF * bone.R_WF.transpose());
    turned_ = !R_SB_.isIdentity(1e-9);
    break;
  }
  if (!turned_) R_SB_.setIdentity();
}

// Moves a base that rolls, and finds the rotation from the person's world to the robot's.
void Skeleton::move_base(const SegmentSample& person) noexcept {
  R_seen_.setIdentity();
  w_sight_.setZero();
  has_sight_ = has_sight_rate_ = false;
  if (floating_base_) return;
  const SegmentMotion* sight = motion_of(person, sight_);
  if (sight != nullptr && sight->has_orientation) {
    has_sight_ = true;
    R_seen_ = sight->R_WS.transpose();
    has_sight_rate_ = sight->has_angular_velocity && !upright_;
    w_sight_ = sight->w_WS;
    if (rolls_) turn_base(sight->R_WS);
  }
  if (upright_ && has_sight_) R_seen_ = so3::exp({0.0, 0.0, -heading_});
  if (turned_) R_seen_ = R_SB_.transpose() * R_seen_;
  if (!rolls_) return;
  const SegmentMotion* pelvis = motion_of(person, Pelvis);
  if (pelvis != nullptr && pelvis->has_position) base_.p_WB.head<2>() = scale_ * pelvis->p_WS.head<2>();
  base_.R_WB = so3::exp({0.0, 0.0, heading_}) * R_SB_;
}

// Turns a base that rolls to the heading of a rotation: its twist about z. A body that is nearly upside down
// has none; the heading then hardly follows.
void Skeleton::turn_base(const Matrix3d& R_WS) noexcept {
  const double sine = R_WS(1, 0) - R_WS(0, 1), cosine = R_WS(0, 0) + R_WS(1, 1);
  const double known = std::clamp((hypot(sine, cosine) - kNoHeading) / kHeading, 0.0, 1.0);
  const double way = std::remainder(atan2(sine, cosine) - heading_, 2.0 * std::numbers::pi);
  heading_ += (turns_ ? known : 1.0) * way;
  turns_ = true;
}

const Skeleton::Bone* Skeleton::bone_of(int human) const noexcept {
  for (const Bone& bone : bones_) {
    if (bone.human == human) return &bone;
  }
  return nullptr;
}

int Skeleton::index_of(int human) const noexcept {
  const Bone* bone = bone_of(human);
  return bone == nullptr ? -1 : static_cast<int>(bone - bones_.data());
}

// The outermost bone that carries both; -1 if one is missing.
int Skeleton::common_bone(int a, int b) const noexcept {
  if (a < 0 || b < 0) return -1;
  while (a != b) {
    int& outer = a > b ? a : b;  // every bone comes after its parent
    outer = bones_[at(outer)].before;
  }
  return a;
}

void Skeleton::add_line(BodyPart::Index part, int from, const Vector3d& from_W, int to,
                        const Vector3d& to_W) {
  const Bone &a = bones_[at(from)], &b = bones_[at(to)];
  body_bones_[at(part)] = {from, to};
  body_[at(part)] = {a.link, b.link, a.R_WF.transpose() * (from_W - a.origin),
                     b.R_WF.transpose() * (to_W - b.origin), true};
}

// The lines of the body, from the joint centres in the robot's rest pose.
void Skeleton::find_body() {
  const auto joint = [this](int bone) -> Vector3d {
    const Bone& b = bones_[at(bone)];
    return b.origin + b.R_WF * b.centre;
  };
  std::array<int, 2> hip{}, knee{}, shoulder{};
  for (const std::size_t side : {0U, 1U}) {
    hip[side] = index_of(kUpperLeg[side]);
    knee[side] = index_of(kLowerLeg[side]);
    shoulder[side] = index_of(kUpperArm[side]);
    if (hip[side] < 0 || knee[side] < 0) continue;
    add_line(side == 0 ? RightThighPart : LeftThighPart, hip[side], joint(hip[side]), hip[side],
             joint(knee[side]));
  }
  const int pelvis = common_bone(hip[0], hip[1]), chest = common_bone(shoulder[0], shoulder[1]);
  if (pelvis >= 0) add_line(PelvisPart, pelvis, joint(hip[0]), pelvis, joint(hip[1]));
  if (pelvis >= 0 && chest >= 0)
    add_line(TrunkPart, pelvis, 0.5 * (joint(hip[0]) + joint(hip[1])), chest,
             0.5 * (joint(shoulder[0]) + joint(shoulder[1])));
  if (const int head = index_of(Head); head > 0) {
    const Bone& bone = bones_[at(head)];
    const Vector3d top = joint(head) + bone.R_WF * bone.R_SF.transpose() * (scale_ * head_top_);
    add_line(HeadPart, head, joint(head), head, top);
  }
}

Vector3d Skeleton::joint_of(int segment) const noexcept {
  const Bone* bone = bone_of(segment);
  return bone == nullptr ? Vector3d(Vector3d::Zero()) : bone->centre;
}

int Skeleton::link_of(int segment) const noexcept {
  const Bone* bone = bone_of(segment);
  return bone == nullptr ? -1 : bone->link;
}

Matrix3d Skeleton::offset(int segment) const noexcept {
  const Bone* bone = bone_of(segment);
  return bone == nullptr ? Matrix3d(Matrix3d::Identity()) : bone->R_SF;
}

// Length from the first joint over the second to the third; 0 if one is missing.
double Skeleton::chain_length(int first, int second, int third) const noexcept {
  const Bone *a = bone_of(first), *b = bone_of(second), *c = bone_of(third);
  if (a == nullptr || b == nullptr || c == nullptr) return 0.0;
  return (b->from - a->centre).norm() + (c->from - b->centre).norm();
}

void Skeleton::set_scale(const SubjectDimensions& person) {
  const auto ratio = [&](const std::array<int, 2>& first, const std::array<int, 2>& second,
                         const std::array<int, 2>& third) {
    double own = 0.0, theirs = 0.0;
    for (const std::size_t side : {0U, 1U}) {
      const double length = chain_length(first[side], second[side], third[side]);
      if (length < kLeastLength) continue;
      own += length;
      theirs += person.origin[at(second[side])].norm() + person.origin[at(third[side])].norm();
    }
    return theirs > kLeastLength ? own / theirs : 0.0;
  };
  const double legs = ratio(kUpperLeg, kLowerLeg, kFoot), arms = ratio(kUpperArm, kForeArm, kHand);
  scale_ = legs > 0.0 ? legs : arms > 0.0 ? arms : 1.0;
}

// Unknown soles are assumed twice as far below the ankle as the foot's centre of mass, which is right for a
// flat foot, or as the person's if that is impossible; the heel is as far back, relative to the length, as
// the person's.
void Skeleton::set_soles(const Model& robot, const Map& map) {
  for (const std::size_t side : {0U, 1U}) {
    const Bone* foot = bone_of(kFoot[side]);
    const double leg = chain_length(kUpperLeg[side], kLowerLeg[side], kFoot[side]);
    if (foot == nullptr || foot->segment < 0 || leg < kLeastLength) continue;
    const Vector3d com = foot->R_SF * robot.links()[at(foot->link)].com;  // in the segment's axes
    FootSole theirs = person_sole_[side];
    if (theirs.ball.x() < kLeastLength) theirs = human_sole(scaled_subject(1.75), side == 0);
    const double ball = kRobotBall * leg, guess = -2.0 * com.z();
    const double ankle = guess < kMostAnkle * leg ? guess : -scale_ * theirs.ball.z();
    const Sole guessed{std::max(kLeastAnkle, ankle), guess < kMostAnkle * leg ? com.y() : 0.0, {}};
    const Sole sole = map.soles[side].value_or(guessed);
    const std::array<double, 2> ahead =
        sole.ahead.value_or(std::array<double, 2>{theirs.heel.x() / theirs.ball.x() * ball, ball});
    sole_half_width_[side] = sole.half_width.value_or(kSlim * (ahead[1] - ahead[0]));
    for (const double x : ahead)
      sole_[side].push_back(foot->R_SF.transpose() * Vector3d(x, sole.across, -sole.down));
  }
}

const SegmentMotion* Skeleton::motion_of(const SegmentSample& person, int human) const noexcept {
  const int i = segment_of_[at(human)];
  return i < 0 || at(i) >= person.segments.size() ? nullptr : &person.segments[at(i)];
}

void Skeleton::take_orientations(const SegmentSample& person, SegmentSample& robot) noexcept {
  for (Bone& bone : bones_) {
    if (bone.segment < 0) {
      bone.R_WF.setIdentity();
      bone.placed = true;
      continue;
    }
    const SegmentMotion& from = person.segments[at(bone.segment)];
    SegmentMotion& to = robot.segments[at(bone.segment)];
    if (bone.on_base) {  // it is where it is
      bone.placed = to.has_orientation = true;
      to.R_WS = bone.R_WF * bone.R_SF.transpose();
      continue;
    }
    bone.placed = to.has_orientation = from.has_orientation;
    to.has_angular_velocity = from.has_angular_velocity && (has_sight_rate_ || !has_sight_);
    to.R_WS = from.R_WS;
    to.w_WS = from.w_WS;
    if (has_sight_ || turned_) {
      to.R_WS = R_seen_ * from.R_WS;
      to.w_WS = R_seen_ * (from.w_WS - w_sight_);
    }
    bone.R_WF = to.R_WS * bone.R_SF;
  }
  for (Bone& bone : bones_) {
    if (bone.hand < 0 || bones_[at(bone.hand)].segment < 0 || bone.segment < 0) continue;
    SegmentMotion& forearm = robot.segments[at(bone.segment)];
    turn_with_hand(robot.segments[at(bones_[at(bone.hand)].segment)], forearm);
    bone.R_WF = forearm.R_WS * bone.R_SF;
  }
}

// Computes every link's origin from the root outwards. Links that hang on an unmeasured link are unknown.
void Skeleton::place_bones() noexcept {
  for (Bone& bone : bones_) {
    if (bone.on_base) continue;
    if (bone.before < 0) {
      bone.origin.setZero();
      continue;
    }
    const Bone& before = bones_[at(bone.before)];
    bone.placed = bone.placed && before.placed;
    bone.origin = before.origin + before.R_WF * bone.from - bone.R_WF * bone.centre;
  }
}

// Height of the person's lowest sole above the floor; 0 if not measured.
double Skeleton::person_clearance(const SegmentSample& person) const noexcept {
  double lowest = std::numeric_limits<double>::infinity();
  for (const std::size_t side : {0U, 1U}) {
    const SegmentMotion* foot = motion_of(person, kFoot[side]);
    if (foot == nullptr || !foot->has_orientation || !foot->has_position) return 0.0;
    for (const Vector3d& point : {person_sole_[side].heel, person_sole_[side].ball})
      lowest = std::min(lowest, (foot->p_WS + foot->R_WS * point).z());
  }
  return std::max(0.0, lowest - options_.floor);
}

void Skeleton::place_base(const SegmentSample& person) noexcept {
  if (!floating_base_) return;
  const SegmentMotion* root = motion_of(person, bones_.front().human);
  Vector3d base = Vector3d::Zero();
  if (root != nullptr && root->has_position) base = scale_ * root->p_WS;
  double lowest = std::numeric_limits<double>::infinity();
  for (const std::size_t side : {0U, 1U}) {
    const Bone* foot = bone_of(kFoot[side]);
    if (foot == nullptr || !foot->placed) continue;
    for (const Vector3d& point : sole_[side])
      lowest = std::min(lowest, (foot->origin + foot->R_WF * point).z());
  }
  if (std::isfinite(lowest)) base.z() = scale_ * person_clearance(person) - lowest;
  for (Bone& bone : bones_) bone.origin += base;
}

// Hands close to each other keep the person's distance.
void Skeleton::keep_hands(const SegmentSample& person) noexcept {
  Bone *right = nullptr, *left = nullptr;
  for (Bone& bone : bones_) {
    if (bone.human == RightHand) right = &bone;
    if (bone.human == LeftHand) left = &bone;
  }
  if (right == nullptr || left == nullptr || !right->placed || !left->placed) return;
  const SegmentMotion &r = person.segments[at(right->segment)], &l = person.segments[at(left->segment)];
  if (!r.has_position || !l.has_position) return;
  Vector3d apart = l.p_WS - r.p_WS;
  const double distance = apart.norm();
  const double near = nearness(distance, options_.hands_near, options_.hands_apart);
  if (!(near > 0.0)) return;
  apart = R_seen_ * apart;
  // between the hands' joints, which may differ from the link origins
  const auto joint = [](const Bone& hand) -> Vector3d { return hand.origin + hand.R_WF * hand.centre; };
  const Vector3d change = 0.5 * near * (apart - (joint(*left) - joint(*right)));
  left->origin += change;
  right->origin -= change;
  // the weight fades in later than the position, so that the arms are free while the hands are still apart
  const double apart_again = options_.hands_near + kTouch * (options_.hands_apart - options_.hands_near);
  const double touch = nearness(distance, options_.hands_near, apart_again);
  for (Bone* hand : {left, right}) hand->touch = 1.0 - (1.0 - hand->touch) * (1.0 - touch);
}

// The lines of the posed robot.
BodyLines Skeleton::robot_body() const noexcept {
  BodyLines lines;
  for (std::size_t k = 0; k < body_.size(); ++k) {
    if (!body_[k].known) continue;
    const Bone &from = bones_[at(body_bones_[k].from)], &to = bones_[at(body_bones_[k].to)];
    lines[k] = {from.origin + from.R_WF * body_[k].from, to.origin + to.R_WF * body_[k].to,
                from.placed && to.placed};
  }
  return lines;
}

BodyLines Skeleton::person_body(const SegmentSample& person) const noexcept {
  const auto place = [&](int human) {
    const SegmentMotion* m = motion_of(person, human);
    return m != nullptr && m->has_position ? m : nullptr;
  };
  BodyLines lines;
  const auto add = [&](BodyPart::Index part, const SegmentMotion* from, const SegmentMotion* to) {
    if (from != nullptr && to != nullptr) lines[at(part)] = {from->p_WS, to->p_WS, true};
  };
  add(PelvisPart, place(RightUpperLeg), place(LeftUpperLeg));
  add(RightThighPart, place(RightUpperLeg), place(RightLowerLeg));
  add(LeftThighPart, place(LeftUpperLeg), place(LeftLowerLeg));
  const SegmentMotion *right = place(RightUpperArm), *left = place(LeftUpperArm), *head = place(Head);
  if (lines[PelvisPart].known && right != nullptr && left != nullptr)
    lines[TrunkPart] = {0.5 * (lines[PelvisPart].from + lines[PelvisPart].to),
                        0.5 * (right->p_WS + left->p_WS), true};
  if (head != nullptr && head->has_orientation)
    lines[HeadPart] = {head->p_WS, head->p_WS + head->R_WS * head_top_, true};
  return lines;
}

// Hands that touch the body move to the same place of the robot's body.
void Skeleton::keep_body(const SegmentSample& person) noexcept {
  const Matrix3d& turn = R_seen_;
  BodyLines own = person_body(person);
  for (BodyLine& line : own) line = {turn * line.from, turn * line.to, line.known};
  const BodyLines lines = robot_body();
  for (const std::size_t side : {0U, 1U}) {
    touches_[side] = {};
    const int index = index_of(kHand[side]);
    const SegmentMotion* wrist = motion_of(person, kHand[side]);
    if (index < 0 || !bones_[at(index)].placed || wrist == nullptr || !wrist->has_position) continue;
    Bone& hand = bones_[at(index)];
    const HandTouch touch = touch_body(turn * wrist->p_WS, own, hand.origin + hand.R_WF * hand.centre, lines,
                                       height_, options_.body);
    touches_[side] = touch;
    if (!options_.keep_body) continue;
    hand.origin += touch.shift;
    hand.touch = touch.touch;
  }
}

void Skeleton::pose(const SegmentSample& person, SegmentSample& robot) noexcept {
  robot.t = person.t;
  robot.cut = person.cut;
  if (robot.segments.size() != person.segments.size()) robot.segments.resize(person.segments.size());
  for (SegmentMotion& segment : robot.segments) {
    segment.has_orientation = segment.has_position = false;
    segment.has_angular_velocity = segment.has_linear_velocity = false;
  }
  move_base(person);
  take_orientations(person, robot);
  place_bones();
  place_base(person);
  for (Bone& bone : bones_) bone.touch = 0.0;
  keep_body(person);
  if (options_.keep_hands) keep_hands(person);
  for (const Bone& bone : bones_) {
    if (bone.segment < 0) continue;
    SegmentMotion& segment = robot.segments[at(bone.segment)];
    segment.p_WS = bone.origin;
    segment.has_position = bone.placed;
    segment.touch = bone.touch;
  }
}

}  // namespace panto::robot
