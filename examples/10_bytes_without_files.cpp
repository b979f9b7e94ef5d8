// How does Panto work where there is no file system: in a browser, behind a web service, on a controller?
//   10_bytes_without_files [URDF [BVH]]

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "panto/api/retarget.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/write_motion.hpp"

namespace {

// Stands for an upload. The names below only give the format, and name what is wrong in messages.
std::string received(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int answer(std::string urdf, std::string bvh) {
  const std::size_t asked = urdf.size() + bvh.size();
  const panto::Robot robot = panto::robot_of(panto::io::open_robot(std::move(urdf), "upload.urdf", {}));
  const auto clip = panto::io::open_recording(std::move(bvh), "upload.bvh");
  const panto::RetargetResult result = panto::retarget(*clip, robot);

  const std::string csv = panto::io::motion_bytes(result.motion, robot.model, "answer.csv");
  const std::string npz = panto::io::motion_bytes(result.motion, robot.model, "answer.npz");
  std::printf("%zu bytes in; out: %zu bytes of .csv, %zu of .npz\n", asked, csv.size(), npz.size());
  std::printf("%.*s\n", static_cast<int>(csv.find('\n')), csv.c_str());

  const auto lines = static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n'));
  std::printf("%zu lines for %zu frames of %d joints\n", lines, result.motion.states.size(),
              robot.model.dof());

  // what is wrong with an upload, and where
  try {
    (void)panto::io::open_recording("HIERARCHY\nROOT Hips\n{\n  OFSET 0 0 0\n", "upload.bvh");
  } catch (const panto::FormatError& error) {
    std::printf("refused: %s\n", error.what());
  }
  return lines == result.motion.states.size() + 1 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return answer(received(argc > 1 ? argv[1] : PANTO_EXAMPLE_DATA "/homemade.urdf"),
                  received(argc > 2 ? argv[2] : PANTO_EXAMPLE_DATA "/walk.bvh"));
  } catch (const panto::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
