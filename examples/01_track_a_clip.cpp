// What are the joint angles of the person in a clip?
//   01_track_a_clip [RECORDING [ANGLES]]     .bvh .mvnx .trc .npz .csv ... to .csv .mot .npz .bvh ...

#include <algorithm>
#include <cstdio>
#include <numbers>

#include "panto/api/track.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/report/report.hpp"

namespace {

int track_clip(const char* path, const char* output) {
  const auto clip = panto::io::open_recording(path);
  std::vector<std::string> notes;  // decisions and doubts, for people
  const panto::Model human = panto::human66(panto::subject_of(clip->info(), {}, {}, notes));
  const panto::TrackResult result = panto::track(*clip, human);

  const int knee = human.joint_index("jRightKnee_roty");
  double least = panto::kInfinity, most = -panto::kInfinity;
  for (const panto::State& state : result.motion.states) {
    least = std::min(least, state.s[knee]);
    most = std::max(most, state.s[knee]);
  }
  constexpr double kDegrees = 180.0 / std::numbers::pi;
  std::printf("%zu frames at %.0f Hz, %d joint angles each\n", result.motion.states.size(),
              result.motion.rate_hz, human.dof());
  std::printf("right knee: %.1f to %.1f degrees\n", least * kDegrees, most * kDegrees);
  std::printf("99 %% of the orientations are within %.4f degrees of the clip's\n",
              result.card.angle_p99_deg.value_or(panto::kInfinity));

  const panto::Verdict verdict = panto::verdict_of(result);
  std::printf("%s\n", verdict.sentence.c_str());
  if (output) panto::io::write_motion(result.motion, human, output);
  return verdict.grade == panto::Verdict::Grade::Good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return track_clip(argc > 1 ? argv[1] : PANTO_EXAMPLE_DATA "/walk.bvh", argc > 2 ? argv[2] : nullptr);
  } catch (const panto::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
