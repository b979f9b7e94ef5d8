// What a user asks for beside a recording, through the API: on a shipped robot, a robot of a URDF, a human.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <stdexcept>

#include "apps/support/allocation_count.hpp"
#include "panto/api/imitate.hpp"
#include "panto/api/live_retargeter.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/urdf.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/recording/person_reader.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/synthetic_robot.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;
using test::bundled_walk;
using test::names;
using test::refusal_of;
using test::shipped_robot;

// A robot of our own, by way of a URDF.
Robot urdf_robot() {
  const Model model(test::synthetic_robot({}, 7).spec);
  return robot_of(io::open_robot(io::write_urdf(model), "mine.urdf", {}));
}

// One way through the API, with the body that it moves.
struct Way {
  Model model = human66();
  std::string pelvis, left_hand, right_hand;  // links
  std::string left_elbow, right_elbow;        // joints
  Vector3d apart;                             // the right hand from the left one that both can keep
  std::function<std::vector<State>(const OwnTargetsOption&)> run;
};

std::string link_of(const Robot& robot, const std::string& segment) {
  for (const Attachment& a : robot.map.attachments.attachments)
    if (a.segment == segment) return a.link;
  return {};
}

std::vector<State> live_states(const Robot& robot, const OwnTargetsOption& own) {
  const auto walk = bundled_walk();
  PersonReader reader(*walk);
  std::vector<std::string> notes;
  RetargetOptions options;
  options.own = own;
  options.feet = FeetMode::Soft;  // as with own targets, so that both runs compare
  LiveRetargeter live(robot, reader.names(), subject_of(walk->info(), {}, {}, notes), options);
  State state = live.rest_state();
  std::vector<State> states;
  SegmentSample sample;
  while (reader.read(sample) == ReadStatus::Sample) {
    const AllocationCount allocations;
    const StepStatus status = live.step(sample, state);
    const long allocated = states.empty() ? 0 : allocations.value();
    EXPECT_EQ(allocated, 0);
    EXPECT_TRUE(advanced(status));
    states.push_back(state);
  }
  return states;
}

Way robot_way(const Robot& robot, bool live) {
  Way way;
  way.model = robot.model;
  way.pelvis = link_of(robot, "Pelvis");
  way.left_hand = link_of(robot, "LeftHand");
  way.right_hand = link_of(robot, "RightHand");
  for (const std::string& joint : robot.model.joint_names()) {
    if (joint.find("elbow") == std::string::npos) continue;
    std::string& side = joint.find("left") != std::string::npos ? way.left_elbow : way.right_elbow;
    if (side.empty()) side = joint;
  }
  Kinematics at_rest(robot.model);
  at_rest.update(rest_state(robot.model));
  const int a = robot.model.link_index(way.left_hand), b = robot.model.link_index(way.right_hand);
  way.apart = at_rest.R_WL(a).transpose() * (at_rest.p_WL(b) - at_rest.p_WL(a));
  way.run = [robot, live](const OwnTargetsOption& own) {
    if (live) return live_states(robot, own);
    const auto walk = bundled_walk();
    RetargetOptions options;
    options.own = own;
    return retarget(*walk, robot, options).motion.states;
  };
  return way;
}

Way human_way() {
  Way way{human66(), "Pelvis", "LeftHand", "RightHand", "jLeftElbow_rotz", "jRightElbow_rotz", {}, {}};
  way.apart = {0.0, -0.15, 0.05};
  way.run = [](const OwnTargetsOption& own) {
    const auto walk = bundled_walk();
    TrackOptions options;
    options.own = own;
    return track(*walk, human66(), options).motion.states;
  };
  return way;
}

class OwnTargetsByTheApi : public ::testing::TestWithParam<const char*> {
 protected:
  static Way way_of(const std::string& name) {
    if (name == "track") return human_way();
    const bool live = name.find("live") != std::string::npos;
    return robot_way(name.find("g1") != std::string::npos ? shipped_robot("unitree_g1") : urdf_robot(), live);
  }
  // Every stamp of the walk, so that an update need not allocate.
  static std::map<Time, Vector3d> stamps() {
    std::map<Time, Vector3d> all;
    const auto walk = bundled_walk();
    SegmentSample sample;
    while (walk->read(sample) == ReadStatus::Sample) all[sample.t] = Vector3d::Zero();
    return all;
  }
  const Way way = way_of(GetParam());
  Kinematics kinematics{way.model};
};

TEST_P(OwnTargetsByTheApi, AHandReachesAPlaceThatMovesWithEverySample) {
  const std::vector<std::string> segments = PersonReader(*bundled_walk()).names();
  const auto hand =
      static_cast<std::size_t>(std::find(segments.begin(), segments.end(), "RightHand") - segments.begin());
  for (const bool follows : {true, false}) {
    std::map<Time, Vector3d> places = stamps();
    OwnTargetsOption own;
    own.targets.positions.push_back({.link = way.right_hand, .weight = 1e6, .feed_forward = follows});
    // 5 cm up and down at 0.5 Hz around where the recording leads the hand
    own.update = [&](const SegmentSample& sample, const State&, OwnTargets& targets) {
      const double up = 0.05 * std::sin(std::numbers::pi * to_seconds(sample.t));
      targets.positions[0].place_W = sample.segments[hand].p_WS + Vector3d(0.0, 0.0, up);
      const auto place = places.find(sample.t);
      if (place != places.end()) place->second = targets.positions[0].place_W;
    };
    double most = 0.0, speed = 0.0;
    for (const State& state : way.run(own)) {
      kinematics.update(state);
      const auto place = places.find(state.t);
      ASSERT_NE(place, places.end());
      const Vector3d off = kinematics.p_WL(way.model.link_index(way.right_hand)) - place->second;
      most = std::max(most, off.norm());
      if (place == places.begin()) continue;
      const auto before = std::prev(place);
      speed =
          std::max(speed, (place->second - before->second).norm() / to_seconds(place->first - before->first));
    }
    if (follows) {
      EXPECT_LT(most, 0.004) << "what a step leaves to second order in its length";
    } else {
      // what is v dt further in a step of which e^(-K dt) is left lags by v dt e^(-K dt)/(1 - e^(-K dt)) <
      // v/K
      EXPECT_LT(most, speed / own.targets.positions[0].gain + 0.004);
      EXPECT_GT(most, 0.02);
    }
  }
}

TEST_P(OwnTargetsByTheApi, APelvisStaysUpright) {
  const auto most_tilt = [&](const OwnTargetsOption& own) {
    double most = 0.0;
    for (const State& state : way.run(own)) {
      kinematics.update(state);
      const Vector3d up = kinematics.R_WL(way.model.link_index(way.pelvis)).col(2);
      most = std::max(most, up.head<2>().norm());
    }
    return most;
  };
  OwnTargetsOption own;
  own.targets.directions.push_back({.link = way.pelvis, .weight = 1e6});
  EXPECT_LT(most_tilt(own), 1e-5) << "a millionth of what the person's pelvis asks for, tens of degrees";
  EXPECT_GT(most_tilt({}), 0.03) << "without: two degrees and more";
}

TEST_P(OwnTargetsByTheApi, TwoHandsKeepTheirDistance) {
  const int a = way.model.link_index(way.left_hand), b = way.model.link_index(way.right_hand);
  const auto most_off = [&](const OwnTargetsOption& own) {
    double most = 0.0;
    for (const State& state : way.run(own)) {
      kinematics.update(state);
      most = std::max(most, std::abs((kinematics.p_WL(b) - kinematics.p_WL(a)).norm() - way.apart.norm()));
    }
    return most;
  };
  OwnTargetsOption own;
  own.targets.relatives.push_back(
      {.from = way.left_hand, .link = way.right_hand, .place_A = way.apart, .position_weight = 1e6});
  EXPECT_LT(most_off(own), 0.004) << "what a step leaves to second order in its length";
  EXPECT_GT(most_off({}), 0.1) << "the person's arms swing";
}

TEST_P(OwnTargetsByTheApi, ARowOverJointsHoldsExactlyAtEveryFrame) {
  ASSERT_FALSE(way.left_elbow.empty() || way.right_elbow.empty());
  const int left = way.model.joint_index(way.left_elbow), right = way.model.joint_index(way.right_elbow);
  const auto most_off = [&](const OwnTargetsOption& own) {
    double most = 0.0;
    for (const State& state : way.run(own)) most = std::max(most, std::abs(state.s[left] - state.s[right]));
    return most;
  };
  OwnTargetsOption own;
  own.targets.rows.push_back({"elbows", {{way.left_elbow, 1.0}, {way.right_elbow, -1.0}}, 0.0, 0.0});
  EXPECT_LT(most_off(own), 1e-9);
  EXPECT_GT(most_off({}), 0.05) << "the person's elbows differ";
}

INSTANTIATE_TEST_SUITE_P(Ways, OwnTargetsByTheApi,
                         ::testing::Values("retarget_g1", "retarget_urdf", "live_g1", "live_urdf", "track"));

class OwnTargetsAreRefused : public ::testing::Test {
 protected:
  const Robot g1 = shipped_robot("unitree_g1");
  RetargetOptions options;

  // what all three say
  template <typename T>
  void expect_refused(const char* first, const char* second) {
    const auto walk = bundled_walk();
    EXPECT_TRUE(names(refusal_of<T>([&] { (void)retarget(*walk, g1, options); }), first, second));
    const auto live = [&] { LiveRetargeter(g1, human_segment_names(), scaled_subject(1.75), options); };
    EXPECT_TRUE(names(refusal_of<T>(live), first, second));
  }
  template <typename T>
  std::string refusal_of_track(const TrackOptions& asked) {
    const auto walk = bundled_walk();
    return refusal_of<T>([&] { (void)track(*walk, human66(), asked); });
  }
};

TEST_F(OwnTargetsAreRefused, ForALinkThatIsNotThereWithTheNearest) {
  options.own.targets.positions.push_back({.link = "left_wrist_yaw_lnk"});
  expect_refused<ModelError>("left_wrist_yaw_lnk", "'left_wrist_yaw_link'");
  TrackOptions asked;
  asked.own.targets.directions.push_back({.link = "Pelvs"});
  EXPECT_TRUE(names(refusal_of_track<ModelError>(asked), "'Pelvs'", "'Pelvis'"));
}

TEST_F(OwnTargetsAreRefused, ForARowThatNoPoseMeetsWithBothRanges) {
  options.own.targets.rows.push_back({"far", {{"left_elbow_joint", 1.0}}, 7.5, 8.5});
  expect_refused<ModelError>("far", "7.5");
}

TEST_F(OwnTargetsAreRefused, ByMethodsWithoutThemWhichNameThoseThatHaveThem) {
  options.own.targets.positions.push_back({.link = "left_wrist_yaw_link"});
  options.any_method = true;
  TrackOptions asked;
  asked.own.targets.positions.push_back({.link = "Head"});
  for (const SolverKind kind : solver_kinds()) {
    if (takes_own_targets(kind)) continue;
    options.solver = asked.solver = kind;
    expect_refused<ModelError>("'dynamical'", "'instantaneous'");
    EXPECT_TRUE(names(refusal_of_track<ModelError>(asked), to_string(kind), "'instantaneous'"));
  }
}

TEST_F(OwnTargetsAreRefused, BesideOptionsThatMoveJointsAfterwards) {
  const auto walk = bundled_walk();
  options.own.targets.rows.push_back({"elbow", {{"left_elbow_joint", 1.0}}, 0.0, 1.0});
  options.smooth.emplace();
  EXPECT_TRUE(
      names(refusal_of<ConfigError>([&] { (void)retarget(*walk, g1, options); }), "exclude smoothing"));
  options.smooth.reset();
  options.scale.emplace();
  EXPECT_TRUE(names(refusal_of<ConfigError>([&] { (void)retarget(*walk, g1, options); }), "exclude scaling"));
  RetargetOptions gestures = imitate_options();
  gestures.solver = SolverKind::Dynamical;
  gestures.own = options.own;
  EXPECT_TRUE(names(refusal_of<ConfigError>([&] { (void)imitate(*walk, g1, gestures); }), "exclude scaling"));
}

TEST_F(OwnTargetsAreRefused, AsWeightsOfAPositionThatNothingFollows) {
  options.own.targets.followed.push_back({"torso_link", 1000.0});
  expect_refused<ConfigError>("torso_link", "position target");
}

TEST_F(OwnTargetsAreRefused, WhenTheirUpdateRenamesOne) {
  const auto walk = bundled_walk();
  options.own.targets.positions.push_back({.link = "left_wrist_yaw_link", .place_W = {0.3, 0.3, 1.0}});
  options.own.update = [](const SegmentSample&, const State&, OwnTargets& own) {
    own.positions[0].link = "right_wrist_yaw_link";
  };
  EXPECT_TRUE(names(refusal_of<ConfigError>([&] { (void)retarget(*walk, g1, options); }),
                    "position target of link 'left_wrist_yaw_link'", "renamed"));
}

TEST_F(OwnTargetsAreRefused, NotForAnInvalidNumberWhichANoteNames) {
  const auto walk = bundled_walk();
  options.own.targets.positions.push_back({.link = "left_wrist_yaw_link", .place_W = {0.3, 0.3, 1.0}});
  options.own.targets.positions[0].weight = -1.0;
  const std::vector<std::string> declared = retarget(*walk, g1, options).notes;
  const auto about = [](const std::vector<std::string>& notes) {
    return std::find_if(notes.begin(), notes.end(), [](const std::string& note) {
             return note.find("left_wrist_yaw_link' has invalid numbers") != std::string::npos;
           }) != notes.end();
  };
  EXPECT_TRUE(about(declared));
  options.own.update = [](const SegmentSample&, const State&, OwnTargets& own) {
    own.positions[0].weight = 25.0;  // what was declared was a placeholder
  };
  EXPECT_FALSE(about(retarget(*walk, g1, options).notes));
}

TEST_F(OwnTargetsAreRefused, WhenTheirUpdateChangesHowManyThereAre) {
  const auto walk = bundled_walk();
  options.own.update = [](const SegmentSample& sample, const State&, OwnTargets& own) {
    if (sample.t > from_seconds(1.0)) own.directions.push_back({.link = "pelvis"});
  };
  EXPECT_TRUE(
      names(refusal_of<ConfigError>([&] { (void)retarget(*walk, g1, options); }), "`update`", "weight 0"));
  TrackOptions asked;
  asked.own = options.own;
  EXPECT_TRUE(names(refusal_of_track<ConfigError>(asked), "`update`"));

  PersonReader reader(*walk);
  walk->rewind();
  LiveRetargeter live(g1, reader.names(), scaled_subject(1.75), options);
  State state = live.rest_state();
  SegmentSample sample;
  bool refused = false;
  while (reader.read(sample) == ReadStatus::Sample) {
    const State before = state;
    refused = sample.t > from_seconds(1.0);
    const StepStatus status = live.step(sample, state);
    ASSERT_EQ(status == StepStatus::SizeMismatch, refused);
    if (refused) {
      EXPECT_EQ(state_hash(state), state_hash(before)) << "it is left alone";
    }
  }
  EXPECT_TRUE(refused);
}

TEST_F(OwnTargetsAreRefused, WhenTheirUpdateThrowsWithWhatItThrew) {
  const auto walk = bundled_walk();
  options.own.update = [](const SegmentSample&, const State&, OwnTargets&) {
    throw std::out_of_range("no place known");
  };
  EXPECT_THROW((void)retarget(*walk, g1, options), std::out_of_range);
  TrackOptions asked;
  asked.own = options.own;
  walk->rewind();
  EXPECT_THROW((void)track(*walk, human66(), asked), std::out_of_range);
}

// Weights of positions that are followed anyway take any method, and are the door of hands that touch.
TEST(OwnWeights, OfFollowedHandsBringThemNearerByAnyMethodThatFollowsPositions) {
  const Robot g1 = shipped_robot("unitree_g1");
  const auto off = [&](SolverKind solver, double weight) {
    const auto walk = bundled_walk();
    RetargetOptions options;
    options.solver = solver;
    options.feet = FeetMode::Hold;         // its short steps leave no error of a millimetre, as others do
    options.collisions = Collisions::Off;  // which moves hands too
    if (weight > 0.0) {
      for (const char* segment : {"LeftHand", "RightHand"})
        options.own.targets.followed.push_back({link_of(g1, segment), weight});
    }
    return *retarget(*walk, g1, options).figures.hand_distance_error_mean_mm;
  };
  for (const SolverKind solver :
       {SolverKind::Dynamical, SolverKind::Instantaneous, SolverKind::DampedJacobian})
    EXPECT_LT(off(solver, 2500.0), 0.5 * off(solver, 0.0)) << to_string(solver);
}

TEST(LiveRetargeter, LetsOwnTargetsBeEditedBetweenSteps) {
  const Robot g1 = shipped_robot("unitree_g1");
  const auto walk = bundled_walk();
  PersonReader reader(*walk);
  RetargetOptions options;
  options.own.targets.directions.push_back({.link = "pelvis", .weight = 0.0});
  LiveRetargeter live(g1, reader.names(), scaled_subject(1.75), options);
  State state = live.rest_state();
  Kinematics kinematics(g1.model);
  SegmentSample sample;
  int upright = 0;
  while (reader.read(sample) == ReadStatus::Sample) {
    live.own().directions[0].weight = sample.t > from_seconds(2.0) ? 1e6 : 0.0;
    ASSERT_TRUE(advanced(live.step(sample, state)));
    kinematics.update(state);
    const double tilt = kinematics.R_WL(g1.model.link_index("pelvis")).col(2).head<2>().norm();
    upright += tilt < 1e-4 ? 1 : 0;
    if (sample.t > from_seconds(3.0)) {
      EXPECT_LT(tilt, 1e-4) << "e^(-K dt) of a tilt is left, and K is 20/s";
    }
  }
  EXPECT_LT(upright, 100) << "of 150: until then it sways";
}

}  // namespace
}  // namespace panto
