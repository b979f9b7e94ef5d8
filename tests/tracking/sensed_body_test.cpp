#include "panto/tracking/sensed_body.hpp"

#include <gtest/gtest.h>

#include "panto/inertial/soft_tissue.hpp"
#include "tests/support/link_model.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/sensed_clips.hpp"

namespace panto {
namespace {

using test::clip_of;
using test::names;
using test::setup_of;
using Person = test::SwayingPerson;

bool noted(const SensedBody& body, const std::string& words) {
  const auto& notes = body.notes();
  return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) { return names(note, words); });
}

TEST(SensedBody, SaysWhatItDoesNotUse) {
  const Person person = test::swaying_legs();
  SensorSetup sensors = setup_of(person.setup);
  EXPECT_TRUE(SensedBody(clip_of(person), person.model, sensors).notes().empty());
  sensors.setup.mounts.pop_back();
  sensors.has_field = false;
  const SensedBody body(clip_of(person), person.model, sensors);
  EXPECT_TRUE(noted(body, "ignored sensors (not mounted in sensors.toml): left shank"));
  EXPECT_TRUE(noted(body, "sensors.toml has no `field` under [world]"));
}

TEST(SensedBody, AsksWhetherTwoSensorsOnOneLinkAreMeant) {
  const Person person = test::swaying_legs();
  SensorSetup sensors = setup_of(person.setup);
  sensors.setup.mounts[2].link = "RightUpperLeg";
  EXPECT_TRUE(noted(SensedBody(clip_of(person), person.model, sensors),
                    "'thigh' and 'shank' are both on RightUpperLeg in sensors.toml"));
}

TEST(SensedBody, LeavesOutWhatAFrozenSensorSays) {
  const Person person = test::swaying_legs();
  ImuClip clip = clip_of(person);
  for (std::size_t k = 100; k < 250; ++k) clip.at(k, 1) = clip.at(99, 1);
  const SensedBody body(clip, person.model, setup_of(person.setup));
  EXPECT_TRUE(body.clip().at(50, 1).has_gyro);
  EXPECT_FALSE(body.clip().at(200, 1).has_gyro);
  EXPECT_GT(body.findings().sensors[1].frozen_s, 1.0);
}

TEST(SensedBody, TellsOfItsSearchForSwappedSensorsThroughTheCallbackAlone) {
  const Person person = test::swaying_legs();
  SensorSetup sensors = setup_of(person.setup);
  std::swap(sensors.setup.mounts[1].name, sensors.setup.mounts[2].name);
  SensedBody body(clip_of(person), person.model, sensors);
  State state = body.tracker().start_state();
  for (ImuSample sample; body.recording().read(sample) == ReadStatus::Sample;)
    body.count(body.tracker().step(sample, state));
  std::vector<std::string> told;
  const SensorFindings found = body.findings([&](std::string_view text) { told.emplace_back(text); });
  EXPECT_EQ(found.swapped.size(), 1U);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(names(told[0], "checking whether two were swapped"));
  EXPECT_EQ(body.findings().swapped.size(), 1U) << "a second time, untold";
}

TEST(SensedBody, IsAsNewWhenRewound) {
  const Person person = test::swaying_legs();
  SensedBody body(clip_of(person), person.model, setup_of(person.setup));
  std::vector<double> first;
  for (int pass = 0; pass < 2; ++pass) {
    State state = body.tracker().start_state();
    std::vector<double> sums;
    for (ImuSample sample; body.recording().read(sample) == ReadStatus::Sample;) {
      body.count(body.tracker().step(sample, state));
      sums.push_back(state.s.sum());
    }
    EXPECT_EQ(body.findings().sensors[0].samples, 300);
    if (pass == 0) first = sums;
    EXPECT_EQ(sums, first);
    body.rewind();
  }
}

TEST(SensedBody, StandsOnTheSolesThatCarrySensors) {
  const Model human = human48();
  InertialSetup setup;
  setup.mounts = {{"foot", "RightFoot"}};
  stand_on_soles(human, scaled_subject(1.75), setup);
  ASSERT_EQ(setup.points.size(), 2U) << "heel and ball";
  EXPECT_EQ(setup.filter.contact.points[0].sensor, "foot");
  ASSERT_TRUE(setup.p_WB);
  EXPECT_NEAR(setup.p_WB->z(), 0.95, 0.1) << "[m]: hips of 1.75 m of person above the floor";
  setup.mounts[0].link = "Pelvis";
  setup.points.clear();
  setup.filter.contact.points.clear();
  EXPECT_TRUE(names(test::refusal_of<ConfigError>([&] { stand_on_soles(human, {}, setup); }),
                    "needs a sensor on RightFoot or LeftFoot"));
}

TEST(LearnPlaces, IsForPeopleWhoseFileSaysNothingOfIt) {
  const auto place = [](const Model& model, const auto& change) {
    SensorSetup sensors = setup_of({});
    change(sensors);
    learn_places(model, sensors);
    return sensors.setup.filter.refine.place;
  };
  const Model human = human48();
  EXPECT_EQ(place(human, [](SensorSetup&) {}), 0.02);
  EXPECT_EQ(place(human, [](SensorSetup& file) { file.says_refine = true; }), 0.0);
  EXPECT_EQ(place(human, [](SensorSetup& file) { file.setup.filter.mounting = 0.0; }), 0.0) << "rigid";
  EXPECT_EQ(place(human, [](SensorSetup& file) { file.setup.filter.mounting_use = MountingUse::Consider; }),
            0.0);
  EXPECT_EQ(place(test::chain_model(3), [](SensorSetup&) {}), 0.0) << "its sensors are built in";
}

TEST(SensedBody, FindsWhereASensorSitsAndTellsItIfAsked) {
  const Person person = test::swaying_legs(20.0);
  SensorSetup sensors = setup_of(person.setup);
  sensors.setup.filter.mounting = ChainEkfOptions{}.mounting;
  sensors.setup.mounts[2].p_LI.z() += 0.03;  // the shank's is believed to sit higher than it does
  for (const bool asked : {false, true}) {
    SensedBody body(clip_of(person), person.model, sensors, {asked});
    State state = body.tracker().start_state();
    for (ImuSample sample; body.recording().read(sample) == ReadStatus::Sample;)
      body.count(body.tracker().step(sample, state));
    // [m]; slow swaying shows a quarter of the 3 cm in 20 s, to a filter that expects 2 cm
    EXPECT_LT(body.tracker().chain().shape.place[8], -0.005);
    EXPECT_EQ(body.findings().refined.empty(), !asked);
  }
}

TEST(RemoveTrembling, SteadiesSensorBySensor) {
  ImuClip clip = clip_of(test::swaying_legs());
  std::vector<ImuReading> second;
  for (std::size_t k = 0; k < clip.times.size(); ++k) second.push_back(clip.at(k, 1));
  const std::vector<ImuReading> calm = steadied(clip.times, second, 0.1);
  remove_trembling(clip, 0.1);
  for (std::size_t k = 0; k < clip.times.size(); ++k) {
    EXPECT_EQ(clip.at(k, 1).gyro, calm[k].gyro) << k;
    EXPECT_EQ(clip.at(k, 1).acc, calm[k].acc) << k;
  }
  EXPECT_NE(calm[30].gyro, second[30].gyro);
  EXPECT_NE(test::refusal_of<ConfigError>([&] { remove_trembling(clip, 0.0); }), "");
}

TEST(SensedBody, IsSteadiedAsItsSetupSays) {
  const Person person = test::swaying_legs();
  SensorSetup sensors = setup_of(person.setup);
  sensors.steadied = 0.1;
  ImuClip expected = clip_of(person);
  remove_trembling(expected, 0.1);
  EXPECT_EQ(SensedBody(clip_of(person), person.model, sensors).clip().at(30, 1).gyro,
            expected.at(30, 1).gyro);
}

}  // namespace
}  // namespace panto
