#include "panto/retarget/giving_rows.hpp"

#include <gtest/gtest.h>

#include <random>

#include "panto/retarget/clear_motion.hpp"
#include "tests/support/two_arms.hpp"

namespace panto {
namespace {

// Two arms whose left shoulder and elbow share a limit, and whose right elbow has one in a row of its own.
Model coupled_arms() {
  ModelSpec spec = test::two_arms_spec();
  const auto joint = [&](std::size_t i) { return spec.joints[i].name; };
  spec.rows.push_back({"left", {{joint(0), 1.0}, {joint(2), 1.0}}, -1.0, 0.4});
  spec.rows.push_back({"left_too", {{joint(2), 2.0}, {joint(1), -1.0}}, -4.0, kInfinity});
  spec.rows.push_back({"right", {{joint(5), 1.0}}, -1.2, kInfinity});
  return Model(std::move(spec));
}

std::vector<int> all_joints(const Model& model) {
  std::vector<int> joints;
  for (int j = 0; j < model.dof(); ++j) joints.push_back(j);
  return joints;
}

TEST(GivingRows, KnowTheJointsOfTheRowsAndWhatBreaksThem) {
  const Model model = coupled_arms();
  const GivingRows rows(model, all_joints(model));
  EXPECT_EQ(rows.has(), (std::vector<bool>{true, true, true, false, false, true}));
  Eigen::VectorXd base = Eigen::VectorXd::Zero(6), s = base;
  EXPECT_FALSE(rows.breaks(base, s));
  s[0] = 0.3;
  s[2] = 0.2;
  EXPECT_TRUE(rows.breaks(base, s)) << "0.5 of 0.4";
  base = s;
  EXPECT_FALSE(rows.breaks(base, s)) << "it was broken before";
  EXPECT_TRUE(GivingRows(model, {3, 4}).empty()) << "neither is in a row";
}

TEST(GivingRows, ShortenAChangeThatWouldBreakOneAndLeaveOtherJointsAlone) {
  const Model model = coupled_arms();
  const GivingRows rows(model, all_joints(model));
  const Eigen::VectorXd base = Eigen::VectorXd::Zero(6);
  Eigen::VectorXd s(6);
  s << 0.6, 0.5, 0.2, 0.7, 0.1, -0.6;
  rows.keep(base, s);
  Eigen::VectorXd half(6);
  half << 0.3, 0.25, 0.1, 0.7, 0.1, -0.6;  // of the joints that share rows with the one that is met
  EXPECT_LT((s - half).norm(), 1e-12) << s.transpose();
}

TEST(GivingRows, KeepWhatTheBaseKeepsForAnyChange) {
  const Model model = coupled_arms();
  const GivingRows rows(model, all_joints(model));
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> draw(-2.0, 2.0);
  for (int k = 0; k < 2000; ++k) {
    Eigen::VectorXd base(6), s(6);
    for (int j = 0; j < 6; ++j) {
      base[j] = draw(engine);
      s[j] = draw(engine);
    }
    rows.keep(base, s);
    ASSERT_FALSE(rows.breaks(base, s)) << k;
  }
}

TEST(GivingRows, AreMetByAChangeThatIsAskedForMore) {
  const Model model = coupled_arms();
  const GivingRows rows(model, all_joints(model));
  NearestChange change(Eigen::VectorXd::Ones(6));
  Eigen::VectorXd wanted = Eigen::VectorXd::Zero(6), x(6);
  wanted[0] = 1.0;
  change.add(wanted, 0.8);  // the shoulder is to turn by 0.8
  rows.add(Eigen::VectorXd::Zero(6), Eigen::VectorXd::Zero(6), 1.0, change);
  ASSERT_TRUE(change.solve(Eigen::VectorXd::Constant(6, -1.0), Eigen::VectorXd::Constant(6, 1.0), x));
  EXPECT_NEAR(x[0], 0.8, 0.01);
  EXPECT_LT(x[0] + x[2], 0.4 + 0.01) << "the elbow makes room for it";
}

TEST(GivingRows, HoldWhereArmsGiveWay) {
  const Model model = coupled_arms();
  Motion motion;
  motion.joint_names = model.joint_names();
  motion.rate_hz = 100.0;
  for (int k = 0; k < 300; ++k) {
    State& state = motion.states.emplace_back(rest_state(model));
    state.t = frame_time(k, 100.0);
    const double in = 0.45 - 0.55 * std::cos(0.063 * k);
    state.s << -0.2, 0.0, -in, 0.2, 0.03, in;
  }
  const Motion before = motion;
  const ClearMotionReport report = clear_motion(model, test::two_arms_body(model), {}, {}, {}, motion);
  EXPECT_GT(report.before, 40);
  EXPECT_EQ(report.after, 0);
  const GivingRows rows(model, all_joints(model));
  for (std::size_t k = 0; k < motion.states.size(); ++k)
    ASSERT_FALSE(rows.breaks(before.states[k].s, motion.states[k].s)) << k;
}

}  // namespace
}  // namespace panto
