#include "panto/rig/axes.hpp"

#include <gtest/gtest.h>

#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"

namespace panto::rig {
namespace {

TEST(RigAxes, PutsTheUpAxisOfAnyFileOnZ) {
  for (const char* name : {"x", "y", "z", "-x", "-y", "-z"}) {
    const FileAxis up = parse_file_axis(name);
    EXPECT_EQ(to_string(up), name);
    const Eigen::Matrix3d R_WF = world_from_file(up);
    EXPECT_TRUE(so3::is_rotation(R_WF, 1e-15)) << name;
    Eigen::Vector3d direction = Eigen::Vector3d::Zero();
    direction[up.axis] = up.negative ? -1.0 : 1.0;
    EXPECT_EQ(R_WF * direction, Eigen::Vector3d::UnitZ()) << name;
  }
}

// the MVNX twin of an Xsens BVH: MVN = (z, x, y) of the BVH (formats, section 3.4)
TEST(RigAxes, TurnsYUpFilesAsTheMvnxTwinDoes) {
  const Eigen::Vector3d p_F(1.0, 2.0, 3.0);
  EXPECT_EQ(world_from_file({1, false}) * p_F, Eigen::Vector3d(3.0, 1.0, 2.0));
  EXPECT_EQ(world_from_file({2, false}) * p_F, p_F);
  EXPECT_EQ(world_from_file({0, false}) * p_F, Eigen::Vector3d(2.0, 3.0, 1.0));
  EXPECT_EQ(world_from_file({1, true}) * p_F, Eigen::Vector3d(3.0, -1.0, -2.0));
}

TEST(RigAxes, RefusesAnInvalidAxis) {
  for (const char* name : {"", "w", "+y", "Y", "yy"})
    EXPECT_THROW((void)parse_file_axis(name), ConfigError) << name;
}

TEST(RigAxes, FindsTheUnitThatMakesAnAdult) {
  for (const double unit : {1.0, 0.01, 0.001, 0.0254, 0.0254 / 0.45, 0.3048}) {
    for (const double height : {1.55, 1.7, 1.9}) {
      const UnitReading read = read_unit(height / unit, true);
      EXPECT_EQ(read.unit, unit) << height;
      EXPECT_NEAR(read.height, height, 1e-12);
      EXPECT_GE(read.confidence, 0.5);
    }
  }
}

TEST(RigAxes, TakesAChildForAChildWithLittleConfidence) {
  const UnitReading read = read_unit(120.0, true);
  EXPECT_EQ(read.unit, 0.01);
  EXPECT_LT(read.confidence, 0.5);
}

// under other names, a child in inches is as likely as an adult in the unit of the CMU collection: neither is
// taken
TEST(RigAxes, TakesTheUnitOfTheCmuCollectionUnderItsNamesOnly) {
  const double stature = 34.0;
  EXPECT_NEAR(read_unit(stature, false).unit * stature, 1.75, 1e-12);
  EXPECT_LT(read_unit(stature, false).confidence, 0.5);
  EXPECT_EQ(read_unit(stature, true).unit, 0.0254 / 0.45);
  EXPECT_GE(read_unit(stature, true).confidence, 0.8);
}

// 43 units: 1.09 m in inches, 2.43 m in the CMU collection's unit; a person of 1.75 m is likelier than either
TEST(RigAxes, AnImprobablePersonLosesAgainstOneOfMiddleHeight) {
  for (const bool cmu_names : {false, true}) {
    const UnitReading read = read_unit(42.76, cmu_names);
    EXPECT_TRUE(read.name.empty());
    EXPECT_NEAR(read.height, 1.75, 1e-12);
  }
}

TEST(RigAxes, AssumesAPersonOfMiddleHeightWhereNoUnitFits) {
  for (const double stature : {1e-3, 0.01, 10.0, 500.0, 1e6}) {
    const UnitReading read = read_unit(stature, true);
    EXPECT_NEAR(read.unit * stature, 1.75, 1e-12);
    EXPECT_TRUE(read.name.empty());
    EXPECT_LT(read.confidence, 0.5);
  }
}

}  // namespace
}  // namespace panto::rig
