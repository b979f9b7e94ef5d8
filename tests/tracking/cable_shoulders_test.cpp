// A robot from a file whose coupled joints the file does not tell: the iCub with the rows of its shoulders'
// cables and of its wrists, which the authors of the paper give as inequalities (formats, section 6.4).

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "panto/evaluation/report_card.hpp"
#include "panto/ik/alignment.hpp"
#include "panto/ik/dynamical.hpp"
#include "panto/ik/row_limits.hpp"
#include "panto/io/urdf.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

constexpr const char* kFile = "models/icub/teleoperation_iCub_model_V_2_5.urdf";

Model icub_with_cables() {
  struct Row {
    std::array<double, 5> a;
    double lower, upper;
  };
  const std::array<const char*, 5> joints{"shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow",
                                          "wrist_prosup"};
  const double inf = kInfinity;
  ModelSpec spec = io::read_urdf(test::data_file(kFile)).spec();
  for (const std::string side : {"l_", "r_"}) {
    for (const Row& row :
         {Row{{1.7105, -1.7105, 0, 0, 0}, -6.0563, inf},
          Row{{1.7105, -1.7105, -1.7105, 0, 0}, -6.3979, 1.9622}, Row{{0, 1, 1, 0, 0}, -1.1623, 3.7228},
          Row{{0, 1, 0.0427, 0, 0}, 0.4611, inf}, Row{{0, 1, 0, 0, 0}, -inf, 1.7453},
          Row{{0, 0, 0, 2.5, 1}, -inf, 5.2796}, Row{{0, 0, 0, -2.5, 1}, -5.2796, inf}}) {
      CoupledRow coupled;
      coupled.name = side + "row" + std::to_string(spec.rows.size());
      for (std::size_t k = 0; k < 5; ++k) {
        if (row.a[k] != 0.0) coupled.terms.push_back({side + joints[k], row.a[k]});
      }
      coupled.lower = row.lower;
      coupled.upper = row.upper;
      spec.rows.push_back(coupled);
    }
  }
  return Model{spec};
}

TEST(CableShoulders, StayInsideTheirRowsWhileTheRobotIsSentBeyondThem) {
  PANTO_NEED_DATA(kFile);
  const Model model = icub_with_cables();
  ASSERT_EQ(model.rows().size(), 14U);
  test::Random random(1);
  DynamicalOptions options = robot_options();
  Targets targets;
  for (const char* link :
       {"root_link", "chest", "r_upper_arm", "l_upper_arm", "r_forearm", "l_forearm", "r_hand", "l_hand"}) {
    Target row;
    row.link = model.link_index(link);
    row.position_weight = targets.rows.empty() ? 25.0 : 0.0;
    row.has_orientation = true;
    row.has_position = targets.rows.empty();
    targets.rows.push_back(row);
  }
  DynamicalSolver solver(model, targets.rows, options);
  Aligner aligner(model, targets.rows, options);
  const RowLimits rows(model, options.limits, JointLimits(model, options.limits).speed());
  Kinematics kinematics(model);
  State state = rest_state(model);
  std::array<int, ReportBuilder::kFallbackLevels> levels{};
  int pushed = 0, solves = 0;
  const int steps = test::scaled_numerical(3000);
  for (int k = 0; k < steps; ++k) {
    if (k % 40 == 0) {
      // any joints inside the boxes: mostly outside the rows
      const State pose = test::random_state(model, random);
      kinematics.update(pose);
      for (Target& row : targets.rows) {
        row.R_WF = kinematics.R_WL(row.link);
        row.p_WF = kinematics.p_WL(row.link);
      }
      if (rows.violation(pose.s) > 1e-3) ++pushed;
      if (k == 0) {
        aligner.align(targets, state);
        solver.prime(targets);
      }
    }
    targets.t += 10'000'000;
    const StepStatus status = solver.step(targets, state);
    ASSERT_TRUE(usable(status)) << to_string(status) << " at step " << k;
    ++levels[static_cast<std::size_t>(solver.last_report().fallback_level)];
    solves += solver.last_report().solves;
    ASSERT_LE(rows.violation(state.s), 1e-9) << "step " << k;
    for (int i = 0; i < model.dof(); ++i) {
      ASSERT_GE(state.s[i], model.lower()[i]);
      ASSERT_LE(state.s[i], model.upper()[i]);
    }
    ASSERT_EQ(solver.last_report().clamped, 0);
  }
  std::printf("%d steps, %d of %d poses outside the rows; solves %.2f; levels %d %d %d %d %d %d\n", steps,
              pushed, (steps + 39) / 40, static_cast<double>(solves) / steps, levels[0], levels[1], levels[2],
              levels[3], levels[4], levels[5]);
  EXPECT_GT(pushed, steps / 80) << "the poses are meant to be outside";
  EXPECT_EQ(levels[3] + levels[4] + levels[5], 0) << "inside the rows there is always an answer";
}

}  // namespace
}  // namespace panto
