// How does a robot that is weaker than a person imitate gestures, slower where it must, but whole?
//   07_imitate_gestures [RECORDING [ROBOT]]

#include <cstdio>

#include "panto/api/imitate.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/report/report.hpp"

namespace {

int imitate_clip(const char* path, const char* name) {
  const auto clip = panto::io::open_recording(path);
  const panto::Robot robot = panto::robot_of(panto::io::open_robot(name));
  const panto::ImitateResult imitated = panto::imitate(*clip, robot);

  for (const panto::GestureResult& gesture : imitated.gestures) {
    const panto::RecordedGesture& recorded = gesture.recorded;
    const panto::ScalingReport& scaling = gesture.result.scaling.value();
    std::printf("gesture %zu of %zu, %.2f to %.2f s: slowed down %.2f times, %zu swings scaled\n",
                recorded.number, recorded.of, panto::to_seconds(recorded.first),
                panto::to_seconds(recorded.last), scaling.time.stretch, scaling.range.swings.size());
    std::printf("  %s\n", recorded.gesture.reason.c_str());
    for (const panto::FastJoint& fast : scaling.time.fast)
      std::printf("  %s would need %.2f rad/s, its limit is %.2f\n",
                  robot.model.joint(fast.joint).name.c_str(), fast.peak, fast.limit);
    std::printf("  %zu frames, %lld of them too fast\n", gesture.result.motion.states.size(),
                static_cast<long long>(gesture.result.figures.velocity_violations));
  }
  const panto::Verdict verdict = panto::verdict_of(imitated, robot.model);
  std::printf("%s\n", verdict.sentence.c_str());
  return verdict.grade == panto::Verdict::Grade::Good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return imitate_clip(argc > 1 ? argv[1] : PANTO_EXAMPLE_DATA "/wave.bvh", argc > 2 ? argv[2] : "olivia17");
  } catch (const panto::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
