#include "panto/retarget/clear_motion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "panto/math/so3.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/two_arms.hpp"

namespace panto {
namespace {

constexpr double kRate = 100.0;

// A motion of the two arms; `pose` sets the joints at a time [s].
template <typename Pose>
Motion motion_of(const Model& model, int frames, const Pose& pose) {
  Motion motion;
  motion.joint_names = model.joint_names();
  motion.rate_hz = kRate;
  for (int k = 0; k < frames; ++k) {
    State state = rest_state(model);
    state.t = from_seconds(k / kRate);
    pose(k / kRate, state.s);
    motion.states.push_back(std::move(state));
  }
  return motion;
}

// Both forearms swing inwards and would go through each other once a second.
void cross(double t, Eigen::VectorXd& s) {
  const double in = 0.45 - 0.55 * std::cos(2.0 * std::numbers::pi * t);
  s << -0.2, 0.0, -in, 0.2, 0.03, in;
}

double smallest(const Model& model, const Motion& motion) {
  double distance = kInfinity;
  for (const State& state : motion.states)
    distance = std::min(distance, test::smallest_distance(model, test::two_arms_body(model).body, state));
  return distance;
}

double acceleration_rms(const Motion& motion) {
  double sum = 0.0;
  for (std::size_t k = 1; k + 1 < motion.states.size(); ++k)
    sum += ((motion.states[k + 1].s - 2.0 * motion.states[k].s + motion.states[k - 1].s) * kRate * kRate)
               .squaredNorm() /
           static_cast<double>(motion.states[k].s.size());
  return std::sqrt(sum / static_cast<double>(motion.states.size() - 2));
}

TEST(ClearMotion, ArmsThatWouldCrossStayApartAndMoveSmoothly) {
  const Model model(test::two_arms_spec());
  Motion motion = motion_of(model, 400, cross);
  const Motion before = motion;
  ASSERT_LT(smallest(model, motion), -0.03);
  const ClearMotionReport report = clear_motion(model, test::two_arms_body(model), {}, {}, {}, motion);
  EXPECT_GT(report.before, 40);
  EXPECT_EQ(report.after, 0);
  EXPECT_FALSE(report.deepest.has_value());
  EXPECT_GT(smallest(model, motion), -0.001);
  EXPECT_LT(acceleration_rms(motion), acceleration_rms(before) + 10.0) << "no jerk where rows begin and end";
  EXPECT_NE(clear_note(report), "");
  for (const State& state : motion.states) {
    EXPECT_TRUE((state.s.array() >= model.lower().array()).all());
    EXPECT_TRUE((state.s.array() <= model.upper().array()).all());
  }
  for (std::size_t k = 1; k < motion.states.size(); ++k)
    EXPECT_LT((motion.states[k].s - motion.states[k - 1].s).lpNorm<Eigen::Infinity>(), 20.0 / kRate * 1.0001)
        << "the speed limit";
}

TEST(ClearMotion, HandsTurnBackToWhereTheyPointedBeforeTheirArmsGaveWay) {
  ModelSpec spec = test::two_arms_spec();
  for (const std::string& side : {std::string("left"), std::string("right")}) {
    for (const char* part : {"_roll", "_pitch", "_hand"}) spec.links.push_back({side + part});
    spec.joints.push_back(test::hinge(side + "_fore", side + "_roll", {0.25, 0.0, 0.0},
                                      Eigen::Vector3d::UnitX(), -2.0, 2.0, 20.0));
    spec.joints.push_back(test::hinge(side + "_roll", side + "_pitch", Eigen::Vector3d::Zero(),
                                      Eigen::Vector3d::UnitY(), -1.5, 1.5, 20.0));
    spec.joints.push_back(test::hinge(side + "_pitch", side + "_hand", Eigen::Vector3d::Zero(),
                                      Eigen::Vector3d::UnitZ(), -1.5, 1.5, 20.0));
  }
  const Model model(std::move(spec));
  const auto crossing = [&](double t, Eigen::VectorXd& s) {
    Eigen::VectorXd arms(6);
    cross(t, arms);
    s.setZero();
    const char* const joints[] = {"left_shoulder",  "left_upper",  "left_fore",
                                  "right_shoulder", "right_upper", "right_fore"};
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < model.dof(); ++i)
        if (model.joint(i).child == joints[j]) s[i] = arms[j];
  };
  const auto turned = [&](bool back) {
    Motion motion = motion_of(model, 300, crossing);
    const Motion before = motion;
    ClearBody body = test::two_arms_body(model);
    for (const std::string& side : {std::string("left"), std::string("right")})
      if (back)
        body.arms.push_back(
            {model.link_index("trunk"), model.link_index(side + "_fore"), model.link_index(side + "_hand")});
    EXPECT_EQ(clear_motion(model, body, {}, {}, {}, motion).after, 0);
    Kinematics one(model), other(model);
    double most = 0.0;
    for (std::size_t k = 0; k < motion.states.size(); ++k) {
      one.update(before.states[k]);
      other.update(motion.states[k]);
      for (const char* hand : {"left_hand", "right_hand"})
        most = std::max(most,
                        so3::distance(one.R_WL(model.link_index(hand)), other.R_WL(model.link_index(hand))));
    }
    return most;
  };
  const double away = turned(false);
  EXPECT_GT(away, 0.05);
  EXPECT_LT(turned(true), 0.25 * away) << "of the way that wrists' own places leave";
}

TEST(ClearMotion, AClearMotionKeepsItsBitsAndSoDoFramesFarFromAnOverlap) {
  const Model model(test::two_arms_spec());
  const auto once = [](double t, Eigen::VectorXd& s) {
    cross(0.0, s);
    if (t > 2.0 && t < 3.0) cross(t, s);
  };
  Motion motion = motion_of(model, 600, once);
  const Motion before = motion;
  (void)clear_motion(model, test::two_arms_body(model), {}, {}, {}, motion);
  EXPECT_NE(motion.states[250].s, before.states[250].s);
  for (std::size_t k = 0; k < motion.states.size(); ++k) {
    if (k > 130 && k < 370) continue;
    EXPECT_EQ(motion.states[k].s, before.states[k].s) << k;
  }
  Motion clear = motion_of(model, 100, [](double, Eigen::VectorXd& s) { cross(0.0, s); });
  const Motion same = clear;
  const ClearMotionReport report = clear_motion(model, test::two_arms_body(model), {}, {}, {}, clear);
  EXPECT_EQ(report.before, 0);
  EXPECT_EQ(clear_note(report), "");
  for (std::size_t k = 0; k < clear.states.size(); ++k) EXPECT_EQ(clear.states[k].s, same.states[k].s);
}

TEST(ClearMotion, AClapStaysAClap) {
  const Model model(test::two_arms_spec());
  const auto clap = [](double t, Eigen::VectorXd& s) {
    const double in = 0.2 - 0.12 * std::cos(2.0 * std::numbers::pi * t);  // overlaps at its end
    s << -0.2, 0.0, -in, 0.2, 0.0, in;
  };
  Motion motion = motion_of(model, 300, clap);
  ASSERT_LT(smallest(model, motion), -0.005);
  (void)clear_motion(model, test::two_arms_body(model), {}, {}, {}, motion);
  for (const std::size_t k : {50U, 150U, 250U}) {
    const double distance = test::smallest_distance(model, test::two_arms_body(model).body, motion.states[k]);
    EXPECT_GT(distance, -0.001);
    EXPECT_LT(distance, 0.01) << "hands touch within 1 cm";
  }
}

TEST(ClearMotion, ObstaclesAreKeptOutOfAndWhatIsGivenGetsNoDeeper) {
  const Model model(test::two_arms_spec());
  const auto sink = [](double t, Eigen::VectorXd& s) {
    s << 0.5, 0.2 - 0.4 * std::cos(2.0 * std::numbers::pi * t), 0.0, -0.5, -0.3, 0.0;  // the left arm sinks
  };
  ClearMotionOptions options;
  Obstacle& table = options.obstacles.emplace_back();
  table.name = "table";
  table.p_WO.z() = 0.0;
  const auto lowest = [&](const Motion& motion) {
    Kinematics kinematics(model);
    double z = kInfinity;
    for (const State& state : motion.states) {
      kinematics.update(state);
      for (const char* link : {"left_fore", "right_fore"}) {
        const int i = model.link_index(link);
        z = std::min(z,
                     (kinematics.p_WL(i) + kinematics.R_WL(i) * Eigen::Vector3d(0.25, 0.0, 0.0)).z() - 0.03);
      }
    }
    return z;
  };
  Motion motion = motion_of(model, 300, sink);
  const double before = lowest(motion);
  ASSERT_LT(before, -0.05);
  // the trunk, which no joint moves, stays in the table
  (void)clear_motion(model, test::two_arms_body(model), {}, options, {}, motion);
  EXPECT_GT(lowest(motion), -0.002);
  table.given = true;
  motion = motion_of(model, 300, sink);
  const ClearMotionReport given = clear_motion(model, test::two_arms_body(model), {}, options, {}, motion);
  EXPECT_EQ(given.before, 0) << "what the motion knows is no overlap";
  EXPECT_EQ(lowest(motion), before);
}

TEST(ClearMotion, FramesThatAreNotFiniteChangeNoOthers) {
  const Model model(test::two_arms_spec());
  Motion motion = motion_of(model, 200, cross);
  motion.states[60].s[2] = std::numeric_limits<double>::quiet_NaN();
  (void)clear_motion(model, test::two_arms_body(model), {}, {}, {}, motion);
  for (std::size_t k = 0; k < motion.states.size(); ++k) EXPECT_EQ(motion.states[k].s.allFinite(), k != 60);
}

TEST(ClearMotion, LegsInStanceKeepTheirJoints) {
  const Model model(test::two_arms_spec());
  Motion motion = motion_of(model, 200, cross);
  const Motion before = motion;
  LinkContacts foot{"left_fore", std::vector<unsigned char>(200, 1), std::vector<unsigned char>(200, 1)};
  const ClearMotionReport report = clear_motion(model, test::two_arms_body(model), {foot}, {}, {}, motion);
  EXPECT_EQ(report.after, 0) << "the other limb gives way alone";
  for (std::size_t k = 0; k < motion.states.size(); ++k)
    EXPECT_LT((motion.states[k].s - before.states[k].s).head<3>().lpNorm<Eigen::Infinity>(), 1e-4);
}

TEST(ClearMotion, ASoleThatGaveWayIntoTheFloorComesUpAgain) {
  const Model model(test::two_arms_spec());
  const LinkContacts foot{"right_fore", std::vector<unsigned char>(200, 0),
                          std::vector<unsigned char>(200, 0)};
  const int link = model.find_link("right_fore").value();
  const Eigen::Vector3d corner(0.25, 0.0, -0.18);
  const auto lowest = [&](const Motion& motion) {
    Kinematics kinematics(model);
    double z = kInfinity;
    for (const State& state : motion.states) {
      kinematics.update(state);
      z = std::min(z, (kinematics.p_WL(link) + kinematics.R_WL(link) * corner).z());
    }
    return z;
  };
  const auto cleared = [&](const std::vector<FootCorners>& soles) {
    Motion motion = motion_of(model, 200, cross);
    ClearBody body = test::two_arms_body(model);
    body.soles = soles;
    (void)clear_motion(model, body, {foot}, {}, {}, motion);
    return lowest(motion);
  };
  const double before = lowest(motion_of(model, 200, cross));
  EXPECT_GT(before, 0.0);
  EXPECT_LT(cleared({}), -0.01) << "the arm gives way downwards";
  EXPECT_GT(cleared({{link, {corner}}}), -0.0051) << "5 mm are left";
}

TEST(ClearMotion, WhatCannotBeClearedIsNamed) {
  const Model model(test::two_arms_spec());
  ClearBody body = test::two_arms_body(model);
  for (int j = 0; j < 5; ++j) body.giving.cost[j] = kInfinity;
  body.giving.cost[5] = 1.0;
  Motion motion =
      motion_of(model, 100, [](double, Eigen::VectorXd& s) { s << -0.8, 0.0, -0.3, 0.8, 0.0, 0.3; });
  const ClearMotionReport report = clear_motion(model, body, {}, {.rounds = 1}, {}, motion);
  ASSERT_TRUE(report.deepest.has_value());
  EXPECT_NE(clear_note(report).find(report.deepest->first), std::string::npos);
  EXPECT_NE(clear_note(report).find("overlap"), std::string::npos);
}

TEST(ClearMotion, OptionsOutOfRangeAreRefused) {
  const Model model(test::two_arms_spec());
  Motion motion = motion_of(model, 3, cross);
  const ClearBody body = test::two_arms_body(model);
  EXPECT_THROW((void)clear_motion(model, body, {}, {.margin = -0.1}, {}, motion), ConfigError);
  EXPECT_THROW((void)clear_motion(model, body, {}, {.time = 0.0}, {}, motion), ConfigError);
  EXPECT_THROW((void)clear_motion(model, body, {}, {.rounds = 0}, {}, motion), ConfigError);
  ClearBody wrong = body;
  wrong.giving.cost[0] = 0.0;
  EXPECT_THROW((void)clear_motion(model, wrong, {}, {}, {}, motion), ModelError);
}

}  // namespace
}  // namespace panto
