// Archives of points, put together from members.

#include "panto/io/keypoint_io.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_points(Bytes bytes) { check_clip(io::read_npz(archive_of(bytes), "damaged.npz")); }

Seeds seeds_of_points() {
  std::vector<double> places(3 * 2 * 3, 0.5);
  const std::string names = io::npy(std::vector<std::string>{"hip", "knee"}, "2,");
  return {members_in_a_row({{"keypoints.npy", io::npy(places, "3, 2, 3")},
                            {"names.npy", names},
                            {"fps.npy", io::npy(std::vector<double>{50.0}, "")}}),
          members_in_a_row({{"keypoints.npy", io::npy(places, "3, 2, 3")},
                            {"names.npy", names},
                            {"orientations.npy", io::npy(std::vector<double>(24, 0.5), "3, 2, 4")},
                            {"times.npy", io::npy(std::vector<double>{0.0, 0.1, 0.2}, "3,")}})};
}

const Registered points_target("points_npz", check_points, seeds_of_points);

}  // namespace
}  // namespace panto::fuzz
