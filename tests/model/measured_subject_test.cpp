#include "panto/model/measured_subject.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace panto;
using enum HumanSegment::Index;

SubjectPoints points_of(const SubjectDimensions& subject) {
  SubjectPoints points;
  points.origin = subject.origin;
  return points;
}

TEST(AMeasuredSubject, HasTheHeightFromSoleToTopOfHead) {
  SubjectPoints points = points_of(scaled_subject(1.75));
  points.end[Head] = Eigen::Vector3d(0.0, 0.0, 0.2);
  points.sole = -1.0;
  std::vector<std::string> notes;
  const auto subject = measured_subject(points, notes);
  ASSERT_TRUE(subject);
  EXPECT_NEAR(subject->height, height_over_pelvis(points.origin)[Head] + 0.2 + 1.0, 1e-12);
  EXPECT_EQ(subject->end[Head], *points.end[Head]);
  EXPECT_TRUE(notes.empty());
}

TEST(AMeasuredSubject, HasTheHeightOfAverageProportionsWithoutSurfacePoints) {
  for (const double height : {1.2, 1.75, 2.0}) {
    const SubjectDimensions average = scaled_subject(height);
    std::vector<std::string> notes;
    const auto subject = measured_subject(points_of(average), notes);
    ASSERT_TRUE(subject);
    EXPECT_NEAR(subject->height, height, 1e-12) << "an average person is of average proportions";
    EXPECT_LT((subject->end[RightHand] - average.end[RightHand]).norm(), 1e-12);
  }
}

TEST(AMeasuredSubject, UsesNoEndThatNoBodyHas) {
  SubjectPoints points = points_of(scaled_subject(1.75));
  points.end[LeftHand] = Eigen::Vector3d(0.0, 9.0, 0.0);
  points.end[RightToe] = Eigen::Vector3d::Zero();
  std::vector<std::string> notes;
  const auto subject = measured_subject(points, notes);
  ASSERT_TRUE(subject);
  EXPECT_LT(subject->end[LeftHand].norm(), 0.5);
  EXPECT_GT(subject->end[RightToe].norm(), 0.01);
}

TEST(AMeasuredSubject, SaysWhyThereIsNone) {
  std::vector<std::string> notes;
  SubjectPoints points = points_of(scaled_subject(1.75));
  points.origin[RightHand] *= 100.0;
  EXPECT_FALSE(measured_subject(points, notes));
  points = points_of(scaled_subject(1.75));
  points.end[Head] = Eigen::Vector3d(0.0, 0.0, 0.2);
  points.sole = 0.6;
  EXPECT_FALSE(measured_subject(points, notes));
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].find("no dimensions of the person: RightHand lies 2"), 0U) << notes[0];
  EXPECT_NE(notes[1].find("m is not a plausible height"), std::string::npos) << notes[1];
}

TEST(AMeasuredSubject, NamesTheFarEndsAsMvnDoes) {
  EXPECT_EQ(far_end_name(Head), "pTopOfHead");
  EXPECT_EQ(far_end_name(LeftToe), "pLeftToe");
  EXPECT_EQ(far_end_name(Pelvis), "");
}

}  // namespace
