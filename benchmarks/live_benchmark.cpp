// Streams a recording through LiveRetargeter, with soft feet and with every look-ahead: prints one CSV row
// each with the step's times in us, stances let go and a hash.
//
// live_benchmark CLIP ROBOT [FOLDER]: FOLDER gets the motions as live-soft_CLIP.npz, live-0.1_CLIP.npz and so
// on, which `./dev bench-retarget CLIP --motions FOLDER` judges.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "panto/api/live_retargeter.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/recording/person_reader.hpp"

namespace {

struct Clip {
  std::string path;
  double rate_hz = 0.0;
  std::vector<std::string> names;
  std::vector<panto::SegmentSample> samples;
  panto::SubjectDimensions subject;
};

Clip read(const std::string& path) {
  const auto recording = panto::io::open_recording(path);
  panto::PersonReader reader(*recording);
  std::vector<std::string> notes;
  Clip clip{path,
            recording->info().rate_hz,
            reader.names(),
            {},
            panto::subject_of(recording->info(), {}, {}, notes)};
  panto::SegmentSample sample;
  while (reader.read(sample) == panto::ReadStatus::Sample) clip.samples.push_back(sample);
  return clip;
}

void stream(const Clip& clip, const panto::Robot& robot, std::optional<double> look_ahead,
            const std::string& folder) {
  panto::RetargetOptions options;
  if (look_ahead) {
    options.live.look_ahead = *look_ahead;
  } else {
    options.feet = panto::FeetMode::Soft;
  }
  panto::LiveRetargeter live(robot, clip.names, clip.subject, options);
  std::vector<panto::State> states;
  std::vector<double> times;
  panto::State state = live.rest_state();
  for (const panto::SegmentSample& sample : clip.samples) {
    const auto start = std::chrono::steady_clock::now();
    const panto::StepStatus status = live.step(sample, state);
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (panto::advanced(status)) states.push_back(state);
  }
  while (panto::advanced(live.drain(state))) states.push_back(state);
  std::sort(times.begin(), times.end());
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const panto::State& s : states) hash = panto::state_hash(s, hash);
  const std::string name = look_ahead ? std::to_string(*look_ahead).substr(0, 3) : "soft";
  const std::size_t last = times.size() - 1;
  std::printf("%s,%.1f,%.1f,%lld,%016llx\n", name.c_str(), 1e6 * times[last / 2],
              1e6 * times[last * 99 / 100], static_cast<long long>(live.let_go()),
              static_cast<unsigned long long>(hash));
  if (folder.empty()) return;
  const std::string stem = std::filesystem::path(clip.path).stem().string();
  panto::io::StateFileOptions file;
  file.rate_hz = clip.rate_hz;
  const std::string path = folder + "/live-" + name + "_" + stem + ".npz";
  const auto out = panto::io::create_state_file(panto::io::Destination(path), robot.model, file);
  for (const panto::State& s : states) {
    if (out->write(s) != panto::WriteStatus::Written) break;  // `close` throws
  }
  out->close();
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fputs("live_benchmark CLIP ROBOT [FOLDER]\n", stderr);
    return 2;
  }
  const Clip clip = read(argv[1]);
  if (clip.samples.empty()) throw std::runtime_error(clip.path + ": holds no frame of motion");
  const panto::Robot robot = panto::robot_of(panto::io::open_robot(argv[2]));
  std::puts("look_ahead_s,p50_us,p99_us,let_go,hash");
  stream(clip, robot, std::nullopt, argc > 3 ? argv[3] : "");
  for (const double look_ahead : {0.0, 0.1, 0.2, 0.3})
    stream(clip, robot, look_ahead, argc > 3 ? argv[3] : "");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
