#include "panto/api/robot_motion.hpp"

#include <algorithm>
#include <utility>

#include "panto/api/judged_run.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/evaluation/robot_figures.hpp"
#include "panto/evaluation/verdict_limits.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/robot_layout.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/motion/resample.hpp"
#include "panto/retarget/foot_plan.hpp"
#include "panto/retarget/robot_judge.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

constexpr std::array<int, 2> kFoot{RightFoot, LeftFoot};

robot::Skeleton skeleton_of(const Robot& robot) {
  return {robot.model, robot.map, scaled_subject(1.75), human_segment_names()};
}

// the same robot to read a motion of, with its soles
io::MotionRobot for_reading(const std::string& name, const Robot& robot) {
  const robot::Skeleton skeleton = skeleton_of(robot);
  io::MotionRobot read{name, &robot.model, {}, robot.model.root_link(), Eigen::Vector3d::UnitZ()};
  for (const int side : {0, 1}) {
    const std::vector<Eigen::Vector3d>& sole = skeleton.sole(side);
    if (sole.size() == 2) read.feet.push_back({skeleton.link_of(kFoot[at(side)]), sole[0], sole[1]});
  }
  for (const int segment : {T8, Pelvis}) {
    if (skeleton.link_of(segment) < 0) continue;
    read.trunk = skeleton.link_of(segment);
    read.up = skeleton.up(segment);
  }
  return read;
}

// The robot's own feet.
struct OwnFeet {
  PersonFeet found;
  std::vector<FootTrack> tracks;
  bool given = false;      // their contacts are those of the motion, not found
  std::string doubt = {};  // why those are not used; empty: they are, or there are none
};

// the motion's own contacts of a link; null: it has none
const LinkContacts* contacts_of(const Motion& motion, const std::string& link) {
  const auto foot = std::find_if(motion.contacts.begin(), motion.contacts.end(),
                                 [&](const LinkContacts& one) { return one.link == link; });
  return foot == motion.contacts.end() ? nullptr : &*foot;
}

// Tells by frame whether a sole stands: on the floor, in contact long before and after. While a foot lands or
// lifts it moves, which is no slide, and without a person nothing else tells these times.
std::vector<bool> standing(const std::vector<unsigned char>& contact,
                           const std::vector<Eigen::Vector3d>& sole, double ground, double rate_hz) {
  constexpr double kLanding = 0.1, kOnFloor = 0.02;  // [s], [m]
  const auto margin = static_cast<std::size_t>(std::lround(kLanding * rate_hz));
  std::vector<std::size_t> off{0};  // before each frame, the frames off the floor
  for (std::size_t k = 0; k < contact.size(); ++k)
    off.push_back(off.back() + (contact[k] == 0 || sole[k].z() - ground > kOnFloor ? 1 : 0));
  std::vector<bool> stands;
  for (std::size_t k = 0; k < contact.size(); ++k)
    stands.push_back(off[k - std::min(k, margin)] == off[std::min(k + margin + 1, contact.size())]);
  return stands;
}

// by frame and foot
std::vector<std::vector<SoleContact>> standing_soles(const OwnFeet& own, double rate_hz) {
  const ClipContacts& contacts = own.found.contacts;
  std::vector<std::vector<SoleContact>> frames(own.found.t.size());
  for (std::size_t i = 0; i < own.tracks.size(); ++i) {
    const FootContacts& foot = contacts.feet[i];
    if (own.given) {
      for (std::size_t k = 0; k < frames.size(); ++k)
        frames[k].push_back({foot.heel[k] != 0, foot.ball[k] != 0});
      continue;
    }
    const std::vector<bool> heel = standing(foot.heel, own.tracks[i].heel, contacts.ground, rate_hz);
    const std::vector<bool> ball = standing(foot.ball, own.tracks[i].ball, contacts.ground, rate_hz);
    for (std::size_t k = 0; k < frames.size(); ++k) frames[k].push_back({heel[k], ball[k]});
  }
  return frames;
}

// Takes the motion's own contacts, which tell a landing foot from one that slides. Leaves them where they do
// not fit the motion: where they miss many feet that stand, or name many feet in the air.
void take_contacts(const Robot& robot, const robot::Skeleton& skeleton, const Motion& motion, OwnFeet& own) {
  constexpr double kInAir = 0.05, kMostWrong = 0.2;  // [m], share
  std::vector<const LinkContacts*> given;
  for (const int side : own.found.sides)
    given.push_back(contacts_of(motion, robot.model.link_names()[at(skeleton.link_of(kFoot[at(side)]))]));
  if (given.empty() || std::find(given.begin(), given.end(), nullptr) != given.end()) return;
  const std::vector<std::vector<SoleContact>> seen = standing_soles(own, motion.rate_hz);
  const double ground = own.found.contacts.ground;
  std::size_t stands = 0, denied = 0, said = 0, lifted = 0;
  for (std::size_t k = 0; k < seen.size(); ++k)
    for (std::size_t i = 0; i < given.size(); ++i) {
      const FootTrack& track = own.tracks[i];
      if (seen[k][i].heel || seen[k][i].ball) ++stands, denied += given[i]->stands(k) ? 0 : 1;
      if (given[i]->stands(k))
        ++said, lifted += std::min(track.heel[k].z(), track.ball[k].z()) > ground + kInAir ? 1 : 0;
    }
  const auto wrong = [&](std::size_t part, std::size_t whole) {
    return static_cast<double>(part) > kMostWrong * static_cast<double>(whole);
  };
  if (wrong(denied, stands) || wrong(lifted, said)) {
    own.doubt = "warning: the file's contacts do not fit its motion and are not used: they leave out " +
                counted(static_cast<std::int64_t>(denied), "frame") + " of feet that stand, and have " +
                counted(static_cast<std::int64_t>(lifted), "frame") + " of feet in the air";
    return;
  }
  own.given = true;
  for (std::size_t i = 0; i < given.size(); ++i) {
    own.found.contacts.feet[i].heel = given[i]->heel;
    own.found.contacts.feet[i].ball = given[i]->ball;
  }
}

OwnFeet feet_of(const Robot& robot, const robot::Skeleton& skeleton, const Motion& motion) {
  OwnFeet own;
  PersonFeet& feet = own.found;
  std::vector<FootTrack>& tracks = own.tracks;
  Kinematics body(robot.model);
  for (const int side : {0, 1}) {
    if (skeleton.sole(side).size() != 2) continue;
    feet.sides.push_back(side);
    tracks.emplace_back().name = kHumanSegmentNames[at(kFoot[at(side)])];
  }
  for (const State& state : motion.states) {
    feet.t.push_back(state.t);
    body.update(state);
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      const int link = skeleton.link_of(kFoot[at(feet.sides[i])]);
      const std::vector<Eigen::Vector3d>& sole = skeleton.sole(feet.sides[i]);
      tracks[i].t.push_back(state.t);
      tracks[i].heel.push_back(body.p_WL(link) + body.R_WL(link) * sole[0]);
      tracks[i].ball.push_back(body.p_WL(link) + body.R_WL(link) * sole[1]);
    }
  }
  feet.contacts = find_contacts(tracks);
  take_contacts(robot, skeleton, motion, own);
  return own;
}

// A robot's motion as samples of the human segments.
class MotionRecording final : public Recording {
 public:
  MotionRecording(const RobotMotion& motion, const std::string& name)
      : robot_(motion.robot),
        motion_(motion.motion),
        skeleton_(skeleton_of(robot_)),
        body_(robot_.model),
        own_(feet_of(robot_, skeleton_, motion_)),
        feet_(own_.found),
        subject_(scaled_subject(1.75)) {
    info_.path = name;
    info_.format = motion.format + " (" + motion.robot_name + ")";
    info_.rate_hz = motion_.rate_hz;
    info_.frames = static_cast<std::int64_t>(motion_.states.size());
    info_.subject = subject_;
    if (!own_.doubt.empty()) info_.notes.push_back(own_.doubt);
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      const bool attached = skeleton_.link_of(i) >= 0;
      const int parent = kHumanSegmentParent[at(i)];
      // limbs that the robot lacks are missing; between those it has, all are there
      const bool begins_limb =
          i == RightUpperLeg || i == LeftUpperLeg || i == RightUpperArm || i == LeftUpperArm;
      has_[at(i)] = attached || (parent < 0 || (has_[at(parent)] && !begins_limb));
      if (!has_[at(i)]) continue;
      names_.emplace_back(kHumanSegmentNames[at(i)]);
      entries_.push_back(i);
      Attachment& own = info_.attachments.attachments.emplace_back();
      own.segment = own.link = names_.back();
      own.position = i == Pelvis;
    }
    info_.attachments.source = info_.format;
  }

  const std::vector<std::string>& names() const noexcept override { return names_; }
  const RecordingInfo& info() const noexcept override { return info_; }
  const std::string& problem() const noexcept override { return problem_; }
  void rewind() override { next_ = 0; }

  ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ >= motion_.states.size()) return ReadStatus::EndOfMotion;
    const State& state = motion_.states[next_++];
    body_.update(state);
    std::array<Eigen::Matrix3d, kHumanSegmentCount> R;
    std::array<Eigen::Vector3d, kHumanSegmentCount> p;
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      const int link = skeleton_.link_of(i), parent = kHumanSegmentParent[at(i)];
      R[at(i)] = link >= 0    ? Eigen::Matrix3d(body_.R_WL(link) * skeleton_.offset(i).transpose())
                 : parent < 0 ? state.R_WB
                              : R[at(parent)];
      p[at(i)] = parent < 0 ? Eigen::Vector3d(state.p_WB / skeleton_.scale())
                            : Eigen::Vector3d(p[at(parent)] + R[at(parent)] * subject_.origin[at(i)]);
    }
    const double lift = lowest_of_robot() / skeleton_.scale() - lowest_of_person(R, p);
    sample.t = state.t;
    sample.cut = false;
    sample.segments.resize(entries_.size());
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      const std::size_t i = at(entries_[k]);
      sample.segments[k] = {};
      sample.segments[k].R_WS = R[i];
      sample.segments[k].p_WS = p[i] + lift * Eigen::Vector3d::UnitZ();
      sample.segments[k].has_orientation = sample.segments[k].has_position = true;
    }
    return ReadStatus::Sample;
  }

  GivenContacts contacts() const noexcept override {
    GivenContacts given;
    for (std::size_t i = 0; next_ > 0 && i < feet_.sides.size(); ++i) {
      given.heel[at(feet_.sides[i])] = static_cast<signed char>(feet_.contacts.feet[i].heel[next_ - 1]);
      given.ball[at(feet_.sides[i])] = static_cast<signed char>(feet_.contacts.feet[i].ball[next_ - 1]);
    }
    return given;
  }

 private:
  double lowest_of_robot() const noexcept {
    double lowest = kInfinity;
    for (const int side : {0, 1})
      for (const Eigen::Vector3d& point : skeleton_.sole(side)) {
        const int link = skeleton_.link_of(kFoot[at(side)]);
        lowest = std::min(lowest, (body_.p_WL(link) + body_.R_WL(link) * point).z());
      }
    return lowest == kInfinity ? 0.0 : lowest;
  }
  double lowest_of_person(const std::array<Eigen::Matrix3d, kHumanSegmentCount>& R,
                          const std::array<Eigen::Vector3d, kHumanSegmentCount>& p) const noexcept {
    double lowest = kInfinity;
    for (const int side : {0, 1}) {
      const std::size_t foot = at(kFoot[at(side)]);
      const FootSole sole = human_sole(subject_, side == 0);
      if (has_[foot])
        lowest = std::min({lowest, (p[foot] + R[foot] * sole.heel).z(), (p[foot] + R[foot] * sole.ball).z()});
    }
    return lowest == kInfinity ? 0.0 : lowest;
  }

  Robot robot_;
  Motion motion_;
  robot::Skeleton skeleton_;
  Kinematics body_;
  OwnFeet own_;
  const PersonFeet& feet_;
  SubjectDimensions subject_;
  RecordingInfo info_;
  std::string problem_;
  std::vector<std::string> names_;
  std::vector<int> entries_;  // HumanSegment of the samples
  std::array<bool, kHumanSegmentCount> has_{};
  std::size_t next_ = 0;
};

std::vector<std::pair<std::string, Robot>> candidates(const std::string& robot, std::size_t joints) {
  std::vector<std::pair<std::string, Robot>> found;
  if (!robot.empty()) {
    const io::RobotFile file = io::open_robot(robot);
    found.emplace_back(file.name, robot_of(file));
    return found;
  }
  for (const std::string& name : io::shipped_robots())
    if (io::shipped_robot(name).dof() == static_cast<int>(joints))
      found.emplace_back(name, robot_of(io::open_robot(name)));
  return found;
}

}  // namespace

RobotMotion open_robot_motion(io::Input& input, const std::string& robot, const io::MotionHints& hints) {
  return tell_robot_motion(io::read_robot_arrays(input), robot, hints);
}

RobotMotion tell_robot_motion(const io::RobotArrays& arrays, const std::string& robot,
                              const io::MotionHints& hints) {
  io::MotionHints told_by_user = hints;
  if (!robot.empty()) told_by_user.robot = robot;
  std::vector<std::pair<std::string, Robot>> robots = candidates(told_by_user.robot, arrays.joints.width);
  if (robots.empty())
    throw FormatError(
        arrays.name + ": has " + counted(static_cast<std::int64_t>(arrays.joints.width), "joint") +
        ", and no shipped robot has that many: name the robot that moves (a URDF, MJCF or map); joint "
        "angles of a model that is neither a robot nor a person are for other programs only");
  std::vector<io::MotionRobot> read;
  for (const auto& [name, one] : robots) read.push_back(for_reading(name, one));
  io::ToldMotion told = io::tell_motion(arrays, read, told_by_user);
  auto& [name, one] = robots[told.robot];
  RobotMotion motion{
      told.layout,           name,     std::move(one), std::move(told.motion), std::move(told.facts),
      std::move(told.notes), told.open};
  return motion;
}

void check_settled(const RobotMotion& motion) {
  if (!motion.open) return;
  std::string all;
  for (const std::string& note : motion.notes)
    if (!note.starts_with("warning: ")) all += (all.empty() ? "" : "; ") + note;
  throw ConfigError(all);
}

RetargetResult judge_motion(const RobotMotion& motion, double settle) {
  const Robot& robot = motion.robot;
  const robot::Skeleton skeleton = skeleton_of(robot);
  const OwnFeet own = feet_of(robot, skeleton, motion.motion);
  const std::vector<std::vector<SoleContact>> soles = standing_soles(own, motion.motion.rate_hz);
  const std::vector<TrackedPair> pairs =
      tracked_pairs(robot.map.attachments, human_segment_names(), robot.model);
  const std::vector<std::string>& segments = human_segment_names();
  constexpr double kRounding = 1e-5;  // [rad], [m]: of numbers of 4 bytes or 6 digits
  RobotFiguresOptions options;
  options.settle = settle_time(settle);
  options.limit_tolerance = kRounding;
  RobotParts parts = robot_parts(robot.model, pairs, skeleton, own.found, segments);
  std::vector<std::string> left_out = not_judged(robot.model, skeleton, parts);
  RobotFiguresBuilder figures(robot.model, std::move(parts), options);
  std::optional<ObstacleDepth> obstacles;
  if (!robot.map.obstacles.empty()) obstacles.emplace(robot.model, robot.map.obstacles);
  ReportOptions card_options;
  card_options.settle = options.settle;
  card_options.limit_tolerance = kRounding;
  ReportBuilder card(robot.model, {}, card_options);
  for (std::size_t k = 0; k < motion.motion.states.size(); ++k) {
    const State& state = motion.motion.states[k];
    RobotFrame frame;
    frame.contacts = soles[k];
    if (obstacles) frame.obstacle = obstacles->deepest(state);
    figures.add(state, frame);
    SegmentSample sample;
    sample.t = state.t;
    card.add(sample, state, {});
  }
  RetargetResult result;
  result.figures = figures.report();
  result.not_judged = std::move(left_out);
  result.figures.unjudged = std::ssize(result.not_judged);
  result.card = card.report();
  result.card.recording_faults = 0;
  result.frames_used = result.card.frames;
  result.notes = motion.notes;
  if (!own.doubt.empty()) result.notes.push_back(own.doubt);
  result.motion = motion.motion;
  if (!own.given && own.doubt.empty() && !own.tracks.empty())
    result.notes.push_back("the file has no contacts: when a foot stands is guessed from its sole");
  if (!own.given)
    result.motion.contacts = person_contacts(robot.model, skeleton, own.found, {}, motion.motion);
  return result;
}

Motion with_leads(const Robot& robot, Motion motion, double fps, const LeadOptions& leads,
                  std::vector<std::string>& notes) {
  const Motion steady = fps > 0.0 ? resampled(std::move(motion), fps) : std::move(motion);
  Motion led = led_motion(robot.model, skeleton_of(robot), steady, leads, notes);
  const auto slide = [&](const Motion& judged) {
    return judge_motion({"", "", robot, judged, {}, {}}).figures.foot_skate_p95_mm_s.value_or(0.0);
  };
  if (const double now = slide(led); now > verdict_limits::kSkate.care && now > slide(steady))
    notes.push_back("warning: with what is added, stance feet slide at " + digits(now, 3) +
                    " mm/s (95 %); the verdict is of the motion without it");
  return led;
}

void write_robot_motion(RobotMotion& motion, const io::Destination& to, const std::string& layout, double fps,
                        const LeadOptions& leads) {
  io::WriteMotionOptions options;
  options.layout = layout;
  options.resample_hz = fps > 0.0 || layout.empty() ? fps : io::robot_layout(layout).rate_hz;
  if (leads.any())
    motion.motion =
        with_leads(motion.robot, std::move(motion.motion), options.resample_hz, leads, motion.notes);
  (void)io::write_motion(motion.motion, motion.robot.model, to, options);
}

std::unique_ptr<Recording> open_person(io::Input& input, const std::string& robot,
                                       const io::MotionHints& hints, std::vector<std::string>& notes) {
  const RobotMotion motion = open_robot_motion(input, robot, hints);
  check_settled(motion);
  notes.insert(notes.end(), motion.notes.begin(), motion.notes.end());
  return person_of(motion, input.name());
}

std::unique_ptr<Recording> person_of(const RobotMotion& motion, const std::string& name) {
  return std::make_unique<MotionRecording>(motion, name);
}

}  // namespace panto
