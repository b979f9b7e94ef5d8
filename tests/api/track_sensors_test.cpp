#include "panto/api/track_sensors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "panto/math/so3.hpp"
#include "panto/tracking/sensed_person.hpp"
#include "panto/tracking/sensor_notes.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/sensed_clips.hpp"

namespace panto {
namespace {

using test::clip_of;
using test::names;
using test::refusal_of;
using test::setup_of;
using Person = test::SwayingPerson;

const Person& person() {
  static const Person shared = test::swaying_legs();
  return shared;
}

SensorTrackResult tracked(const SensorTrackOptions& options = {}, const Observer& observer = {}) {
  return track(clip_of(person()), person().model, setup_of(person().setup), options, observer);
}

// What the filter answers without anything around it.
struct Filtered {
  std::vector<State> states;
  std::vector<Eigen::VectorXd> deviation;
};

Filtered filtered() {
  InertialTracker tracker(person().model, person().setup, person().sensors);
  Filtered result;
  State state = tracker.start_state();
  for (const ImuSample& sample : person().samples) {
    if (!advanced(tracker.step(sample, state))) continue;
    result.states.push_back(state);
    result.deviation.push_back(tracker.deviation());
  }
  return result;
}

TEST(TrackSensors, AnswersEverySampleAsTheFilterDoes) {
  const SensorTrackResult result = tracked();
  const Filtered expected = filtered();
  const std::vector<unsigned char> measured = measured_joints(result.found, person().model);
  ASSERT_EQ(result.motion.states.size(), expected.states.size());
  for (std::size_t k = 0; k < expected.states.size(); ++k) {
    for (Eigen::Index i = 0; i < person().model.dof(); ++i) {
      if (measured[static_cast<std::size_t>(i)] == 0) continue;  // arms without sensors hang
      EXPECT_EQ(result.motion.states[k].s[i], expected.states[k].s[i]) << k;
    }
    EXPECT_EQ(result.motion.states[k].R_WB, expected.states[k].R_WB) << k;
  }
  EXPECT_EQ(result.motion.model_name, person().model.name());
  EXPECT_EQ(result.motion.joint_names, person().model.joint_names());
  EXPECT_EQ(result.card.frames, std::ssize(person().samples));
  EXPECT_TRUE(result.known.median_deg);
  EXPECT_TRUE(result.deviation.empty()) << "not asked for";
  EXPECT_FALSE(result.smoothed);
}

TEST(TrackSensors, FindsTheKneeThatSways) {
  const SensorTrackResult result = tracked();
  const Person& truth = person();
  const auto& joints = truth.model.joint_names();
  const auto knee = std::find(joints.begin(), joints.end(), "jRightKnee_roty") - joints.begin();
  State state = rest_state(truth.model);
  double worst = 0.0;
  for (const State& answer : result.motion.states) {
    (void)truth.sway(
        to_seconds(answer.t), [](const std::string& joint) { return joint == "jRightKnee_roty"; }, state);
    if (to_seconds(answer.t) > 1.0) worst = std::max(worst, std::abs(answer.s[knee] - state.s[knee]));
  }
  EXPECT_LT(worst, 0.05) << "[rad] after a second; sensors are exact and begin at rest";
}

TEST(TrackSensors, GivesDeviationsWithTheFramesThatTheyAreOf) {
  Observer observer;
  std::vector<Eigen::VectorXd> told;
  observer.frame = [&](const SegmentSample& sample, const State&, const StepRecord& record) {
    EXPECT_TRUE(sample.segments.empty());
    told.push_back(record.deviation);
  };
  const SensorTrackResult result = tracked({.deviations = true}, observer);
  const Filtered expected = filtered();
  ASSERT_EQ(result.deviation.size(), expected.deviation.size());
  EXPECT_EQ(told, expected.deviation);
  EXPECT_EQ(result.deviation, expected.deviation);
}

TEST(TrackSensors, SmoothsFromTheWholeRecording) {
  const SensorTrackResult plain = tracked({.smooth = true});
  ASSERT_TRUE(plain.smoothed);
  EXPECT_EQ(plain.smoothed->smoothed, std::ssize(person().samples));
  EXPECT_EQ(plain.smoothed->parts, 1);
  EXPECT_FALSE(plain.known.median_deg) << "would take twice as long, and nobody asked";
  const SensorTrackResult known = tracked({.smooth = true, .deviations = true});
  EXPECT_LT(*known.known.median_deg, *tracked().known.median_deg) << "later samples tell more";
  EXPECT_EQ(known.motion.states.back().s, plain.motion.states.back().s) << "deviations change no joint";
}

TEST(TrackSensors, KeepsNoMotionIfNotWanted) {
  const SensorTrackResult result = tracked({.deviations = true, .keep_motion = false});
  EXPECT_TRUE(result.motion.states.empty() && result.deviation.empty());
  EXPECT_EQ(result.card.state_hash, tracked().card.state_hash);
}

class CountingSink final : public Sink {
 public:
  WriteStatus write(const State&) noexcept override {
    ++states;
    return WriteStatus::Written;
  }
  int states = 0;
};

TEST(TrackSensors, TellsItsObserverWhatItDoes) {
  const auto samples = std::ssize(person().samples);
  for (const bool smooth : {false, true}) {
    Observer observer;
    CountingSink sink;
    std::vector<std::string> notes;
    std::int64_t progress = 0, total = 0, begun = 0, frames = 0, now = 0;
    observer.note = [&](std::string_view text) { notes.emplace_back(text); };
    observer.progress = [&](std::int64_t done, std::optional<std::int64_t> of) {
      EXPECT_EQ(done, ++progress);
      total = of.value_or(0);
      return true;
    };
    observer.begin = [&] { EXPECT_EQ(++begun + frames, 1); };
    observer.frame = [&](const SegmentSample&, const State&, const StepRecord&) { ++frames; };
    observer.sinks = {&sink};
    observer.nanoseconds = [&now] { return now += 1000; };
    ImuClip clip = clip_of(person());
    clip.notes = {"read by hand"};
    const SensorTrackResult result =
        track(clip, person().model, setup_of(person().setup), {.smooth = smooth}, observer);
    EXPECT_EQ(progress, total);
    EXPECT_EQ(total, (smooth ? 3 : 1) * samples);
    EXPECT_TRUE(begun == 1 && frames == samples && sink.states == samples);
    EXPECT_EQ(result.notes, notes);
    EXPECT_EQ(notes.front(), "read by hand");
    EXPECT_GE(result.card.step_p50_us.value_or(0.0), 1.0) << "a clock that ticks in microseconds";
  }
  EXPECT_FALSE(tracked().card.step_p50_us) << "without a clock";
}

TEST(TrackSensors, StopsWhenItsObserverSaysSo) {
  for (const bool smooth : {false, true}) {
    Observer observer;
    observer.progress = [](std::int64_t done, std::optional<std::int64_t>) { return done < 10; };
    EXPECT_THROW((void)tracked({.smooth = smooth}, observer), Cancelled);
  }
}

TEST(TrackSensors, FindsSensorsThatWereSwapped) {
  SensorSetup sensors = setup_of(person().setup);
  std::swap(sensors.setup.mounts[1].name, sensors.setup.mounts[2].name);
  const SensorTrackResult result = track(clip_of(person()), person().model, sensors);
  ASSERT_EQ(result.found.swapped.size(), 1U);
  EXPECT_TRUE(doubtful(result.found));
  EXPECT_TRUE(names(sensor_lines(result.found).back(), "'thigh'", "'shank'", "sensors.toml"));
  EXPECT_TRUE(names(result.notes.back(), "checking whether two were swapped"));
  EXPECT_FALSE(doubtful(tracked().found));
}

TEST(TrackSensors, LearnsWhereASensorSits) {
  SensorSetup sensors = setup_of(person().setup);
  const Eigen::Vector3d there = sensors.setup.mounts[2].p_LI;
  sensors.setup.mounts[2].p_LI += Eigen::Vector3d(0.0, 0.0, 0.03);
  const SensorTrackResult result =
      track(clip_of(person()), person().model, sensors, {.smooth = true, .refine = true});
  ASSERT_EQ(result.found.refined.places.size(), 5U);
  EXPECT_LT((result.refined.setup.mounts[2].p_LI - there).norm(), 0.02) << "[m]; 0.03 before";
  EXPECT_TRUE(result.refined.setup.mounts[2].position_sigma);
  EXPECT_TRUE(tracked().found.refined.empty()) << "nothing is learnt where nobody asks";
  EXPECT_EQ(tracked().refined.setup.mounts[2].p_LI, there);
}

TEST(TrackSensors, AnUnusableSampleIsNoFrameOfTheMotion) {
  ImuClip clip = clip_of(person());
  for (std::size_t k = 0; k < clip.sensors.size(); ++k) clip.at(100, k) = {};
  const SensorTrackResult result = track(clip, person().model, setup_of(person().setup));
  EXPECT_EQ(std::ssize(result.motion.states), std::ssize(clip.times) - 1);
  EXPECT_EQ(result.card.frames, std::ssize(clip.times));
  EXPECT_EQ(result.card.status_counts[static_cast<std::size_t>(StepStatus::NoTarget)], 1);
}

std::string refused(const ImuClip& clip, const SensorSetup& sensors, const SensorTrackOptions& options = {}) {
  return refusal_of([&] { (void)track(clip, person().model, sensors, options); });
}

TEST(TrackSensors, RefusesWhatCannotBeRightAndSaysWhy) {
  const SensorSetup sensors = setup_of(person().setup);
  ImuClip degrees = clip_of(person());
  for (ImuReading& reading : degrees.readings) reading.gyro *= 180.0 / std::numbers::pi;
  EXPECT_TRUE(names(refused(degrees, sensors), "imu.csv: ", "degrees per second"));
  ImuClip silent = clip_of(person());
  for (ImuReading& reading : silent.readings) reading = {};
  EXPECT_TRUE(names(refused(silent, sensors), "imu.csv: no mounted sensor has usable readings"));
  ImuClip few = clip_of(person());
  few.readings.pop_back();
  EXPECT_TRUE(names(refused(few, sensors), "1499 readings", "300 samples of 5 sensors need 1500"));
  ImuClip back = clip_of(person());
  back.times[7] = back.times[6];
  EXPECT_TRUE(names(refused(back, sensors), "time of sample 7", "not later"));
  SensorSetup other = sensors;
  other.setup.mounts[0].name = "pelvsi";
  EXPECT_TRUE(names(refused(clip_of(person()), other), "pelvsi", "pelvis"));
  other = sensors;
  other.setup.mounts[0].link = "Tail";
  EXPECT_TRUE(names(refused(clip_of(person()), other), "Tail"));
  EXPECT_NE(refused(clip_of(person()), sensors, {.settle = -1.0}), "");
  other = sensors;
  other.says_refine = true;
  EXPECT_TRUE(
      names(refused(clip_of(person()), other, {.refine = true}), "sensors.toml", "leaves nothing to refine"));
  other = sensors;
  other.soles = true;
  EXPECT_TRUE(names(refused(clip_of(person()), other), "needs a sensor on RightFoot or LeftFoot"));
}

TEST(SensedPerson, IsARecordingThatIsReadAgainToTheSameBits) {
  int looked = 0;
  Observer observer;
  observer.note = [&](std::string_view) { ++looked; };
  const SensedRecording sensed = sensed_person(clip_of(person()), person().model, setup_of(person().setup),
                                               scaled_subject(1.8), observer);
  Recording& recording = *sensed.recording;
  EXPECT_EQ(recording.names(), human_segment_names());
  EXPECT_EQ(recording.info().path, "imu.csv");
  EXPECT_EQ(recording.info().frames, std::ssize(person().samples));
  EXPECT_EQ(recording.info().subject->height, 1.8);
  const std::size_t notes = recording.info().notes.size();
  std::vector<SegmentSample> first;
  for (SegmentSample sample; recording.read(sample) == ReadStatus::Sample;) first.push_back(sample);
  ASSERT_EQ(std::ssize(first), *recording.info().frames);
  const std::vector<std::string> said = recording.info().notes;
  EXPECT_GT(said.size(), notes) << "how the sensors agreed";
  EXPECT_EQ(sensed.figures->found.sensors.size(), 5U);
  EXPECT_EQ(sensed.figures->found.sensors[0].samples, std::ssize(first));
  for (int pass = 0; pass < 2; ++pass) {
    recording.rewind();
    SegmentSample sample;
    for (std::size_t k = 0; recording.read(sample) == ReadStatus::Sample; ++k) {
      ASSERT_LT(k, first.size());
      for (std::size_t i = 0; i < first[k].segments.size(); ++i)
        ASSERT_EQ(sample.segments[i].R_WS, first[k].segments[i].R_WS) << "sample " << k << " segment " << i;
    }
  }
  EXPECT_EQ(recording.info().notes, said) << "they are said once";
  EXPECT_EQ(sensed.figures->found.sensors[0].samples, std::ssize(first)) << "and counted once";
  EXPECT_EQ(looked, 0) << "no sensor disagrees";
}

TEST(SensedPerson, HasRatesThatAreThoseOfItsOrientations) {
  const SensedRecording sensed = sensed_person(clip_of(person()), person().model, setup_of(person().setup));
  std::vector<SegmentSample> samples;
  for (SegmentSample sample; sensed.recording->read(sample) == ReadStatus::Sample;) samples.push_back(sample);
  double error = 0.0, rate = 0.0;
  const std::size_t begin = samples.size() / 2;  // the filter has settled
  for (std::size_t k = begin; k + 1 < samples.size(); ++k) {
    const double dt = to_seconds(samples[k + 1].t - samples[k - 1].t);
    for (const int i : {HumanSegment::RightUpperLeg, HumanSegment::RightLowerLeg}) {
      const SegmentMotion &before = samples[k - 1].segments[at(i)], &now = samples[k].segments[at(i)],
                          &after = samples[k + 1].segments[at(i)];
      ASSERT_TRUE(now.has_angular_velocity);
      const Eigen::Vector3d turned = so3::log(after.R_WS * before.R_WS.transpose()) / dt;
      error += (now.w_WS - turned).squaredNorm();
      rate += turned.squaredNorm();
    }
  }
  EXPECT_GT(rate, 1.0) << "the legs move";
  EXPECT_LT(std::sqrt(error / rate), 0.05) << "corrections of the filter turn the pose, too";
}

TEST(SensedPerson, RewoundBeforeItsEndCountsFromTheBeginning) {
  const SensedRecording sensed = sensed_person(clip_of(person()), person().model, setup_of(person().setup));
  SegmentSample sample;
  for (int k = 0; k < 50; ++k) ASSERT_EQ(sensed.recording->read(sample), ReadStatus::Sample);
  sensed.recording->rewind();
  while (sensed.recording->read(sample) == ReadStatus::Sample) {
  }
  EXPECT_EQ(sensed.figures->found.sensors[0].samples, std::ssize(person().samples));
}

TEST(SensedPerson, MeasuresItsStepsByTheClockThatItGets) {
  Observer observer;
  std::int64_t now = 0;
  observer.nanoseconds = [&now] { return now += 2000; };
  const SensedRecording timed = sensed_person(clip_of(person()), person().model, setup_of(person().setup),
                                              scaled_subject(1.75), observer);
  SegmentSample sample;
  ASSERT_EQ(timed.recording->read(sample), ReadStatus::Sample);
  ASSERT_FALSE(timed.figures->step_us.empty());
  EXPECT_EQ(*std::max_element(timed.figures->step_us.begin(), timed.figures->step_us.end()), 2.0);
}

TEST(SensedPerson, SaysTheReasonThatItStopsFor) {
  SensorSetup sensors = setup_of(person().setup);
  std::swap(sensors.setup.mounts[1].name, sensors.setup.mounts[2].name);
  Observer observer;
  observer.note = [](std::string_view) { throw ConfigError("enough"); };
  const SensedRecording sensed =
      sensed_person(clip_of(person()), person().model, sensors, scaled_subject(1.75), observer);
  SegmentSample sample;
  ReadStatus status{};
  while ((status = sensed.recording->read(sample)) == ReadStatus::Sample) {
  }
  EXPECT_EQ(status, ReadStatus::Malformed);
  EXPECT_EQ(sensed.recording->problem(), "imu.csv: enough");
  EXPECT_EQ(sensed.recording->read(sample), ReadStatus::EndOfMotion);
}

TEST(SensedPerson, MustBeAHuman) {
  ModelSpec spec;
  spec.name = "stick";
  spec.links.push_back({"Pelvis"});
  const Model stick(spec);
  SensorSetup sensors = setup_of({});
  sensors.setup.mounts = {{"pelvis", "Pelvis"}};
  sensors.setup.filter.magnetic = MagneticUse::Off;
  const std::string text = refusal_of([&] { (void)sensed_person(clip_of(person()), stick, sensors); });
  EXPECT_TRUE(names(text, "stick")) << text;
}

}  // namespace
}  // namespace panto
