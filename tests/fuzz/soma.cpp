// Kimodo's arrays of the SOMA skeleton, put together from members.

#include "panto/io/soma_motion.hpp"

#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_soma(Bytes bytes) {
  const std::string packed = archive_of(bytes);
  const io::NpzArchive archive(packed, "damaged.npz");
  if (!io::holds_soma(archive)) throw FormatError("damaged.npz: holds other arrays");
  const io::BvhClip clip = io::read_soma(archive, "damaged.npz");
  for (const double value : clip.values) promise(std::isfinite(value), "numbers are finite");
  check_recording(*io::open_bvh(clip));
}

// a person of 30 joints in the T-pose, y up, for two frames
Seeds seeds_of_soma() {
  constexpr std::array<std::array<double, 3>, 30> pose{
      {{0, 1, 0},           {0, 1.1, 0},      {0, 1.2, 0},      {0, 1.3, 0},        {0, 1.5, 0},
       {0, 1.55, 0},        {0, 1.6, 0},      {0, 1.6, 0.05},   {0.03, 1.65, 0.05}, {-0.03, 1.65, 0.05},
       {0.05, 1.45, 0},     {0.15, 1.45, 0},  {0.45, 1.45, 0},  {0.7, 1.45, 0},     {0.75, 1.45, 0.05},
       {0.85, 1.45, 0},     {-0.05, 1.45, 0}, {-0.15, 1.45, 0}, {-0.45, 1.45, 0},   {-0.7, 1.45, 0},
       {-0.75, 1.45, 0.05}, {-0.85, 1.45, 0}, {0.1, 0.95, 0},   {0.1, 0.5, 0},      {0.1, 0.08, 0},
       {0.1, 0.0, 0.13},    {-0.1, 0.95, 0},  {-0.1, 0.5, 0},   {-0.1, 0.08, 0},    {-0.1, 0.0, 0.13}}};
  std::vector<double> places, turns;
  for (int frame = 0; frame < 2; ++frame) {
    for (const auto& place : pose) {
      places.insert(places.end(), place.begin(), place.end());
      for (const double x : {1, 0, 0, 0, 1, 0, 0, 0, 1}) turns.push_back(x);
    }
  }
  return {members_in_a_row({{"posed_joints.npy", io::npy(places, "2, 30, 3")},
                            {"global_rot_mats.npy", io::npy(turns, "2, 30, 3, 3")}})};
}

const Registered soma_target("soma", check_soma, seeds_of_soma);

}  // namespace
}  // namespace panto::fuzz
