#include "panto/ik/target_lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>

#include "panto/ik/target_velocity.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/random_model.hpp"

namespace panto {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr Time kStep = 10'000'000;  // 10 ms

// human66 at rest, followed with an orientation on every segment and a place on the pelvis
struct Followed {
  Model model = human66();
  Blocks blocks{model};
  BlockKinematics pose{blocks, true};
  Targets before, now;

  Followed() {
    pose.update(rest_state(model));
    before.rows.resize(kHumanSegmentNames.size());
    for (std::size_t j = 0; j < before.rows.size(); ++j) {
      Target& row = before.rows[j];
      row.link = model.link_index(kHumanSegmentNames[j]);
      row.has_orientation = true;
      row.position_weight = j == 0 ? 25.0 : 0.0;
      row.has_position = j == 0;
    }
    now = before;
    now.t = kStep;
  }

  // the largest difference of any wanted velocity from the law of one row [rad/s], [m/s]
  double worst(const DynamicalOptions& options) {
    TargetLanes lanes(model, blocks, before.rows);
    EXPECT_EQ(lanes.read(before), StepStatus::Solved);
    lanes.keep(before.t);
    EXPECT_EQ(lanes.read(now), StepStatus::Solved);
    const std::vector<Eigen::Vector3d> place(before.rows.size(), Eigen::Vector3d(0.1, 0.2, 0.3));
    lanes.correct(pose, place, to_seconds(kStep), true, options);
    LaneArray<3> rhs(blocks.lanes());
    lanes.load(lanes.wanted(), rhs);

    double largest = 0.0;
    Kinematics kinematics(model);
    kinematics.update(rest_state(model));
    for (std::size_t j = 0; j < before.rows.size(); ++j) {
      const Target& row = now.rows[j];
      const Eigen::Vector3d angular = corrected_angular_velocity(
          row, &before.rows[j], kinematics.R_WL(row.link), to_seconds(kStep), options);
      const auto block = static_cast<std::size_t>(blocks.block_of(model.frame(row.link).body));
      largest = std::max(largest, (to_eigen(vec3(rhs, block)) - angular).norm());
      if (!row.has_position) continue;
      const Eigen::Vector3d linear =
          corrected_linear_velocity(row, &before.rows[j], place[j], to_seconds(kStep), options);
      largest = std::max(largest, (lanes.linear()[j] - linear).norm());
    }
    return largest;
  }
};

// turns of one step, from none over what a fast arm does (20 deg in 10 ms) to what only a fault does
TEST(TargetLanes, DifferenceWhatHasNoRatesLikeOneRowAlone) {
  test::Random random(5);
  for (const double degrees : {0.0, 1e-7, 0.01, 1.0, 10.0, 23.0, 24.0, 60.0, 149.0, 179.9}) {
    Followed human;
    for (std::size_t j = 0; j < human.now.rows.size(); ++j) {
      Target &a = human.before.rows[j], &b = human.now.rows[j];
      a.R_WF = so3::exp(0.3 * test::random_vector(random, 1.0));
      b.R_WF = so3::exp(degrees * kDegree * test::random_vector(random, 1.0).normalized()) * a.R_WF;
      a.p_WF = test::random_vector(random, 1.0);
      b.p_WF = a.p_WF + test::random_vector(random, 0.05);
    }
    // rates are up to 314 rad/s: 1e-11 is their rounding
    EXPECT_LT(human.worst(DynamicalOptions{}), 1e-11) << degrees;
  }
}

// half of the rows have rates at both ends, some at one end alone
TEST(TargetLanes, TakeMeasuredRatesWhereBothEndsHaveThem) {
  test::Random random(6);
  Followed human;
  for (std::size_t j = 0; j < human.now.rows.size(); ++j) {
    Target &a = human.before.rows[j], &b = human.now.rows[j];
    a.R_WF = test::random_rotation(random);
    b.R_WF = so3::exp(test::random_vector(random, 0.05)) * a.R_WF;
    a.w_WF = test::random_vector(random, 5.0);
    b.w_WF = test::random_vector(random, 5.0);
    a.has_angular_velocity = j % 2 == 0;
    b.has_angular_velocity = j % 2 == 0 || j % 3 == 0;
  }
  EXPECT_LT(human.worst(DynamicalOptions{}), 1e-11);
  DynamicalOptions differenced;
  differenced.velocity = VelocitySource::Differenced;
  EXPECT_LT(human.worst(differenced), 1e-11);
  DynamicalOptions short_memory;  // 10 ms are too long to average rates over
  short_memory.max_extrapolation = 0.001;
  EXPECT_LT(human.worst(short_memory), 1e-11);
}

// A tree whose links sit in their blocks at all angles, fixed links two to a block, and each fourth row
// without an orientation: a NaN, which is not looked at.
TEST(TargetLanes, HoldTheSameBitsFromRowsAndFromLanes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = test::random_model(seed);
    std::vector<unsigned char> ends(static_cast<std::size_t>(model.tree().size()), 0);
    for (int link = 0; link < static_cast<int>(model.links().size()); ++link)
      ends[static_cast<std::size_t>(model.frame(link).body)] = 1;
    const Blocks blocks(model, ends);
    test::Random random(seed);
    Targets rows;
    for (int link = 0; link < static_cast<int>(model.links().size()); ++link) {
      Target row;
      row.link = link;
      row.has_orientation = link % 4 != 3;
      row.R_WF =
          row.has_orientation ? test::random_rotation(random) : Eigen::Matrix3d::Constant(std::nan(""));
      rows.rows.push_back(row);
    }
    TargetLanes one(model, blocks, rows.rows), other(model, blocks, rows.rows);
    Targets both = rows;
    const std::size_t count = one.row_of_lane().size();
    both.by_lane = {LaneArray<9>(count), LaneArray<3>(count), LaneArray<1>(count), LaneArray<1>(count)};
    for (std::size_t lane = 0; lane < count; ++lane) {
      const int j = one.row_of_lane()[lane];
      if (j < 0) continue;
      store(to_mat3(rows.rows[static_cast<std::size_t>(j)].R_WF), both.by_lane.R, lane);
      both.by_lane.oriented(0, lane) = rows.rows[static_cast<std::size_t>(j)].has_orientation ? 1.0 : 0.0;
    }
    ASSERT_EQ(one.read(rows), StepStatus::Solved) << seed;
    ASSERT_EQ(other.read(both), StepStatus::Solved) << seed;
    for (std::size_t j = 0; j < rows.rows.size(); ++j) {
      const Target& row = rows.rows[j];
      if (!row.has_orientation) continue;
      const LinkFrame& frame = model.frame(row.link);
      const Eigen::Matrix3d expected =
          row.R_WF * frame.R_BL.transpose() * blocks.B[static_cast<std::size_t>(blocks.block_of(frame.body))];
      const std::size_t lane = one.lane_of_row(j);
      const Eigen::Matrix3d R = to_eigen(mat3(one.orientation(), lane));
      EXPECT_EQ(R, to_eigen(mat3(other.orientation(), lane))) << seed << ", row " << j;
      EXPECT_LT((R - expected).norm(), 1e-15) << seed << ", row " << j;  // two products' rounding
    }
  }
}

}  // namespace
}  // namespace panto
