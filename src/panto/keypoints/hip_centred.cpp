#include "panto/keypoints/hip_centred.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/keypoints/body_points.hpp"

namespace panto::keypoints {
namespace {

using Eigen::Vector3d;
using enum Landmark::Index;

constexpr double kAtOrigin = 0.005;  // of the distance from the hips to the farthest point
constexpr double kMost = 0.95;       // share of the frames
constexpr double kOnFloor = 0.04;    // [m] above the lower foot, that a standing foot may be
constexpr double kMemory = 3.0;      // frames

constexpr std::array kSole{HeelPoint, BallPoint, ToeTipPoint, BigToePoint, SmallToePoint};

struct Contact {
  int landmark = -1;
  double height = std::numeric_limits<double>::infinity();
};

// the lowest point of a foot; the ankle where the set has no foot
Contact lowest(const BodyPoints& points, int side) {
  Contact found;
  const auto try_point = [&](Landmark::Index point) {
    const double z = points[at(sided(point, side))].z();
    if (z < found.height) found = {sided(point, side), z};
  };
  for (const Landmark::Index point : kSole) try_point(point);
  if (found.landmark < 0) try_point(AnkleJoint);
  return found;
}

// The path of the hips over feet that stand.
class Feet {
 public:
  Feet() { before_.fill(no_point()); }

  [[nodiscard]] const Vector3d& base() const noexcept { return base_; }

  // Moves the base by what the standing foot moves back. Of two feet on the floor, the one stands that keeps
  // the base's velocity: a foot that is lifted, or lands, speeds up. Returns false if no foot is seen.
  bool follow(const BodyPoints& points) {
    const std::array<Contact, 2> foot{lowest(points, 0), lowest(points, 1)};
    const double floor = std::min(foot[0].height, foot[1].height);
    Eigen::Vector2d step = Eigen::Vector2d::Zero();
    double least = std::numeric_limits<double>::infinity();
    for (const Contact& contact : foot) {
      if (contact.landmark < 0 || contact.height > floor + kOnFloor) continue;
      const Eigen::Vector2d moves = (before_[at(contact.landmark)] - points[at(contact.landmark)]).head<2>();
      const double change = (moves - velocity_).norm();
      if (!(change < least)) continue;
      least = change;
      step = moves;
    }
    before_ = points;
    if (!(floor < std::numeric_limits<double>::infinity())) return false;
    base_.head<2>() += step;
    base_.z() = -floor;
    velocity_ += (step - velocity_) / kMemory;
    return true;
  }

 private:
  Vector3d base_ = Vector3d::Zero();
  Eigen::Vector2d velocity_ = Eigen::Vector2d::Zero();  // a frame [m]
  BodyPoints before_;
};

}  // namespace

bool is_hip_centred(const KeypointClip& clip) {
  const std::vector<int> landmarks = read_landmark_names(clip.names).landmark;
  const auto point_of = [&](int landmark) {
    const auto found = std::find(landmarks.begin(), landmarks.end(), landmark);
    return found == landmarks.end() ? -1 : static_cast<int>(found - landmarks.begin());
  };
  const int middle = point_of(HipsMiddle);
  const std::array<int, 2> hips{middle >= 0 ? middle : point_of(sided(HipJoint, 0)),
                                middle >= 0 ? middle : point_of(sided(HipJoint, 1))};
  if (hips[0] < 0 || hips[1] < 0) return false;
  std::int64_t centred = 0, seen = 0;
  for (int k = 0; k < clip.frames(); ++k) {
    const Vector3d centre = 0.5 * (clip.position(k, hips[0]) + clip.position(k, hips[1]));
    if (!centre.allFinite()) continue;
    double reach = 0.0;
    for (int j = 0; j < clip.points(); ++j) reach = std::fmax(reach, (clip.position(k, j) - centre).norm());
    ++seen;
    centred += centre.norm() < kAtOrigin * reach ? 1 : 0;
  }
  return centred > 0 && static_cast<double>(centred) >= kMost * static_cast<double>(seen);
}

std::string give_path(KeypointClip& clip) {
  std::vector<Vector3d> shift(at(clip.frames()), Vector3d::Zero());
  bool feet = false;
  try {
    const BodyPointFinder finder(clip, {});
    Feet path;
    BodyPoints points;
    for (int k = 0; k < clip.frames(); ++k) {
      finder.points(k, points);
      feet = path.follow(points) || feet;
      shift[at(k)] = finder.R_WF().transpose() * path.base() / finder.unit();
    }
  } catch (const FormatError&) {
    return {};  // no body; whoever opens the clip says so
  }
  if (!feet) return {};
  for (int k = 0; k < clip.frames(); ++k) {
    for (int j = 0; j < clip.points(); ++j)
      Vector3d::Map(clip.positions.data() + 3 * (at(k) * clip.names.size() + at(j))) += shift[at(k)];
  }
  return "the points are centred on the hips and have no path: the lower foot stands on the floor and stays "
         "in "
         "its place; jumps and slides are lost";
}

}  // namespace panto::keypoints
