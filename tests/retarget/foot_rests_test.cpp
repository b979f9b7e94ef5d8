#include "panto/retarget/foot_rests.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr int kFrames = 120;  // 4 s at 30 Hz
constexpr double kRate = 30.0;
const Vector3d kBall{0.12, 0.0, -0.03};

// A foot that creeps to the left at 0.2 m/s and turns, 8 cm above the floor, under contacts of a person.
struct Foot {
  std::vector<Time> t;
  FootContacts stands, rests;
  FootTargets targets;

  explicit Foot(double speed = 0.2, double turn = 0.0) {
    for (FootContacts* contacts : {&stands, &rests}) {
      contacts->heel.assign(kFrames, 0);
      contacts->ball.assign(kFrames, 0);
    }
    for (int k = 0; k < kFrames; ++k) {
      t.push_back(frame_time(k, kRate));
      targets.p_WF.emplace_back(0.0, speed * k / kRate, 0.08);
      targets.R_WF.push_back(so3::about_axis(2, turn * k / kRate));
    }
  }
  static void touch(FootContacts& contacts, int first, int last, bool heel, bool ball) {
    for (int k = first; k <= last; ++k) {
      contacts.heel[at(k)] = heel ? 1 : 0;
      contacts.ball[at(k)] = ball ? 1 : 0;
    }
    contacts.planted.push_back({first, last});
  }
  void keep(const std::vector<int>& cuts = {}) {
    const std::vector<Vector3d> own = targets.p_WF;
    keep_still(t, own, stands, rests, kBall, 0.06, cuts, targets);
  }
  // the fastest that a point of the foot moves over the floor between two frames [m/s]
  [[nodiscard]] double fastest(int first, int last, const Vector3d& point) const {
    double most = 0.0;
    for (int k = first + 1; k <= last; ++k) {
      const Vector3d way = targets.p_WF[at(k)] + targets.R_WF[at(k)] * point - targets.p_WF[at(k - 1)] -
                           targets.R_WF[at(k - 1)] * point;
      most = std::max(most, way.head<2>().norm() * kRate);
    }
    return most;
  }
};

TEST(FootRests, StayInOnePlaceAtTheirHeight) {
  Foot foot;
  Foot::touch(foot.rests, 40, 55, true, true);  // 0.5 s in which it would creep by 10 cm
  foot.keep();
  EXPECT_LT(foot.fastest(43, 52, Vector3d::Zero()), 0.02) << "0.2 before; its ends blend";
  EXPECT_NEAR(foot.targets.p_WF[47].y(), 0.2 * 47.5 / kRate, 0.005) << "the middle of its way";
  for (const Vector3d& p : foot.targets.p_WF) EXPECT_EQ(p.z(), 0.08);
  EXPECT_LT(std::abs(foot.targets.p_WF[5].y() - 0.2 * 5 / kRate), 0.002)
      << "long before, it goes its own way";
}

TEST(FootRests, WithoutRestsNoBitChanges) {
  Foot foot(0.2, 0.4);
  Foot::touch(foot.stands, 40, 55, true, true);
  const FootTargets before = foot.targets;
  foot.keep();
  EXPECT_EQ(foot.targets.p_WF, before.p_WF);
  EXPECT_EQ(foot.targets.R_WF, before.R_WF);
}

TEST(FootRests, LeaveStancesAndLieWhereTheFootStandsNext) {
  Foot foot;
  Foot::touch(foot.rests, 30, 35, true, true);
  Foot::touch(foot.stands, 36, 60, true, true);
  for (int k = 36; k < kFrames; ++k) foot.targets.p_WF[at(k)].y() = 0.24;  // stands there
  const FootTargets before = foot.targets;
  foot.keep();
  for (int k = 36; k <= 60; ++k) EXPECT_EQ(foot.targets.p_WF[at(k)], before.p_WF[at(k)]) << k;
  for (int k = 32; k <= 35; ++k)
    EXPECT_NEAR(foot.targets.p_WF[at(k)].y(), 0.24, 0.01) << "no step where the rest becomes a stance";
}

TEST(FootRests, TurnAboutWhatRestsOfThem) {
  Foot foot(0.0, 1.0);  // turns on the spot: its ball moves at 0.12 m/s
  Foot::touch(foot.rests, 40, 55, false, true);
  foot.keep();
  EXPECT_LT(foot.fastest(43, 52, kBall), 0.02);
  EXPECT_EQ(foot.targets.R_WF[50], so3::about_axis(2, 50 / kRate)) << "one point does not stop a turn";
}

TEST(FootRests, HardlyTurnWhereHeelAndBallRest) {
  Foot foot(0.0, 0.3);
  Foot::touch(foot.rests, 40, 55, true, true);
  foot.keep();
  EXPECT_LT(so3::distance(foot.targets.R_WF[43], foot.targets.R_WF[52]), 0.01) << "0.09 rad before";
  EXPECT_LT(foot.fastest(43, 52, kBall), 0.01);
}

TEST(FootRests, BetweenTwoStancesGoOnlyAsTheirOwnWayDoes) {
  Foot foot(0.0);
  Foot::touch(foot.stands, 20, 30, true, true);
  Foot::touch(foot.rests, 31, 60, true, true);
  Foot::touch(foot.stands, 61, 90, true, true);
  for (int k = 0; k < kFrames; ++k)  // still, but for a step of 4 cm from frame 56 to 60
    foot.targets.p_WF[at(k)].y() = 0.01 * std::clamp(k - 56, 0, 4);
  foot.keep();
  EXPECT_LT(foot.fastest(33, 52, Vector3d::Zero()), 0.005) << "by the frame it would creep at 0.04";
  EXPECT_NEAR(foot.targets.p_WF[60].y(), 0.04, 0.005);
}

TEST(FootRests, StayWithinSixCentimetresOfTheirOwnWay) {
  Foot foot(1.0, 3.0);
  const FootTargets own = foot.targets;
  Foot::touch(foot.rests, 40, 70, true, true);  // 1 m, 180 deg
  foot.keep();
  for (int k = 0; k < kFrames; ++k) {
    EXPECT_LT((foot.targets.p_WF[at(k)] - own.p_WF[at(k)]).norm(), 0.1) << "6 cm, and the ball's turn";
    EXPECT_LT(so3::distance(foot.targets.R_WF[at(k)], own.R_WF[at(k)]), 0.11)
        << "0.1, and the path overshoots a step by 7 %";
  }
}

TEST(FootRests, DoNotGoToWhereTheFootStandsBehindACutOrAGap) {
  for (const bool gap : {false, true}) {
    Foot foot(0.0);
    Foot::touch(foot.rests, 40, 59, true, true);
    Foot::touch(foot.stands, 60, 90, true, true);
    for (int k = 60; k < kFrames; ++k) {
      foot.targets.p_WF[at(k)].y() = 2.0;
      if (gap) foot.t[at(k)] += 2'000'000'000;
    }
    foot.keep(gap ? std::vector<int>{} : std::vector<int>{60});
    for (int k = 40; k < 58; ++k) EXPECT_NEAR(foot.targets.p_WF[at(k)].y(), 0.0, 1e-3) << k;
  }
}

TEST(FootRests, DoNotReachOverACut) {
  Foot foot;
  Foot::touch(foot.rests, 40, 55, true, true);
  const FootTargets own = foot.targets;
  foot.keep({56});
  for (int k = 56; k < kFrames; ++k) EXPECT_EQ(foot.targets.p_WF[at(k)], own.p_WF[at(k)]) << k;
}

}  // namespace
}  // namespace panto
