// Which hinges make a block, and that its turns are the model's.

#include "panto/model/blocks.hpp"

#include <gtest/gtest.h>

#include "panto/base/index.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

// Largest difference of a body at a block's end from the model's own kinematics, and how many were compared.
double worst_turn(const Model& model, const Blocks& blocks, const State& state, int& compared) {
  BlockKinematics pose(blocks, false);
  pose.update(state);
  Kinematics oracle(model);
  oracle.update(state);
  double worst = 0.0;
  for (int link = 0; link < model.link_count(); ++link) {
    const LinkFrame& frame = model.frame(link);
    const int b = blocks.block_of(frame.body);
    if (b < 0) continue;
    const Eigen::Matrix3d R_WL =
        to_eigen(mat3(pose.frames(), at(b))) * blocks.B[at(b)].transpose() * frame.R_BL;
    worst = std::max(worst, (R_WL - oracle.R_WL(link)).norm());
    ++compared;
  }
  return worst;
}

TEST(Blocks, TurnAsTheModelDoesWhereverTheirAxesLie) {
  int merged = 0, compared = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::scaled(100)); ++seed) {
    const Model model = test::random_model(seed);
    test::Random random(seed);
    std::vector<unsigned char> ends(at(model.tree().size()), 0);
    for (unsigned char& end : ends) end = test::chance(random, 0.4) ? 1 : 0;
    const Blocks through_points(model, ends), turns_alone(model, ends, true);
    const State state = test::random_state(model, random);
    EXPECT_LT(worst_turn(model, through_points, state, compared), 1e-12) << "seed " << seed;
    EXPECT_LT(worst_turn(model, turns_alone, state, compared), 1e-12) << "seed " << seed;
    EXPECT_LE(turns_alone.count(), through_points.count()) << "seed " << seed;
    merged += through_points.count() - turns_alone.count();
    for (int body = 1; body < model.tree().size(); ++body) {
      if (ends[at(body)] != 0) {
        EXPECT_GE(turns_alone.block_of(body), 0) << "seed " << seed << ", body " << body;
      }
    }
  }
  EXPECT_GT(merged, 20) << "else nothing was tried";
  EXPECT_GT(compared, 1000);
}

TEST(Blocks, OfOurHumansAreTheSameEitherWay) {
  for (const Model& model : {human66(), human48()}) {
    std::vector<unsigned char> ends(at(model.tree().size()), 0);
    for (const Link& link : model.links()) {
      if (link.mass > 0.0) ends[at(model.frame(model.link_index(link.name)).body)] = 1;
    }
    const Blocks one(model, ends), other(model, ends, true);
    EXPECT_EQ(one.count(), 22);
    EXPECT_EQ(one.parent, other.parent);
    EXPECT_EQ(one.slot_of_dof, other.slot_of_dof);
  }
}

}  // namespace
}  // namespace panto
