#include "panto/report/sensor_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "panto/report/json.hpp"
#include "panto/report/report.hpp"
#include "panto/tracking/sensor_notes.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/sensed_clips.hpp"

namespace panto {
namespace {

using nlohmann::json;
using test::names;

SensorFindings two_sensors() {
  SensorSummary good{"thigh", "RightUpperLeg", 100, 0, 50, 3.0, 0.75, {}, 0.0};
  SensorSummary bad{"shank", "RightLowerLeg", 100, 20, 0, 12.0, 3.0, {}, 0.5};
  SensorFindings found;
  found.file = "sensors.toml";
  found.sensors = {good, bad};
  return found;
}

TEST(SensorReport, ATableHasEverySensorInMultiplesOfWhatIsExpected) {
  const std::string table = sensor_table(two_sensors());
  EXPECT_TRUE(names(table, "gyroscope", "accelerometer", "thigh", "shank", "20 %"));
  EXPECT_FALSE(names(table, "orientation")) << "no sensor says any";
}

TEST(SensorReport, ANameCannotCommandTheTerminal) {
  SensorFindings found = two_sensors();
  found.sensors[0].name = "a\x1b[2J";
  EXPECT_TRUE(names(sensor_table(found), "a\\x1b[2J"));
}

TEST(SensorReport, SentencesNameWhatDisagreesAndBy) {
  const std::vector<std::string> lines = sensor_lines(two_sensors());
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(names(lines[0], "sensor 'shank' on RightLowerLeg disagrees", "gyroscope is off by 2 times"));
  EXPECT_TRUE(names(lines[1], "has no readings in 20 % of the samples"));
  EXPECT_TRUE(names(lines[2], "the other 1 sensor agrees"));
}

TEST(SensorReport, AgreementIsNoPraiseWhereSomethingElseIsDoubted) {
  SensorFindings found = two_sensors();
  found.sensors.resize(1);
  const std::vector<std::string> lines = sensor_lines(found, true);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_FALSE(names(lines[0], "agrees")) << lines[0];
  EXPECT_TRUE(names(lines[0], "does not confirm their mounting")) << lines[0];
}

TEST(SensorReport, JsonHasTheKeysThatProgramsRead) {
  const json sensors = report::sensors_value(two_sensors());
  ASSERT_EQ(sensors.size(), 2U);
  EXPECT_EQ(sensors[1]["nis_gyro_mean"], 12.0);
  EXPECT_EQ(sensors[1]["off_by"], 2.0);
  EXPECT_EQ(sensors[1]["disagrees"], true);
  EXPECT_EQ(sensors[1]["missing_share"], 0.2);
  EXPECT_TRUE(sensors[0]["nis_orientation_mean"].is_null());
  SensorFindings found = two_sensors();
  found.swapped = {{"a", "b", "Head", "T8", true, 9.0, 1.0}};
  const json swapped = report::swapped_value(found);
  EXPECT_EQ(swapped[0]["one"], "a");
  EXPECT_EQ(swapped[0]["innovation_after"], 1.0);
}

TEST(SensorReport, AResultIsTheCardAndItsSensors) {
  const test::SwayingPerson person = test::swaying_legs();
  const SensorTrackResult result = track(test::clip_of(person), person.model, test::setup_of(person.setup),
                                         {.smooth = true, .refine = true});
  const json all = json::parse(to_json(result, person.model));
  EXPECT_EQ(all["frames"], 300);
  EXPECT_EQ(all["sensors"].size(), 5U);
  EXPECT_EQ(all["smoothing"]["samples"], 300);
  EXPECT_EQ(all["refined"]["places"].size(), 5U);
  EXPECT_TRUE(all["joint_sd_median_deg"].is_null());
  EXPECT_EQ(known_table(result.found, result.known, person.model), "") << "nobody asked how surely";
  const json page = report::page_value(PageSensors{result.found, result.known}, person.model);
  EXPECT_EQ(page["joints"].size(), 48U);
  EXPECT_TRUE(names(smoothing_line(*result.smoothed), "300 samples smoothed"));
}

TEST(CalibrationReport, SaysWhatWasFoundAndWhatToRepeat) {
  CalibrateResult result;
  result.poses = {{"npose", {0.25, 3.0}}};
  ImuMount mount;
  mount.name = "upper";
  mount.link = "RightUpperArm";
  result.nominal = {mount};
  result.found = {{mount, Eigen::Vector3d::Zero(), 0.0, false, "hold it still"}};
  const std::string text = to_text(result);
  EXPECT_TRUE(names(text, "npose: held from 0.2 to 3.0 s", "REPEAT: hold it still", "RightUpperArm"));
  const json all = json::parse(to_json(result, "imu.csv", "human48"));
  EXPECT_EQ(all["recording"], "imu.csv");
  EXPECT_EQ(all["poses"][0]["to_s"], 3.0);
  EXPECT_EQ(all["sensors"][0]["good"], false);
  EXPECT_FALSE(all.contains("joints")) << "nothing moved";
  result.motion.sensors.emplace_back().centres = 2;
  EXPECT_EQ(json::parse(to_json(result, "imu.csv", "human48"))["sensors"][0]["centres"], 2);
  EXPECT_TRUE(names(to_text(result), "sigma", "moved"));
}

TEST(InspectionReport, OfRawSensorsSaysWhetherTheyCanBeTracked) {
  ImuClip clip = test::clip_of(test::swaying_legs());
  EXPECT_TRUE(names(findings_text(inspect(clip)), "Next: `panto track` with --sensors"));
  for (ImuReading& reading : clip.readings) reading.acc /= 9.80665;
  const ImuInspection found = inspect(clip);
  EXPECT_TRUE(names(to_text(found), "error", "are in g"));
  EXPECT_FALSE(names(to_text(found), "Next:"));
  const json all = json::parse(to_json(found));
  EXPECT_EQ(all["trackable"], false);
  EXPECT_EQ(all["faults"][0]["kind"], "acc_unit");
}

}  // namespace
}  // namespace panto
