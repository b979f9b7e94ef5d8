// Every solver behind the SegmentTracker, on a synthetic walk and on a real clip.

#include <gtest/gtest.h>

#include <cstdio>
#include <numbers>
#include <string>

#include "apps/support/allocation_count.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/model/human.hpp"
#include "panto/tracking/segment_tracker.hpp"
#include "tests/support/recorded_motion.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr const char* kWalk = "bvh/cmu/002_01.bvh";

/// What a method made of a motion.
struct Outcome {
  double mean = 0.0, largest = 0.0;  ///< orientation errors [rad]
  double beyond = 0.0;               ///< largest distance beyond a joint limit [rad]
  int stalled = 0;                   ///< frames whose fallback level is above 1
  std::uint64_t hash = 0;
};

Outcome follow(SegmentTracker& tracker, const std::vector<SegmentSample>& samples) {
  Outcome outcome;
  const Model& model = tracker.model();
  Kinematics kinematics(model);
  State state = tracker.rest_state();
  double sum = 0.0, count = 0.0;
  for (const SegmentSample& sample : samples) {
    const StepStatus status = tracker.step(sample, state);
    EXPECT_TRUE(usable(status)) << to_string(status);
    EXPECT_TRUE(is_valid(state, model));
    kinematics.update(state);
    for (const Target& row : tracker.targets().rows) {
      const double angle = so3::distance(row.R_WF, kinematics.R_WL(row.link));
      outcome.largest = std::max(outcome.largest, angle);
      sum += angle;
      count += 1.0;
    }
    outcome.beyond = std::max(
        {outcome.beyond, (state.s - model.upper()).maxCoeff(), (model.lower() - state.s).maxCoeff()});
    outcome.stalled += tracker.last_report().fallback_level > 1 ? 1 : 0;
    outcome.hash = state_hash(state, outcome.hash);
  }
  outcome.mean = sum / count;
  return outcome;
}

TEST(SegmentTracker, IsTheSameWithTheDynamicalSolverByItsName) {
  const Model model = human48();
  const auto motion = test::synthetic_motion("run", model, 2.0, 50.0);
  SegmentTracker plain(model, mvn_attachments(), DynamicalOptions{});
  SegmentTracker named(model, mvn_attachments(), SolverKind::Dynamical, SolverOptions{});
  EXPECT_EQ(follow(plain, motion.samples).hash, follow(named, motion.samples).hash);
}

TEST(SegmentTracker, FollowsAWalkWithEverySolver) {
  const auto motion = test::synthetic_motion("walk", human48(), 4.0, 100.0);
  for (const bool free : {true, false}) {
    const Model model = free ? human66() : human48();
    for (const SolverKind kind : solver_kinds()) {
      SegmentTracker tracker(model, mvn_attachments(), kind, SolverOptions{});
      const Outcome outcome = follow(tracker, motion.samples);
      std::printf("%s %-16s mean %.2e, largest %.2e deg\n", model.name().c_str(), to_string(kind),
                  outcome.mean / kDegree, outcome.largest / kDegree);
      // methods without a memory are exact on what can be reached; those that integrate lag by the curvature
      // of the motion within a sample
      const bool exact =
          kind == SolverKind::Instantaneous || kind == SolverKind::Pairwise || kind == SolverKind::Modular;
      EXPECT_LT(outcome.largest, (exact ? 1e-7 : 0.2) * kDegree) << to_string(kind);
      EXPECT_LE(outcome.beyond, 1e-12);
      EXPECT_EQ(outcome.stalled, 0);
    }
  }
}

TEST(SegmentTracker, StepsWithoutAllocationWithEverySolver) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Model model = human48();
  const auto motion = test::synthetic_motion("run", model, 1.0, 50.0);
  for (const SolverKind kind : solver_kinds()) {
    SegmentTracker tracker(model, mvn_attachments(), kind, SolverOptions{});
    State state = tracker.rest_state();
    const AllocationCount count;
    for (const SegmentSample& sample : motion.samples) (void)tracker.step(sample, state);
    EXPECT_EQ(count.value(), 0) << to_string(kind);
  }
}

TEST(SegmentTracker, FollowsARealWalkWithEverySolver) {
  PANTO_NEED_DATA(kWalk);
  const auto file = io::open_recording(test::data_file(kWalk));
  std::vector<SegmentSample> samples;
  for (SegmentSample sample; file->read(sample) == ReadStatus::Sample;) samples.push_back(sample);
  ASSERT_GT(samples.size(), 100U);
  SolverOptions options;
  options.dynamical.velocity = VelocitySource::Differenced;
  double whole = 0.0;  // mean error of the whole-body minimum, every frame on its own
  for (const bool free : {true, false}) {
    const Model model = free ? human66(*file->info().subject) : human48(*file->info().subject);
    for (const SolverKind kind : {SolverKind::Instantaneous, SolverKind::Dynamical, SolverKind::Pairwise,
                                  SolverKind::DampedJacobian, SolverKind::Modular}) {
      SegmentTracker tracker(model, file->info().attachments, kind, options, file->names());
      const Outcome outcome = follow(tracker, samples);
      std::printf("%s %-16s mean %.2e, largest %.2e deg, %d frames short of the tolerance\n",
                  model.name().c_str(), to_string(kind), outcome.mean / kDegree, outcome.largest / kDegree,
                  outcome.stalled);
      EXPECT_LE(outcome.beyond, 1e-12);
      EXPECT_EQ(outcome.stalled, 0) << to_string(kind);
      if (free) {
        // modules are held back near their singular poses
        const double most = kind == SolverKind::DampedJacobian ? 2.0
                            : kind == SolverKind::Modular      ? 0.1
                                                               : 1e-9;
        EXPECT_LT(outcome.largest, most * kDegree) << to_string(kind);
        continue;
      }
      // the clip needs what the limits forbid: the whole-body minimum is the measure, and the dynamical
      // method, which follows it at a rate, stays within a tenth of it
      if (kind == SolverKind::Instantaneous) whole = outcome.mean;
      if (kind == SolverKind::Dynamical) {
        EXPECT_NEAR(outcome.mean, whole, 0.1 * whole);
      }
      EXPECT_LT(outcome.mean, 3.0 * whole);
    }
  }
}

}  // namespace
}  // namespace panto
