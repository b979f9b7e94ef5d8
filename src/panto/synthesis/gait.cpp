// Walking and running. Joint angles are low-order Fourier series over the stride, from right foot strike; the
// left side follows half a stride later. The feet determine the pelvis: its height, surge and sway are
// Fourier series fitted so that the stance foot stays on the ground and does not slide.

#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "panto/math/decompositions.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/synthesis/human_motion.hpp"

namespace panto::detail {
namespace {

using std::numbers::pi;

/// One gait. Angles [deg] as {mean, cos, sin, cos 2, sin 2, ...} of the stride; right side; flexion,
/// dorsiflexion, extension of toes, adduction and internal rotation positive.
struct Gait {
  const char* name;
  double speed;                   ///< [m/s]
  double stride_hz;               ///< strides per second
  double stance;                  ///< share of the stride that a foot is on the ground
  double lean;                    ///< mean forward pitch of the pelvis [deg]
  double trunk;                   ///< mean forward pitch of the thorax [deg]
  std::span<const double> thigh;  ///< against the vertical
  std::span<const double> knee;
  std::span<const double> ankle;
  std::span<const double> toes;
  std::span<const double> obliquity;    ///< of the pelvis, right side up
  std::span<const double> pelvis_turn;  ///< right side forward
  std::span<const double> adduction;    ///< of the hip
  std::span<const double> hip_turn;     ///< inward
  std::span<const double> thorax_turn;  ///< against the pelvis, right side forward
  double arm_hang;                      ///< of the shoulder below the horizontal
  double arm_mean, arm_swing;           ///< of the shoulder forward: mean and amplitude
  double arm_inward;                    ///< turn of the upper arm about itself
  double elbow_mean, elbow_swing;       ///< flexion
};

// Walking. Source: M. Schwartz, A. Rozumalski, J. Trost, "The effect of walking speed on the gait of
// typically developing children", J. Biomechanics 41 (2008) 1639-1650: means at free and at fast speed. Hip,
// knee and ankle are our least-squares fit to those means together with a foot that neither sinks nor slides;
// it stays within 4 deg of them. The thigh is the published hip less the mean pelvic tilt (11.5, 13.2 deg).
// The other planes are plain fits of order 3; quantities that alternate between the sides have odd harmonics
// only.
constexpr std::array kWalkThigh{6.46, 19.36, -4.33, -3.37, -2.04, -0.63, 0.68, -0.90, 0.06, -0.28, 0.36};
constexpr std::array kWalkKnee{23.30, -1.24, -18.34, -13.84, 7.15, -0.47, 4.78, -0.52, 0.64, -0.33, 0.56};
constexpr std::array kWalkAnkle{0.74, -2.29, 6.21,  1.05,  -7.04, -4.90, 0.86,
                                2.22, 0.64,  -0.22, -1.30, -0.33, 0.12};
constexpr std::array kWalkToes{6.75, -10.82, -8.38, 4.52, 7.17, -1.16, -4.23, -1.01, 2.20};
constexpr std::array kWalkObliquity{0.0, 1.85, 2.12, 0.0, 0.0, -1.19, 0.22};
constexpr std::array kWalkPelvisTurn{0.0, 3.74, 2.10, 0.0, 0.0, 0.34, -0.37};
constexpr std::array kWalkAdduction{-0.34, 0.48, 4.94, -0.05, -0.50, -1.59, 0.46};
constexpr std::array kWalkHipTurn{-1.87, 1.18, 0.72, -1.05, -0.67, -1.17, 1.02};
constexpr std::array kWalkThoraxTurn{0.0, -7.00, -3.50};

constexpr std::array kFastThigh{6.39, 23.49, -3.87, -4.34, -1.05, -0.30, 1.19, -0.61, 0.03, -0.27, 0.24};
constexpr std::array kFastKnee{24.24, -0.19, -18.80, -14.07, 9.07, -0.69, 4.46, -0.88, 0.57, -0.47, 0.55};
constexpr std::array kFastAnkle{-0.54, 0.00,  7.10,  -0.86, -7.35, -4.43, 1.78,
                                2.19,  -0.58, -0.72, -0.93, 0.12,  0.30};
constexpr std::array kFastToes{7.49, -11.61, -7.75, 6.14, 7.31, -2.43, -3.55, -0.18, 2.61};
constexpr std::array kFastObliquity{0.0, 2.56, 3.25, 0.0, 0.0, -1.28, 0.04};
constexpr std::array kFastPelvisTurn{0.0, 5.49, 2.08, 0.0, 0.0, 0.68, -0.58};
constexpr std::array kFastAdduction{-0.77, 0.63, 5.85, -0.81, -0.63, -1.77, 0.46};
constexpr std::array kFastHipTurn{-2.63, 0.98, 0.99, -1.36, -1.20, -0.93, 0.72};
constexpr std::array kFastThoraxTurn{0.0, -9.50, -3.50};

// Running at 10 km/h: our own curves, inside the ranges of a man running faster (hip -30..48, knee 9..112,
// ankle -26..26, elbow 61..137 deg; S. Hamner, A. Seth, S. Delp, "Muscle contributions to propulsion and
// support during running", J. Biomechanics 43 (2010) 2709-2716), fitted together with the stance foot and a
// ballistic flight.
constexpr std::array kRunThigh{13.55, 21.08, -15.46, -7.68, 3.88, -1.67, -0.43, -2.03, 1.27};
constexpr std::array kRunKnee{48.96, -11.40, -22.60, -16.85, 19.15, -2.63, 2.62, -0.19, 1.91, -0.61, -0.85};
constexpr std::array kRunAnkle{3.04, 11.29, 5.15, -7.78, 7.11, -0.95, -3.59, 0.53, 0.74, -0.25, -0.09};
constexpr std::array kRunToes{5.22, -7.68, 6.02, 1.79, -7.68, 2.32, 4.91, -2.94, -1.78};
constexpr std::array kRunObliquity{0.0, 1.00, 3.50};
constexpr std::array kRunPelvisTurn{0.0, 4.00, -1.00};
constexpr std::array kRunAdduction{2.00, 1.50, 6.00, -0.50, -1.00};
constexpr std::array kRunHipTurn{-2.00, 1.00, 1.00};
constexpr std::array kRunThoraxTurn{0.0, -16.0, 2.00};

constexpr Gait kWalk{
    .name = "walk",
    .speed = 4.0 / 3.6,
    .stride_hz = 0.9,
    .stance = 0.62,
    .lean = 4.0,
    .trunk = 2.0,
    .thigh = kWalkThigh,
    .knee = kWalkKnee,
    .ankle = kWalkAnkle,
    .toes = kWalkToes,
    .obliquity = kWalkObliquity,
    .pelvis_turn = kWalkPelvisTurn,
    .adduction = kWalkAdduction,
    .hip_turn = kWalkHipTurn,
    .thorax_turn = kWalkThoraxTurn,
    .arm_hang = 80.0,
    .arm_mean = 1.0,
    .arm_swing = 14.0,
    .arm_inward = 8.0,
    .elbow_mean = 22.0,
    .elbow_swing = 8.0,
};
constexpr Gait kFastWalk{
    .name = "fast_walk",
    .speed = 6.0 / 3.6,
    .stride_hz = 1.05,
    .stance = 0.60,
    .lean = 9.0,
    .trunk = 4.0,
    .thigh = kFastThigh,
    .knee = kFastKnee,
    .ankle = kFastAnkle,
    .toes = kFastToes,
    .obliquity = kFastObliquity,
    .pelvis_turn = kFastPelvisTurn,
    .adduction = kFastAdduction,
    .hip_turn = kFastHipTurn,
    .thorax_turn = kFastThoraxTurn,
    .arm_hang = 79.0,
    .arm_mean = 1.0,
    .arm_swing = 20.0,
    .arm_inward = 8.0,
    .elbow_mean = 30.0,
    .elbow_swing = 12.0,
};
constexpr Gait kRun{
    .name = "run",
    .speed = 10.0 / 3.6,
    .stride_hz = 1.4,
    .stance = 0.37,
    .lean = 9.0,
    .trunk = 8.0,
    .thigh = kRunThigh,
    .knee = kRunKnee,
    .ankle = kRunAnkle,
    .toes = kRunToes,
    .obliquity = kRunObliquity,
    .pelvis_turn = kRunPelvisTurn,
    .adduction = kRunAdduction,
    .hip_turn = kRunHipTurn,
    .thorax_turn = kRunThoraxTurn,
    .arm_hang = 74.0,
    .arm_mean = -12.0,
    .arm_swing = 22.0,
    .arm_inward = 18.0,
    .elbow_mean = 95.0,
    .elbow_swing = 16.0,
};

/// mean - swing * cos(stride - lag): behind at right foot strike.
Curve swing(const Gait& gait, double mean, double amplitude, double lag) {
  Curve curve(mean * kDegree);
  const auto [sin, cos] = sincos(2.0 * pi * lag);
  curve.add({2.0 * pi * gait.stride_hz, -amplitude * kDegree * cos, -amplitude * kDegree * sin});
  return curve;
}

/// All joints, and the attitude of the pelvis.
void set_posture(const Gait& gait, HumanCurves& joints, BaseCurves& base) {
  const double half = 0.5 / gait.stride_hz;
  const auto series = [&](std::span<const double> c) { return fourier_series(gait.stride_hz, c, kDegree); };
  // right side up and flexion are negative turns about x and y, right side forward is a positive one about z
  base.roll = -series(gait.obliquity);
  base.pitch = Curve(gait.lean * kDegree);
  base.yaw = series(gait.pelvis_turn);

  const Curve adduction = series(gait.adduction);
  joints.set_sides("jRightHip", 'x', adduction, half);
  joints.set_sides("jRightHip", 'y', (-series(gait.thigh)).scaled(1.0, -gait.lean * kDegree), half);
  joints.set_sides("jRightHip", 'z', series(gait.hip_turn), half);
  joints.set_sides("jRightKnee", 'y', series(gait.knee), half);
  // the sole stays level sideways; toes a little outwards
  joints.set_sides("jRightAnkle", 'x', -(base.roll + adduction), half);
  joints.set_sides("jRightAnkle", 'y', -series(gait.ankle), half);
  joints.set_sides("jRightAnkle", 'z', Curve(-5.0 * kDegree), half);
  joints.set_sides("jRightBallFoot", 'y', -series(gait.toes), half);

  // the lumbar spine compensates the roll of the pelvis, the thorax turns against it, the head faces forward
  const double bend = (gait.trunk - gait.lean) / 3.0 * kDegree;
  for (const char* lumbar : {"jL5S1", "jL4L3", "jL1T12"}) {
    joints.set(lumbar + std::string("_rotx"), base.roll.scaled(-0.3));
    joints.set(lumbar + std::string("_roty"), Curve(bend));
  }
  const Curve thorax = series(gait.thorax_turn);
  joints.set("jT9T8_rotz", thorax);
  joints.set("jT1C7_rotz", -(base.yaw + thorax));
  joints.set("jT1C7_roty", Curve(-gait.trunk * kDegree));

  // an arm swings with the opposite leg
  joints.set_sides("jRightShoulder", 'x', Curve(gait.arm_hang * kDegree), half);
  joints.set_sides("jRightShoulder", 'y', Curve(gait.arm_inward * kDegree), half);
  joints.set_sides("jRightShoulder", 'z', swing(gait, gait.arm_mean, gait.arm_swing, 0.02), half);
  joints.set_sides("jRightElbow", 'z', swing(gait, gait.elbow_mean, gait.elbow_swing, 0.05), half);
}

/// Returns the lowest point of the right sole over one stride, with the pelvis fixed at the origin.
std::vector<SolePoint> right_sole(const Gait& gait, const HumanCurves& joints, const BaseCurves& base,
                                  int samples) {
  const Synthesis in_place(gait.name, joints.model(), joints.curves(), base, 1.0 / gait.stride_hz);
  const Sole sole(joints.model(), "Right");
  Kinematics kinematics(joints.model());
  std::vector<SolePoint> points;
  for (int i = 0; i < samples; ++i) {
    kinematics.update_with_velocities(in_place.state(from_seconds(i / (samples * gait.stride_hz))));
    points.push_back(sole.lowest(kinematics));
  }
  return points;
}

/// Weighted rows of a small least-squares problem in the coefficients of a Fourier series.
class SeriesFit {
 public:
  /// Frequencies [Hz]; `with_mean` adds a constant.
  SeriesFit(std::vector<double> hz, bool with_mean) : hz_(std::move(hz)), mean_(with_mean) {
    const auto n = static_cast<Eigen::Index>(2 * hz_.size() + (mean_ ? 1 : 0));
    H_.setZero(n, n);
    g_.setZero(n);
  }

  /// Adds the row: derivative `order` (0, 1 or 2) of the series at time t = target.
  void add(double t, int order, double target, double weight) {
    Eigen::VectorXd row = Eigen::VectorXd::Zero(g_.size());
    Eigen::Index k = 0;
    if (mean_) row[k++] = order == 0 ? 1.0 : 0.0;
    for (const double hz : hz_) {
      for (const Curve::Wave& unit :
           {Curve::Wave{2.0 * pi * hz, 1.0, 0.0}, Curve::Wave{2.0 * pi * hz, 0.0, 1.0}}) {
        const CurvePoint point = Curve().add(unit).at(t);
        row[k++] = order == 0 ? point.value : order == 1 ? point.rate : point.acceleration;
      }
    }
    H_.noalias() += weight * weight * row * row.transpose();
    g_ += weight * weight * target * row;
  }

  /// Pulls every wave towards zero.
  void damp(double weight) {
    for (Eigen::Index k = mean_ ? 1 : 0; k < g_.size(); ++k) H_(k, k) += weight * weight;
  }

  [[nodiscard]] Curve solve() const {
    const Eigen::VectorXd c = solve_symmetric(H_, g_);
    Eigen::Index k = 0;
    Curve curve(mean_ ? c[k++] : 0.0);
    for (const double hz : hz_) {
      curve.add({2.0 * pi * hz, c[k], c[k + 1]});
      k += 2;
    }
    return curve;
  }

 private:
  std::vector<double> hz_;
  bool mean_;
  Eigen::MatrixXd H_;
  Eigen::VectorXd g_;
};

/// Finds height, surge and sway of the pelvis from the stance foot. The other foot's rows would repeat these:
/// height and surge have even harmonics of the stride only, sway has odd ones.
void place_pelvis(const Gait& gait, const HumanCurves& joints, BaseCurves& base) {
  constexpr int samples = 100;
  constexpr double gravity = 9.80665;
  const double f = gait.stride_hz, size = standing_height(joints.model());
  const std::vector<SolePoint> sole = right_sole(gait, joints, base, samples);
  SeriesFit height({2.0 * f, 4.0 * f}, true), surge({2.0 * f}, false), sway({f}, false);
  for (int i = 0; i < samples; ++i) {
    const double phase = static_cast<double>(i) / samples, t = phase / f;
    const SolePoint& contact = sole[static_cast<std::size_t>(i)];
    if (phase <= gait.stance) height.add(t, 0, -contact.p.z(), 1.0 / (0.0023 * size));
    // the contact jumps when rolling over heel and toes: only the middle of the stance counts
    if (phase > 0.06 && phase < gait.stance - 0.06) {
      surge.add(t, 1, -contact.v.x() - gait.speed, 1.0 / 0.08);
      sway.add(t, 1, -contact.v.y(), 1.0 / 0.08);
    }
    // between two stances the body is in flight
    if (phase > gait.stance + 0.01 && phase < 0.49) height.add(t, 2, -gravity, 1.0 / 3.0);
  }
  // over the stance foot in the middle of its stance
  const double middle = 0.5 * gait.stance / f;
  sway.add(middle, 0, -0.015 * size, 1.0 / (0.0025 * size));
  sway.add(middle, 1, 0.0, 1.0 / 0.05);
  height.damp(6.0 / size);
  surge.damp(1.0 / (0.0023 * size));
  sway.damp(0.5 / (0.0023 * size));
  base.position[1] = sway.solve();
  base.position[2] = height.solve();
  const Curve forward = surge.solve();
  base.position[0] = forward + Curve(-forward.at(0.0).value, gait.speed);
}

Synthesis make(const Gait& gait, const Model& model) {
  const double period = 1.0 / gait.stride_hz;
  HumanCurves joints(gait.name, model);
  BaseCurves base;
  set_posture(gait, joints, base);
  joints.fit_into_limits(period);
  place_pelvis(gait, joints, base);
  return Synthesis(gait.name, model, joints.curves(), base, period);
}

}  // namespace

Synthesis walk(const Model& model) { return make(kWalk, model); }
Synthesis fast_walk(const Model& model) { return make(kFastWalk, model); }
Synthesis run(const Model& model) { return make(kRun, model); }

}  // namespace panto::detail
