// Gestures of a person's upper body, and the paths through singular poses that test modular inverse
// kinematics. Motions of a person begin and end at rest, with both arms hanging.

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "panto/math/degrees.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/synthesis/human_motion.hpp"
#include "panto/synthesis/random_numbers.hpp"

namespace panto::detail {
namespace {

using std::numbers::pi;
constexpr int kSamples = 128;  // per period: motions slower than 64 times a period are reproduced to 1e-3

/// Joints of a right arm [deg]; the left is its mirror image.
struct ArmPose {
  double hang = 0.0;     ///< jShoulder_rotx: 0 out to the side, 90 down
  double twist = 0.0;    ///< jShoulder_roty: about the upper arm, negative turns the bent forearm up
  double forward = 0.0;  ///< jShoulder_rotz
  double elbow = 0.0;    ///< jElbow_rotz: 0 straight
  double roll = 0.0;     ///< jElbow_roty: of the forearm
  double wrist_x = 0.0, wrist_z = 0.0;

  [[nodiscard]] std::array<double, 7> values() const {
    return {hang, twist, forward, elbow, roll, wrist_x, wrist_z};
  }
};

constexpr std::array<std::pair<const char*, char>, 7> kArmJoints{{{"Shoulder", 'x'},
                                                                  {"Shoulder", 'y'},
                                                                  {"Shoulder", 'z'},
                                                                  {"Elbow", 'z'},
                                                                  {"Elbow", 'y'},
                                                                  {"Wrist", 'x'},
                                                                  {"Wrist", 'z'}}};
constexpr ArmPose kHanging{78.0, -5.0, 4.0, 12.0, 0.0, 0.0, 0.0};

/// A path as a function of the phase, 0 to 1 over a period.
using ArmPath = std::function<ArmPose(double)>;
using Path = std::function<double(double)>;

Curve through(double period, const Path& path) {
  std::array<double, kSamples> values{};
  for (int i = 0; i < kSamples; ++i)
    values[static_cast<std::size_t>(i)] = path(static_cast<double>(i) / kSamples);
  return fourier_interpolation(1.0 / period, values);
}

void set_arm(HumanCurves& joints, bool right, double period, const ArmPath& path) {
  for (std::size_t k = 0; k < kArmJoints.size(); ++k) {
    const auto [joint, axis] = kArmJoints[k];
    const Curve curve = through(period, [&](double phase) { return kDegree * path(phase).values()[k]; });
    const std::string name = std::string(right ? "jRight" : "jLeft") + joint + "_rot" + axis;
    joints.set(name, right || axis == 'y' ? curve : -curve);
  }
}

void set_both_arms(HumanCurves& joints, double period, const ArmPath& path) {
  for (const bool right : {true, false}) set_arm(joints, right, period, path);
}

/// Returns 0 at rest and 1 during the gesture, with smooth transitions (minimum jerk) of `ramp` of the period
/// each.
double raised(double phase, double ramp) {
  const double x = std::min(phase, 1.0 - phase) / ramp - 0.3;
  if (x <= 0.0) return 0.0;
  return x >= 1.0 ? 1.0 : x * x * x * (10.0 - x * (15.0 - 6.0 * x));
}

ArmPose mix(const ArmPose& from, const ArmPose& to, double share) {
  const auto part = [share](double a, double b) { return a + share * (b - a); };
  return {part(from.hang, to.hang),      part(from.twist, to.twist), part(from.forward, to.forward),
          part(from.elbow, to.elbow),    part(from.roll, to.roll),   part(from.wrist_x, to.wrist_x),
          part(from.wrist_z, to.wrist_z)};
}

double wave_of(double times, double phase) { return sincos(2.0 * pi * times * phase).sin; }

Synthesis standing(const char* name, HumanCurves& joints, double period) {
  joints.fit_into_limits(period);
  BaseCurves base;
  base.position[2] = Curve(standing_height(joints.model()));
  return Synthesis(name, joints.model(), joints.curves(), base, period);
}

ArmPose hanging(double) { return kHanging; }

}  // namespace

// Right forearm up beside the head, six swings from side to side.
Synthesis wave(const Model& model) {
  constexpr double period = 6.0;
  HumanCurves joints("wave", model);
  set_arm(joints, true, period, [](double phase) {
    const double up = raised(phase, 0.15);
    ArmPose pose = mix(kHanging, {-5.0, -78.0, 15.0, 85.0, 0.0, 0.0, 0.0}, up);
    pose.elbow += 24.0 * up * wave_of(8.0, phase);
    pose.wrist_x += 8.0 * up * wave_of(8.0, phase - 0.02);
    return pose;
  });
  set_arm(joints, false, period, hanging);
  joints.set("jT1C7_rotz", through(period, [](double phase) { return -8.0 * kDegree * raised(phase, 0.2); }));
  return standing("wave", joints, period);
}

// Both hands beat four to the bar, mirrored, twice a period.
Synthesis conduct(const Model& model) {
  constexpr double period = 8.0;
  HumanCurves joints("conduct", model);
  const auto beat = [](double phase) {
    const double up = raised(phase, 0.12);
    ArmPose pose = mix(kHanging, {52.0, -38.0, 38.0, 72.0, -10.0, 0.0, 0.0}, up);
    pose.hang += up * (9.0 * wave_of(8.0, phase) + 3.0 * wave_of(4.0, phase));
    pose.forward += up * (14.0 * wave_of(4.0, phase + 0.06) + 5.0 * wave_of(2.0, phase));
    pose.elbow += up * 18.0 * wave_of(8.0, phase + 0.04);
    pose.wrist_z += up * 10.0 * wave_of(8.0, phase + 0.02);
    return pose;
  };
  set_both_arms(joints, period, beat);
  joints.set("jC1Head_roty", through(period, [](double phase) {
               return 4.0 * kDegree * raised(phase, 0.12) * wave_of(4.0, phase);
             }));
  return standing("conduct", joints, period);
}

// Upper arms at the sides, elbows at 85 degrees, forearms turn back and forth.
Synthesis forearm_roll(const Model& model) {
  constexpr double period = 8.0;
  HumanCurves joints("forearm_roll", model);
  const auto roll = [](double phase) {
    const double up = raised(phase, 0.12);
    ArmPose pose = mix(kHanging, {76.0, -6.0, 8.0, 85.0, 0.0, 0.0, 0.0}, up);
    pose.roll += 70.0 * up * wave_of(4.0, phase);
    return pose;
  };
  set_both_arms(joints, period, roll);
  return standing("forearm_roll", joints, period);
}

// Elbows bend three times far beyond the 80 degrees of the paper's robot, to 135, 110 and 95 degrees.
Synthesis overflex(const Model& model) {
  constexpr double period = 10.0;
  HumanCurves joints("overflex", model);
  const auto curl = [](double phase) {
    const auto hump = [phase](double middle, double height) {
      const double x = (phase - middle) / 0.13;
      return std::abs(x) < 1.0 ? height * 0.5 * (1.0 + sincos(pi * x).cos) : 0.0;
    };
    ArmPose pose = kHanging;
    pose.forward += hump(0.2, 25.0) + hump(0.5, 20.0) + hump(0.8, 15.0);
    pose.elbow += hump(0.2, 123.0) + hump(0.5, 98.0) + hump(0.8, 83.0);
    return pose;
  };
  set_both_arms(joints, period, curl);
  return standing("overflex", joints, period);
}

// The right arm through the singular poses of pan-tilt modules: the upper arm straight out to the side, the
// elbow straight while the forearm turns, the hand in line with the forearm.
Synthesis singular(const Model& model) {
  constexpr double period = 12.0;
  HumanCurves joints("singular", model);
  set_arm(joints, true, period, [](double phase) {
    const double up = raised(phase, 0.12);
    ArmPose pose = mix(kHanging, {0.0, -30.0, 0.0, 30.0, 0.0, 0.0, 0.0}, up);
    pose.hang += up * 32.0 * wave_of(2.0, phase);
    pose.forward += up * 28.0 * wave_of(3.0, phase);
    pose.elbow += up * 29.0 * wave_of(3.0, phase + 0.1);
    pose.roll += up * 40.0 * wave_of(1.0, phase);
    pose.wrist_x += up * 22.0 * wave_of(4.0, phase);
    pose.wrist_z += up * 12.0 * wave_of(5.0, phase);
    return pose;
  });
  set_arm(joints, false, period, hanging);
  return standing("singular", joints, period);
}

// Four random poses per arm, reached and left smoothly, with head and trunk.
Synthesis gesture(const Model& model, std::uint64_t seed) {
  constexpr double period = 10.0;
  constexpr int poses = 4;
  std::mt19937_64 engine(seed);
  HumanCurves joints("gesture", model);
  const auto draw = [&] {
    ArmPose pose;
    pose.hang = uniform(engine, -35.0, 75.0);
    pose.twist = uniform(engine, -75.0, 20.0);
    pose.forward = uniform(engine, -15.0, 80.0);
    pose.elbow = uniform(engine, 5.0, 110.0);
    pose.roll = uniform(engine, -60.0, 60.0);
    pose.wrist_x = uniform(engine, -25.0, 30.0);
    pose.wrist_z = uniform(engine, -20.0, 15.0);
    return pose;
  };
  // the k-th of `poses` poses applies where its weight is one; all weights and that of rest sum to one
  const auto weight = [](int k, double phase) {
    const double x = (phase - (k + 1.0) / (poses + 1.0)) * (poses + 1.0);
    return std::abs(x) < 1.0 ? 0.5 * (1.0 + sincos(pi * x).cos) : 0.0;
  };
  for (const bool right : {true, false}) {
    std::array<ArmPose, poses> keys;
    for (ArmPose& key : keys) key = draw();
    set_arm(joints, right, period, [&](double phase) {
      ArmPose pose = kHanging;
      for (int k = 0; k < poses; ++k) {
        const ArmPose shift = mix(kHanging, keys[static_cast<std::size_t>(k)], weight(k, phase));
        const auto add = [&](double ArmPose::*part) { pose.*part += shift.*part - kHanging.*part; };
        for (double ArmPose::*part : {&ArmPose::hang, &ArmPose::twist, &ArmPose::forward, &ArmPose::elbow,
                                      &ArmPose::roll, &ArmPose::wrist_x, &ArmPose::wrist_z})
          add(part);
      }
      return pose;
    });
  }
  for (const auto& [joint, size] :
       {std::pair{"jT9T8_rotz", 12.0}, {"jL5S1_roty", 8.0}, {"jT1C7_rotz", 25.0}, {"jT1C7_roty", 12.0}}) {
    std::array<double, poses> keys{};
    for (double& key : keys) key = uniform(engine, -size, size);
    joints.set(joint, through(period, [&](double phase) {
                 double sum = 0.0;
                 for (int k = 0; k < poses; ++k) sum += keys[static_cast<std::size_t>(k)] * weight(k, phase);
                 return kDegree * sum;
               }));
  }
  return standing("gesture", joints, period);
}

namespace {

/// Returns the curves of the seven joints of the arm `tee7`, by its names.
Synthesis paper_arm(const char* name, const Model& model, const std::array<Curve, 7>& curves, double period) {
  constexpr std::array<const char*, 7> names{"shoulder_pan", "shoulder_tilt", "elbow_pan", "elbow_tilt",
                                             "wrist_yaw",    "wrist_pitch",   "wrist_roll"};
  std::vector<Curve> joints(static_cast<std::size_t>(model.dof()));
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto index = model.find_joint(names[k]);
    if (!index || model.dof() != 7)
      throw ConfigError("motion '" + std::string(name) + "' needs the arm tee7; '" + model.name() +
                        "' has no joint '" + names[k] + "'");
    joints[static_cast<std::size_t>(*index)] = curves[k];
  }
  return Synthesis(name, model, std::move(joints), {}, period);
}

}  // namespace

// Tee et al., Eq. (30). The paper gives q2 and q4, which cross their singular values at t = 0, 314, ... s and
// at t = 52, 262, ... s, and q6, which touches its own where sin(0.015 t) = 1. The other four are ours.
Synthesis singular_arm(const Model& model) {
  const auto swing = [](double middle, double size, double omega) {
    return Curve(middle).add({omega, 0.0, size});
  };
  return paper_arm("singular_arm", model,
                   {swing(0.0, pi / 3.0, 0.01), swing(-pi / 2.0, pi / 2.0, 0.01), swing(0.0, pi / 3.0, 0.01),
                    swing(-pi / 4.0, pi / 2.0, 0.01), swing(0.0, pi / 4.0, 0.015),
                    swing(0.0, pi / 2.0, 0.015), swing(0.0, pi / 4.0, 0.015)},
                   400.0 * pi);
}

// Tee et al., Eq. (31) without its noise: all three modules at their singular pose.
Synthesis singular_hold(const Model& model) {
  return paper_arm("singular_hold", model,
                   {Curve(), Curve(-pi / 2.0), Curve(), Curve(), Curve(), Curve(pi / 2.0), Curve()}, 1.0);
}

}  // namespace panto::detail
