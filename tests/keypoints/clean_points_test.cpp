#include "panto/keypoints/clean_points.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/keypoints/point_spline.hpp"

namespace panto::keypoints {
namespace {

using Eigen::Vector3d;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kRAnkle = 2, kLAnkle = 5, kLHip = 3;

// Legs that swing under a trunk that walks at 1.2 m/s, in metres, z up; bones of constant length.
KeypointClip walker(int frames, double rate) {
  KeypointClip clip;
  clip.name = "walk.trc";
  clip.names = {"RHip",   "RKnee", "RAnkle",    "LHip",      "LKnee",
                "LAnkle", "Neck",  "RShoulder", "LShoulder", "Nose"};
  clip.rate_hz = rate;
  clip.unit = 1.0;
  clip.up = "z";
  for (int k = 0; k < frames; ++k) {
    const double t = k / rate;
    clip.times.push_back(from_seconds(t));
    const Vector3d hips(1.2 * t, 0.0, 0.9);
    const auto add = [&](const Vector3d& p) {
      clip.positions.insert(clip.positions.end(), p.begin(), p.end());
    };
    for (const double side : {-1.0, 1.0}) {
      const double swing = 0.5 * side * std::sin(6.0 * t), bend = 0.4 - 0.4 * std::cos(6.0 * t);
      const Vector3d hip = hips + Vector3d(0.0, 0.1 * side, 0.0);
      const Vector3d knee = hip + 0.42 * Vector3d(std::sin(swing), 0.0, -std::cos(swing));
      add(hip);
      add(knee);
      add(knee + 0.42 * Vector3d(std::sin(swing - bend), 0.0, -std::cos(swing - bend)));
    }
    for (const Vector3d& p :
         {Vector3d(0, 0, 0.55), Vector3d(0, -0.2, 0.5), Vector3d(0, 0.2, 0.5), Vector3d(0.12, 0, 0.7)})
      add(hips + p);
  }
  return clip;
}

void put(KeypointClip& clip, int frame, int point, const Vector3d& p) {
  std::copy_n(p.data(), 3, clip.positions.begin() + 3 * (frame * clip.points() + point));
}
void hide(KeypointClip& clip, int frame, int point) { put(clip, frame, point, Vector3d::Constant(kNaN)); }

double worst(const KeypointClip& a, const KeypointClip& b) {
  double most = 0.0;
  for (int k = 0; k < a.frames(); ++k) {
    for (int j = 0; j < a.points(); ++j) {
      const double off = (a.position(k, j) - b.position(k, j)).norm();
      most = off >= 0.0 ? std::max(most, off) : std::numeric_limits<double>::infinity();
    }
  }
  return most;
}

double rms(const KeypointClip& a, const KeypointClip& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.positions.size(); ++i) sum += std::pow(a.positions[i] - b.positions[i], 2.0);
  return std::sqrt(sum / static_cast<double>(a.positions.size()));
}

KeypointClip noisy(KeypointClip clip, double sigma, double missing) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0.0, sigma);
  std::uniform_real_distribution<double> share;
  for (double& x : clip.positions) x += normal(random);
  for (int k = 0; k < clip.frames(); ++k)
    for (int j = 0; j < clip.points(); ++j)
      if (share(random) < missing) hide(clip, k, j);
  return clip;
}

TEST(CleanPoints, LeaveACleanClipAsItIsToTheBit) {
  for (const double rate : {30.0, 120.0, 1000.0}) {
    const KeypointClip truth = walker(300, rate);
    KeypointClip clip = truth;
    const CleanReport report = clean_points(clip, PointCleaning::Light);
    EXPECT_EQ(clip.positions, truth.positions) << rate;
    EXPECT_TRUE(report.notes.empty()) << rate;
  }
}

TEST(CleanPoints, BridgeGapsUpToAFifthOfASecondWithinAFewMillimetres) {
  const KeypointClip truth = walker(90, 30.0);
  KeypointClip clip = truth;
  for (int k = 40; k < 46; ++k) hide(clip, k, kRAnkle);
  for (int k = 1; k < 90; k += 2) hide(clip, k, kLAnkle);
  const CleanReport report = clean_points(clip, PointCleaning::Light);
  EXPECT_EQ(report.bridged, 6 + 45);
  EXPECT_TRUE(report.long_gaps.empty());
  // over 0.2 s an ankle that swings at 4 m/s bends its way by 40 mm against the chord; a spline and the bone
  // know most
  EXPECT_LT(worst(clip, truth), 0.02);
  ASSERT_EQ(report.notes.size(), 1U);
}

TEST(CleanPoints, FollowALongGapFromThePointsNeighbourAndNameIt) {
  const KeypointClip truth = walker(120, 30.0);
  KeypointClip clip = truth;
  for (int k = 50; k < 80; ++k) hide(clip, k, kLAnkle);
  const CleanReport report = clean_points(clip, PointCleaning::Light);
  ASSERT_EQ(report.long_gaps.size(), 1U);
  EXPECT_EQ(report.guessed, 30);
  EXPECT_NE(report.notes.at(0).find("LAnkle from 1.67 to 2.63 s"), std::string::npos) << report.notes[0];
  for (int k = 49; k < 81; ++k) {
    const double shank = (clip.position(k, kLAnkle) - clip.position(k, kLAnkle - 1)).norm();
    EXPECT_NEAR(shank, 0.42, 1e-3) << k;
    // no jump where it leaves and returns: a foot swings at up to 4 m/s
    EXPECT_LT((clip.position(k, kLAnkle) - clip.position(k - 1, kLAnkle)).norm(), 4.0 / 30.0) << k;
  }
}

TEST(CleanPoints, TakeAFrozenPointAsNotSeenWhileTheBodyMoves) {
  const KeypointClip truth = walker(90, 30.0);
  KeypointClip clip = truth;
  for (int k = 31; k < 50; ++k) put(clip, k, kLAnkle, truth.position(30, kLAnkle));
  const CleanReport report = clean_points(clip, PointCleaning::Light);
  ASSERT_EQ(report.frozen.size(), 1U);
  EXPECT_EQ(report.frozen[0].point, kLAnkle);
  EXPECT_EQ(report.frozen[0].first, 31);
  EXPECT_EQ(report.frozen[0].last, 49);
}

TEST(CleanPoints, LeaveAStandingPersonAlone) {
  KeypointClip clip = walker(90, 30.0);
  for (int k = 1; k < 90; ++k)
    for (int j = 0; j < clip.points(); ++j) put(clip, k, j, clip.position(0, j));
  const KeypointClip truth = clip;
  EXPECT_TRUE(clean_points(clip, PointCleaning::Light).notes.empty());
  EXPECT_EQ(clip.positions, truth.positions);
}

TEST(CleanPoints, ExchangeBackSidesAndSinglePointsThatWereExchanged) {
  const KeypointClip truth = walker(90, 30.0);
  for (const int first : {0, 2}) {  // a whole leg, or the ankles alone
    KeypointClip clip = truth;
    for (int k = 40; k < 55; ++k) {
      for (int j = first; j < 3; ++j) {
        put(clip, k, j, truth.position(k, j + 3));
        put(clip, k, j + 3, truth.position(k, j));
      }
    }
    const CleanReport report = clean_points(clip, PointCleaning::Light);
    EXPECT_EQ(report.exchanged.size(), static_cast<std::size_t>(3 - first));
    EXPECT_LT(worst(clip, truth), 1e-12) << first;
  }
}

TEST(CleanPoints, DropAPositionThatIsAstrayForOneFrame) {
  const KeypointClip truth = walker(90, 30.0);
  KeypointClip clip = truth;
  put(clip, 45, kRAnkle, truth.position(45, kRAnkle) + Vector3d(0.5, 0.3, 0.2));
  EXPECT_EQ(clean_points(clip, PointCleaning::Light).stray.size(), 1U);
  EXPECT_LT(worst(clip, truth), 0.01);
}

TEST(CleanPoints, TakeMostOfTheJitterAndNoPartOfTheMotion) {
  const KeypointClip truth = walker(240, 60.0);
  KeypointClip clip = noisy(truth, 0.015, 0.05);
  const CleanReport report = clean_points(clip, PointCleaning::Light);
  EXPECT_EQ(std::ssize(report.filtered), truth.points());
  EXPECT_NEAR(report.noise, 0.015, 0.003);
  // of 15 mm, a filter at 4 Hz of 60 leaves a third, sqrt(2 x 4 / 60)
  EXPECT_LT(rms(clip, truth), 0.0075);
  for (int k = 0; k < clip.frames(); ++k)
    EXPECT_NEAR((clip.position(k, 1) - clip.position(k, 0)).norm(), 0.42, 0.01) << k;
  KeypointClip strong = noisy(truth, 0.015, 0.05);
  EXPECT_LT(clean_points(strong, PointCleaning::Strong).highest_cutoff_hz, report.highest_cutoff_hz);
  KeypointClip off = noisy(truth, 0.015, 0.05);
  (void)clean_points(off, PointCleaning::Off);
  EXPECT_TRUE(off.position(0, 0) == noisy(truth, 0.015, 0.05).position(0, 0));
}

TEST(CleanPoints, SurviveAnyNumbers) {
  for (const int frames : {0, 1, 2, 3, 50}) {
    KeypointClip clip = walker(frames, 30.0);
    (void)clean_points(clip, PointCleaning::Strong);
    EXPECT_EQ(clip.frames(), frames);
  }
  KeypointClip missing = walker(50, 30.0);
  std::fill(missing.positions.begin(), missing.positions.end(), kNaN);
  EXPECT_TRUE(clean_points(missing, PointCleaning::Light).notes.empty());
  KeypointClip one = walker(50, 30.0);
  for (int k = 0; k < 50; ++k) hide(one, k, kLHip);  // a point that is never seen
  EXPECT_TRUE(clean_points(one, PointCleaning::Light).notes.empty());
  KeypointClip huge = walker(50, 30.0);
  put(huge, 20, kLAnkle, Vector3d::Constant(1e300));
  (void)clean_points(huge, PointCleaning::Light);
  EXPECT_LT((huge.position(20, kLAnkle) - huge.position(19, kLAnkle)).norm(), 0.2);  // bridged
  KeypointClip many = walker(5, 30.0);
  many.names.resize(10'000, "RThigh");
  many.positions.assign(5 * 3 * many.names.size(), 1.0);
  (void)clean_points(many, PointCleaning::Light);
  for (const double rate : {0.1, 5.0}) {
    KeypointClip slow = noisy(walker(60, rate), 0.01, 0.05);
    (void)clean_points(slow, PointCleaning::Light);
  }
  KeypointClip uneven = noisy(walker(200, 60.0), 0.01, 0.05);
  for (int k = 1; k < 200; ++k)  // intervals of 1 ns and of 2 s among them
    uneven.times[at(k)] = uneven.times[at(k - 1)] + (k % 17 == 0 ? 1 : k == 100 ? 2'000'000'000 : 16'666'667);
  (void)clean_points(uneven, PointCleaning::Light);
  for (const double x : uneven.positions) EXPECT_FALSE(std::isinf(x));
}

TEST(CleanPoints, TakeTimeInProportionToTheFrames) {
  const auto seconds = [](int frames) {
    KeypointClip clip = noisy(walker(frames, 60.0), 0.01, 0.05);
    const auto start = std::chrono::steady_clock::now();
    (void)clean_points(clip, PointCleaning::Light);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double few = seconds(2'000);
  EXPECT_LT(seconds(20'000), 30.0 * few + 0.1);  // ten times the frames
}

TEST(CleanPoints, RefuseABodyInAPlane) {
  KeypointClip clip = walker(60, 30.0);
  for (int k = 0; k < 60; ++k)
    for (int j = 0; j < clip.points(); ++j)
      put(clip, k, j, clip.position(k, j).cwiseProduct(Vector3d(1.0, 0.0, 1.0)));
  EXPECT_THROW(check_depth(clip), FormatError);
  EXPECT_NO_THROW(check_depth(walker(60, 30.0)));
  EXPECT_NO_THROW(check_depth(walker(1, 30.0)));
}

TEST(PointSpline, HalvesAnOscillationAtItsCutOffWithoutLag) {
  std::vector<Time> times;
  std::vector<Vector3d> path;
  for (int k = 0; k < 600; ++k) {
    times.push_back(frame_time(k, 60.0));
    path.emplace_back(std::sin(2.0 * std::numbers::pi * 5.0 * k / 60.0), 3.0 + 0.1 * k, 0.0);
  }
  const std::vector<Vector3d> x = spline_path(times, path, 1.0 / 60.0, 5.0);
  for (int k = 100; k < 500; ++k) {
    EXPECT_NEAR(x[at(k)].x(), 0.5 * path[at(k)].x(), 1e-3) << k;
    EXPECT_NEAR(x[at(k)].y(), path[at(k)].y(), 1e-6) << k;  // straight lines pass
  }
}

}  // namespace
}  // namespace panto::keypoints
