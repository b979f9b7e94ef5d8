// How does a robot that ships with Panto repeat a clip, without its feet sliding?
//   02_retarget_to_a_robot [RECORDING [ROBOT [OUTPUT]]]     ROBOT: unitree_g1, icub, ...

#include <cstdio>

#include "panto/api/retarget.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/report/report.hpp"

namespace {

int retarget_clip(const char* path, const char* name, const char* output) {
  const auto clip = panto::io::open_recording(path);
  const panto::Robot robot = panto::robot_of(panto::io::open_robot(name));
  panto::RetargetOptions options;
  options.feet = panto::FeetMode::Plant;  // the default; Soft and Off are the others
  const panto::RetargetResult result = panto::retarget(*clip, robot, options);

  const panto::RobotFigures& figures = result.figures;
  std::printf("%s: %zu frames, %d joints\n", name, result.motion.states.size(), robot.model.dof());
  std::printf("stance feet slide at %.2f mm/s (median)\n",
              figures.foot_skate_median_mm_s.value_or(panto::kInfinity));
  std::printf("joints outside their limits: %lld, too fast: %lld\n",
              static_cast<long long>(figures.limit_violations),
              static_cast<long long>(figures.velocity_violations));

  const panto::Verdict verdict = panto::verdict_of(result, robot.model);
  std::printf("%s\n%s", verdict.sentence.c_str(), panto::figures_text(verdict).c_str());
  if (output) panto::io::write_motion(result.motion, robot.model, output);
  return verdict.grade == panto::Verdict::Grade::Good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return retarget_clip(argc > 1 ? argv[1] : PANTO_EXAMPLE_DATA "/walk.bvh",
                         argc > 2 ? argv[2] : "unitree_g1", argc > 3 ? argv[3] : nullptr);
  } catch (const panto::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
