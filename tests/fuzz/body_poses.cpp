// Poses of body models, put together from members.

#include "panto/io/body_model.hpp"

#include "panto/recording/recording.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_poses(Bytes bytes) {
  io::BodyPoses poses = io::read_body_poses(archive_of(bytes), "damaged.npz");
  promise(poses.turns.size() % io::kBodyJoints == 0, "a turn a joint and frame");
  promise(poses.path.size() == poses.turns.size() / io::kBodyJoints || poses.path.empty(), "a place a frame");
  promise(std::isfinite(poses.rate_hz) && poses.rate_hz >= 0.0, "the rate is a number");
  for (const Eigen::Vector3d& turn : poses.turns) promise(turn.allFinite(), "turns are finite");
  for (const Eigen::Vector3d& place : poses.path) promise(place.allFinite(), "places are finite");
  if (poses.turns.size() <= 200 * io::kBodyJoints)
    check_recording(*io::open_body_poses(std::move(poses), {}));
}

Seeds seeds_of_poses() {
  std::vector<double> poses;
  for (int k = 0; k < 4 * 24 * 3; ++k) poses.push_back(0.01 * (k % 17));
  const std::vector<double> path(4 * 3, 0.5);
  return {members_in_a_row({{"poses.npy", io::npy(poses, "4, 72")},
                            {"trans.npy", io::npy(path, "4, 3")},
                            {"mocap_frame_rate.npy", io::npy(std::vector<double>{120.0}, "1,")},
                            {"betas.npy", io::npy(std::vector<double>(10, 0.0), "10,")}})};
}

const Registered poses_target("body_poses", check_poses, seeds_of_poses);

}  // namespace
}  // namespace panto::fuzz
