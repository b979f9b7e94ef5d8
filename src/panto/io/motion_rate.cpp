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
constexpr double kStill = 1e-12;    // sums of squares below are rounding
constexpr double kMoves = 1e-4;     // [rad^2]: from here on positions change
constexpr int kFewest = 30;         // differences that a doubt rests on

// velocities against differences a frame
class Slope {
 public:
  void add(double velocity, double difference) {
    product_ += velocity * difference;
    velocities_ += velocity * velocity;
    differences_ += difference * difference;
    ++count_;
  }
  [[nodiscard]] std::optional<double> rate() const {
    if (!(differences_ > kStill) || !(velocities_ > kStill) || correlation() < kDerived) return std::nullopt;
    return product_ / differences_;
  }
  // what is wrong with velocities that are derivatives at no rate; empty: nothing
  [[nodiscard]] std::string doubt() const {
    if (!(differences_ > kMoves) || count_ < kFewest) return {};
    if (!(velocities_ > kStill)) return "are zero while its positions change";
    if (correlation() >= kDerived) return {};
    return "are not the derivatives of its positions at any rate (correlation " + decimals(correlation(), 2) +
           ")";
  }

 private:
  [[nodiscard]] double correlation() const { return product_ / std::sqrt(velocities_ * differences_); }

  double product_ = 0.0, velocities_ = 0.0, differences_ = 0.0;
  int count_ = 0;
};

// A rate that velocities tell, and what is wrong with them.
struct Evidence {
  std::optional<double> rate;
  std::string doubt;
};

bool same(double a, double b) { return std::abs(a - b) <= kSame * std::max(a, b); }

double snapped(double rate_hz) {
  const double whole = std::round(rate_hz);
  return whole >= 1.0 && std::abs(rate_hz - whole) <= kSnap * whole ? whole : rate_hz;
}

Evidence of_joints(const RobotArrays& arrays, double unit, std::optional<double> near) {
  if (arrays.joint_rates.width != arrays.joints.width) return {};
  Slope slope;
  const std::size_t step = std::max<std::size_t>(1, arrays.frames / kMost);
  for (std::size_t k = 1; k + 1 < arrays.frames; k += step)
    for (std::size_t i = 0; i < arrays.joints.width; ++i)
      slope.add(arrays.joint_rates.row(k)[i],
                0.5 * (arrays.joints.row(k + 1)[i] - arrays.joints.row(k - 1)[i]));
  std::optional<double> rate = slope.rate();
  // positions in degrees, velocities in radians
  if (rate && near && unit != 1.0 && same(*rate / unit, *near)) *rate /= unit;
  const std::string doubt = slope.doubt();
  return {rate, doubt.empty() ? "" : "the velocities of joints " + doubt};
}

Evidence of_bodies(const RobotArrays& arrays, const MotionReadings& readings, const Reading& reading) {
  const std::size_t bodies = arrays.body_turns.width / 4;
  if (bodies == 0 || arrays.body_turn_rates.width != 3 * bodies) return {};
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
  const std::string doubt = slope.doubt();
  return {slope.rate(), doubt.empty() ? "" : "the turning rates of bodies " + doubt};
}

std::string hertz(double rate) { return digits(rate, 4) + " Hz"; }

ToldRate as_said(double said, const std::optional<double>& evidence) {
  if (!evidence || same(said, *evidence)) return {said, "as --from says", Certainty::Given, false, {}};
  return {said,
          "as --from says, though its velocities are the derivatives of its positions at " + hertz(*evidence),
          Certainty::Given,
          true,
          {}};
}

ToldRate weighed(const RobotArrays& arrays, const std::optional<double>& bodies,
                 const std::optional<double>& joints) {
  const std::optional<double>& evidence = bodies ? bodies : joints;
  if (!arrays.rate_hz && !evidence) {
    if (arrays.usual_rate_hz > 0.0)
      return {arrays.usual_rate_hz,
              "the file does not say; its readers assume this (another: --from 60hz)",
              Certainty::Assumed,
              false,
              {}};
    return {kAnyRate, "the file does not say", Certainty::Open, false, {}};
  }
  if (!evidence)
    return {*arrays.rate_hz,
            "the file says so; it has no velocities to check this with",
            Certainty::Assumed,
            false,
            {}};
  if (bodies && joints && !same(*bodies, *joints)) {
    if (arrays.rate_hz && (same(*arrays.rate_hz, *bodies) || same(*arrays.rate_hz, *joints)))
      return {*arrays.rate_hz,
              "the file says so, and so do the velocities of " +
                  std::string(same(*arrays.rate_hz, *bodies) ? "bodies, but not those of joints"
                                                             : "joints, but not those of bodies"),
              Certainty::Likely,
              false,
              {}};
    return {arrays.rate_hz.value_or(snapped(*bodies)),
            "velocities of joints are derivatives at " + hertz(*joints) + ", those of bodies at " +
                hertz(*bodies),
            Certainty::Open,
            false,
            {}};
  }
  if (!arrays.rate_hz)
    return {
        snapped(*evidence), "at this rate the velocities match the positions", Certainty::Sure, false, {}};
  if (same(*arrays.rate_hz, *evidence))
    return {*arrays.rate_hz, "at this rate the velocities match the positions", Certainty::Sure, false, {}};
  return {snapped(*evidence),
          "the file says " + hertz(*arrays.rate_hz) +
              ", but its velocities are the derivatives of its positions at " + hertz(*evidence),
          bodies && joints ? Certainty::Sure : Certainty::Likely,
          true,
          {}};
}

}  // namespace

ToldRate rate_of(const RobotArrays& arrays, const MotionReadings& readings, const Reading& reading,
                 std::optional<double> said) {
  const Evidence bodies = of_bodies(arrays, readings, reading);
  const double unit = readings.angle_unit(reading[static_cast<std::size_t>(MotionQuestion::Angles)]);
  const Evidence joints = of_joints(arrays, unit, bodies.rate ? bodies.rate : said ? said : arrays.rate_hz);
  ToldRate told = said ? as_said(*said, bodies.rate ? bodies.rate : joints.rate)
                       : weighed(arrays, bodies.rate, joints.rate);
  told.doubt = bodies.doubt.empty() ? joints.doubt : bodies.doubt;
  return told;
}

}  // namespace panto::io
