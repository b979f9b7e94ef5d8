#include "panto/ik/robot_skeleton.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "panto/base/index.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kAlong = 1e-6;  // share of the pull to the joint's own origin where axes leave a centre free
constexpr double kLeastLength = 1e-3;  // [m] a limb shorter than this has no proportions

constexpr std::array<int, 2> kUpperLeg{RightUpperLeg, LeftUpperLeg}, kLowerLeg{RightLowerLeg, LeftLowerLeg},
    kFoot{RightFoot, LeftFoot}, kToe{RightToe, LeftToe}, kUpperArm{RightUpperArm, LeftUpperArm},
    kForeArm{RightForeArm, LeftForeArm}, kHand{RightHand, LeftHand};

// a heel lies behind the ankle, as share of how far the ball lies before it
constexpr double kHeel = 0.35;
// ... and of a robot's leg: how far the ball lies before the ankle; how high the ankle at least is
constexpr double kRobotBall = 0.15, kLeastAnkle = 0.02;

int human_segment(const std::string& name) {
  const int segment = find_human_segment(name);
  if (segment < 0) throw ConfigError(unknown_name("segment", name, "the human", human_segment_names()));
  return segment;
}

// The point nearest to the axes of the joints between two bodies: least squares over the lines.
Vector3d joint_centre(const Kinematics& kinematics, int body, int before) {
  const Tree& tree = kinematics.model().tree();
  const Vector3d own = kinematics.body_position()[at(body)];
  Matrix3d A = kAlong * Matrix3d::Identity();
  Vector3d b = kAlong * own;
  for (int i = body; i > 0 && i != before; i = tree.parent[at(i)]) {
    if (tree.type[at(i)] != JointType::Revolute) continue;
    const Vector3d& axis = kinematics.joint_axis()[at(i)];
    const Matrix3d across = Matrix3d::Identity() - axis * axis.transpose();
    A += across;
    b += across * kinematics.body_position()[at(i)];
  }
  return A.ldlt().solve(b);
}

// 1 below `near`, 0 from `apart` on, with continuous second derivative
double nearness(double distance, double near, double apart) {
  const double u = std::clamp((apart - distance) / (apart - near), 0.0, 1.0);
  return u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
}

}  // namespace

RobotSkeleton::RobotSkeleton(const Model& robot, const RobotMap& map, const SubjectDimensions& person,
                             const std::vector<std::string>& segments, const RobotSkeletonOptions& options)
    : options_(options), floating_base_(robot.floating_base()) {
  if (!(options.hands_near >= 0.0) || !(options.hands_apart > options.hands_near) ||
      !std::isfinite(options.floor))
    throw ConfigError("robot skeleton: 0 <= hands_near < hands_apart must hold, and the floor be finite");
  segment_of_.fill(-1);
  for (std::size_t i = 0; i < segments.size(); ++i)
    segment_of_[at(human_segment(segments[i]))] = static_cast<int>(i);
  for (const std::size_t side : {0U, 1U}) {
    const Vector3d& ball = person.origin[at(kToe[side])];
    person_sole_[side] = {Vector3d(-kHeel * ball.x(), 0.0, ball.z()), ball};
  }
  add_bones(robot, map, segments);
  measure(robot, map);
  set_scale(person);
  set_soles(robot);
}

void RobotSkeleton::add_bones(const Model& robot, const RobotMap& map,
                              const std::vector<std::string>& segments) {
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
  if (bones_.empty()) throw ConfigError("the map attaches no link to a segment that the recording has");
  const auto body = [&robot](const Bone& bone) { return robot.frame(bone.link).body; };
  // what nothing of the map carries hangs on the base, which then stands as it is
  if (std::none_of(bones_.begin(), bones_.end(), [&](const Bone& bone) { return body(bone) == 0; })) {
    Bone base;
    base.human = Pelvis;
    base.link = robot.root_link();
    bones_.push_back(base);
  }
  // level order: bodies after those that they hang on
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

// Joint centres and the bones between them, in the pose in which the robot rests.
void RobotSkeleton::measure(const Model& robot, const RobotMap& map) {
  State state = rest_state(robot);
  state.s = rest_of(map, robot);
  Kinematics kinematics(robot);
  kinematics.update(state);
  for (Bone& bone : bones_) {
    bone.R_WF = kinematics.R_WL(bone.link);
    bone.origin = kinematics.p_WL(bone.link);
    if (bone.before < 0) continue;
    const Bone& before = bones_[at(bone.before)];
    const int body = robot.frame(bone.link).body, end = robot.frame(before.link).body;
    const Vector3d centre = joint_centre(kinematics, body, end);
    bone.centre = bone.R_WF.transpose() * (centre - bone.origin);
    bone.from = before.R_WF.transpose() * (centre - before.origin);
  }
}

const RobotSkeleton::Bone* RobotSkeleton::bone_of(int human) const noexcept {
  for (const Bone& bone : bones_) {
    if (bone.human == human) return &bone;
  }
  return nullptr;
}

int RobotSkeleton::link_of(int segment) const noexcept {
  const Bone* bone = bone_of(segment);
  return bone == nullptr ? -1 : bone->link;
}

Matrix3d RobotSkeleton::offset(int segment) const noexcept {
  const Bone* bone = bone_of(segment);
  return bone == nullptr ? Matrix3d(Matrix3d::Identity()) : bone->R_SF;
}

// From the first joint over the second to the third; 0 where one is missing.
double RobotSkeleton::chain_length(int first, int second, int third) const noexcept {
  const Bone *a = bone_of(first), *b = bone_of(second), *c = bone_of(third);
  if (a == nullptr || b == nullptr || c == nullptr) return 0.0;
  return (b->from - a->centre).norm() + (c->from - b->centre).norm();
}

void RobotSkeleton::set_scale(const SubjectDimensions& person) {
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

// A model has no shapes: the sole lies twice as far below the ankle as the foot's centre of mass, which for
// a flat foot is where it is.
void RobotSkeleton::set_soles(const Model& robot) {
  for (const std::size_t side : {0U, 1U}) {
    const Bone* foot = bone_of(kFoot[side]);
    const double leg = chain_length(kUpperLeg[side], kLowerLeg[side], kFoot[side]);
    if (foot == nullptr || foot->segment < 0 || leg < kLeastLength) continue;
    const Vector3d com = foot->R_SF * robot.links()[at(foot->link)].com;  // in the segment's axes
    const double down = -std::max(kLeastAnkle, -2.0 * com.z()), ball = kRobotBall * leg;
    for (const double ahead : {-kHeel * ball, ball})
      sole_[side].push_back(foot->R_SF.transpose() * Vector3d(ahead, com.y(), down));
  }
}

const SegmentMotion* RobotSkeleton::motion_of(const SegmentSample& person, int human) const noexcept {
  const int i = segment_of_[at(human)];
  return i < 0 || at(i) >= person.segments.size() ? nullptr : &person.segments[at(i)];
}

void RobotSkeleton::take_orientations(const SegmentSample& person, SegmentSample& robot) noexcept {
  const SegmentMotion* pelvis = floating_base_ ? nullptr : motion_of(person, Pelvis);
  const bool seen_from = pelvis != nullptr && pelvis->has_orientation;
  const bool turns = seen_from && pelvis->has_angular_velocity;
  for (Bone& bone : bones_) {
    if (bone.segment < 0) {
      bone.R_WF.setIdentity();
      bone.placed = true;
      continue;
    }
    const SegmentMotion& from = person.segments[at(bone.segment)];
    SegmentMotion& to = robot.segments[at(bone.segment)];
    bone.placed = to.has_orientation = from.has_orientation;
    to.has_angular_velocity = from.has_angular_velocity && (turns || !seen_from);
    to.R_WS = from.R_WS;
    to.w_WS = from.w_WS;
    if (seen_from) {
      to.R_WS = pelvis->R_WS.transpose() * from.R_WS;
      to.w_WS = pelvis->R_WS.transpose() * (from.w_WS - pelvis->w_WS);
    }
    bone.R_WF = to.R_WS * bone.R_SF;
  }
}

// Every link's origin from that of the root outwards. What hangs on a link that is not measured is not known.
void RobotSkeleton::place_bones() noexcept {
  for (Bone& bone : bones_) {
    if (bone.before < 0) {
      bone.origin.setZero();
      continue;
    }
    const Bone& before = bones_[at(bone.before)];
    bone.placed = bone.placed && before.placed;
    bone.origin = before.origin + before.R_WF * bone.from - bone.R_WF * bone.centre;
  }
}

// How far the person's lowest sole is above the floor; 0 where that is not measured.
double RobotSkeleton::person_clearance(const SegmentSample& person) const noexcept {
  double lowest = std::numeric_limits<double>::infinity();
  for (const std::size_t side : {0U, 1U}) {
    const SegmentMotion* foot = motion_of(person, kFoot[side]);
    if (foot == nullptr || !foot->has_orientation || !foot->has_position) return 0.0;
    for (const Vector3d& point : person_sole_[side])
      lowest = std::min(lowest, (foot->p_WS + foot->R_WS * point).z());
  }
  return std::max(0.0, lowest - options_.floor);
}

void RobotSkeleton::place_base(const SegmentSample& person) noexcept {
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

// Hands that are near to each other keep the distance that the person's have.
void RobotSkeleton::keep_hands(const SegmentSample& person) noexcept {
  Bone *right = nullptr, *left = nullptr;
  for (Bone& bone : bones_) {
    if (bone.human == RightHand) right = &bone;
    if (bone.human == LeftHand) left = &bone;
  }
  if (right == nullptr || left == nullptr || !right->placed || !left->placed) return;
  const SegmentMotion &r = person.segments[at(right->segment)], &l = person.segments[at(left->segment)];
  if (!r.has_position || !l.has_position) return;
  Vector3d apart = l.p_WS - r.p_WS;
  const double near = nearness(apart.norm(), options_.hands_near, options_.hands_apart);
  if (!(near > 0.0)) return;
  const SegmentMotion* pelvis = floating_base_ ? nullptr : motion_of(person, Pelvis);
  if (pelvis != nullptr && pelvis->has_orientation) apart = pelvis->R_WS.transpose() * apart;
  // between the hands' joints, which need not be their links' origins
  const auto joint = [](const Bone& hand) -> Vector3d { return hand.origin + hand.R_WF * hand.centre; };
  const Vector3d change = 0.5 * near * (apart - (joint(*left) - joint(*right)));
  left->origin += change;
  right->origin -= change;
}

void RobotSkeleton::pose(const SegmentSample& person, SegmentSample& robot) noexcept {
  robot.t = person.t;
  robot.cut = person.cut;
  if (robot.segments.size() != person.segments.size()) robot.segments.resize(person.segments.size());
  for (SegmentMotion& segment : robot.segments) {
    segment.has_orientation = segment.has_position = false;
    segment.has_angular_velocity = segment.has_linear_velocity = false;
  }
  take_orientations(person, robot);
  place_bones();
  place_base(person);
  if (options_.keep_hands) keep_hands(person);
  for (const Bone& bone : bones_) {
    if (bone.segment < 0) continue;
    SegmentMotion& segment = robot.segments[at(bone.segment)];
    segment.p_WS = bone.origin;
    segment.has_position = bone.placed;
  }
}

}  // namespace panto
