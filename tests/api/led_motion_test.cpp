#include "panto/retarget/led_motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "panto/api/retarget.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/motion/derivatives.hpp"
#include "panto/motion/resample.hpp"
#include "tests/support/bundled_walk.hpp"

namespace panto {
namespace {

struct Walker {
  Robot robot;
  Motion motion;
};

// the bundled walk on a robot, solved once
const Walker& walker(const std::string& name) {
  static std::map<std::string, Walker> all;
  if (const auto found = all.find(name); found != all.end()) return found->second;
  Robot robot = test::shipped_robot(name);
  RetargetOptions options;
  options.collisions = Collisions::Off;
  Motion motion = retarget(*test::bundled_walk(), robot, options).motion;
  return all.emplace(name, Walker{std::move(robot), std::move(motion)}).first->second;
}

Motion led(const Walker& w, const LeadOptions& options, std::vector<std::string>& notes, double fps = 0.0) {
  const robot::Skeleton skeleton(w.robot.model, w.robot.map, scaled_subject(1.75), human_segment_names());
  return led_motion(w.robot.model, skeleton, fps > 0.0 ? resampled(w.motion, fps) : w.motion, options, notes);
}
Motion led(const Walker& w, const LeadOptions& options, double fps = 0.0) {
  std::vector<std::string> notes;
  return led(w, options, notes, fps);
}

// [m/s], [rad/s]: how far velocities are from the central differences of the poses
double off_differences(const Motion& motion, std::size_t from, std::size_t to) {
  double most = 0.0;
  for (std::size_t k = from; k < to; ++k) {
    const State &a = motion.states[k - 1], &b = motion.states[k + 1], &state = motion.states[k];
    const double dt = to_seconds(b.t - a.t);
    most = std::max(most, ((b.s - a.s) / dt - state.sdot).cwiseAbs().maxCoeff());
    most = std::max(most, ((b.p_WB - a.p_WB) / dt - state.v_WB).norm());
    most = std::max(most, (so3::log(b.R_WB * a.R_WB.transpose()) / dt - state.w_WB).norm());
  }
  return most;
}

// the largest change of speed from one difference to the next [rad/s]
double largest_kink(const Motion& motion, std::size_t from, std::size_t to) {
  double most = 0.0;
  for (std::size_t k = std::max<std::size_t>(from, 1); k < to; ++k) {
    const State &a = motion.states[k - 1], &state = motion.states[k], &b = motion.states[k + 1];
    const double dt = to_seconds(state.t - a.t);
    most = std::max(most, ((b.s - 2.0 * state.s + a.s) / dt).cwiseAbs().maxCoeff());
  }
  return most;
}

double lowest_sole(const Robot& robot, const State& state) {
  const robot::Skeleton skeleton(robot.model, robot.map, scaled_subject(1.75), human_segment_names());
  Kinematics body(robot.model);
  body.update(state);
  double lowest = kInfinity;
  for (const int side : {0, 1}) {
    const int link = skeleton.link_of(side == 0 ? HumanSegment::RightFoot : HumanSegment::LeftFoot);
    for (const Eigen::Vector3d& point : skeleton.sole(side))
      lowest = std::min(lowest, (body.p_WL(link) + body.R_WL(link) * point).z());
  }
  return lowest;
}

Eigen::Vector3d sole_middle(const Robot& robot, const State& state, int side) {
  const robot::Skeleton skeleton(robot.model, robot.map, scaled_subject(1.75), human_segment_names());
  Kinematics body(robot.model);
  body.update(state);
  const int link = skeleton.link_of(side == 0 ? HumanSegment::RightFoot : HumanSegment::LeftFoot);
  const Eigen::Vector3d middle = 0.5 * (skeleton.sole(side)[0] + skeleton.sole(side)[1]);
  return body.p_WL(link) + body.R_WL(link) * middle;
}

void expect_limits(const Model& model, const Motion& motion, const Motion& source) {
  Eigen::VectorXd own = Eigen::VectorXd::Zero(model.dof());  // of the motion itself
  for (std::size_t k = 1; k < source.states.size(); ++k)
    own = own.cwiseMax((source.states[k].s - source.states[k - 1].s).cwiseAbs() * source.rate_hz);
  for (std::size_t k = 0; k < motion.states.size(); ++k) {
    const State& state = motion.states[k];
    EXPECT_LE((model.lower() - state.s).maxCoeff(), 1e-9) << k;
    EXPECT_LE((state.s - model.upper()).maxCoeff(), 1e-9) << k;
    for (const CoupledRow& row : model.rows()) {
      double value = 0.0;
      for (const auto& [joint, coefficient] : row.terms)
        value += coefficient * state.s[model.joint_index(joint)];
      EXPECT_LE(value, row.upper + 1e-6) << k << row.name;
      EXPECT_GE(value, row.lower - 1e-6) << k << row.name;
    }
    if (k == 0) continue;
    const Eigen::VectorXd speed = (state.s - motion.states[k - 1].s).cwiseAbs() * motion.rate_hz;
    for (int j = 0; j < model.dof(); ++j)
      EXPECT_LE(speed[j], std::max(model.joint(j).velocity, own[j]) * (1.0 + 1e-6))
          << model.joint_names()[at(j)];
  }
}

// frames before the motion's own, which must be there bit for bit
std::size_t lead_of(const Motion& led, const Motion& own) {
  std::size_t in = 0;
  while (in < led.states.size() && led.states[in].s != own.states[0].s) ++in;
  for (std::size_t k = 0; k < own.states.size() && in + k < led.states.size(); ++k) {
    EXPECT_EQ(led.states[in + k].s, own.states[k].s) << k;
    EXPECT_EQ(led.states[in + k].p_WB, own.states[k].p_WB) << k;
    EXPECT_EQ(led.states[in + k].R_WB, own.states[k].R_WB) << k;
    if (k == 0 || k + 1 == own.states.size()) continue;  // velocities there are differences across the seam
    EXPECT_EQ(led.states[in + k].sdot, own.states[k].sdot) << k;
  }
  return in;
}

TEST(LedMotion, BeginsAndEndsAtRestOnTheFloorAndKeepsTheMotionBetween) {
  for (const std::string name : {"unitree_g1", "unitree_h1", "booster_t1", "nao", "icub"}) {
    SCOPED_TRACE(name);
    const Walker& w = walker(name);
    const Motion motion = led(w, {1.0, 0.8});
    const Model& model = w.robot.model;
    const std::size_t frames = w.motion.states.size(), count = motion.states.size();
    const std::size_t in = lead_of(motion, w.motion);
    ASSERT_GE(in, static_cast<std::size_t>(w.motion.rate_hz));
    ASSERT_GE(count, in + frames + static_cast<std::size_t>(0.8 * w.motion.rate_hz));
    for (const State* state : {&motion.states.front(), &motion.states.back()}) {
      for (int j = 0; j < model.dof(); ++j) {
        const std::string& joint = model.joint_names()[at(j)];
        const bool coupled =
            name == "icub" && joint.find("shoulder") != std::string::npos;  // rest is outside
        if (coupled) continue;
        EXPECT_NEAR(state->s[j], model.rest()[j], 1e-12) << joint;
      }
      EXPECT_NEAR(lowest_sole(w.robot, *state), 0.0, 1e-9);
      EXPECT_GT(state->R_WB(2, 2), 1.0 - 1e-9);
      EXPECT_EQ(state->sdot.norm() + state->v_WB.norm() + state->w_WB.norm(), 0.0);
    }
    const double deepest = std::min(0.0, lowest_sole(w.robot, motion.states[in]));
    const double deepest_out = std::min(0.0, lowest_sole(w.robot, motion.states[in + frames - 1]));
    for (std::size_t k = 0; k < count; ++k) {
      if (k >= in && k < in + frames) continue;
      EXPECT_GE(lowest_sole(w.robot, motion.states[k]), std::min(deepest, deepest_out) - 1e-9) << k;
    }
    for (std::size_t k = 1; k < count; ++k)
      EXPECT_NEAR(to_seconds(motion.states[k].t - motion.states[k - 1].t), 1.0 / w.motion.rate_hz, 1e-8);
    EXPECT_LT(off_differences(motion, 1, in + 1), 1e-9);
    EXPECT_LT(off_differences(motion, in + frames - 1, count - 1), 1e-9);
    expect_limits(model, motion, w.motion);
    for (const LinkContacts& foot : motion.contacts) {
      ASSERT_EQ(foot.heel.size(), count);
      EXPECT_TRUE(foot.stands(0) && foot.stands(count - 1));
    }
  }
}

TEST(LedMotion, TheFootThatStandsAtTheFirstFrameHoldsItsPlace) {
  for (const std::string name : {"unitree_g1", "booster_t1"}) {
    SCOPED_TRACE(name);
    Walker w = walker(name);
    w.motion.states.erase(w.motion.states.begin(), w.motion.states.begin() + 60);  // in the walk
    w.motion.contacts.clear();
    const Motion motion = led(w, {1.0, 0.0});
    const std::size_t in = lead_of(motion, w.motion);
    double best = kInfinity;  // [m]: of the two feet, the one that moves less
    for (const int side : {0, 1}) {
      double most = 0.0;
      const Eigen::Vector3d there = sole_middle(w.robot, motion.states[in], side);
      for (std::size_t k = 0; k < in; ++k)
        most = std::max(most, (sole_middle(w.robot, motion.states[k], side) - there).head<2>().norm());
      best = std::min(best, most);
    }
    EXPECT_LT(best, 0.01);
  }
}

TEST(LedMotion, SpeedHasNoStepWhereALeadMeetsTheMotion) {
  // a step of speed stays as frames get closer; a bounded acceleration halves with them
  const Walker& w = walker("unitree_g1");
  const auto kink = [&](double fps) {
    const Motion motion = led(w, {1.0, 0.0}, fps);
    return largest_kink(motion, 0, motion.states.size() - resampled(w.motion, fps).states.size() + 1);
  };
  const double coarse = kink(120.0), fine = kink(480.0);
  EXPECT_LT(fine, 0.4 * coarse);
}

TEST(LedMotion, AWayThatIsTooShortForAJointIsLongerAndSaysSo) {
  const Walker& w = walker("booster_t1");
  std::vector<std::string> notes;
  const Motion motion = led(w, {0.04, 0.0}, notes);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes.front().find("s, not 0.04 s: "), std::string::npos) << notes.front();
  EXPECT_NE(notes.front().find(" moves no faster"), std::string::npos) << notes.front();
  expect_limits(w.robot.model, motion, w.motion);
}

TEST(LedMotion, ALoopEndsInItsFirstFrameWithItsSpeedAndSaysHowFarARoundMovesOn) {
  for (const std::string name : {"unitree_g1", "booster_t1", "icub"}) {
    SCOPED_TRACE(name);
    const Walker& w = walker(name);
    std::vector<std::string> notes;
    const Motion motion = led(w, {0.0, 0.0, true}, notes);
    ASSERT_EQ(motion.states.size(), w.motion.states.size());
    const State &first = motion.states.front(), &last = motion.states.back();
    EXPECT_EQ(first.s, last.s);
    EXPECT_EQ(first.R_WB, last.R_WB);
    EXPECT_NEAR(first.p_WB.z(), last.p_WB.z(), 1e-9);
    EXPECT_EQ(first.sdot, last.sdot);
    EXPECT_EQ(first.v_WB, last.v_WB);
    const Eigen::Vector3d round = last.p_WB - first.p_WB;
    EXPECT_NEAR((w.motion.states.back().p_WB - w.motion.states.front().p_WB - round).head<2>().norm(), 0.0,
                1e-9);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes.back().find("every round moves on by"), std::string::npos) << notes.back();
    EXPECT_LT(off_differences(motion, 1, motion.states.size() - 1), 1e-9);
    // two rounds, one after the other, are one motion: velocities are its differences at the seam too
    Motion twice = motion;
    for (std::size_t k = 1; k < motion.states.size(); ++k) {
      State state = motion.states[k];
      state.t += last.t - first.t;
      state.p_WB += round;
      twice.states.push_back(state);
    }
    EXPECT_LT(off_differences(twice, 1, twice.states.size() - 1), 1e-9);
    expect_limits(w.robot.model, twice, w.motion);
    for (std::size_t k = 0; k < motion.states.size() / 2; ++k)
      EXPECT_EQ(motion.states[k].s, w.motion.states[k].s);
  }
}

TEST(LedMotion, TheSpeedOfALoopHasNoStepAtItsSeam) {
  const Walker& w = walker("unitree_g1");
  const auto kink = [&](double fps) {
    const Motion motion = led(w, {0.0, 0.0, true}, fps);
    const State &before = motion.states[motion.states.size() - 2], &seam = motion.states[0];
    return ((motion.states[1].s - 2.0 * seam.s + before.s) * fps).cwiseAbs().maxCoeff();
  };
  EXPECT_LT(kink(480.0), 0.4 * kink(120.0));
}

TEST(LedMotion, ALyingOrTurnedMotionIsRefusedInWords) {
  const auto refusal = [](const Walker& w, const LeadOptions& options) -> std::string {
    try {
      (void)led(w, options);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return {};
  };
  Walker w = walker("unitree_g1");
  w.motion.states.back().R_WB = so3::about_axis(2, 1.0) * w.motion.states.back().R_WB;
  EXPECT_NE(refusal(w, {0.0, 0.0, true}).find("ends turned by"), std::string::npos);
  w.motion.states.back().R_WB = so3::about_axis(1, 1.5) * w.motion.states.back().R_WB;
  EXPECT_NE(refusal(w, {0.0, 1.0}).find("lead-out: the robot leans by"), std::string::npos);
  EXPECT_EQ(refusal(w, {1.0, 0.0}), "");
}

TEST(LedMotion, WrongVelocitiesOfAMotionAndASlowRateLeadNowhereElse) {
  Walker w = walker("unitree_g1");
  const Motion expected = led(w, {1.0, 1.0});
  for (State& state : w.motion.states) state.sdot.setConstant(1e6);  // positions tell the speed
  const Motion motion = led(w, {1.0, 1.0});
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(motion.states[k].s, expected.states[k].s);
  EXPECT_EQ(motion.states.back().s, expected.states.back().s);
  w = walker("unitree_g1");
  w.motion.rate_hz = 0.5;
  for (std::size_t k = 0; k < w.motion.states.size(); ++k)
    w.motion.states[k].t = frame_time(static_cast<std::int64_t>(k), w.motion.rate_hz);
  derive_velocities(w.motion);
  const Motion loop = led(w, {0.0, 0.0, true});
  EXPECT_LT(off_differences(loop, 1, loop.states.size() - 1), 1e-9);
}

TEST(LedMotion, WhatCannotBeIsRefused) {
  const Walker& w = walker("unitree_g1");
  EXPECT_THROW((void)led(w, {1.0, 0.0, true}), ConfigError);
  EXPECT_THROW((void)led(w, {61.0, 0.0}), ConfigError);
  EXPECT_THROW((void)led(w, {0.0, std::nan("")}), ConfigError);
  Walker one = w;
  one.motion.states.resize(1);
  EXPECT_THROW((void)led(one, {1.0, 0.0}), ConfigError);
  EXPECT_THROW((void)led(one, {0.0, 0.0, true}), ConfigError);
  EXPECT_EQ(led(one, {}).states.size(), 1U);
}

}  // namespace
}  // namespace panto
