#include "panto/io/opensim.hpp"

#include <algorithm>
#include <cmath>

#include "panto/io/state_file.hpp"
#include "panto/math/euler.hpp"
#include "tests/io/table_fixture.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

using test::error_of;
using test::kDegree;
using test::random_state;
using test::segment_tree;
using test::slurp;
using test::small_robot;

class OpenSimFile : public test::TableTest {
 protected:
  OpenSimTable write(const std::string& name, const Model& model, const std::vector<State>& states,
                     AngleConvention angles = AngleConvention::Model) {
    const auto file = create_opensim(path(name), model, {.angles = angles});
    for (const State& state : states) EXPECT_EQ(file->write(state), WriteStatus::Written);
    file->close();
    return read_opensim_table(path(name));
  }
};

class OpenSimReader : public ::testing::Test {
 protected:
  OpenSimTable read(const std::string& text) {
    std::istringstream stream(text);
    return read_opensim_table(stream, "a.sto");
  }
};

double value(const OpenSimTable& table, std::size_t row, const std::string& label) {
  const auto column = table.find(label);
  if (!column) throw Error("no column " + label);
  return table.cell(row, *column)[0];
}

bool has_note(const OpenSimTable& table, std::string_view part) {
  return std::any_of(table.notes.begin(), table.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

// --- writer

TEST_F(OpenSimFile, HasTheHeaderThatOpenSimExpectsWithTheTrueCountOfRows) {
  const Model model = small_robot();
  std::vector<State> states(3, rest_state(model));
  for (int i = 0; i < 3; ++i) states[static_cast<std::size_t>(i)].t = frame_time(i, 100.0);
  const OpenSimTable table = write("a.mot", model, states);
  EXPECT_TRUE(slurp(path("a.mot"))
                  .starts_with("Coordinates\nversion=1\nnRows=000000003\nnColumns=10\ninDegrees=yes\n"));
  EXPECT_EQ(table.name, "Coordinates");
  EXPECT_EQ(table.version, 1);
  EXPECT_EQ(table.in_degrees, true);
  EXPECT_EQ(table.labels,
            (std::vector<std::string>{"pelvis_tilt", "pelvis_list", "pelvis_rotation", "pelvis_tx",
                                      "pelvis_ty", "pelvis_tz", "wheel", "elbow", "rail"}));
  EXPECT_EQ(table.time, (std::vector<double>{0.0, 0.01, 0.02}));
  EXPECT_TRUE(table.notes.empty());
  EXPECT_EQ(write("a.sto", model, states).find_header("DataType"), "double");
}

TEST_F(OpenSimFile, TurnsTheBaseIntoAxesWithYUpAndZRight) {
  const Model model = small_robot();
  State state = rest_state(model);
  state.p_WB = {1.0, 2.0, 3.0};  // forward, left, up
  // 10 deg of heading to the left, then leaning 20 deg to the right, then 5 deg nose down, body-fixed: about
  // up (+y of OpenSim), forward (+x), and left (-z of OpenSim)
  const OpenSimTable heading = [&] {
    state.R_WB = so3::about_axis(2, 10.0 * kDegree);
    return write("heading.mot", model, {state});
  }();
  EXPECT_NEAR(value(heading, 0, "pelvis_tx"), 1.0, 1e-15);
  EXPECT_NEAR(value(heading, 0, "pelvis_ty"), 3.0, 1e-15);
  EXPECT_NEAR(value(heading, 0, "pelvis_tz"), -2.0, 1e-15);
  EXPECT_NEAR(value(heading, 0, "pelvis_rotation"), 10.0, 1e-12);
  EXPECT_NEAR(value(heading, 0, "pelvis_tilt"), 0.0, 1e-12);
  state.R_WB = so3::about_axis(1, 5.0 * kDegree);  // nose down
  EXPECT_NEAR(value(write("tilt.mot", model, {state}), 0, "pelvis_tilt"), -5.0, 1e-12)
      << "tilt is about Z, which points right: positive backwards";
  state.R_WB = so3::about_axis(0, 20.0 * kDegree);
  EXPECT_NEAR(value(write("list.mot", model, {state}), 0, "pelvis_list"), 20.0, 1e-12);
}

TEST_F(OpenSimFile, HoldsThePoseOfEveryStateWithinRounding) {
  const Model model = small_robot();
  const Eigen::Matrix3d R_OW = so3::about_axis(0, -90.0 * kDegree);  // z up becomes y up
  std::mt19937_64 random(5);
  std::vector<State> states;
  for (int i = 0; i < 200; ++i) states.push_back(random_state(model, frame_time(i, 60.0), random));
  const OpenSimTable table = write("a.sto", model, states);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Eigen::Vector3d angles(value(table, i, "pelvis_tilt"), value(table, i, "pelvis_list"),
                                 value(table, i, "pelvis_rotation"));
    const Eigen::Matrix3d R_WB = R_OW.transpose() * euler::to_rotation(angles * kDegree, euler::ZXY) * R_OW;
    EXPECT_LT(so3::distance(R_WB, states[i].R_WB), 1e-12);
    EXPECT_NEAR(value(table, i, "elbow") * kDegree, states[i].s[1], 1e-14);
    EXPECT_EQ(value(table, i, "rail"), states[i].s[2]) << "a length is not turned into degrees";
  }
}

TEST_F(OpenSimFile, AnglesAreContinuousWhereTheyMayBe) {
  const Model model = small_robot();
  std::vector<State> states;
  for (int i = 0; i < 400; ++i) {
    const double turn = 0.05 * i;  // 20 rad: three turns
    State state = rest_state(model);
    state.t = frame_time(i, 100.0);
    state.R_WB = so3::about_axis(2, turn);
    state.s[0] = euler::unwrap(turn, 0.0);  // a source that wraps at +-pi
    state.s[1] = i < 200 ? 3.9 : -3.9;      // inside limits: must stay there
    states.push_back(state);
  }
  const OpenSimTable table = write("a.mot", model, states);
  EXPECT_NEAR(value(table, 399, "pelvis_rotation") * kDegree, 0.05 * 399, 1e-9);
  EXPECT_NEAR(value(table, 399, "wheel") * kDegree, 0.05 * 399, 1e-9);
  EXPECT_NEAR(value(table, 399, "elbow") * kDegree, -3.9, 1e-12);
  for (std::size_t i = 1; i < table.rows(); ++i) {
    for (const char* label : {"pelvis_tilt", "pelvis_list", "pelvis_rotation", "wheel"}) {
      EXPECT_LT(std::abs(value(table, i, label) - value(table, i - 1, label)), 3.0) << label << " row " << i;
    }
  }
}

TEST_F(OpenSimFile, BaseAnglesStayContinuousThroughASomersaultAndACartwheel) {
  const Model model = small_robot();
  for (const int axis : {0, 1}) {
    std::vector<State> states;
    for (int i = 0; i < 400; ++i) {
      State state = rest_state(model);
      state.t = frame_time(i, 100.0);
      state.R_WB = so3::about_axis(2, 0.3) * so3::about_axis(axis, 0.02 * i);
      states.push_back(state);
    }
    const OpenSimTable table = write("a.mot", model, states);
    for (std::size_t i = 1; i < table.rows(); ++i) {
      for (const char* label : {"pelvis_tilt", "pelvis_list", "pelvis_rotation"}) {
        EXPECT_LT(std::abs(value(table, i, label) - value(table, i - 1, label)), 6.0)
            << label << " row " << i << " axis " << axis;
      }
    }
  }
}

// principal angles jump by 180 degrees on the way, because x ends at 90, and are not determined there
TEST_F(OpenSimFile, WritesIsbAnglesContinuousPastNinetyDegreesOfAbduction) {
  const Model model = segment_tree();
  const struct {
    const char *joint, *column;
    double direction;
  } cases[] = {{"jRightHip", "RightHip_x", -1.0},
               {"jLeftHip", "LeftHip_x", 1.0},
               {"jT9T8", "T9T8_x", 1.0},
               {"jRightKnee", "RightKnee_x", -1.0}};
  for (const auto& c : cases) {
    std::vector<State> states;
    for (int i = 0; i <= 300; ++i) {
      State state = rest_state(model);
      state.t = frame_time(i, 100.0);
      state.s[model.joint_index(std::string(c.joint) + "_rotx")] = c.direction * 0.5 * i * kDegree;
      state.s[model.joint_index(std::string(c.joint) + "_rotz")] = 0.1;
      states.push_back(state);
    }
    const OpenSimTable table = write("a.sto", model, states, AngleConvention::Isb);
    ASSERT_EQ(table.labels.size(), 66U);
    EXPECT_EQ(table.labels.front(), "L5S1_x");
    EXPECT_NEAR(value(table, 300, c.column), 150.0, 1e-9);
    double largest = 0.0;
    for (std::size_t i = 1; i < table.rows(); ++i) {
      for (std::size_t column = 0; column < table.labels.size(); ++column) {
        largest = std::max(largest, std::abs(table.cell(i, column)[0] - table.cell(i - 1, column)[0]));
      }
    }
    EXPECT_LT(largest, 0.6) << c.joint << ": 0.5 deg per frame are moved";
  }
}

TEST_F(OpenSimFile, RefusesWhatTheFormatCannotHold) {
  const Model model = small_robot();
  EXPECT_THROW((void)create_opensim(path("a.csv"), model, {}), ConfigError);
  EXPECT_THROW((void)create_opensim(path("a.mot"), model, {.angles = AngleConvention::Isb}), ConfigError);
  ModelSpec spec = model.spec();
  spec.joints[0].name = "two words";
  EXPECT_THROW((void)create_opensim(path("a.mot"), Model(spec), {}), ConfigError);
  for (const char* reserved : {"pelvis_tilt", "time"}) {
    spec.joints[0].name = reserved;
    EXPECT_THROW((void)create_opensim(path("a.mot"), Model(spec), {}), ConfigError) << reserved;
  }
  EXPECT_FALSE(std::filesystem::exists(path("a.mot.part"))) << "nothing may be left behind";
}

TEST_F(OpenSimFile, APartThatWasNeverClosedCanStillBeRead) {
  const Model model = small_robot();
  {
    const auto file = create_opensim(path("a.mot"), model, {});
    EXPECT_EQ(file->write(rest_state(model)), WriteStatus::Written);
  }
  const OpenSimTable table = read_opensim_table(path("a.mot.part"));
  EXPECT_EQ(table.rows(), 1U);
  EXPECT_TRUE(has_note(table, "nRows=0, but there is 1 row"));
}

// --- reader

TEST_F(OpenSimReader, CountsInTheHeaderAreCheckedAndNeverTrusted) {
  const OpenSimTable more = read("x\nnRows=999999999999\nnColumns=7\nendheader\ntime\ta\n0\t1\n1\t2\n");
  EXPECT_EQ(more.rows(), 2U);
  EXPECT_TRUE(has_note(more, "nRows=999999999999, but there are 2 rows: the file may be truncated"));
  EXPECT_TRUE(has_note(more, "nColumns=7, but there are 2 columns"));
  EXPECT_TRUE(has_note(read("nRows=1\nendheader\ntime\ta\n0\t1\n1\t2\n"), "nRows=1, but there are 2 rows"));
  EXPECT_TRUE(has_note(read("nRows=many\nendheader\ntime\ta\n0\t1\n"), "nRows='many' is not a count"));
  EXPECT_TRUE(read("version=3\nendheader\ntime\ta\n0\t1\n").notes.empty()) << "version 3 has no counts";
}

TEST_F(OpenSimReader, CellsMayBeSeparatedByTabsBlanksOrBoth) {
  const OpenSimTable table = read("endheader\n  \ntime \ta\tb \n  0.0 \t 1\t\t2  \t\n1 3   4\n\n2\t5\t6");
  EXPECT_EQ(table.labels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.time, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(table.values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(has_note(table, "the last line has no line end"));
}

TEST_F(OpenSimReader, LabelsMayBeSeparatedByBlanksOrHoldThem) {
  EXPECT_EQ(read("endheader\ntime a b\n0 1 2\n").labels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read("endheader\ntime\ta b\tc\n0\t1\t2\n").labels, (std::vector<std::string>{"a b", "c"}));
  EXPECT_EQ(read("endheader\ntime\ta b\tc\n0\t1\t2\t3\n").labels, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(read("nColumns=4\nendheader\ntime\ta b\tc\n").labels, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(OpenSimReader, TakesCarriageReturnsByteOrderMarksBlanksAroundKeysAndSimmHeaders) {
  const OpenSimTable table = read(
      "\xEF\xBB\xBFwalk\r\n# a comment\r\n inDegrees = NO \r\ndatarows 1\r\ndatacolumns 2\r\n range 0 1\r\n"
      " EndHeader \r\nTIME\ta\r\n0\t1\r\n");
  EXPECT_EQ(table.name, "walk");
  EXPECT_EQ(table.in_degrees, false);
  EXPECT_EQ(table.find_header("datarows"), "1");
  EXPECT_EQ(table.comments, (std::vector<std::string>{"# a comment", "range 0 1"}));
  EXPECT_TRUE(table.notes.empty());
  EXPECT_FALSE(read("endheader\ntime\ta\n").in_degrees.has_value()) << "not said is not yes";
}

TEST_F(OpenSimReader, QuaternionCellsHoldWXYZ) {
  const OpenSimTable table = read(
      "DataRate=100.0\nDataType=Quaternion\nversion=3\nendheader\ntime\ta_imu\tb_imu\n"
      "0\t0.1,0.2,0.3,0.4\t1, 2 ,3,\t4\n");
  EXPECT_EQ(table.components, 4);
  EXPECT_EQ(table.version, 3);
  EXPECT_EQ(table.data_rate_hz, 100.0);
  EXPECT_TRUE(std::ranges::equal(table.cell(0, 0), std::array{0.1, 0.2, 0.3, 0.4}));
  EXPECT_TRUE(std::ranges::equal(table.cell(0, 1), std::array{1.0, 2.0, 3.0, 4.0}));
  EXPECT_EQ(read("DataType=Vec7\nendheader\ntime\ta\n0\t1,2,3,4,5,6,7\n").components, 7);
}

TEST_F(OpenSimReader, SaysWhenTheFlagInDegreesContradictsTheNumbers) {
  // as in subject01_walk1_RRA_Kinematics_q.sto
  EXPECT_TRUE(has_note(read("inDegrees=no\nendheader\ntime\tpelvis_tilt\thip_flexion_r\n0\t4.52\t18.96\n"),
                       "these are probably degrees"));
  EXPECT_TRUE(read("inDegrees=no\nendheader\ntime\tpelvis_tx\thip_flexion_r\n0\t18.96\t0.3\n").notes.empty())
      << "18.96 m is a place";
  EXPECT_TRUE(
      has_note(read("inDegrees=yes\nendheader\ntime\ta\tb\tc\td\te\tf\n0\t0.1\t0.2\t0.3\t1.2\t0.1\t0\n"),
               "these may be radians"));
}

TEST_F(OpenSimReader, KeepsNaNCellsAndSaysHowMany) {
  const OpenSimTable table = read("endheader\ntime\ta\tb\n0\tnan\tNaN\n");
  EXPECT_TRUE(std::isnan(table.cell(0, 0)[0]));
  EXPECT_TRUE(has_note(table, "2 numbers are NaN"));
}

TEST_F(OpenSimReader, SaysWhereTimeGoesBackAndWhichLabelsRepeat) {
  const OpenSimTable table = read("endheader\ntime\ta\ta\n0\t1\t2\n0\t1\t2\n-1\t1\t2\n");
  EXPECT_TRUE(has_note(table, "the time does not increase at 2 rows, first in line 4"));
  EXPECT_TRUE(has_note(table, "label 'a' occurs twice"));
}

TEST_F(OpenSimReader, NamesTheLineAndWhatWouldBeRight) {
  const struct {
    std::string text, expected;
  } cases[] = {
      {"", ":1: the file ends before the line 'endheader'"},
      {"x\nnRows=1\n", ":2: the file ends before the line 'endheader'"},
      {"endheader\n\n", ":2: the file ends before the line of column labels"},
      {"endheader\na\tb\n", ":2: the first label is 'a', but it must be 'time'"},
      {"endheader\ntime at\tb\n0\t1\n", ":2: the first label is 'time at', but it must be 'time'"},
      {"DataType=Matrix\nendheader\n", ":1: DataType='Matrix'; expected double, Quaternion"},
      {"DataType=Vec99\nendheader\n", ":1: DataType='Vec99'"},
      {"endheader\ntime\ta\n0\t1\t2\n", ":3: 3 cells under 2 labels"},
      {"endheader\ntime\ta\tb\n1\t2", ":3: 2 cells under 3 labels; the file seems to be truncated"},
      {"endheader\ntime\ta\n0\tone\n", ":3: cell 2 holds 'one', not a number"},
      {"endheader\ntime\ta\nnan\t1\n", ":3: the time is not a finite number"},
      {"endheader\ntime\ta\n0\t1,2\n", ":3: cell 2 has more than 1 of the 1 numbers of DataType double"},
      {"DataType=Quaternion\nendheader\ntime\ta\n0\t1,0,0\n", ":4: cell 2 has only 3 of the 4 numbers"},
      {"DataType=Quaternion\nendheader\ntime\ta\n0\t1,0,0,\n", ":4: cell 2 holds '', not a number"},
  };
  for (const auto& c : cases) {
    const std::string text = error_of([&] { (void)read(c.text); });
    EXPECT_TRUE(text.starts_with("a.sto" + c.expected)) << text << "\nexpected " << c.expected;
  }
  std::string endless;
  for (int i = 0; i < 20'000; ++i) endless += "line\n";
  EXPECT_NE(error_of([&] { (void)read(endless); }).find("first 10000 lines"), std::string::npos);
}

TEST_F(OpenSimReader, SurvivesEveryTruncationAndRandomCorruption) {
  const std::string good =
      "Coordinates\nversion=1\nnRows=2\nnColumns=3\ninDegrees=yes\nDataType=Quaternion\n\nendheader\n"
      "time\ta_imu\tb_imu\n0\t1,0,0,0\t0.5,0.5,-0.5,0.5\n0.01\t1,0,0,0\t0.5,0.5,-0.5,1e-3\n";
  const auto try_read = [&](const std::string& text) {
    try {
      const OpenSimTable table = read(text);
      EXPECT_EQ(table.values.size(),
                table.rows() * table.labels.size() * static_cast<std::size_t>(table.components));
    } catch (const FormatError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("a.sto:"));
    }
  };
  for (std::size_t length = 0; length < good.size(); ++length) try_read(good.substr(0, length));
  std::mt19937_64 random(6);
  for (int i = 0; i < test::scaled(3000); ++i) {
    std::string text = good;
    for (std::uint64_t flips = 1 + random() % 8; flips > 0; --flips) {
      text[random() % text.size()] =
          i % 2 == 0 ? static_cast<char>(random()) : " \t\n,=0123456789.e-nan"[random() % 21];
    }
    try_read(text);
  }
}

// --- real files

TEST_F(OpenSimReader, ReadsGait2392Walking) {
  PANTO_NEED_DATA("opensim/Gait2392_Simbody_subject01_walk1_ik.mot");
  const OpenSimTable table =
      read_opensim_table(test::data_file("opensim/Gait2392_Simbody_subject01_walk1_ik.mot"));
  EXPECT_EQ(table.rows(), 211U);
  EXPECT_EQ(table.labels.size(), 23U);
  EXPECT_EQ(table.in_degrees, true);
  EXPECT_TRUE(table.notes.empty()) << table.notes.front();
  EXPECT_EQ(table.time[0], 0.5);
  EXPECT_EQ(value(table, 0, "pelvis_tilt"), 4.76281529);
  EXPECT_EQ(value(table, 0, "hip_flexion_r"), 19.18693645);
  EXPECT_EQ(table.values.back(), -3.73915510);
}

TEST_F(OpenSimReader, ReadsHamnerRunningWithItsArms) {
  PANTO_NEED_DATA("opensim/Hamner_subject02_running_ik.mot");
  const OpenSimTable table = read_opensim_table(test::data_file("opensim/Hamner_subject02_running_ik.mot"));
  EXPECT_EQ(table.rows(), 599U);
  EXPECT_EQ(table.labels.size(), 37U);
  EXPECT_TRUE(table.notes.empty()) << table.notes.front();
  EXPECT_EQ(value(table, 0, "pelvis_tilt"), -3.88006486);
}

TEST_F(OpenSimReader, ReadsOpenSenseOrientationsAsUnitQuaternions) {
  const struct {
    const char* file;
    std::size_t rows, columns;
  } files[] = {
      {"opensim/Inverese_Kinematics_with_IMUs_placement_orientations.sto", 1, 8},
      {"opensim/Inverese_Kinematics_with_IMUs_walking_orientations.sto", 2432, 8},
      {"opensim/core_MT_012005D6_009-quaternions_calibration_trial_Facing_negX.sto", 401, 8},
      {"opensim/core_imuOrientations.sto", 2, 8},
      {"opensim/core_myComplexTasksTrial_orientations.sto", 6, 7},
  };
  for (const auto& expected : files) {
    PANTO_NEED_DATA(expected.file);
    const OpenSimTable table = read_opensim_table(test::data_file(expected.file));
    EXPECT_EQ(table.rows(), expected.rows) << expected.file;
    EXPECT_EQ(table.labels.size(), expected.columns) << expected.file;
    EXPECT_EQ(table.data_type, "Quaternion");
    EXPECT_EQ(table.version, 3);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      for (std::size_t column = 0; column < table.labels.size(); ++column) {
        const auto q = table.cell(row, column);
        EXPECT_NEAR(Eigen::Map<const Eigen::Vector4d>(q.data()).norm(), 1.0, 1e-6) << expected.file;
      }
    }
  }
}

}  // namespace
}  // namespace panto::io
