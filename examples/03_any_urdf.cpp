// Does Panto understand my robot, which it has never seen? Which link follows what, and why?
//   03_any_urdf [URDF [RECORDING]]

#include <cstdio>

#include "panto/api/check.hpp"
#include "panto/api/retarget.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/report/report.hpp"

namespace {

int use_urdf(const char* urdf, const char* path) {
  // finds arms, legs, sides, forward and soles from the tree and the shapes; names are only evidence
  const panto::Robot robot = panto::robot_of(panto::io::open_robot(urdf));
  const auto& attachments = robot.map.attachments.attachments;
  for (std::size_t i = 0; i < attachments.size(); ++i)
    std::printf("%-14s %-13s %s\n", attachments[i].segment.c_str(), attachments[i].link.c_str(),
                i < robot.reasons.size() ? robot.reasons[i].why.c_str() : "");
  for (const std::string& note : robot.notes) std::printf("note: %s\n", note.c_str());

  const panto::MapCheck check = panto::check(robot.map, robot.model);
  std::printf("%s\n", panto::verdict_of(check, "the map").sentence.c_str());
  if (!check.usable) return 1;

  const auto clip = panto::io::open_recording(path);
  const panto::RetargetResult result = panto::retarget(*clip, robot);
  const panto::Verdict verdict = panto::verdict_of(result, robot.model);
  std::printf("%s\n%s", verdict.sentence.c_str(), panto::figures_text(verdict).c_str());
  return verdict.grade == panto::Verdict::Grade::Good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return use_urdf(argc > 1 ? argv[1] : PANTO_EXAMPLE_DATA "/homemade.urdf",
                    argc > 2 ? argv[2] : PANTO_EXAMPLE_DATA "/walk.bvh");
  } catch (const panto::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
