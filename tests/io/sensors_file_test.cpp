#include "panto/io/open_imu.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "panto/io/chain_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/model/dh.hpp"
#include "panto/model/human.hpp"
#include "panto/tracking/inertial_tracker.hpp"
#include "tests/io/table_fixture.hpp"
#include "tests/support/corruption.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::kDegree;

const std::string kSensors =
    "kind = \"sensors\"\n"
    "version = 1\n"
    "sensors = [\n"
    "  { name = \"a\", link = \"upper\", position = [0.1, 0, -0.2], wxyz = [0.5, 0.5, 0.5, 0.5] },\n"
    "  { name = \"b\", link = \"lower\", axes = [\"-y\", \"x\", \"z\"] },\n"
    "  { name = \"c\", link = \"lower\", euler_xyz_deg = [0, 0, 90] },\n"
    "]\n"
    "[world]\n"
    "heading_deg = 90\n"
    "gravity = 9.81\n"
    "field = { norm = 48.0, dip_deg = 60, declination_deg = 30 }\n"
    "[noise]\n"
    "gyro = 0.01\n"
    "mounting_deg = 2\n"
    "[motion]\n"
    "hinges = { rms = 20, time = 0.1 }\n"
    "[start]\n"
    "joints_deg = { elbow = 90 }\n"
    "joints_m = { rail = 0.1 }\n"
    "sigma_deg = 30\n";

TEST(SensorSetup, HoldsEveryNumberInItsUnitAndFrame) {
  const SensorSetup file = read_sensors(kSensors, "sensors.toml");
  const InertialSetup& setup = file.setup;
  ASSERT_EQ(setup.mounts.size(), 3u);
  EXPECT_EQ(setup.mounts[0].link, "upper");
  EXPECT_EQ(setup.mounts[0].p_LI, Vector3d(0.1, 0.0, -0.2));
  Matrix3d cycle;  // x -> y -> z -> x
  cycle << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  EXPECT_LT((setup.mounts[0].R_LI - cycle).norm(), 1e-15);
  EXPECT_EQ(setup.mounts[1].R_LI.col(0), Vector3d(0.0, -1.0, 0.0))
      << "the sensor's x points along the link's -y";
  EXPECT_EQ(setup.mounts[1].R_LI.col(1), Vector3d(1.0, 0.0, 0.0));
  EXPECT_LT((setup.mounts[2].R_LI.col(0) - Vector3d(0.0, 1.0, 0.0)).norm(), 1e-15);

  EXPECT_LT((setup.surroundings.gravity_W - Vector3d(0.0, 0.0, -9.81)).norm(), 1e-15);
  // the world's x points north, its y west; the field 30 deg east of north, 60 deg down
  const double level = 48.0 * std::cos(60.0 * kDegree);
  const Vector3d field(level * std::cos(30.0 * kDegree), -level * std::sin(30.0 * kDegree),
                       -48.0 * std::sin(60.0 * kDegree));
  EXPECT_LT((setup.surroundings.field_W - field).norm(), 1e-12);
  EXPECT_TRUE(file.has_field);
  EXPECT_EQ(setup.filter.magnetic, MagneticUse::Heading);

  EXPECT_EQ(setup.filter.gyro, 0.01);
  EXPECT_NEAR(setup.filter.mounting, 2.0 * kDegree, 1e-15);
  EXPECT_EQ(setup.filter.acc, ChainEkfOptions{}.acc) << "what is not said keeps its default";
  EXPECT_EQ(setup.turning, (ChainProcess{ChainProcess::Kind::Singer, 20.0, 0.1}));
  EXPECT_EQ(setup.shifting, InertialSetup{}.shifting);
  ASSERT_EQ(setup.start_hinges.size(), 1u);
  EXPECT_NEAR(setup.start_hinges[0].second, 90.0 * kDegree, 1e-15);
  EXPECT_EQ(setup.start_slides[0].second, 0.1);
  EXPECT_NEAR(setup.filter.start[0], 30.0 * kDegree, 1e-15);
}

TEST(SensorSetup, WithoutAReferenceFieldMagnetometersAreOff) {
  const std::string text = kSensors.substr(0, kSensors.find("[world]"));
  const SensorSetup file = read_sensors(text, "s.toml");
  EXPECT_FALSE(file.has_field);
  EXPECT_EQ(file.setup.filter.magnetic, MagneticUse::Off);
  EXPECT_EQ(read_sensors(text + "[world]\nfield = [0, 20, -40]\nmagnetometer = \"vector\"\n", "s.toml")
                .setup.filter.magnetic,
            MagneticUse::Vector);
}

std::string refusal_of(const std::string& from, const std::string& to) {
  std::string text = kSensors;
  const std::size_t found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  return test::error_of([&] { (void)read_sensors(text.replace(found, from.size(), to), "s.toml"); });
}

TEST(SensorSetup, RefusalsNameTheLineAndWhatWouldBeRight) {
  const auto says = [](const std::string& from, const std::string& to, const std::string& words) {
    const std::string why = refusal_of(from, to);
    EXPECT_NE(why.find(words), std::string::npos) << why;
  };
  says("\"sensors\"", "\"imus\"", "s.toml:1: no `kind = \"sensors\"`");
  for (const char* wrong : {"version = 2", "version = true", "version = 6.6e33"})
    says("version = 1", wrong, "s.toml:2: `version` must be 1");
  says("link = \"upper\"", "lnk = \"upper\"", "s.toml:4: ");
  says("link = \"upper\"", "lnk = \"upper\"", "did you mean 'link'?");
  says("\"b\"", "\"a\"", "s.toml:5: two sensors are named 'a'");
  says("[0.1, 0, -0.2]", "[100, 0, -200]", "s.toml:4: `position` must be a number from -10 to 10");
  says("[0.1, 0, -0.2]", "[0.1, 0]", "`position` must be 3 numbers");
  says("link = \"upper\"", "link = \"upper\", turn_sigma_deg = 0", "`turn_sigma_deg` must be larger than 0");
  says("link = \"upper\"", "link = \"upper\", position_sigma = 15",
       "`position_sigma` must be a number from 0 to 10");
  says("[0.5, 0.5, 0.5, 0.5]", "[0.5, 0.5, 0.5, 0.6]", "unit quaternion, [w, x, y, z]; its norm is 1.054");
  says("\"-y\", \"x\", \"z\"", "\"y\", \"x\", \"z\"", "s.toml:5: `axes` is not a right-handed frame");
  says("\"-y\", \"x\", \"z\"", "\"up\", \"x\", \"z\"", "`axes` holds \"up\"");
  says("axes =", "wxyz = [1, 0, 0, 0], axes =", "s.toml:5: sensor 'b' has two rotations");
  says("heading_deg = 90", "axes = [\"y\", \"-x\", \"z\"]\nheading_deg = 90", "the world has two rotations");
  says("norm = 48.0", "norm = 0", "`norm` must be larger than 0");
  says("dip_deg", "dip", "s.toml:11: ");
  says("gyro = 0.01", "gyro = nan", "s.toml:13: `gyro` must be a number");
  says("gyro = 0.01", "gyro = 0", "`gyro` must be larger than 0");
  says("mounting_deg", "mountng_deg", "did you mean 'mounting_deg'?");
  says("rms = 20, ", "", "has no `rms`");
  says("[noise]", "[refine]\nplaces = 2\n[noise]", "`places` must be a number from 0 to 0.5");
  says("version = 1", "version = 1\nlag = 4", "s.toml:3: `lag` must be a number from 0 to 0.1");
  says("[noise]", "[refine]\nplace = 0.02\n[noise]", "did you mean 'places'?");
  says("field = { norm = 48.0, dip_deg = 60, declination_deg = 30 }", "magnetometer = \"heading\"",
       "needs a `field`");
  says("sigma_deg = 30", "sigma_deg = 300", "from 0.001 to 180");
  EXPECT_NE(test::error_of([] {
              (void)read_sensors("kind = \"sensors\"\nversion = 1\nsensors = []\n", "s.toml");
            }).find("needs at least one sensor"),
            std::string::npos);
}

TEST(SensorSetup, NamesMayHaveAccentsInQuotesAndNowhereElse) {
  const std::string name = "Poignée d'été \"du bras\"";
  const std::string text =
      "# où\nkind = \"sensors\"\nversion = 1\nsensors = [{ name = \"Poignée d'été \\\"du bras\\\"\", link = "
      "'m\xc3\xa9' }]\n";
  EXPECT_EQ(read_sensors(text, "s.toml").setup.mounts[0].name, name);
  EXPECT_EQ(read_sensors("\xef\xbb\xbf" + text, "s.toml").setup.mounts[0].link, "m\xc3\xa9");
  const auto why = [](const std::string& damaged) {
    return test::error_of([&] { (void)read_sensors(damaged, "s.toml"); });
  };
  EXPECT_NE(why(text + "é = 1\n").find("s.toml:5: not TOML: characters beyond ASCII"), std::string::npos);
  EXPECT_NE(why(text + "\n[world]\ngravity =\xc2\xa0 9.81\n").find("s.toml:7: "), std::string::npos);
  EXPECT_NE(why(text + "a = \"\"\"\\\n é\"\"\"\n").find("s.toml:6: "), std::string::npos)
      << "behind a line's end";
}

const std::string kStanding =
    "contacts = [{ name = \"heel\", link = \"foot\", position = [-0.05, 0, -0.08], sensor = \"b\" }]\n"
    "[standing]\n"
    "gyro = 0.5\n"
    "speed = 0.05\n"
    "floor = -0.1\n";

std::string with_contacts(const std::string& contacts) {
  return std::string(kSensors).insert(kSensors.find("[world]"), contacts);
}

TEST(SensorSetup, ContactsNameAPointAndTheSensorThatTellsWhetherItStands) {
  const InertialSetup setup = read_sensors(with_contacts(kStanding), "s.toml").setup;
  ASSERT_EQ(setup.points.size(), 1u);
  EXPECT_EQ(setup.points[0].link, "foot");
  EXPECT_EQ(setup.points[0].p_LP, Vector3d(-0.05, 0.0, -0.08));
  const ChainContactOptions& contact = setup.filter.contact;
  ASSERT_EQ(contact.points.size(), 1u);
  EXPECT_EQ(contact.points[0].point, "heel");
  EXPECT_EQ(contact.points[0].sensor, "b");
  EXPECT_EQ(contact.gyro, 0.5);
  EXPECT_EQ(contact.speed, 0.05);
  EXPECT_EQ(contact.floor, -0.1);
  EXPECT_EQ(contact.acc, ChainContactOptions{}.acc) << "what is not said keeps its default";
  EXPECT_TRUE(read_sensors(with_contacts("contacts = \"soles\"\n"), "s.toml").soles);
  EXPECT_FALSE(read_sensors(kSensors, "s.toml").soles);
}

TEST(SensorSetup, ContactsAreRefusedByNameAndLine) {
  const auto says = [](const std::string& contacts, const std::string& words) {
    const std::string why = test::error_of([&] { (void)read_sensors(with_contacts(contacts), "s.toml"); });
    EXPECT_NE(why.find(words), std::string::npos) << why;
  };
  says("contacts = \"feet\"\n", "s.toml:8: `contacts` must be \"soles\"");
  says("contacts = [{ name = \"heel\", link = \"foot\", sensor = \"b\" }]\n", "has no `position`");
  says("contacts = [{ name = \"heel\", link = \"foot\", position = [0, 0, 0], sensor = \"d\" }]\n",
       "no sensor 'd'");
  says("[standing]\nspeed = 0.05\n", "`standing` needs `contacts`");
  says("contacts = \"soles\"\n[standing]\nspeed = 0\n", "`speed` must be larger than 0");
}

TEST(SensorSetup, SteadyingIsReadWrittenAndKeptInRange) {
  const SensorSetup file = read_sensors(with_contacts("steadied = 0.2\n"), "s.toml");
  EXPECT_EQ(file.steadied, 0.2);
  EXPECT_EQ(read_sensors(sensors_text(file), "again.toml").steadied, 0.2);
  EXPECT_EQ(read_sensors(kSensors, "s.toml").steadied, 0.0) << "off unless asked for";
  EXPECT_EQ(sensors_text(read_sensors(kSensors, "s.toml")).find("steadied"), std::string::npos);
  const std::string why =
      test::error_of([] { (void)read_sensors(with_contacts("steadied = 1.5\n"), "s.toml"); });
  EXPECT_NE(why.find("s.toml:8"), std::string::npos) << why;
  EXPECT_NE(why.find("steadied"), std::string::npos) << why;
}

TEST(SensorSetup, TheShippedSuitFitsBothHumans) {
  const SensorSetup file = read_sensors(PANTO_CHAINS "/human_sensors.toml");
  EXPECT_EQ(file.setup.mounts.size(), 17u);
  EXPECT_TRUE(file.soles);
  for (const Model& human : {human48(), human66()})
    for (const ImuMount& mount : file.setup.mounts) EXPECT_TRUE(human.find_link(mount.link)) << mount.link;
}

TEST(SensorSetup, TheShippedSampleFitsTheShippedArm) {
  const SensorSetup file = read_sensors(PANTO_CHAINS "/right_arm_sensors.toml");
  const Model arm = dh_model(read_dh_chain(PANTO_CHAINS "/right_arm.toml"));
  const InertialTracker tracker(arm, file.setup,
                                {"hand", "forearm", "upper_arm", "shoulder", "sternum", "foot"});
  EXPECT_EQ(tracker.mounts().size(), 5u);
  // by the sample: the sternum's sensor stands upright with its face forward; the thorax's axes are DH's
  EXPECT_EQ(file.setup.mounts[0].R_LI.col(2), Vector3d::UnitX());
}

TEST(SensorSetup, EveryTruncationAndCorruptionOfTheSampleIsReadOrRefused) {
  const std::string sample = read_text_file(PANTO_CHAINS "/right_arm_sensors.toml", 1U << 20U);
  const auto parse = [](std::string_view damaged) { (void)read_sensors(damaged, "s.toml"); };
  test::CorruptionCount count = test::try_truncations(sample, 4096, parse);
  count += test::try_corruptions(sample, 11, parse);
  EXPECT_EQ(count.broken, 0);
  EXPECT_GT(count.refused, 500);
}

// size: every field of the file, once
TEST(SensorSetup, ReadsBackWhatItWrote) {
  SensorSetup file;
  InertialSetup& setup = file.setup;
  setup.mounts = {{"00\"B4", "forearm", so3::exp({0.3, -1.2, 0.4}), {0.01, 0.02, -0.03}}, {"b", "hand"}};
  setup.mounts[0].turn_sigma = 0.03;
  setup.mounts[0].position_sigma = 0.0125;
  setup.gyro_bias = {{0.001, -0.002, 0.003}, {0.0, 0.0, 0.0}};
  setup.surroundings.gravity_W = {0.0, 9.81, 0.0};  // y points down
  setup.surroundings.field_W = {20.0, 40.0, -5.0};
  file.has_field = true;
  setup.filter.magnetic = MagneticUse::Vector;
  setup.filter.mounting = 0.1;
  setup.filter.mounting_use = MountingUse::Consider;
  setup.filter.refine = {0.015, 0.025, 1.5, 0.5};
  setup.lag = 0.004;
  setup.filter.changing = 0.02;
  setup.filter.acc_range = 160.0;
  setup.filter.heading_memory = 3.5;
  setup.turning = {ChainProcess::Kind::Singer, 120.0, 0.1};
  setup.start_hinges = {{"elbow", 0.5}, {"a \"joint\"", -0.25}};
  setup.start_slides = {{"slide", 0.125}};
  setup.R_WB = so3::exp({0.1, 0.2, 0.3});
  setup.p_WB = {0.5, -0.25, 1.0};
  setup.filter.changing_memory = 0.2;
  setup.travelling = {ChainProcess::Kind::Singer, 4.0, 0.5};
  setup.sharing = {ChainProcess::Kind::Tethered, 5.0, 0.25};
  setup.points = {{"tip", "hand", {0.01, 0.02, 0.25}}};
  setup.filter.contact.points = {{"tip", "b"}};
  setup.filter.contact.floor = 0.125;
  setup.filter.start[0] = 0.3;
  const std::string text = sensors_text(file, "two\nlines", {"repeat # this", ""});
  const SensorSetup read = read_sensors(text, "s.toml");
  ASSERT_EQ(read.setup.mounts.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(read.setup.mounts[k].name, setup.mounts[k].name);
    EXPECT_EQ(read.setup.mounts[k].link, setup.mounts[k].link);
    EXPECT_LT(so3::distance(read.setup.mounts[k].R_LI, setup.mounts[k].R_LI), 1e-8);
    EXPECT_LT((read.setup.mounts[k].p_LI - setup.mounts[k].p_LI).norm(), 1e-8);
    EXPECT_LT((read.setup.gyro_bias[k] - setup.gyro_bias[k]).norm(), 1e-8);
  }
  EXPECT_NEAR(read.setup.mounts[0].turn_sigma.value_or(0.0), 0.03, 1e-12);
  EXPECT_NEAR(read.setup.mounts[0].position_sigma.value_or(0.0), 0.0125, 1e-12);
  EXPECT_FALSE(read.setup.mounts[1].turn_sigma || read.setup.mounts[1].position_sigma);
  EXPECT_LT((read.setup.surroundings.gravity_W - setup.surroundings.gravity_W).norm(), 1e-7);
  EXPECT_LT((read.setup.surroundings.field_W - setup.surroundings.field_W).norm(), 1e-6);
  EXPECT_TRUE(read.has_field);
  EXPECT_EQ(read.setup.filter.magnetic, MagneticUse::Vector);
  EXPECT_EQ(read.setup.filter.mounting_use, MountingUse::Consider);
  EXPECT_NEAR(read.setup.filter.mounting, 0.1, 1e-15);
  EXPECT_NEAR(read.setup.filter.changing, 0.02, 1e-15);
  EXPECT_EQ(read.setup.lag, 0.004);
  EXPECT_EQ(read.setup.filter.refine.place, 0.015);
  EXPECT_EQ(read.setup.filter.refine.length, 0.025);
  EXPECT_EQ(read.setup.filter.refine.excited, 1.5);
  EXPECT_EQ(read.setup.filter.refine.interval, 0.5);
  EXPECT_EQ(read.setup.filter.acc_range, 160.0);
  EXPECT_EQ(read.setup.filter.gyro_range, kInfinity);
  EXPECT_EQ(read.setup.filter.heading_memory, 3.5);
  EXPECT_EQ(read.setup.turning, setup.turning);
  EXPECT_EQ(read.setup.travelling, setup.travelling);
  EXPECT_EQ(read.setup.sharing, setup.sharing);
  EXPECT_EQ(read.setup.p_WB, setup.p_WB);
  EXPECT_EQ(read.setup.filter.changing_memory, 0.2);
  ASSERT_EQ(read.setup.points.size(), 1u);
  EXPECT_EQ(read.setup.points[0].name, "tip");
  EXPECT_EQ(read.setup.points[0].p_LP, setup.points[0].p_LP);
  EXPECT_EQ(read.setup.filter.contact.points.at(0).sensor, "b");
  EXPECT_EQ(read.setup.filter.contact.floor, 0.125);
  EXPECT_EQ(read.setup.shifting, setup.shifting);
  ASSERT_EQ(read.setup.start_hinges.size(), 2U);
  for (const auto& [joint, value] : read.setup.start_hinges)
    EXPECT_NEAR(value, joint == "elbow" ? 0.5 : -0.25, 1e-15) << joint;
  EXPECT_EQ(read.setup.start_slides, setup.start_slides);
  EXPECT_LT(so3::distance(read.setup.R_WB, setup.R_WB), 1e-8);
  EXPECT_NEAR(read.setup.filter.start[0], 0.3, 1e-15);
}

TEST(SensorSetup, RefusesABiasInDegrees) {
  const std::string line =
      "kind = \"sensors\"\nversion = 1\nsensors = [{ name = \"a\", link = \"b\", gyro_bias = [3, 0, 0] }]\n";
  try {
    (void)read_sensors(line, "s.toml");
    FAIL() << "accepted";
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("s.toml:3"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("gyro_bias"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace panto::io
