#include "panto/retarget/foot_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "panto/base/index.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/recording/person_reader.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

constexpr std::array<int, 2> kFoot{RightFoot, LeftFoot};
constexpr double kRaised = 0.02;  // [m] an end of a sole that is higher touches nothing

// Stricter than the defaults: a foot that creeps is not held, or its leg would point elsewhere.
constexpr ContactOptions kContacts{
    .height_off = 0.06, .speed_on = 0.15, .speed_off = 0.25, .swing_share = 0.08, .place = 0.02};

// A foot that lies has its ankle and the root of its toes a few centimetres above the floor.
constexpr ContactOptions kRests{.height_on = 0.08,
                                .height_off = 0.10,
                                .speed_on = 0.15,
                                .speed_off = 0.25,
                                .swing_share = 0.08,
                                .place = 0.03};

// Calls `take` for every sample of a recording.
template <typename Take>
void for_each_sample(PersonReader& reader, Take&& take) {
  SegmentSample sample;
  for (ReadStatus status{}; (status = reader.read(sample)) != ReadStatus::EndOfMotion;) {
    if (status == ReadStatus::Malformed) break;
    if (status == ReadStatus::Sample) take(sample);
  }
}

ContactOptions for_legs_of(const SubjectDimensions& subject, ContactOptions options) {
  const double leg =
      subject.origin[RightLowerLeg].norm() + subject.origin[RightFoot].norm() - subject.origin[RightToe].z();
  if (leg > 0.1) options.leg_length = leg;
  return options;
}

// Where a foot is not known it is where it was last, or at first.
void hold_over_gaps(FootMotion& motion) {
  const std::size_t count = motion.p_WF.size();
  std::vector<bool> known(count);
  for (std::size_t k = 0; k < count; ++k) known[k] = motion.p_WF[k].allFinite() && motion.R_WF[k].allFinite();
  const auto first = std::find(known.begin(), known.end(), true);
  auto last = first == known.end() ? std::size_t{0} : static_cast<std::size_t>(first - known.begin());
  for (std::size_t k = 0; k < count; ++k) {
    if (known[k]) last = k;
    motion.p_WF[k] = known[last] ? motion.p_WF[last] : Eigen::Vector3d(Eigen::Vector3d::Zero());
    motion.R_WF[k] = known[last] ? motion.R_WF[last] : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
  }
}

}  // namespace

ContactOptions stance_options(const SubjectDimensions& subject) { return for_legs_of(subject, kContacts); }

PersonFeet find_person_feet(Recording& recording, const SubjectDimensions& subject) {
  PersonReader reader(recording);
  PersonFeet feet;
  std::vector<FootTrack> tracks, joints;
  std::vector<FootSole> soles;
  std::vector<Eigen::Vector3d> toes;
  std::vector<std::size_t> entries;
  for (const int side : {0, 1}) {
    const auto entry = entry_of(reader.names(), kFoot[at(side)]);
    if (!entry) continue;
    feet.sides.push_back(side);
    entries.push_back(*entry);
    soles.push_back(human_sole(subject, side == 0));
    toes.push_back(subject.origin[side == 0 ? RightToe : LeftToe]);
    tracks.emplace_back();
    tracks.back().name = kHumanSegmentNames[at(kFoot[at(side)])];
    joints.push_back(tracks.back());
  }
  for_each_sample(reader, [&](const SegmentSample& sample) {
    if (!feet.t.empty() && sample.t <= feet.t.back()) return;
    if (sample.cut) feet.cuts.push_back(static_cast<int>(feet.t.size()));
    feet.t.push_back(sample.t);
    const GivenContacts given = reader.contacts();
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      const std::size_t side = at(feet.sides[i]);
      tracks[i].heel_given.push_back(given.heel[side]);
      tracks[i].ball_given.push_back(given.ball[side]);
      const SegmentMotion& m = sample.segments[entries[i]];
      const bool known = m.has_orientation && m.has_position;
      const Eigen::Vector3d nowhere = Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
      tracks[i].t.push_back(sample.t);
      tracks[i].heel.push_back(known ? m.p_WS + m.R_WS * soles[i].heel : nowhere);
      tracks[i].ball.push_back(known ? m.p_WS + m.R_WS * soles[i].ball : nowhere);
      joints[i].heel.push_back(known ? m.p_WS : nowhere);
      joints[i].ball.push_back(known ? m.p_WS + m.R_WS * toes[i] : nowhere);
    }
  });
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    tracks[i].cuts = joints[i].cuts = feet.cuts;
    joints[i].t = tracks[i].t;
  }
  feet.contacts = find_contacts(tracks, stance_options(subject));
  feet.rests = find_contacts(joints, for_legs_of(subject, kRests)).feet;
  return feet;
}

void drop_raised_contacts(const Model& model, const robot::Skeleton& skeleton, Motion& motion) {
  struct Foot {
    LinkContacts* contacts;
    int link;
    FootSole sole;
  };
  std::vector<Foot> feet;
  for (const int side : {0, 1}) {
    const int link = skeleton.link_of(kFoot[at(side)]);
    if (link < 0 || skeleton.sole(side).size() != 2) continue;
    for (LinkContacts& contacts : motion.contacts)
      if (contacts.link == model.link_names()[at(link)])
        feet.push_back({&contacts, link, robot_sole(skeleton, side)});
  }
  if (feet.empty()) return;
  Kinematics kinematics(model);
  for (std::size_t k = 0; k < motion.states.size(); ++k) {
    kinematics.update(motion.states[k]);
    for (const Foot& foot : feet) {
      const auto is_raised = [&](const Eigen::Vector3d& p_L) {
        return kinematics.p_WL(foot.link).z() + (kinematics.R_WL(foot.link) * p_L).z() > kRaised;
      };
      LinkContacts& own = *foot.contacts;
      if (own.heel[k] != 0 && is_raised(foot.sole.heel)) own.heel[k] = 0;
      if (own.ball[k] != 0 && is_raised(foot.sole.ball)) own.ball[k] = 0;
      if (k < own.anchor.size() && !own.stands(k)) own.anchor[k].reset();
    }
  }
}

FootSole robot_sole(const robot::Skeleton& skeleton, int side) {
  const std::vector<Eigen::Vector3d>& points = skeleton.sole(side);
  if (points.size() != 2) return {};
  return {points[0], points[1], skeleton.up(kFoot[at(side)]), skeleton.sole_half_width(side)};
}

std::vector<Eigen::Vector3d> link_corners(const Model& model, int link) {
  Kinematics kinematics(model);
  State rest = rest_state(model);
  rest.s = model.rest();
  kinematics.update(rest);
  std::vector<Eigen::Vector3d> corners;
  for (int other = 0; other < model.link_count(); ++other) {
    if (model.frame(other).body != model.frame(link).body) continue;
    for (const Eigen::Vector3d& corner : model.links()[at(other)].corners)
      corners.emplace_back(
          kinematics.R_WL(link).transpose() *
          (kinematics.p_WL(other) + kinematics.R_WL(other) * corner - kinematics.p_WL(link)));
  }
  return corners;
}

std::vector<Eigen::Vector3d> foot_corners(const Model& model, const robot::Skeleton& skeleton, int side) {
  std::vector<Eigen::Vector3d> given = link_corners(model, skeleton.link_of(kFoot[at(side)]));
  if (!given.empty()) return given;
  const std::array<Eigen::Vector3d, 4> rectangle = corners(robot_sole(skeleton, side));
  return {rectangle.begin(), rectangle.end()};
}

std::vector<FootCorners> corners_of_feet(const Model& model, const robot::Skeleton& skeleton,
                                         const std::vector<int>& sides) {
  std::vector<FootCorners> feet;
  for (const int side : sides)
    if (skeleton.sole(side).size() == 2)
      feet.push_back({skeleton.link_of(kFoot[at(side)]), foot_corners(model, skeleton, side)});
  return feet;
}

FootPlan plan_feet(Recording& recording, const PersonFeet& person, robot::Skeleton& skeleton) {
  PersonReader reader(recording);
  FootPlan plan;
  std::vector<FootMotion> motions;
  std::vector<std::size_t> entries;
  for (std::size_t i = 0; i < person.sides.size(); ++i) {
    const int side = person.sides[i];
    if (skeleton.sole(side).size() != 2) continue;
    plan.sides.push_back(side);
    entries.push_back(entry_of(reader.names(), kFoot[at(side)]).value());
    FootMotion motion;
    motion.name = person.contacts.feet[i].name;
    motion.sole = robot_sole(skeleton, side);
    motion.contacts = person.contacts.feet[i];
    motions.push_back(std::move(motion));
  }
  SegmentSample posed;
  std::size_t frame = 0;
  for_each_sample(reader, [&](const SegmentSample& sample) {
    if (frame >= person.t.size() || sample.t != person.t[frame]) return;  // a stamp that goes back
    ++frame;
    skeleton.pose(sample, posed);
    for (std::size_t i = 0; i < motions.size(); ++i) {
      const SegmentMotion& m = posed.segments[entries[i]];
      motions[i].p_WF.push_back(m.p_WS);
      motions[i].R_WF.push_back(m.R_WS * skeleton.offset(kFoot[at(plan.sides[i])]));
    }
  });
  if (motions.empty()) return plan;
  for (FootMotion& motion : motions) hold_over_gaps(motion);
  PlantOptions options;
  options.ground = 0.0;
  plan.planted = plant_feet(person.t, motions, options, person.cuts);
  plan.base_shift = base_shift(person.t, motions, plan.planted.feet, person.cuts);
  return plan;
}

FootContacts contacts_at(const FootContacts& all, const std::vector<int>& frame,
                         const std::function<bool(std::size_t)>& allowed) {
  FootContacts some = all;
  some.heel.assign(frame.size(), 0);
  some.ball.assign(frame.size(), 0);
  some.planted.clear();
  std::vector<int> interval(all.heel.size(), -1);
  for (std::size_t i = 0; i < all.planted.size(); ++i)
    for (int k = all.planted[i].first; k <= all.planted[i].last; ++k) interval[at(k)] = static_cast<int>(i);
  int before = -1;
  for (std::size_t k = 0; k < frame.size(); ++k) {
    const bool known = frame[k] >= 0 && allowed(k);
    const int now = known ? interval[at(frame[k])] : -1;
    if (known) {
      some.heel[k] = all.heel[at(frame[k])];
      some.ball[k] = all.ball[at(frame[k])];
    }
    if (now >= 0 && now == before) some.planted.back().last = static_cast<int>(k);
    if (now >= 0 && now != before) some.planted.push_back({static_cast<int>(k), static_cast<int>(k)});
    before = now;
  }
  return some;
}

LinkContacts contacts_of(std::string link, const FootContacts& contacts, const FootTargets* targets) {
  LinkContacts foot{std::move(link), contacts.heel, contacts.ball};
  for (std::size_t k = 0; targets != nullptr && k < targets->p_WF.size(); ++k) {
    foot.anchor.emplace_back();
    if (foot.stands(k)) foot.anchor.back() = Anchor{targets->p_WF[k], targets->R_WF[k]};
  }
  return foot;
}

std::vector<LinkContacts> person_contacts(const Model& model, const robot::Skeleton& skeleton,
                                          const PersonFeet& person, const FootPlan& plan,
                                          const Motion& motion) {
  std::vector<LinkContacts> feet;
  for (std::size_t i = 0; i < person.sides.size(); ++i) {
    const int link = skeleton.link_of(kFoot[at(person.sides[i])]);
    if (link < 0) continue;
    const auto planned = std::find(plan.sides.begin(), plan.sides.end(), person.sides[i]);
    const LinkContacts all =
        contacts_of(model.link_names()[at(link)], person.contacts.feet[i],
                    planned == plan.sides.end()
                        ? nullptr
                        : &plan.planted.feet[static_cast<std::size_t>(planned - plan.sides.begin())]);
    LinkContacts& foot = feet.emplace_back(LinkContacts{all.link, {}, {}});
    for (const State& state : motion.states) {
      const auto found = std::lower_bound(person.t.begin(), person.t.end(), state.t);
      const bool known = found != person.t.end() && *found == state.t;
      const auto k = static_cast<std::size_t>(found - person.t.begin());
      foot.heel.push_back(known ? all.heel[k] : 0);
      foot.ball.push_back(known ? all.ball[k] : 0);
      if (!all.anchor.empty()) foot.anchor.push_back(known ? all.anchor[k] : std::nullopt);
    }
  }
  return feet;
}

}  // namespace panto
