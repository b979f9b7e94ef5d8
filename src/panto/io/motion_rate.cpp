#include "panto/io/motion_rate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

constexpr double kSame = 0.03;      // share: velocities of simulators lag by half a frame
constexpr double kDerived = 0.9;    // correlation from which on velocities are derivatives
constexpr double kSnap = 0.01;      // share: rates are whole numbers
constexpr double kAnyRate = 50.0;   // [Hz] where nothing tells: the clip can be looked at
constexpr std::size_t kMost = 400;  // frames that are looked at

// velocities against differences a frame
class Slope {
 public:
  void add(double velocity, double difference) {
    product_ += velocity * difference;
    velocities_ += velocity * velocity;
    differences_ += difference * difference;
  }
  [[nodiscard]] std::optional<double> rate() const {
    if (!(differences_ > 1e-12) || !(velocities_ > 1e-12)) return std::nullopt;
    if (product_ < kDerived * std::sqrt(velocities_ * differences_)) return std::nullopt;
    return product_ / differences_;
  }

 private:
  double product_ = 0.0, velocities_ = 0.0, differences_ = 0.0;
};

bool same(double a, double b) { return std::abs(a - b) <= kSame * std::max(a, b); }

double snapped(double rate_hz) {
  const double whole = std::round(rate_hz);
  return whole >= 1.0 && std::abs(rate_hz - whole) <= kSnap * whole ? whole : rate_hz;
}

std::optional<double> of_joints(const RobotArrays& arrays, double unit, std::optional<double> near) {
  if (arrays.joint_rates.width != arrays.joints.width) return std::nullopt;
  Slope slope;
  const std::size_t step = std::max<std::size_t>(1, arrays.frames / kMost);
  for (std::size_t k = 1; k + 1 < arrays.frames; k += step)
    for (std::size_t i = 0; i < arrays.joints.width; ++i)
      slope.add(arrays.joint_rates.row(k)[i],
                0.5 * (arrays.joints.row(k + 1)[i] - arrays.joints.row(k - 1)[i]));
  std::optional<double> rate = slope.rate();
  // positions in degrees, velocities in radians
  if (rate && near && unit != 1.0 && same(*rate / unit, *near)) *rate /= unit;
  return rate;
}

std::optional<double> of_bodies(const RobotArrays& arrays, const MotionReadings& readings,
                                const Reading& reading) {
  const std::size_t bodies = arrays.body_turns.width / 4;
  if (bodies == 0 || arrays.body_turn_rates.width != 3 * bodies) return std::nullopt;
  Slope slope;
  const std::size_t step = std::max<std::size_t>(1, arrays.frames / kMost);
  // the length of turns does not depend on the axes of the world
  for (std::size_t k = 1; k + 1 < arrays.frames; k += step)
    for (std::size_t b = 0; b < bodies; ++b) {
      const double* w = arrays.body_turn_rates.row(k) + 3 * b;
      slope.add(
          Eigen::Vector3d(w[0], w[1], w[2]).norm(),
          0.5 * so3::distance(readings.body_turn(reading, k - 1, b), readings.body_turn(reading, k + 1, b)));
    }
  return slope.rate();
}

}  // namespace

ToldRate rate_of(const RobotArrays& arrays, const MotionReadings& readings, const Reading& reading,
                 std::optional<double> said) {
  if (said) return {*said, "as --from says", Certainty::Given, false};
  const std::optional<double> bodies = of_bodies(arrays, readings, reading);
  const double unit = readings.angle_unit(reading[static_cast<std::size_t>(MotionQuestion::Angles)]);
  const std::optional<double> joints = of_joints(arrays, unit, bodies ? bodies : arrays.rate_hz);
  const std::optional<double>& evidence = bodies ? bodies : joints;
  const auto hertz = [](double rate) { return digits(rate, 4) + " Hz"; };
  if (!arrays.rate_hz && !evidence) {
    if (arrays.usual_rate_hz > 0.0)
      return {arrays.usual_rate_hz, "the file does not say; its readers assume this (another: --from 60hz)",
              Certainty::Assumed, false};
    return {kAnyRate, "the file does not say", Certainty::Open, false};
  }
  if (!evidence)
    return {*arrays.rate_hz, "the file says so; it has no velocities to check this with", Certainty::Assumed,
            false};
  if (bodies && joints && !same(*bodies, *joints)) {
    if (arrays.rate_hz && (same(*arrays.rate_hz, *bodies) || same(*arrays.rate_hz, *joints)))
      return {*arrays.rate_hz,
              "the file says so, and so do the velocities of " +
                  std::string(same(*arrays.rate_hz, *bodies) ? "bodies, but not those of joints"
                                                             : "joints, but not those of bodies"),
              Certainty::Likely, false};
    return {arrays.rate_hz.value_or(snapped(*bodies)),
            "velocities of joints are derivatives at " + hertz(*joints) + ", those of bodies at " +
                hertz(*bodies),
            Certainty::Open, false};
  }
  if (!arrays.rate_hz)
    return {snapped(*evidence), "the velocities are the derivatives of the positions at it", Certainty::Sure,
            false};
  if (same(*arrays.rate_hz, *evidence))
    return {*arrays.rate_hz, "the velocities are the derivatives of the positions at it", Certainty::Sure,
            false};
  return {snapped(*evidence),
          "the file says " + hertz(*arrays.rate_hz) +
              ", but its velocities are the derivatives of its positions at " + hertz(*evidence),
          bodies && joints ? Certainty::Sure : Certainty::Likely, true};
}

}  // namespace panto::io
