// panto_npz_probe IN.npz OUT.npz: reads an archive of keypoints, prints it as JSON and writes it anew, for
// NumPy to check both ways.

#include <cmath>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "panto/io/keypoint_io.hpp"
#include "panto/math/so3.hpp"

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fputs("usage: panto_npz_probe IN.npz OUT.npz\n", stderr);
    return 2;
  }
  const panto::KeypointClip clip = panto::io::read_npz(argv[1]);
  const auto out = panto::io::create_npz(argv[2], clip.names, {clip.rate_hz});
  nlohmann::json positions = nlohmann::json::array();
  for (int k = 0; k < clip.frames(); ++k) {
    panto::SegmentSample sample;
    sample.t = clip.times[static_cast<std::size_t>(k)];
    for (int j = 0; j < clip.points(); ++j) {
      panto::SegmentMotion& segment = sample.segments.emplace_back();
      const Eigen::Vector3d p = clip.position(k, j);
      const Eigen::Vector4d q = clip.orientation(k, j);
      segment.has_position = p.allFinite();
      if (segment.has_position) segment.p_WS = p;
      segment.has_orientation = q.allFinite();
      if (segment.has_orientation) segment.R_WS = panto::so3::from_quaternion_wxyz(q);
      for (const double x : p) positions.push_back(std::isfinite(x) ? nlohmann::json(x) : nlohmann::json());
    }
    (void)out->write(sample);
  }
  out->close();
  std::puts(nlohmann::json{
      {"names", clip.names}, {"rate", clip.rate_hz}, {"times", clip.times}, {"positions", positions}}
                .dump()
                .c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
