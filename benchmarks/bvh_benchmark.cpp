// Reading BVH: the parser beside a bare loop of the C library's strtod over the same text, and forward
// kinematics of every frame. Both must give the same numbers: the largest difference stands in the row.
//   bvh_benchmark [FILE...]      without a file: a made-up clip of 100 joints, 60 s at 120 Hz

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/timing.hpp"
#include "panto/base/error.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/text_scanner.hpp"

namespace {

using panto::bench::time;
using panto::bench::Times;

// three angles a joint, written with six decimals as exporters do
std::string made_up_clip() {
  constexpr int joints = 100, frames = 7200;
  std::vector<panto::io::BvhJoint> tree(joints);
  for (int i = 0; i < joints; ++i) {
    panto::io::BvhJoint& joint = tree[static_cast<std::size_t>(i)];
    joint.name = "joint" + std::to_string(i);
    joint.parent = i == 0 ? -1 : (i - 1) / 2;
    joint.offset = {0.0, 10.0, 0.0};
    joint.channels = {panto::io::BvhChannel::Zrotation, panto::io::BvhChannel::Xrotation,
                      panto::io::BvhChannel::Yrotation};
    if (2 * i + 1 >= joints) joint.end_sites.emplace_back(0.0, 5.0, 0.0);
  }
  std::string text = panto::io::write_bvh_hierarchy(tree);
  text += "MOTION\nFrames: " + std::to_string(frames) + "\nFrame Time: 0.00833333\n";
  char number[40];
  for (int f = 0; f < frames; ++f) {
    for (int c = 0; c < 3 * joints; ++c) {
      std::snprintf(number, sizeof number, "%.6f ", 90.0 * std::sin(0.01 * f + c));
      text += number;
    }
    text += '\n';
  }
  return text;
}

// all numbers behind "Frame Time:" by strtod
void read_by_strtod(const std::string& text, std::vector<double>& values) {
  values.clear();
  const char* at = text.c_str() + text.find("Frame Time:") + 11;
  char* end = nullptr;
  std::strtod(at, &end);
  for (at = end;; at = end) {
    const double value = std::strtod(at, &end);
    if (end == at) return;
    values.push_back(value);
  }
}

void measure(const std::string& name, const std::string& text) {
  panto::io::BvhClip clip;
  std::vector<double> plain;
  const Times parser = time([&] { clip = panto::io::read_bvh(text, name); });
  const Times peer = time([&] { read_by_strtod(text, plain); });
  double difference = plain.size() == clip.values.size() ? 0.0 : HUGE_VAL;
  for (std::size_t i = 0; i < clip.values.size() && difference < HUGE_VAL; ++i)
    difference = std::max(difference, std::abs(plain[i] - clip.values[i]));
  panto::SkeletonPose pose;
  const Times kinematics = time([&] {
    for (std::int64_t f = 0; f < clip.frame_count; ++f) panto::io::bvh_pose(clip, f, pose);
  });
  const double megabytes = static_cast<double>(text.size()) / 1e6;
  const auto frames = static_cast<double>(std::max<std::int64_t>(clip.frame_count, 1));
  const std::string shown = name.size() > 24 ? "..." + name.substr(name.size() - 21) : name;
  std::printf("%-24s %6.1f %8.1f %8.1f %8.1f %7.0f %9.0f %6.1f %8.1g %9.2f\n", shown.c_str(), megabytes,
              1e3 * parser.p50, 1e3 * parser.p99, 1e3 * parser.max, megabytes / parser.p50,
              megabytes / peer.p50, peer.p50 / parser.p50, difference, 1e6 * kinematics.p50 / frames);
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%-24s %6s %8s %8s %8s %7s %9s %6s %8s %9s\n", "clip", "MB", "p50 ms", "p99 ms", "max ms",
              "MB/s", "strtod", "ratio", "differs", "FK us/fr");
  try {
    if (argc < 2) measure("made up, 100 joints", made_up_clip());
    for (int i = 1; i < argc; ++i) measure(argv[i], panto::io::read_text_file(argv[i], std::size_t{1} << 30));
  } catch (const panto::Error& error) {
    std::fprintf(stderr, "bvh_benchmark: %s\n", error.what());
    return 3;
  }
  return 0;
}
