#pragma once
// Cleans points as they come: a causal filter that calms slow points and lets fast ones through.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/keypoints/point_bones.hpp"

namespace panto::keypoints {

/// Options of the One-Euro filter [Casiez, Roussel, Vogel, CHI 2012]: the cut-off grows with the speed.
struct LiveOptions {
  double slow_hz = 2.0;    ///< cut-off of a point at rest, > 0
  double per_speed = 6.0;  ///< [Hz per m/s], >= 0
  double speed_hz = 1.0;   ///< cut-off of the speed, > 0
  double hold = 0.2;       ///< [s] a lost point keeps its speed for so long
  std::size_t learn = 60;  ///< frames from which the lengths of bones are learnt
};

/// Filters the points of one person, frame by frame; bones keep the lengths that the first frames showed.
class LivePoints {
 public:
  /// `names`: of the points. `metre`: in their unit, > 0. @throws ConfigError otherwise.
  LivePoints(const std::vector<std::string>& names, double metre, const LiveOptions& options = {});

  /// Cleans the points of a frame in place; NaN: not seen. A frame whose time does not advance is left as it
  /// is. Points in another number are left too.
  void clean(Time t, std::vector<Eigen::Vector3d>& points);

 private:
  struct Follower {
    Eigen::Vector3d measured, place;  // last
    Eigen::Vector3d speed = Eigen::Vector3d::Zero();
    Time seen = 0;
    bool known = false;
  };

  void follow(Time t, double dt, Follower& follower, Eigen::Vector3d& point) const;

  LiveOptions options_;
  double metre_;
  std::vector<int> landmarks_;
  std::vector<Follower> followers_;
  Time last_ = 0;
  bool begun_ = false;
  PointTable table_;  // frames while bones are learnt, then one frame
  std::vector<PointBone> bones_;
  bool learnt_ = false;
};

}  // namespace panto::keypoints
