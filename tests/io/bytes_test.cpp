// Files and the bytes of files are read and written alike.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "panto/base/error.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/sample_file.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/io/urdf.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/model/human.hpp"
#include "tests/io/table_fixture.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

// A person who swings arms and legs, 40 frames at 50 Hz.
Motion swinging(const Model& model) {
  Motion motion;
  motion.model_name = model.name();
  motion.joint_names = model.joint_names();
  motion.rate_hz = 50.0;
  for (int k = 0; k < 40; ++k) {
    State state = rest_state(model);
    state.t = frame_time(k, 50.0);
    state.p_WB += Eigen::Vector3d(0.01 * k, 0.0, 0.0);
    for (int i = 0; i < model.dof(); ++i)
      state.s[i] = std::clamp(state.s[i] + 0.1 * std::sin(0.2 * k + i), model.lower()[i], model.upper()[i]);
    motion.states.push_back(std::move(state));
  }
  return motion;
}

bool same_bits(const SegmentMotion& a, const SegmentMotion& b) {
  const auto equal = [](const auto& x, const auto& y) {
    return std::memcmp(x.data(), y.data(), sizeof(double) * static_cast<std::size_t>(x.size())) == 0;
  };
  return a.has_orientation == b.has_orientation && a.has_position == b.has_position &&
         a.has_angular_velocity == b.has_angular_velocity && a.has_linear_velocity == b.has_linear_velocity &&
         equal(a.R_WS, b.R_WS) && equal(a.p_WS, b.p_WS) && equal(a.w_WS, b.w_WS) && equal(a.v_WS, b.v_WS);
}

std::vector<SegmentSample> read_all(Recording& recording) {
  std::vector<SegmentSample> samples;
  SegmentSample sample;
  while (recording.read(sample) == ReadStatus::Sample) samples.push_back(sample);
  return samples;
}

void expect_same(const std::vector<SegmentSample>& a, const std::vector<SegmentSample>& b) {
  ASSERT_EQ(a.size(), b.size());
  ASSERT_FALSE(a.empty());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].t, b[k].t) << k;
    ASSERT_EQ(a[k].segments.size(), b[k].segments.size());
    for (std::size_t i = 0; i < a[k].segments.size(); ++i)
      EXPECT_TRUE(same_bits(a[k].segments[i], b[k].segments[i])) << "sample " << k << ", segment " << i;
  }
}

std::string samples_as(const std::string& name, Recording& recording) {
  std::string bytes;
  const auto file = create_sample_file(Destination(name, bytes), recording.names(), {50.0});
  recording.rewind();
  SegmentSample sample;
  while (recording.read(sample) == ReadStatus::Sample) EXPECT_EQ(file->write(sample), WriteStatus::Written);
  file->close();
  return bytes;
}

class Bytes : public test::TableTest {};

TEST_F(Bytes, OfEveryFormatAreReadAsTheFileIs) {
  const Model model = human66();
  const Motion motion = swinging(model);
  std::vector<std::pair<std::string, std::string>> files;
  for (const char* name : {"a.bvh", "a.mvnx", "states.csv", "a.mot", "states.sto"})
    files.emplace_back(name, motion_bytes(motion, model, name));
  const auto source = open_recording(motion_bytes(motion, model, "a.mvnx"), "a.mvnx");
  for (const char* name : {"a.trc", "a.npz", "points.csv", "turns.sto"})
    files.emplace_back(name, samples_as(name, *source));
  for (const auto& [name, bytes] : files) {
    SCOPED_TRACE(name);
    const std::string file = put(name, bytes);
    const auto from_file = open_recording(file), from_bytes = open_recording(bytes, file);
    EXPECT_EQ(from_file->info().format, from_bytes->info().format);
    EXPECT_EQ(from_file->info().notes, from_bytes->info().notes);
    EXPECT_EQ(from_file->names(), from_bytes->names());
    const std::vector<SegmentSample> first = read_all(*from_file);
    expect_same(first, read_all(*from_bytes));
    from_file->rewind();
    expect_same(first, read_all(*from_file));
    from_bytes->rewind();
    expect_same(first, read_all(*from_bytes));
  }
}

TEST_F(Bytes, AreRefusedAsTheFileIs) {
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"a.bvh", "HIERARCHY\nnonsense"},
           {"a.mvnx", "<mvnx version=\"4\">"},
           {"a.trc", "PathFileType\t4\n"},
           {"a.npz", "PK nonsense"},
           {"points.csv", "time_s,a_x_m\n0,1\n"},
           {"turns.sto", "DataType=Quaternion\nendheader\ntime\tx\n0\tq\n"},
           {"states.csv", "time_s\n"},
           {"a.mot", "endheader\nx\n"},
           {"a.dat", "nonsense"},
           {"imu.csv", "time_s,hip.gyro_x_rad_s\n0,1\n"},
           {"empty", ""}}) {
    SCOPED_TRACE(name);
    const std::string file = put(name, text);
    const std::string refusal = test::error_of([&] { (void)open_recording(file); });
    EXPECT_NE(refusal, "");
    EXPECT_EQ(refusal, test::error_of([&, &bytes = text] { (void)open_recording(bytes, file); }));
  }
}

TEST_F(Bytes, OfRawSensorsAreReadAsTheFileIs) {
  const std::string text =
      "time_s,hip.gyro_x_rad_s,hip.gyro_y_rad_s,hip.gyro_z_rad_s\n0,1,2,3\n0.01,1,2,4\n0.02,0,0,0\n";
  const std::string file = put("imu.csv", text);
  const ImuClip a = open_imu(file), b = open_imu(text, file);
  EXPECT_EQ(a.sensors, b.sensors);
  EXPECT_EQ(a.times, b.times);
  EXPECT_EQ(a.format, b.format);
  EXPECT_EQ(a.at(1, 0).gyro, b.at(1, 0).gyro);
  for (const std::string& bad : {std::string("nonsense"), text + "0.01,1,2,3\n"}) {
    const std::string refusal = test::error_of([&] { (void)open_imu(put("bad.csv", bad)); });
    EXPECT_NE(refusal, "");
    EXPECT_EQ(refusal, test::error_of([&] { (void)open_imu(bad, path("bad.csv")); }));
  }
}

TEST_F(Bytes, OfRealSensorsAreReadAsTheFileIs) {
  for (const char* name :
       {"inertial/opensense/apdm/imuData01.csv", "inertial/vqf/imu_data.npz",
        "inertial/opensense/xsens/MT_012005D6_031-000_00B421AF.txt", "cases/15_still_pose_constant.sto"}) {
    PANTO_NEED_DATA(name);
    const std::string file = test::data_file(name);
    const ImuClip a = open_imu(file), b = open_imu(test::slurp(file), file);
    EXPECT_EQ(a.sensors, b.sensors) << name;
    EXPECT_EQ(a.times, b.times) << name;
    ASSERT_EQ(a.readings.size(), b.readings.size()) << name;
    for (std::size_t i = 0; i < a.readings.size(); ++i) {
      ASSERT_EQ(a.readings[i].gyro, b.readings[i].gyro) << name;
      ASSERT_EQ(a.readings[i].acc, b.readings[i].acc) << name;
    }
  }
}

TEST_F(Bytes, OfModelsAreReadAsTheFileIs) {
  std::vector<std::string> notes, known;
  const std::string urdf = write_urdf(test::small_robot());
  const Model a = open_model(put("a.urdf", urdf), scaled_subject(1.75), notes);
  const Model b = open_model(urdf, path("a.urdf"), known);
  EXPECT_EQ(a.joint_names(), b.joint_names());
  EXPECT_EQ(notes, known);
  const std::string table(shipped_robot_table("tee7"));
  EXPECT_EQ(open_model(table, "tee7.toml", notes).dof(),
            open_model("tee7", scaled_subject(1.75), notes).dof());
  EXPECT_NE(test::error_of([&] { (void)open_model("tee8", scaled_subject(1.75), notes); }).find("tee7"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { (void)open_model(table, "tee7.txt", notes); }).find(".urdf, .xml or .toml"),
            std::string::npos);
  for (const char* name : {"bad.urdf", "bad.toml"}) {
    const std::string refusal =
        test::error_of([&] { (void)open_model(put(name, "<<"), scaled_subject(1.75), notes); });
    EXPECT_NE(refusal, "");
    EXPECT_EQ(refusal, test::error_of([&] { (void)open_model(std::string("<<"), path(name), notes); }));
  }
}

TEST_F(Bytes, OfAMotionAreTheFile) {
  const Model model = human66();
  const Motion motion = swinging(model);
  const std::vector<Eigen::VectorXd> deviation(motion.states.size(),
                                               Eigen::VectorXd::Constant(model.dof(), 0.01));
  for (const char* name : {"a.csv", "a.npz", "a.mot", "a.sto", "a.bvh", "a.mvnx"}) {
    EXPECT_EQ(write_motion(motion, model, path(name)), 0U) << name;
    EXPECT_EQ(motion_bytes(motion, model, name), test::slurp(path(name))) << name;
  }
  WriteMotionOptions options;
  options.deviation = deviation;
  for (const char* name : {"b.csv", "b.npz", "b.mot"}) {
    EXPECT_EQ(write_motion(motion, model, path(name), options), 0U) << name;
    EXPECT_EQ(motion_bytes(motion, model, name, options), test::slurp(path(name))) << name;
    EXPECT_NE(test::slurp(path(name)), motion_bytes(motion, model, name)) << name;
  }
}

TEST_F(Bytes, OfAMotionAreRefusedWithTheReason) {
  const Model model = human66();
  Motion motion = swinging(model);
  EXPECT_NE(test::error_of([&] { (void)motion_bytes(motion, model, "a.txt"); }).find(".csv"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { (void)motion_bytes(motion, test::small_robot(), "a.bvh"); }), "");
  WriteMotionOptions options;
  const std::vector<Eigen::VectorXd> one(1, Eigen::VectorXd::Zero(model.dof()));
  options.deviation = one;
  EXPECT_EQ(test::error_of([&] { (void)motion_bytes(motion, model, "a.csv", options); }),
            "1 row of standard deviations for 40 frames");
  motion.states[7].t = motion.states[6].t;
  EXPECT_EQ(test::error_of([&] { (void)motion_bytes(motion, model, "a.csv"); }),
            "a.csv: 1 frame could not be written");
}

// ---- robots

const std::string kMap =
    "kind = \"robot map\"\nversion = 1\nmodel = \"a.urdf\"\n[segments]\nPelvis = \"base\"\nRightHand = "
    "\"hand\"\n"
    "[offsets_wxyz]\nPelvis = { link = \"base\", wxyz = [1, 0, 0, 0] }\n"
    "RightHand = { link = \"hand\", wxyz = [1, 0, 0, 0] }\n";

TEST_F(Bytes, OfARobotMapAreReadWithTheBytesOfItsModel) {
  const std::string urdf = write_urdf(test::small_robot());
  const std::string model = put("a.urdf", urdf), map = put("map.toml", kMap);
  const RobotFile a = open_robot(map);
  const RobotFile b = open_robot(kMap, map, [&](const std::string& name) -> std::optional<std::string> {
    return name == "a.urdf" ? std::optional(urdf) : std::nullopt;
  });
  EXPECT_EQ(a.urdf, model);
  EXPECT_EQ(b.urdf, "") << "there is no file";
  for (const RobotFile* robot : {&a, &b}) {
    ASSERT_TRUE(robot->map);
    EXPECT_EQ(robot->map->attachments.attachments.size(), 2U);
    EXPECT_EQ(robot->model.name(), "small");
    EXPECT_EQ(robot->model_name, "a.urdf");
  }
  EXPECT_EQ(test::error_of([&] { (void)open_robot(kMap, "map.toml", {}); }),
            "map.toml: its `model`: a.urdf: not found");
}

TEST_F(Bytes, OfARobotAreReadAsTheFileIs) {
  const std::string urdf = write_urdf(shipped_robot("unitree_g1"));
  const RobotFile a = open_robot(put("g1.urdf", urdf)), b = open_robot(urdf, path("g1.urdf"), {});
  EXPECT_EQ(a.model.joint_names(), b.model.joint_names());
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_FALSE(a.map);
  ASSERT_EQ(a.feet.size(), b.feet.size());
  EXPECT_FALSE(a.feet.empty()) << "links of feet, without a point";
  EXPECT_TRUE(open_robot("unitree_g1").feet.empty()) << "a table has no shapes";
  EXPECT_NE(test::error_of([&] { (void)open_robot("unitree_g2"); }).find("unitree_g1"), std::string::npos);
}

}  // namespace
}  // namespace panto::io
