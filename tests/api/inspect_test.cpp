#include "panto/api/inspect.hpp"

#include <gtest/gtest.h>

#include "panto/base/error.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/model/human.hpp"
#include "panto/report/report.hpp"
#include "tests/io/table_fixture.hpp"
#include "tests/support/inspected.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

std::string walking(const std::string& name, const Model& model = human66()) {
  Motion motion;
  motion.rate_hz = 50.0;
  for (int k = 0; k < 60; ++k) {
    State state = rest_state(model);
    state.t = frame_time(k, 50.0);
    state.p_WB.x() += 0.01 * k;
    motion.states.push_back(std::move(state));
  }
  return io::motion_bytes(motion, model, name);
}

class Inspected : public test::TableTest {};

TEST_F(Inspected, BytesGiveTheSameAsTheFile) {
  for (const char* name : {"a.bvh", "a.mvnx", "a.csv", "a.mot", "a.sto", "a.npz"}) {
    const std::string bytes = walking(name), file = put(name, bytes);
    EXPECT_EQ(to_json(test::inspected(file)), to_json(inspect_bytes(bytes, file))) << name;
  }
}

TEST_F(Inspected, RecordingsNeedNoFile) {
  const auto recording = io::open_recording(walking("a.mvnx"), "a.mvnx");
  const Inspection found = inspect(*recording);
  EXPECT_TRUE(found.trackable) << found.refusal;
  EXPECT_EQ(found.format, "mvnx 4");
  EXPECT_EQ(found.figures.frames, 60);
  EXPECT_FALSE(found.mvnx) << "only the file has a header";
  const Inspection file = inspect_bytes(walking("a.mvnx"), "a.mvnx");
  ASSERT_TRUE(file.mvnx);
  EXPECT_EQ(file.mvnx->segments, 23U);
  EXPECT_EQ(file.figures.frames, 60);
}

TEST_F(Inspected, SkeletonsWithoutAPersonAreDescribedInFull) {
  const std::string chair =
      "HIERARCHY\nROOT seat\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site\n{\nOFFSET "
      "0 0 1\n"
      "}\n}\nMOTION\nFrames: 2\nFrame Time: 0.02\n0 0 0\n1 0 0\n";
  const Inspection found = inspect_bytes(chair, "chair.bvh");
  EXPECT_FALSE(found.trackable);
  EXPECT_NE(found.refusal, "");
  ASSERT_TRUE(found.skeleton);
  EXPECT_EQ(found.skeleton->joints, std::vector<std::string>{"seat"});
  EXPECT_EQ(found.file_frames, 2);
}

TEST_F(Inspected, TablesWithoutAPersonAreDescribedInFull) {
  const std::string forces = "endheader\ntime\tforce\n0\t1\n1\t2\n";
  const Inspection found = inspect_bytes(forces, "forces.sto");
  EXPECT_FALSE(found.trackable);
  ASSERT_TRUE(found.table);
  EXPECT_EQ(found.table->columns, std::vector<std::string>{"force"});
}

TEST_F(Inspected, NamesWhatAFileIsThatIsNoRecordingOfAPerson) {
  const auto refused = [](const std::string& bytes, const std::string& name) {
    return test::refusal_of<FormatError>([&] { (void)inspect_bytes(bytes, name); });
  };
  EXPECT_TRUE(test::names(refused("time_s,base_x_m,base_qw,hip_yaw_rad,knee_rad\n0,0,1,0,0\n", "g1.csv"),
                          "2 joint angles of a robot (hip_yaw, knee)", "panto retarget"));
  const Inspection table = inspect_bytes("endheader\ntime\tpelvis_tilt\thip_yaw\n0\t0\t0\n", "g1.mot");
  EXPECT_TRUE(test::names(table.refusal, "another model than human66 or human48 (hip_yaw)"));
  EXPECT_TRUE(test::names(refused(walking("g1.npz", io::open_robot("unitree_g1").model), "g1.npz"),
                          "joint angles", "a result, not a recording"));
  EXPECT_TRUE(test::names(refused("i,imu1_ax,imu1_ay,imu1_az\n0,0,0,9.8\n", "a.csv"),
                          "raw sensors ('imu1_ax', 'imu1_ay', 'imu1_az')", "<sensor>.acc_x_m_s2"))
      << "no column of time";
  const std::string comma = "// Update Rate: 100.0Hz\nPacketCounter,Acc_X,Acc_Y,Acc_Z\n1,0,0,9.8\n";
  for (const auto& [text, name] : {std::pair<std::string, const char*>{comma, "mt.csv"},
                                   {comma, "mt.txt"},
                                   {"t;Acc_X;Acc_Y;Acc_Z\n0;0;0;9.8\n", "a.txt"}})
    EXPECT_TRUE(test::names(refused(text, name), "raw inertial sensors, not segments"));
  EXPECT_TRUE(test::names(refused("time,force\n0,1\n", "a.csv"), "unknown table")) << "no sensors to be seen";
}

TEST_F(Inspected, WhatCannotBeReadIsRefused) {
  EXPECT_THROW((void)inspect_bytes("nonsense", "a.dat"), FormatError);
  EXPECT_THROW((void)inspect_bytes("HIERARCHY\nnonsense", "a.bvh"), FormatError);
  EXPECT_THROW((void)test::inspected(path("absent.bvh")), FormatError);
}

}  // namespace
}  // namespace panto
