#include "panto/keypoints/limb_twist.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "panto/keypoints/point_geometry.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::keypoints {
namespace {

using Eigen::Vector3d;
constexpr double kPi = std::numbers::pi;

// One frame, as an angle about the bone.
struct Measured {
  std::size_t frame = 0;
  Vector3d bone, carried;  // direction of angle zero
  double dt = 0.0;         // [s] since the frame before; 0 for the first
  double angle = 0.0;      // weighted mean of hinge and reference [rad], unwrapped
  double weight = 0.0;
};

double angle_about(const Measured& at, const Vector3d& axis) {
  return atan2(at.bone.dot(at.carried.cross(axis)), at.carried.dot(axis));
}

// along the bone there is no angle: the weight falls with the part of the axis across the bone
double across(const Measured& at, const Vector3d& axis) {
  const double along = at.bone.dot(axis) / axis.norm();
  return std::isfinite(along) ? std::max(0.0, 1.0 - along * along) : 0.0;
}

class Twist {
 public:
  Twist(const std::vector<LimbFrame>& frames, const std::vector<Time>& times, const LimbTwistOptions& options)
      : frames_(frames), times_(times), options_(options) {}

  std::vector<Vector3d> solve() {
    carry();
    measure();
    smooth();
    std::vector<Vector3d> result(frames_.size(), no_point());
    for (std::size_t i = 0; i < chain_.size(); ++i) {
      const Measured& at = chain_[i];
      const SinCos turn = sincos(angle_[i]);
      result[at.frame] = turn.cos * at.carried + turn.sin * at.bone.cross(at.carried);
    }
    return result;
  }

 private:
  // a direction across the bone that is carried along without twist
  void carry() {
    for (std::size_t k = 0; k < frames_.size(); ++k) {
      // two coincident joints have no direction
      if (!(std::abs(frames_[k].bone.squaredNorm() - 1.0) < 1e-6)) continue;
      Measured now;
      now.frame = k;
      now.bone = frames_[k].bone;
      if (chain_.empty()) {
        now.carried = now.bone.unitOrthogonal();
      } else {
        const Measured& before = chain_.back();
        now.carried = least_turn(before.bone, now.bone) * before.carried;
        now.carried = (now.carried - now.bone * now.bone.dot(now.carried)).normalized();
        now.dt = std::max(1e-6, to_seconds(times_[k] - times_[before.frame]));
      }
      chain_.push_back(now);
    }
  }

  // uses the branch nearest to a running mean, so that noise of a straight limb cannot add whole turns
  void measure() {
    double mean = 0.0, trust = 0.0;
    for (Measured& now : chain_) {
      const LimbFrame& frame = frames_[now.frame];
      const double reference_weight = options_.reference_weight * across(now, frame.reference);
      const double reference = reference_weight > 0.0 ? angle_about(now, frame.reference) : 0.0;
      double weight = frame.weight * across(now, frame.hinge);
      double hinge = weight > 0.0 ? angle_about(now, frame.hinge) : 0.0;
      if (!(weight > 0.0)) weight = 0.0;
      if (frame.either_sign && reference_weight > 0.0 && weight > 0.0 &&
          std::abs(euler::unwrap(hinge - reference, 0.0)) > 0.5 * kPi)
        hinge += kPi;
      // near the hinge both agree: take the one with the larger weight wherever the limb bends at all
      const double near = trust > 0.0 ? mean : (weight >= reference_weight ? hinge : reference);
      hinge = euler::unwrap(hinge, near);
      const double from_reference = euler::unwrap(reference, weight > reference_weight ? hinge : near);
      now.weight = weight + reference_weight;
      if (!(now.weight > 0.0)) continue;
      now.angle = (weight * hinge + reference_weight * from_reference) / now.weight;
      // forgets with the time constant of the smoothing
      trust *= options_.time / (options_.time + now.dt * std::sqrt(now.weight));
      mean = (trust * mean + now.weight * now.angle) / (trust + now.weight);
      trust += now.weight;
    }
  }

  // tridiagonal system, by elimination
  void smooth() {
    const std::size_t n = chain_.size();
    angle_.assign(n, 0.0);
    if (n == 0) return;
    std::vector<double> upper(n, 0.0), right(n, 0.0);
    double coupling = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double after = i + 1 < n ? chain_[i + 1].dt : 0.0;
      const double span = n == 1 ? 1.0 : 0.5 * (chain_[i].dt + after);
      const double next = i + 1 < n ? options_.time * options_.time / after : 0.0;
      // a limb that is never measured keeps its carried direction
      const double own = span * (chain_[i].weight + 1e-12);
      double diagonal = own + coupling + next;
      double value = span * chain_[i].weight * chain_[i].angle;
      if (i > 0) {
        diagonal -= coupling * upper[i - 1];
        value += coupling * right[i - 1];
      }
      upper[i] = next / diagonal;
      right[i] = value / diagonal;
      coupling = next;
    }
    angle_[n - 1] = right[n - 1];
    for (std::size_t i = n - 1; i-- > 0;) angle_[i] = right[i] + upper[i] * angle_[i + 1];
  }

  const std::vector<LimbFrame>& frames_;
  const std::vector<Time>& times_;
  LimbTwistOptions options_;
  std::vector<Measured> chain_;
  std::vector<double> angle_;
};

}  // namespace

std::vector<Vector3d> limb_hinges(const std::vector<LimbFrame>& frames, const std::vector<Time>& times,
                                  const LimbTwistOptions& options) {
  return Twist(frames, times, options).solve();
}

}  // namespace panto::keypoints
