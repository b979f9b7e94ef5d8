#pragma once
// Pairs of named points whose distance hardly changes, and how long it is in a clip.

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

namespace panto::keypoints {

/// Points over frames, in one array: frame by frame, then point by point. NaN: not seen.
struct PointTable {
  int frames = 0, points = 0;
  std::vector<Eigen::Vector3d> p = {};

  [[nodiscard]] Eigen::Vector3d& at(int frame, int point) {
    return p[static_cast<std::size_t>(frame) * static_cast<std::size_t>(points) +
             static_cast<std::size_t>(point)];
  }
  [[nodiscard]] const Eigen::Vector3d& at(int frame, int point) const {
    return p[static_cast<std::size_t>(frame) * static_cast<std::size_t>(points) +
             static_cast<std::size_t>(point)];
  }
  [[nodiscard]] bool seen(int frame, int point) const { return at(frame, point).allFinite(); }
};

/// Two points of a body. `inner` is nearer to the pelvis.
struct PointBone {
  int inner = 0, outer = 0;
  double length = 0.0;  ///< median over the clip
  double spread = 0.0;  ///< 1.48 times the median deviation from it
  bool rigid = true;    ///< false: near each other, but the distance is no bone's
};

/// Returns the bones among the columns of a table, whose meanings are `landmarks` (`Landmark` or -1), from
/// the trunk outwards: those that are seen together. Of several columns with one meaning the first counts.
[[nodiscard]] std::vector<PointBone> find_bones(const PointTable& table, const std::vector<int>& landmarks);

/// Calls `use` with the other point, the length and spread of every bone at `point`.
void for_bones_at(const std::vector<PointBone>& bones, int point,
                  const std::function<void(int, const PointBone&)>& use);

/// Moves points so that rigid bones keep their lengths, as little as possible. `movable` is as large as the
/// table; other points stay.
void keep_lengths(PointTable& table, const std::vector<PointBone>& bones,
                  const std::vector<unsigned char>& movable);

}  // namespace panto::keypoints
