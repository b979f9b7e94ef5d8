#include "panto/rig/tree.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "panto/base/error.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"

namespace panto::rig {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int kMaxFrames = 100;  // frames examined: enough for statistics, few enough to be fast
constexpr double kStillTurn = 0.5 * M_PI / 180.0;  // [rad] may result from rounding of angles in a file

constexpr double kLoose = 0.15;  // variation of the distance to a parent that does not carry the joint

// finite, and small enough that the square is finite
bool is_finite(const SkeletonPose& pose) {
  const auto finite = [](const auto& m) { return m.allFinite() && m.cwiseAbs().maxCoeff() < 1e100; };
  return std::all_of(pose.p_FJ.begin(), pose.p_FJ.end(), finite) &&
         std::all_of(pose.R_FJ.begin(), pose.R_FJ.end(), finite);
}

}  // namespace

Tree::Tree(const SkeletonClip& clip) : clip_(clip) {
  check();
  const int total = static_cast<int>(clip.frames.size());
  const int kept = std::min(total, kMaxFrames);
  for (int i = 0; i < kept; ++i) {
    frames_.push_back(kept == 1 ? 0
                                : static_cast<int>(static_cast<std::int64_t>(i) * (total - 1) / (kept - 1)));
  }
  children_.resize(clip.joints.size());
  for (int j = 0; j < joint_count(); ++j) {
    if (parent(j) >= 0) children_[at(parent(j))].push_back(j);
  }
  build_points();
  measure_turns();
  measure_reach();
}

void Tree::check() const {
  const auto fail = [&](const std::string& what) { throw FormatError(clip_.name + ": " + what); };
  if (clip_.joints.empty()) fail("the skeleton has no joints");
  if (clip_.frames.empty()) fail("the clip has no frames");
  if (clip_.times.size() != clip_.frames.size()) fail("the clip has different numbers of times and frames");
  for (std::size_t j = 0; j < clip_.joints.size(); ++j) {
    const int parent = clip_.joints[j].parent;
    if (parent < -1 || parent >= static_cast<int>(j))
      fail("joint '" + clip_.joints[j].name + "' comes before its parent");
  }
  for (const SkeletonPose& pose : clip_.frames) {
    if (pose.p_FJ.size() != clip_.joints.size() || pose.R_FJ.size() != clip_.joints.size()) {
      fail("a frame and the skeleton have different numbers of joints");
    }
    if (!is_finite(pose)) fail("a frame has a number that is not finite or beyond 1e100");
  }
}

void Tree::build_points() {
  const std::size_t frames = frames_.size();
  tips_.resize(clip_.joints.size());
  for (int j = 0; j < joint_count(); ++j) {
    owner_.push_back(j);
    for (std::size_t f = 0; f < frames; ++f) points_.push_back(clip_.frames[at(frames_[f])].p_FJ[at(j)]);
  }
  double size = 0.0;  // of the whole skeleton; tips much closer to their joint are ignored
  for (const SkeletonJoint& joint : clip_.joints) {
    if (joint.parent >= 0)
      size = std::max(size, length(static_cast<int>(&joint - clip_.joints.data()), joint.parent));
  }
  for (int j = 0; j < joint_count(); ++j) {
    for (const Vector3d& tip : clip_.joints[at(j)].tips) {
      if (!tip.allFinite() || tip.norm() <= 1e-3 * size) continue;
      tips_[at(j)].push_back(point_count());
      owner_.push_back(j);
      for (std::size_t f = 0; f < frames; ++f) {
        points_.push_back(p(j, static_cast<int>(f)) + orientation(j, static_cast<int>(f)) * tip);
      }
    }
  }
}

void Tree::measure_turns() {
  turn_.assign(clip_.joints.size(), 0.0);
  for (int j = 0; j < joint_count(); ++j) {
    const auto relative = [&](int f) -> Matrix3d {
      return parent(j) < 0 ? orientation(j, f)
                           : Matrix3d(orientation(parent(j), f).transpose() * orientation(j, f));
    };
    const Matrix3d first = relative(0);
    for (int f = 1; f < frame_count(); ++f) {
      turn_[at(j)] = std::max(turn_[at(j)], so3::distance(first, relative(f)));
    }
    if (parent(j) >= 0 && turn_[at(j)] > kStillTurn) still_ = false;
  }
}

void Tree::measure_reach() {
  reach_.assign(clip_.joints.size(), 0.0);
  next_.assign(clip_.joints.size(), -1);
  const auto offer = [&](int joint, int point, double reach) {
    if (next_[at(joint)] < 0 || reach > reach_[at(joint)]) {
      reach_[at(joint)] = reach;
      next_[at(joint)] = point;
    }
  };
  for (int j = joint_count() - 1; j >= 0; --j) {
    for (const int tip : tips_[at(j)]) offer(j, tip, length(j, tip));
    for (const int child : children(j)) {
      // a child at varying distance is a child in the file only, not in the body
      const double own = unsteadiness(j, child) < kLoose ? length(j, child) : 0.0;
      offer(j, child, own + reach_[at(child)]);
    }
  }
}

double Tree::length(int a, int b) const noexcept {
  double sum = 0.0;
  for (int f = 0; f < frame_count(); ++f) sum += (p(b, f) - p(a, f)).norm();
  return sum / frame_count();
}

double Tree::unsteadiness(int a, int b) const noexcept {
  double sum = 0.0, squares = 0.0;
  for (int f = 0; f < frame_count(); ++f) {
    const double d = (p(b, f) - p(a, f)).norm();
    sum += d;
    squares += d * d;
  }
  const double mean = sum / frame_count();
  return mean > 0.0 ? std::sqrt(std::max(0.0, squares / frame_count() - mean * mean)) / mean : 0.0;
}

double Tree::wander(int joint, int point) const noexcept {
  const auto direction = [&](int f) -> Vector3d {
    return (orientation(joint, f).transpose() * (p(point, f) - p(joint, f))).normalized();
  };
  Vector3d mean = Vector3d::Zero();
  for (int f = 0; f < frame_count(); ++f) mean += direction(f);
  if (mean.norm() < 1e-9) return M_PI;
  double squares = 0.0;
  for (int f = 0; f < frame_count(); ++f) {
    const double angle = angle_between(direction(f), mean);
    squares += angle * angle;
  }
  return std::sqrt(squares / frame_count());
}

double Tree::bend_range(int a, int middle, int b) const noexcept {
  double low = M_PI, high = 0.0;
  for (int f = 0; f < frame_count(); ++f) {
    const double angle = angle_between(p(a, f) - p(middle, f), p(b, f) - p(middle, f));
    low = std::min(low, angle);
    high = std::max(high, angle);
  }
  return std::max(0.0, high - low);
}

std::vector<int> Tree::longest_chain(int joint) const {
  std::vector<int> chain{joint};
  while (!is_tip(chain.back()) && next_[at(chain.back())] >= 0) chain.push_back(next_[at(chain.back())]);
  return chain;
}

bool Tree::is_below(int joint, int ancestor) const noexcept {
  while (joint > ancestor) joint = parent(joint);
  return joint == ancestor;
}

std::vector<int> Tree::path(int a, int b) const {
  std::vector<int> up{a}, down{b};
  while (up.back() != down.back()) {
    std::vector<int>& lower = up.back() > down.back() ? up : down;
    const int above = parent(lower.back());
    if (above < 0) return {};
    lower.push_back(above);
  }
  up.insert(up.end(), down.rbegin() + 1, down.rend());
  return up;
}

}  // namespace panto::rig
