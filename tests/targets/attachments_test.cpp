#include "panto/targets/attachments.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>
#include <string>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "tests/support/random_model.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::string refusal(const AttachmentMap& map, const TargetDefaults& defaults = {}) {
  static const Model model = human66();
  try {
    const Attachments attachments(map, model, human_segment_names(), defaults);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// what the text must hold
void expect_says(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks " << part;
}

TEST(Attachments, NameAnUnknownSegmentOrLinkAndTheNearest) {
  AttachmentMap map = mvn_attachments();
  map.attachments[14].segment = "LeftHnd";
  expect_says(refusal(map), {"no segment 'LeftHnd'", "did you mean 'LeftHand'?", "23 segments", "Pelvis"});
  map = mvn_attachments();
  map.attachments[14].link = "lefthand_link";
  expect_says(refusal(map), {"no link 'lefthand_link'", "human66", "links"});
}

TEST(Attachments, RefuseInvalidEntries) {
  expect_says(refusal(AttachmentMap{}), {"the attachment map is empty"});

  AttachmentMap map = mvn_attachments();
  map.attachments[3].link = "L5";
  expect_says(refusal(map), {"'L5'", "twice"});

  for (const double bad : {2.0, kNan, kInf}) {
    map = mvn_attachments();
    map.attachments[6].R_SF(1, 1) = bad;
    expect_says(refusal(map), {"'Head'", "R_SF", "rotation"});
  }
  map = mvn_attachments();
  map.attachments[6].R_SF = -Matrix3d::Identity();
  expect_says(refusal(map), {"'Head'", "rotation"});

  map = mvn_attachments();
  map.attachments[6].orientation = false;
  expect_says(refusal(map), {"'Head'", "neither"});

  for (const double bad : {0.0, -1.0, kNan, kInf}) {
    map = mvn_attachments();
    map.attachments[6].orientation_weight = bad;
    expect_says(refusal(map), {"'Head'", "weight", "> 0"});
    map = mvn_attachments();
    map.attachments[0].position_weight = bad;
    expect_says(refusal(map), {"'Pelvis'", "weight"});
  }
}

TEST(Attachments, OneSegmentMayDriveTwoLinks) {
  // a rigid thorax: two links of the model follow one segment of the source
  AttachmentMap map = mvn_attachments();
  map.attachments[3].segment = "T8";
  EXPECT_EQ(refusal(map), "");
}

TEST(Attachments, TakeTheirOwnWeightsBeforeTheDefaults) {
  const Model model = human66();
  AttachmentMap map = mvn_attachments();
  map.attachments[1].orientation_weight = 0.25;
  map.attachments[2].position = true;
  map.attachments[2].position_weight = 7.0;
  const Attachments attachments(map, model, human_segment_names(), {2.0, 30.0, 11.0, 12.0});
  const auto& rows = attachments.rows();
  ASSERT_EQ(rows.size(), 23U);
  EXPECT_EQ(rows[0].orientation_weight, 2.0);
  EXPECT_EQ(rows[0].position_weight, 30.0);
  EXPECT_EQ(rows[1].orientation_weight, 0.25);
  EXPECT_EQ(rows[1].position_weight, 0.0);  // follows no position: no rows
  EXPECT_EQ(rows[2].position_weight, 7.0);
  EXPECT_EQ(rows[5].orientation_gain, 11.0);
  EXPECT_EQ(rows[5].position_gain, 12.0);
}

struct OneLink {
  Model model;
  Attachments attachments;
  Targets targets;
  SegmentSample sample;

  static Model body() {
    ModelSpec spec;
    spec.name = "body";
    spec.links = {{"body"}};
    return Model(spec);
  }
  static AttachmentMap map(const Matrix3d& R_SF) {
    AttachmentMap map;
    map.attachments.push_back({"seg", "body", R_SF, true, true, {}, {}});
    return map;
  }
  explicit OneLink(const Matrix3d& R_SF = Matrix3d::Identity())
      : model(body()), attachments(map(R_SF), model, {"other", "seg"}, {}), targets{0, attachments.rows()} {
    sample.t = 42;
    sample.segments.resize(2);
    SegmentMotion& m = sample.segments[1];
    m.R_WS = so3::exp({0.3, -1.0, 2.0});
    m.p_WS = {1.0, 2.0, 3.0};
    m.w_WS = {4.0, 5.0, 6.0};
    m.v_WS = {7.0, 8.0, 9.0};
    m.has_orientation = m.has_position = m.has_angular_velocity = m.has_linear_velocity = true;
  }
  StepStatus apply() { return attachments.apply(sample, targets); }
  SegmentMotion& motion() { return sample.segments[1]; }
  const Target& row() { return targets.rows[0]; }
};

TEST(Attachments, TurnASampleIntoTheModelsTerms) {
  const Matrix3d R_SF = so3::exp({0.5, 0.1, -0.4});
  OneLink one(R_SF);
  ASSERT_EQ(one.apply(), StepStatus::Solved);
  EXPECT_EQ(one.targets.t, 42);
  // the frame turns; rates and the origin are those of the same body in world axes
  EXPECT_LT((one.row().R_WF - one.motion().R_WS * R_SF).norm(), 1e-15);
  EXPECT_EQ(one.row().p_WF, Vector3d(1.0, 2.0, 3.0));
  EXPECT_EQ(one.row().w_WF, Vector3d(4.0, 5.0, 6.0));
  EXPECT_EQ(one.row().v_WF, Vector3d(7.0, 8.0, 9.0));
}

TEST(Attachments, PassOnWhichFactsAreValid) {
  for (int mask = 0; mask < 16; ++mask) {
    OneLink one;
    SegmentMotion& m = one.motion();
    m.has_orientation = (mask & 1) != 0;
    m.has_position = (mask & 2) != 0;
    m.has_angular_velocity = (mask & 4) != 0;
    m.has_linear_velocity = (mask & 8) != 0;
    // what is not valid may hold anything
    if (!m.has_orientation) m.R_WS.setConstant(kNan);
    if (!m.has_position) m.p_WS.setConstant(kNan);
    if (!m.has_angular_velocity) m.w_WS.setConstant(kInf);
    if (!m.has_linear_velocity) m.v_WS.setConstant(kNan);
    ASSERT_EQ(one.apply(), StepStatus::Solved) << mask;
    EXPECT_EQ(one.row().has_orientation, m.has_orientation);
    EXPECT_EQ(one.row().has_position, m.has_position);
    // a rate without its pose has nothing to correct towards
    EXPECT_EQ(one.row().has_angular_velocity, m.has_angular_velocity && m.has_orientation);
    EXPECT_EQ(one.row().has_linear_velocity, m.has_linear_velocity && m.has_position);
  }
}

TEST(Attachments, RefuseASampleWithAValueThatIsNotFinite) {
  for (const double bad : {kNan, kInf, -kInf, 1e308, -2e9}) {
    for (int field = 0; field < 4; ++field) {
      OneLink one;
      SegmentMotion& m = one.motion();
      if (field == 0) m.R_WS(2, 1) = bad;
      if (field == 1) m.p_WS[0] = bad;
      if (field == 2) m.w_WS[1] = bad;
      if (field == 3) m.v_WS[2] = bad;
      EXPECT_EQ(one.apply(), StepStatus::TargetNotFinite) << field << " " << bad;
    }
  }
  // a segment that nothing follows does not matter
  OneLink one;
  one.sample.segments[0].has_position = true;
  one.sample.segments[0].p_WS.setConstant(kNan);
  EXPECT_EQ(one.apply(), StepStatus::Solved);
}

TEST(Attachments, ProjectWhatIsNearlyARotationAndRefuseTheRest) {
  test::Random random(1);
  double worst = 0.0, moved = 0.0;
  for (int i = 0; i < 2000; ++i) {
    OneLink one;
    const Matrix3d R = test::random_rotation(random);
    const Vector3d stretch =
        test::random_vector(random, 0.0049);  // R^T R - I is twice that: just inside 1e-2
    const Matrix3d V = test::random_rotation(random);
    one.motion().R_WS = R * (Matrix3d::Identity() + V * Matrix3d(stretch.asDiagonal()) * V.transpose());
    ASSERT_EQ(one.apply(), StepStatus::Solved);
    const Matrix3d& result = one.row().R_WF;
    worst = std::max(worst, (result.transpose() * result - Matrix3d::Identity()).cwiseAbs().maxCoeff());
    moved = std::max(moved, so3::distance(result, R));
  }
  EXPECT_LT(worst, 1e-12);
  EXPECT_LT(moved, 1e-12);  // the nearest rotation, not just any

  OneLink one;
  one.motion().R_WS *= 1.01;
  EXPECT_EQ(one.apply(), StepStatus::TargetNotFinite);
  one.motion().R_WS = Matrix3d::Zero();
  EXPECT_EQ(one.apply(), StepStatus::TargetNotFinite);
  one.motion().R_WS = -Matrix3d::Identity();
  EXPECT_EQ(one.apply(), StepStatus::TargetNotFinite);
}

// 23 segments in any attitude, small enough in all numbers
SegmentSample random_sample(test::Random& random) {
  SegmentSample sample;
  sample.t = 7;
  sample.segments.resize(23);
  for (SegmentMotion& m : sample.segments) {
    m.R_WS = so3::exp(test::random_vector(random, 3.0));
    m.p_WS = test::random_vector(random, 2.0);
    m.w_WS = test::random_vector(random, 10.0);
    m.v_WS = test::random_vector(random, 10.0);
    m.has_orientation = m.has_position = m.has_angular_velocity = m.has_linear_velocity = true;
  }
  return sample;
}

void expect_same_place(const Target& a, const Target& b, std::size_t row) {
  EXPECT_EQ(a.p_WF, b.p_WF) << row;
  EXPECT_EQ(a.v_WF, b.v_WF) << row;
}

void expect_same_turn_and_flags(const Target& a, const Target& b, std::size_t row) {
  EXPECT_EQ(a.R_WF, b.R_WF) << row;
  EXPECT_EQ(a.w_WF, b.w_WF) << row;
  EXPECT_EQ(a.has_orientation, b.has_orientation) << row;
  EXPECT_EQ(a.has_position, b.has_position) << row;
  EXPECT_EQ(a.has_angular_velocity, b.has_angular_velocity) << row;
  EXPECT_EQ(a.has_linear_velocity, b.has_linear_velocity) << row;
}

class ManyRows : public ::testing::Test {
 protected:
  static AttachmentMap map() {
    AttachmentMap map = mvn_attachments(MvnArms::Hanging);  // some of the rows turned
    for (std::size_t j = 0; j < map.attachments.size(); j += 2) map.attachments[j].position = true;
    map.attachments[4].orientation = false;
    return map;
  }
  const Model model = human66();
  const Attachments attachments{map(), model, human_segment_names(), {}};
  Targets targets{0, attachments.rows()};
  test::Random random{9};
};

TEST_F(ManyRows, ARowDoesNotChangeWhatItsNeighboursTake) {
  // what takes eight rows at once gives way to the careful one when a row of them needs it: same results
  for (std::size_t j = 0; j < 23; ++j) {
    const SegmentSample clean = random_sample(random);
    ASSERT_EQ(attachments.apply(clean, targets), StepStatus::Solved);
    const Targets expected = targets;
    for (int damage = 0; damage < 5; ++damage) {
      SegmentSample sample = clean;
      SegmentMotion& m = sample.segments[j];
      if (damage == 0) m.R_WS *= 1.0 + 1e-9;       // nearly a rotation
      if (damage == 1) m.p_WS.setConstant(5.5e8);  // large, but no damage
      if (damage == 2) m.has_orientation = false;  // not measured
      if (damage == 3) m.has_angular_velocity = m.has_linear_velocity = false;
      if (damage == 3) m.w_WS.setConstant(kNan);  // what is not valid may hold anything
      if (damage == 4) m.has_position = false, m.p_WS.setConstant(kInf);
      ASSERT_EQ(attachments.apply(sample, targets), StepStatus::Solved) << j << " " << damage;
      for (std::size_t k = 0; k < 23; ++k) {
        if (k == j) continue;
        expect_same_turn_and_flags(targets.rows[k], expected.rows[k], k);
        expect_same_place(targets.rows[k], expected.rows[k], k);
      }
      const Target& row = targets.rows[j];
      EXPECT_EQ(row.has_orientation, damage != 2 && j != 4) << j << " " << damage;
      EXPECT_EQ(row.has_angular_velocity, damage != 2 && damage != 3 && j != 4) << j << " " << damage;
      EXPECT_EQ(row.has_position, damage != 4 && j % 2 == 0) << j << " " << damage;
      EXPECT_EQ(row.has_linear_velocity, damage != 3 && damage != 4 && j % 2 == 0) << j << " " << damage;
      EXPECT_LT((row.R_WF - expected.rows[j].R_WF).norm(), 1e-14) << j << " " << damage;
    }
  }
}

TEST_F(ManyRows, OneBadValueAmongManyRefusesTheSample) {
  for (std::size_t j = 0; j < 23; ++j) {
    for (int field = 0; field < 5; ++field) {
      SegmentSample sample = random_sample(random);
      SegmentMotion& m = sample.segments[j];
      if (field == 0) m.R_WS(2, 1) = kNan;
      if (field == 1) m.R_WS.col(0) *= -1.0;
      if (field == 2) m.p_WS[2] = -1.1e9;
      if (field == 3) m.w_WS[1] = kInf;
      if (field == 4) m.v_WS[0] = kNan;
      EXPECT_EQ(attachments.apply(sample, targets), StepStatus::TargetNotFinite) << j << " " << field;
    }
  }
}

// What lanes hold is what rows hold, where a lane has a row and the row has the fact: but for the rounding of
// a product.
void expect_same_lanes(const Targets& targets, const std::vector<int>& row_of_lane,
                       const std::string& where) {
  for (std::size_t lane = 0; lane < row_of_lane.size(); ++lane) {
    const int j = row_of_lane[lane];
    const TurningFacts& facts = targets.by_lane;
    const Target none, &row = j < 0 ? none : targets.rows[static_cast<std::size_t>(j)];
    EXPECT_EQ(facts.oriented(0, lane), row.has_orientation ? 1.0 : 0.0) << where << ", lane " << lane;
    EXPECT_EQ(facts.turning(0, lane), row.has_angular_velocity ? 1.0 : 0.0) << where << ", lane " << lane;
    const Matrix3d R = to_eigen(mat3(facts.R, lane));
    const Vector3d w = to_eigen(vec3(facts.w, lane));
    EXPECT_TRUE(!row.has_orientation || (R - row.R_WF).norm() < 1e-15) << where << ", lane " << lane;
    EXPECT_TRUE(!row.has_angular_velocity || w == row.w_WF) << where << ", lane " << lane;
  }
}

TEST_F(ManyRows, LanesHoldTheSameAsRows) {
  // every second row first, with holes between, as a tree of another order would have them
  std::vector<int> row_of_lane;
  for (int j = 0; j < 23; j += 2) row_of_lane.push_back(j);
  row_of_lane.insert(row_of_lane.end(), 6, -1);
  for (int j = 1; j < 23; j += 2) row_of_lane.push_back(j);
  row_of_lane.resize(32, -1);
  Attachments in_lanes(map(), model, human_segment_names(), {});
  in_lanes.set_lanes(row_of_lane);
  Targets both = in_lanes.targets();
  ASSERT_EQ(both.by_lane.R.size(), 32u);
  for (std::size_t j = 0; j < 24; ++j) {  // the last time without any damage
    for (int damage = 0; damage < 4; ++damage) {
      SegmentSample sample = random_sample(random);
      if (j < 23) {
        SegmentMotion& m = sample.segments[j];
        if (damage == 0) m.R_WS *= 1.0 + 1e-9;  // is projected
        if (damage == 1) m.p_WS.setConstant(5.5e8);
        if (damage == 2) m.has_orientation = false;
        if (damage == 3) m.has_angular_velocity = false, m.w_WS.setConstant(kNan);
      }
      ASSERT_EQ(in_lanes.apply(sample, both), StepStatus::Solved);
      in_lanes.complete(both);
      ASSERT_EQ(attachments.apply(sample, targets), StepStatus::Solved);
      const std::string where = "row " + std::to_string(j) + ", damage " + std::to_string(damage);
      expect_same_lanes(both, row_of_lane, where);
      for (std::size_t k = 0; k < 23; ++k) {
        const bool damaged = k == j && (damage == 2 || damage == 3);  // holds an old matrix, or NaN
        if (damaged) continue;
        expect_same_turn_and_flags(both.rows[k], targets.rows[k], k);
        if (k % 2 == 0) expect_same_place(both.rows[k], targets.rows[k], k);  // the others follow none
      }
    }
  }
}

TEST(Attachments, RefuseASampleOfAnotherSource) {
  OneLink one;
  one.sample.segments.resize(3);
  EXPECT_EQ(one.apply(), StepStatus::SizeMismatch);
  one.sample.segments.clear();
  EXPECT_EQ(one.apply(), StepStatus::SizeMismatch);
  one.sample.segments.resize(2);
  one.targets.rows.resize(5);
  EXPECT_EQ(one.apply(), StepStatus::SizeMismatch);
}

TEST(MvnAttachments, AreTheIdentityOnEverySegmentOfVersionFour) {
  const AttachmentMap map = mvn_attachments();
  ASSERT_EQ(map.attachments.size(), 23U);
  for (const Attachment& a : map.attachments) {
    EXPECT_EQ(a.segment, a.link);
    EXPECT_EQ(a.R_SF, Matrix3d(Matrix3d::Identity()));
    EXPECT_TRUE(a.orientation);
    EXPECT_EQ(a.position, a.segment == "Pelvis");
  }
}

TEST(MvnAttachments, ArmsOfVersionThreeAreTheIdentityWhenTheyHang) {
  // our frames are those of the T-pose: right arm along -y, left along +y. With a segment frame of identity
  // both must point down
  int turned = 0;
  for (const Attachment& a : mvn_attachments(MvnArms::Hanging).attachments) {
    const bool arm = a.link.find("Arm") != std::string::npos || a.link.find("Hand") != std::string::npos;
    if (!arm) {
      EXPECT_EQ(a.R_SF, Matrix3d(Matrix3d::Identity())) << a.link;
      continue;
    }
    ++turned;
    const double side = a.link.starts_with("Right") ? -1.0 : 1.0;
    EXPECT_LT((a.R_SF * Vector3d(0.0, side, 0.0) - Vector3d(0.0, 0.0, -1.0)).norm(), 1e-15) << a.link;
    EXPECT_LT((a.R_SF * Vector3d::UnitX() - Vector3d::UnitX()).norm(), 1e-15) << a.link;
  }
  EXPECT_EQ(turned, 6);
}

}  // namespace
}  // namespace panto
