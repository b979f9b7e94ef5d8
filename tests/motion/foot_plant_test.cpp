#include "panto/motion/foot_plant.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <tuple>

#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/foot_tracks.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

std::vector<Time> stamps(const test::Walker& walker) {
  std::vector<Time> t;
  for (const SegmentSample& sample : walker.samples) t.push_back(sample.t);
  return t;
}

/// The feet of a person, as if a robot of another size had them: everything scaled about the origin, but the
/// way that the body takes scaled once more, so that feet that stand slide.
std::vector<FootMotion> robot_feet(const test::Walker& walker, double size, double way) {
  std::vector<FootMotion> feet;
  const Vector3d start = walker.samples.front().segments[0].p_WS;
  for (std::size_t i = 0; i < 2; ++i) {
    FootMotion foot;
    foot.name = walker.tracks[i].name;
    foot.sole = walker.soles[i];
    foot.sole.heel *= size;
    foot.sole.ball *= size;
    foot.contacts = walker.contacts.feet[i];
    for (const SegmentSample& sample : walker.samples) {
      const SegmentMotion& segment = sample.segments[at(walker.segments[i])];
      Vector3d p = size * segment.p_WS;
      p.head<2>() += size * (way - 1.0) * (sample.segments[0].p_WS - start).head<2>();
      foot.p_WF.push_back(p);
      foot.R_WF.push_back(segment.R_WS);
    }
    feet.push_back(foot);
  }
  return feet;
}

struct Judged {
  std::vector<double> skate;  ///< of points that stand [m/s]
  double deepest = 0.0;       ///< under the floor [m]
  double highest = 0.0;       ///< above it, of points that stand [m]
  double acceleration = 0.0;  ///< largest of the link's origin [m/s^2]
  double angular = 0.0;       ///< and of its orientation [rad/s^2]
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0 : values[values.size() / 2];
}

Judged judge(const std::vector<Time>& t, const FootMotion& foot, const std::vector<Vector3d>& p,
             const std::vector<Matrix3d>& R, double ground) {
  Judged result;
  for (std::size_t k = 1; k < t.size(); ++k) {
    const double dt = to_seconds(t[k] - t[k - 1]);
    for (const bool heel : {true, false}) {
      const Vector3d& point = heel ? foot.sole.heel : foot.sole.ball;
      const auto& flags = heel ? foot.contacts.heel : foot.contacts.ball;
      const Vector3d now = p[k] + R[k] * point, then = p[k - 1] + R[k - 1] * point;
      result.deepest = std::max(result.deepest, ground - now.z());
      if (flags[k] == 0 || flags[k - 1] == 0) continue;
      result.highest = std::max(result.highest, now.z() - ground);
      result.skate.push_back((now - then).head<2>().norm() / dt);
    }
    if (k + 1 == t.size()) continue;
    result.acceleration =
        std::max(result.acceleration, (p[k + 1] - 2.0 * p[k] + p[k - 1]).norm() / (dt * dt));
    const Vector3d turn = so3::log(R[k + 1] * R[k].transpose()) - so3::log(R[k] * R[k - 1].transpose());
    result.angular = std::max(result.angular, turn.norm() / (dt * dt));
  }
  return result;
}

/// What planting makes of a walker, beside what there was.
struct Outcome {
  Judged before, after;
};

Outcome planted(const test::Walker& walker, std::size_t foot, double way = 1.0) {
  const std::vector<Time> t = stamps(walker);
  const std::vector<FootMotion> feet = robot_feet(walker, 0.7, way);
  const PlantedFeet result = plant_feet(t, feet);
  return {judge(t, feet[foot], feet[foot].p_WF, feet[foot].R_WF, result.ground),
          judge(t, feet[foot], result.feet[foot].p_WF, result.feet[foot].R_WF, result.ground)};
}

void expect_planted(const Outcome& outcome, double most_acceleration) {
  EXPECT_GT(median(outcome.before.skate), 0.03) << "there is something to do";
  EXPECT_LT(median(outcome.after.skate), 0.001);
  EXPECT_LT(outcome.after.deepest, 0.005);
  EXPECT_LT(outcome.after.highest, outcome.before.highest);
  EXPECT_LT(outcome.after.acceleration, most_acceleration * outcome.before.acceleration);
}

class Syntheses : public testing::TestWithParam<std::tuple<const char*, double>> {};

TEST_P(Syntheses, NeitherSlideNorSinkNorAreJerkedAbout) {
  const auto& [name, rate_hz] = GetParam();
  const test::Walker walker = test::synthetic_walker(name, 4.0, rate_hz);
  for (std::size_t foot = 0; foot < 2; ++foot) {
    expect_planted(planted(walker, foot), 1.5);
    // a body that gets less far than its legs walk: all feet slide by 7 %
    expect_planted(planted(walker, foot, 0.93), 1.5);
    const Outcome outcome = planted(walker, foot);
    EXPECT_LT(outcome.after.angular, 2.0 * outcome.before.angular) << "smooth as syntheses are";
  }
}

INSTANTIATE_TEST_SUITE_P(Paces, Syntheses,
                         testing::Combine(testing::Values("walk", "fast_walk", "run"),
                                          testing::Values(30.0, 60.0, 120.0)),
                         [](const auto& chosen) {
                           return std::string(std::get<0>(chosen.param)) + "_" +
                                  std::to_string(static_cast<int>(std::get<1>(chosen.param))) + "_hz";
                         });

class PlantedRecordings : public testing::TestWithParam<const char*> {};

TEST_P(PlantedRecordings, NeitherSlideNorSinkNorAreJerkedAbout) {
  const std::string clip = std::string("bvh/cmu/") + GetParam() + ".bvh";
  PANTO_NEED_DATA(clip);
  const test::Walker walker = test::recorded_walker(test::data_file(clip));
  for (std::size_t foot = 0; foot < 2; ++foot) {
    const Outcome outcome = planted(walker, foot);
    std::printf("%s %s: skate %.1f -> %.3f mm/s, depth %.1f -> %.1f mm, acceleration x %.2f\n", GetParam(),
                walker.tracks[foot].name.c_str(), 1e3 * median(outcome.before.skate),
                1e3 * median(outcome.after.skate), 1e3 * outcome.before.deepest, 1e3 * outcome.after.deepest,
                outcome.after.acceleration / outcome.before.acceleration);
    expect_planted(outcome, 1.5);
    EXPECT_LT(outcome.after.angular, 1.5 * outcome.before.angular);
  }
}

INSTANTIATE_TEST_SUITE_P(Clips, PlantedRecordings,
                         testing::Values("002_01", "002_03", "002_04", "007_01", "007_04"));

/// One foot that is drawn: `pose` gives link and contacts (heel, ball) at every time.
struct Drawn {
  Vector3d p;
  Matrix3d R = Matrix3d::Identity();
  bool heel = false, ball = false;
};

struct Scene {
  std::vector<Time> t;
  std::vector<FootMotion> feet;
};

template <typename Pose>
Scene drawn(double seconds, double rate_hz, const Pose& pose) {
  Scene scene;
  FootMotion foot;
  foot.name = "foot";
  foot.sole = {Vector3d(-0.05, 0.0, -0.08), Vector3d(0.15, 0.0, -0.08)};
  for (int k = 0; k < static_cast<int>(std::lround(seconds * rate_hz)); ++k) {
    scene.t.push_back(frame_time(k, rate_hz));
    const Drawn now = pose(to_seconds(scene.t.back()));
    foot.p_WF.push_back(now.p);
    foot.R_WF.push_back(now.R);
    foot.contacts.heel.push_back(now.heel ? 1 : 0);
    foot.contacts.ball.push_back(now.ball ? 1 : 0);
    if (!now.heel && !now.ball) continue;
    auto& planted = foot.contacts.planted;
    if (planted.empty() || planted.back().last != k - 1) planted.push_back({k, k});
    planted.back().last = k;
  }
  scene.feet.push_back(foot);
  return scene;
}

TEST(FootPlant, AFootThatStandsFlatDoesNotMoveAtAll) {
  const test::Walker walker = test::synthetic_walker("walk", 4.0, 60.0);
  const std::vector<FootMotion> feet = robot_feet(walker, 0.7, 0.9);
  const PlantedFeet result = plant_feet(stamps(walker), feet);
  for (const PlantedInterval& interval : feet[1].contacts.planted) {
    if (interval.last - interval.first < 30) continue;
    const int middle = interval.first + (interval.last - interval.first) / 3;
    for (int k = middle - 1; k <= middle + 1; ++k) {
      EXPECT_LT((result.feet[1].p_WF[at(k)] - result.feet[1].p_WF[at(middle)]).norm(), 1e-12);
      EXPECT_LT(result.feet[1].v_WF[at(middle)].norm(), 1e-9);
      EXPECT_LT(result.feet[1].w_WF[at(middle)].norm(), 1e-9);
      const Vector3d heel = result.feet[1].p_WF[at(k)] + result.feet[1].R_WF[at(k)] * feet[1].sole.heel;
      const Vector3d ball = result.feet[1].p_WF[at(k)] + result.feet[1].R_WF[at(k)] * feet[1].sole.ball;
      EXPECT_NEAR(heel.z(), result.ground, 1e-12);
      EXPECT_NEAR(ball.z(), result.ground, 1e-12);
    }
  }
}

TEST(FootPlant, FeetThatStandAlreadyAndFeetThatNeverDoAreLeftAlone) {
  const Scene stands = drawn(2.0, 60.0, [](double) {
    return Drawn{Vector3d(1.0, 2.0, 0.58), Matrix3d::Identity(), true, true};
  });
  const PlantedFeet same = plant_feet(stands.t, stands.feet);
  EXPECT_NEAR(same.ground, 0.5, 1e-12) << "found from the soles";
  const Scene flies = drawn(2.0, 60.0, [](double t) { return Drawn{Vector3d(t, 0.0, 1.0)}; });
  const PlantedFeet free = plant_feet(flies.t, flies.feet);
  const auto same_shift = base_shift(stands.t, stands.feet, same.feet);
  const auto free_shift = base_shift(flies.t, flies.feet, free.feet);
  for (std::size_t k = 0; k < stands.t.size(); ++k) {
    EXPECT_LT((same.feet[0].p_WF[k] - stands.feet[0].p_WF[k]).norm(), 1e-9);
    EXPECT_LT(so3::distance(same.feet[0].R_WF[k], stands.feet[0].R_WF[k]), 1e-9);
    EXPECT_LT((free.feet[0].p_WF[k] - flies.feet[0].p_WF[k]).norm(), 1e-4);
    EXPECT_LT(same_shift[k].norm() + free_shift[k].norm(), 1e-9);
  }
  EXPECT_NEAR(free.feet[0].v_WF[60].x(), 1.0, 1e-9) << "rates are those of the targets";
}

TEST(FootPlant, TheBaseGoesWithFeetThatAllMustMove) {
  // everything is 3 cm too high and slides 1 cm to and fro
  const Scene scene = drawn(4.0, 60.0, [](double t) {
    return Drawn{Vector3d(0.01 * std::sin(2.0 * std::numbers::pi * t), 0.0, 0.11), Matrix3d::Identity(), true,
                 true};
  });
  PlantOptions options;
  options.ground = 0.0;
  const PlantedFeet result = plant_feet(scene.t, scene.feet, options);
  const auto shift = base_shift(scene.t, scene.feet, result.feet);
  for (std::size_t k = 0; k < scene.t.size(); ++k) EXPECT_NEAR(shift[k].z(), -0.03, 1e-9);
  EXPECT_NEAR(shift[135].x(),
              -0.01 * std::exp(-0.5 * std::pow(2.0 * std::numbers::pi * 0.15, 2)) *
                  std::sin(2.0 * std::numbers::pi * 2.25),
              2e-4)
      << "a Gaussian of 0.15 s leaves so much of 1 Hz";
}

TEST(FootPlant, APirouetteTurnsOnTheBall) {
  const Scene scene = drawn(3.0, 60.0, [](double t) {
    const double u = std::clamp(t - 1.0, 0.0, 1.0);
    const Matrix3d R = so3::about_axis(2, 3.0 * u * u * (3.0 - 2.0 * u));
    const bool turns = t > 0.98 && t < 2.02;
    // the recorded ball wanders by 2 cm meanwhile
    return Drawn{Vector3d(0.02 * u, 0.0, 0.08) - R * Vector3d(0.15, 0.0, 0.0), R, !turns, true};
  });
  const PlantedFeet result = plant_feet(scene.t, scene.feet);
  const FootTargets& foot = result.feet[0];
  const auto ball = [&](std::size_t k) -> Vector3d {
    return foot.p_WF[k] + foot.R_WF[k] * scene.feet[0].sole.ball;
  };
  for (std::size_t k = 0; k < scene.t.size(); ++k) EXPECT_LT((ball(k) - ball(0)).norm(), 1e-9) << k;
  EXPECT_NEAR(so3::distance(foot.R_WF.front(), foot.R_WF.back()), 3.0, 0.15) << "and turns as far";
  EXPECT_GT(foot.w_WF[90].z(), 3.0);
}

TEST(FootPlant, AFootThatLiesOnItsSideOnItsToesAloneIsNotTurnedOver) {
  // the heel up by 50 deg and the sole turned outwards by 80: a dancer's foot at rest behind the other
  FootMotion foot;
  foot.name = "foot";
  foot.sole = {{-0.05, 0.0, -0.04}, {0.15, 0.0, -0.04}, Vector3d::UnitZ()};
  std::vector<Time> t;
  for (int k = 0; k < 120; ++k) {
    t.push_back(from_seconds(k / 60.0));
    foot.R_WF.push_back(so3::about_axis(2, 0.3) * so3::about_axis(1, 0.87) *
                        so3::about_axis(0, 1.4 + 0.1 * std::sin(0.2 * k)));
    foot.p_WF.push_back(Vector3d(0.02 * std::sin(0.3 * k), 0.0, 0.0) - foot.R_WF.back() * foot.sole.ball);
  }
  foot.contacts.heel.assign(120, 0);
  foot.contacts.ball.assign(120, 1);
  foot.contacts.planted = {{0, 119}};
  PlantOptions options;
  options.ground = 0.0;
  const FootTargets planted = plant_feet(t, {foot}, options).feet.front();
  for (std::size_t k = 0; k < t.size(); ++k) {
    EXPECT_LT(so3::distance(planted.R_WF[k], foot.R_WF[k]), 1e-3)
        << k << ": 80 deg when every roll was levelled";
    const Vector3d ball = planted.p_WF[k] + planted.R_WF[k] * foot.sole.ball;
    const Vector3d before = planted.p_WF[0] + planted.R_WF[0] * foot.sole.ball;
    EXPECT_LT((ball - before).norm(), 1e-9) << k << ": it stands on its ball";
  }
}

TEST(FootPlant, AStandOfFewFramesAtTheEndOfAClipDoesNotThrowTheFoot) {
  for (const int frames : {1, 2, 3}) {
    const Scene scene = drawn(1.0, 120.0, [&](double t) {
      const bool stands = t * 120.0 > 119.5 - frames;
      return Drawn{Vector3d(0.4 * t * t, 0.0, 0.1), Matrix3d::Identity(), stands, stands};
    });
    // to stop from 0.8 m/s within 0.3 s takes some centimetres of way
    PlantOptions options;
    options.ground = 0.0;
    const PlantedFeet result = plant_feet(scene.t, scene.feet, options);
    const Scene mirrored = drawn(1.0, 120.0, [&](double t) {
      const bool stands = t * 120.0 < frames - 0.5;
      return Drawn{Vector3d(0.4 * t, 0.0, 0.1), Matrix3d::Identity(), stands, stands};
    });
    const PlantedFeet other = plant_feet(mirrored.t, mirrored.feet, options);
    for (std::size_t k = 0; k < scene.t.size(); ++k) {
      EXPECT_LT((result.feet[0].p_WF[k] - scene.feet[0].p_WF[k]).norm(), 0.06) << frames << " at " << k;
      EXPECT_LT((other.feet[0].p_WF[k] - mirrored.feet[0].p_WF[k]).norm(), 0.06) << frames << " at " << k;
    }
  }
}

TEST(FootPlant, StandsThatFollowEachOtherCloselyAreJoinedWithoutOvershoot) {
  const Scene scene = drawn(1.0, 100.0, [](double t) {
    const bool stands = t < 0.5 || t > 0.545;
    return Drawn{Vector3d(t < 0.52 ? 0.0 : 0.03, 0.0, 0.08), Matrix3d::Identity(), stands, stands};
  });
  const PlantedFeet result = plant_feet(scene.t, scene.feet);
  for (const Vector3d& p : result.feet[0].p_WF) {
    EXPECT_GT(p.x(), -0.005);
    EXPECT_LT(p.x(), 0.035);
  }
}

TEST(FootPlant, WhateverContactsAreGivenWhatStandsKeepsItsPlaceAndNothingFliesOff) {
  std::mt19937_64 engine(17);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int trial = 0; trial < test::scaled_numerical(200); ++trial) {
    // a foot that tumbles through the room on smooth ways, with contacts that fit nothing
    std::array<double, 12> hz{}, phase{};
    for (double& value : hz) value = 1.5 * uniform(engine);
    for (double& value : phase) value = 6.0 * uniform(engine);
    const auto wave = [&](std::size_t i, double t) {
      return std::sin(2.0 * std::numbers::pi * hz[i] * t + phase[i]);
    };
    int heel_left = 0, ball_left = 0;
    bool heel = false, ball = false;
    const auto next = [&](int& left, bool& on) {
      if (left-- > 0) return on;
      left = static_cast<int>(40.0 * uniform(engine) * uniform(engine));
      return on = uniform(engine) < 0.5;
    };
    const Scene scene = drawn(3.0, 24.0 + 96.0 * uniform(engine), [&](double t) {
      const Vector3d turn(0.5 * wave(0, t), 0.8 * wave(1, t), 2.0 * wave(2, t));
      return Drawn{Vector3d(wave(3, t), wave(4, t), 0.1 + 0.1 * wave(5, t)), so3::exp(turn),
                   next(heel_left, heel), next(ball_left, ball)};
    });
    const PlantedFeet result = plant_feet(scene.t, scene.feet);
    const FootTargets& foot = result.feet[0];
    const FootMotion& wanted = scene.feet[0];
    const auto shift = base_shift(scene.t, scene.feet, result.feet);
    for (std::size_t k = 0; k < scene.t.size(); ++k) {
      ASSERT_TRUE(foot.p_WF[k].allFinite() && foot.v_WF[k].allFinite() && foot.w_WF[k].allFinite() &&
                  shift[k].allFinite());
      ASSERT_TRUE(so3::is_rotation(foot.R_WF[k], 1e-9));
      EXPECT_LT((foot.p_WF[k] - wanted.p_WF[k]).norm(), 4.0) << trial << " at " << k;
    }
    for (const PlantedInterval& interval : wanted.contacts.planted) {
      for (int k = interval.first; k <= interval.last; ++k) {
        const auto height = [&](const Vector3d& point) {
          return (foot.p_WF[at(k)] + foot.R_WF[at(k)] * point).z() - result.ground;
        };
        const double lower = std::min(height(wanted.sole.heel), height(wanted.sole.ball));
        EXPECT_NEAR(lower, 0.0, 1e-9) << "it stands on the floor, on heel or ball";
      }
    }
  }
}

TEST(FootPlant, NothingGoesAcrossACut) {
  const Scene scene = drawn(2.0, 60.0, [](double t) {
    return Drawn{Vector3d(t < 1.0 ? 0.0 : 9.0, 0.0, t < 1.0 ? 0.1 : 0.5), Matrix3d::Identity(), t < 1.0,
                 t < 1.0};
  });
  PlantOptions options;
  options.ground = 0.0;
  const PlantedFeet result = plant_feet(scene.t, scene.feet, options, {60});
  EXPECT_NEAR(result.feet[0].p_WF[59].z(), 0.08, 1e-12);
  EXPECT_NEAR((result.feet[0].p_WF[60] - scene.feet[0].p_WF[60]).norm(), 0.0, 1e-4);
  EXPECT_LT(result.feet[0].v_WF[59].norm() + result.feet[0].v_WF[60].norm(), 1e-3) << "the jump is no rate";
  const auto shift = base_shift(scene.t, scene.feet, result.feet, {60});
  EXPECT_NEAR(shift[59].z(), -0.02, 1e-12);
  EXPECT_EQ(shift[60].norm(), 0.0);
}

// The blend of a swing is solved with as many unknowns as it has frames: at 6000 Hz 1800.
TEST(FootPlant, AsksForTheSamePathAtAnyRate) {
  const auto foot = [](double t) {  // slides in stance, swings from 0.5 s to 1.5 s
    const double u = std::clamp(t - 0.5, 0.0, 1.0), way = u * u * (3.0 - 2.0 * u);
    const bool stands = t < 0.5 || t > 1.5;
    const double slide = 0.05 * (std::min(t, 0.5) + std::max(t - 1.5, 0.0));
    return Drawn{Vector3d(0.6 * way + slide, 0.0, 0.1 + 0.15 * u * (1.0 - u)), Matrix3d::Identity(), stands,
                 stands};
  };
  PlantOptions options;
  options.ground = 0.0;
  options.most_acceleration = 1e9;  // the first blend is taken
  const Scene slow = drawn(2.0, 60.0, foot), fast = drawn(2.0, 6000.0, foot);
  const FootTargets few = plant_feet(slow.t, slow.feet, options).feet[0],
                    many = plant_feet(fast.t, fast.feet, options).feet[0];
  // Stances begin and end on a frame, so both may differ by 1/60 s: the foot lifts at 0.15 m/s, slides at
  // 0.05 m/s, and a blend of 0.1 s takes out 12 mm, at most 0.18 m/s: 2.5, 0.8 and 3 mm.
  for (std::size_t k = 0; k < few.p_WF.size(); ++k)
    EXPECT_LT((few.p_WF[k] - many.p_WF[100 * k]).norm(), 0.006) << "frame " << k << " of the slow one";
}

TEST(FootPlant, RefusesWhatMakesNoSense) {
  const Scene scene = drawn(1.0, 60.0, [](double) {
    return Drawn{Vector3d::Zero(), Matrix3d::Identity(), true, true};
  });
  const auto with = [&](auto change) {
    Scene copy = scene;
    PlantOptions options;
    change(copy, options);
    return plant_feet(copy.t, copy.feet, options);
  };
  EXPECT_NO_THROW(with([](Scene&, PlantOptions&) {}));
  EXPECT_THROW(with([](Scene& s, PlantOptions&) { s.feet[0].p_WF.pop_back(); }), ConfigError);
  EXPECT_THROW(with([](Scene& s, PlantOptions&) { s.t[3] = s.t[2]; }), ConfigError);
  EXPECT_THROW(with([](Scene& s, PlantOptions&) { s.feet[0].contacts.planted[0].last = 60; }), ConfigError);
  EXPECT_THROW(with([](Scene& s, PlantOptions&) {
                 s.feet[0].contacts.planted.push_back({5, 9});
               }),
               ConfigError);
  EXPECT_THROW(with([](Scene& s, PlantOptions&) { s.feet[0].sole.ball = s.feet[0].sole.heel; }), ConfigError);
  EXPECT_THROW(with([](Scene&, PlantOptions& o) { o.blend = 0.0; }), ConfigError);
  EXPECT_THROW(with([](Scene&, PlantOptions& o) { o.longest_blend = kInfinity; }), ConfigError);
  EXPECT_THROW(with([](Scene&, PlantOptions& o) { o.longest_blend = 0.05; }), ConfigError);
  EXPECT_THROW(with([](Scene&, PlantOptions& o) { o.ground = std::nan(""); }), ConfigError);
}

}  // namespace
}  // namespace panto
