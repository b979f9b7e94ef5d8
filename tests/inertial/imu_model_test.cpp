#include "panto/inertial/imu_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "apps/support/allocation_count.hpp"
#include "panto/model/human.hpp"
#include "tests/support/homogeneous.hpp"
#include "tests/support/random_chain.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Triples = ChainLayout::Triples;

int count(const ImuModel& imus) { return static_cast<int>(imus.imus().size()); }

// rows of the path's unknowns, spread over all unknowns: by q, q', q'' of each
MatrixXd spread(const MatrixXd& rows, const std::vector<int>& path, int unknowns) {
  MatrixXd all = MatrixXd::Zero(rows.rows(), 3 * unknowns);
  for (std::size_t k = 0; k < path.size(); ++k) {
    all.middleCols<3>(3 * path[k]) = rows.middleCols<3>(3 * static_cast<int>(k));
  }
  return all;
}

// position, velocity and acceleration of a point by its path's (q, q', q'')
MatrixXd point_slopes(const PointRows& rows) {
  MatrixXd all = MatrixXd::Zero(9, 3 * rows.J.cols());
  for (int k = 0; k < rows.J.cols(); ++k) {
    all.block<3, 1>(0, 3 * k) = rows.J.col(k);
    all.block<3, 2>(3, 3 * k) << rows.Jdot.col(k), rows.J.col(k);
    all.block<3, 3>(6, 3 * k) << rows.Jddot.col(k), 2.0 * rows.Jdot.col(k), rows.J.col(k);
  }
  return all;
}

// the motion with one of all (q, q', q'') changed
ChainMotion changed(const ChainMotion& motion, int column, double by) {
  ChainMotion result = motion;
  (column % 3 == 0 ? result.q : column % 3 == 1 ? result.qdot : result.qddot)[column / 3] += by;
  return result;
}

// central differences of `value` by all (q, q', q'')
MatrixXd differences(const ChainMotion& motion,
                     const std::function<Eigen::VectorXd(const ChainMotion&)>& value) {
  constexpr double step = 1e-5;
  MatrixXd result;
  for (int column = 0; column < 3 * motion.q.size(); ++column) {
    const Eigen::VectorXd ahead = value(changed(motion, column, step));
    const Eigen::VectorXd behind = value(changed(motion, column, -step));
    if (column == 0) result.resize(ahead.size(), 3 * motion.q.size());
    result.col(column) = (ahead - behind) / (2.0 * step);
  }
  return result;
}

// largest difference, relative to what is compared
double difference(const MatrixXd& ours, const MatrixXd& theirs) {
  return (ours - theirs).cwiseAbs().maxCoeff() / std::max(1.0, theirs.cwiseAbs().maxCoeff());
}

// a motion with balls off their references
ChainMotion random_motion(const ChainLayout& layout, test::Random& random) {
  const Model& model = layout.model();
  ChainMotion motion =
      layout.motion(test::random_state(model, random), test::random_acceleration(model, random));
  for (const ChainLayout::Ball& ball : layout.balls()) {
    for (const int unknown : ball.unknown) motion.q[unknown] += test::uniform(random, -0.5, 0.5);
  }
  return motion;
}

TEST(ImuModel, PredictionsAndJacobiansAreThoseOfTheFourByFourMatrices) {
  for (int seed = 0; seed < test::scaled(100); ++seed) {
    const Model model = test::random_chain(static_cast<std::uint64_t>(seed), seed % 2 == 0);
    const ChainLayout layout(model, Triples::Hinges);
    test::Random random(static_cast<std::uint64_t>(seed));
    ImuModel imus = test::random_imus(layout, random);
    const ChainMotion motion = random_motion(layout, random);
    imus.update(motion);
    for (int k = 0; k < count(imus); ++k) {
      const test::Felt felt =
          test::feel(model, motion, imus.imus()[static_cast<std::size_t>(k)], imus.surroundings());
      EXPECT_LT(difference(imus.imu(k).y, felt.y), 1e-12) << "seed " << seed;
      const MatrixXd H = spread(imus.imu(k).H, imus.imu_path(k), layout.unknowns());
      EXPECT_LT(difference(H, felt.H), 1e-12) << "seed " << seed;
    }
  }
}

TEST(ImuModel, PredictionsDoNotDependOnHowTriplesAreCounted) {
  for (int seed = 0; seed < test::scaled(100); ++seed) {
    const Model model = test::random_chain(static_cast<std::uint64_t>(seed), seed % 2 == 0);
    const ChainLayout balls(model), hinges(model, Triples::Hinges);
    test::Random random(static_cast<std::uint64_t>(seed));
    ImuModel with_balls = test::random_imus(balls, random);
    ImuModel with_hinges(hinges, with_balls.imus(), {}, with_balls.surroundings());
    const State state = test::random_state(model, random);
    const StateAcceleration acceleration = test::random_acceleration(model, random);
    with_balls.update(balls.motion(state, acceleration));
    with_hinges.update(hinges.motion(state, acceleration));
    for (int k = 0; k < count(with_balls); ++k) {
      EXPECT_LT(difference(with_balls.imu(k).y, with_hinges.imu(k).y), 1e-12) << "seed " << seed;
    }
  }
}

TEST(ImuModel, JacobiansAreTheDerivativesOfThePredictions) {
  for (int seed = 0; seed < test::scaled(30); ++seed) {
    const Model model = test::random_chain(static_cast<std::uint64_t>(seed), seed % 2 == 0);
    const ChainLayout layout(model);
    test::Random random(static_cast<std::uint64_t>(seed));
    ImuModel imus = test::random_imus(layout, random);
    const ChainMotion motion = random_motion(layout, random);
    for (int k = 0; k < count(imus); ++k) {
      const MatrixXd felt = differences(motion, [&](const ChainMotion& at) -> Eigen::VectorXd {
        imus.update(at);
        return imus.imu(k).y;
      });
      const MatrixXd moved = differences(motion, [&](const ChainMotion& at) -> Eigen::VectorXd {
        imus.update(at);
        Eigen::VectorXd all(9);
        all << imus.point(k).p, imus.point(k).v, imus.point(k).a;
        return all;
      });
      imus.update(motion);
      const int n = layout.unknowns();
      EXPECT_LT(difference(spread(imus.imu(k).H, imus.imu_path(k), n), felt), 1e-6) << "seed " << seed;
      const MatrixXd slopes = spread(point_slopes(imus.point(k)), imus.point_path(k), n);
      EXPECT_LT(difference(slopes, moved), 1e-6) << "seed " << seed;
    }
  }
}

TEST(ImuModel, ASensorAtRestFeelsOneGUpward) {
  const Model human = human66();
  const ChainLayout layout(human);
  ImuModel imus(layout, {{"head", "Head"}, {"foot", "LeftFoot"}});
  StateAcceleration still;
  still.sddot = Eigen::VectorXd::Zero(human.dof());
  imus.update(layout.motion(rest_state(human), still));
  for (int k = 0; k < 2; ++k) {
    EXPECT_LT(imus.imu(k).y.head<3>().norm(), 1e-15);
    EXPECT_LT((imus.R_WI(k) * imus.imu(k).y.segment<3>(3) - Vector3d{0.0, 0.0, 9.80665}).norm(), 1e-13);
  }
  EXPECT_EQ(imus.imu_path(1).size(), 6u + 9u) << "base, hip, knee, ankle and nothing of the other leg";
}

// a turn about the vertical changes the measured heading by as much; the row says so
TEST(ImuModel, TheHeadingRowIsTheUprightPartOfEveryAxis) {
  const Model model = test::random_chain(3, true);
  const ChainLayout layout(model);
  test::Random random(3);
  const int link = test::seats(layout).back();
  ImuModel imus(layout, {{"imu", model.link_names()[static_cast<std::size_t>(link)]}});
  State state = test::random_state(model, random);
  state.R_WB.setIdentity();
  const ChainMotion motion = layout.motion(state, test::random_acceleration(model, random));
  const Vector3d field_I = test::random_vector(random, 1.0);
  imus.update(motion);
  const double before = imus.heading(0, field_I).angle, level = imus.heading(0, field_I).level;
  EXPECT_NEAR(imus.imu(0).heading[5], 1.0, 1e-15) << "the base turns about z";
  EXPECT_NEAR(imus.imu(0).heading.head<5>().norm(), 0.0, 1e-15) << "its shifts and tilts do not";
  imus.update(changed(motion, 3 * 5, 1e-3));
  EXPECT_NEAR(imus.heading(0, field_I).angle - before, 1e-3, 1e-12);
  EXPECT_NEAR(imus.heading(0, field_I).level, level, 1e-12);
}

TEST(ImuModel, UpdatesAllocateNothing) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Model human = human66();
  const ChainLayout layout(human);
  std::vector<ImuMount> mounts;
  for (const int link : test::seats(layout)) {
    const std::string& name = human.link_names()[static_cast<std::size_t>(link)];
    mounts.push_back({name, name});
  }
  ImuModel imus(layout, std::move(mounts), {{"sole", "LeftFoot"}});
  test::Random random(1);
  const State state = test::random_state(human, random);
  const StateAcceleration acceleration = test::random_acceleration(human, random);
  ChainMotion motion = layout.motion(state, acceleration);
  const AllocationCount allocations;
  layout.motion(state, acceleration, motion);
  imus.update(motion);
  EXPECT_EQ(allocations.value(), 0);
}

void expect_refusal(const std::function<ImuModel()>& make, const std::vector<std::string>& words) {
  try {
    (void)make();
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    for (const std::string& word : words) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
}

TEST(ImuModel, RefusesAMountingWithTheSensorsName) {
  const Model human = human66();
  const ChainLayout layout(human);
  const Vector3d nowhere = Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
  expect_refusal(
      [&] {
        return ImuModel(layout, {{"wrist", "LeftHnd"}});
      },
      {"'wrist'", "did you mean 'LeftHand'"});
  expect_refusal([&] { return ImuModel(layout, {{"hip", human.joint(0).child}}); }, {"'hip'", "spherical"});
  expect_refusal([&] { return ImuModel(layout, {{"a", "Head"}, {"a", "Pelvis"}}); }, {"two sensors", "'a'"});
  expect_refusal(
      [&] {
        return ImuModel(layout, {{"a", "Head", 2.0 * Eigen::Matrix3d::Identity()}});
      },
      {"'a'", "not a rotation"});
  expect_refusal([&] { return ImuModel(layout, {}, {{"pen", "Head", nowhere}}); }, {"point 'pen'", "finite"});
  expect_refusal(
      [&] {
        return ImuModel(layout, {}, {}, {Vector3d::Zero(), Vector3d::UnitY()});
      },
      {"gravity"});
  expect_refusal([&] { return ImuModel(layout, {}, {}, {Vector3d::UnitZ(), nowhere}); }, {"magnetic field"});
}

}  // namespace
}  // namespace panto
