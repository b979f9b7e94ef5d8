#include "panto/inertial/motion_calibration.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/inertial/sensed_joints.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double kFarOff = 1.0;         // [rad] from its nominal direction; larger: another hinge or sensor
constexpr double kContradiction = 3.0;  // largest disagreement of directions in standard deviations
constexpr double kShortest = 0.1;       // [m] between centres whose line counts as a direction
constexpr int kRounds = 10;

std::string degrees(double radians) { return decimals(in_degrees(radians), 0) + " deg"; }

// a direction in the link and the same in the sensor, unit
struct Direction {
  Vector3d in_link, in_sensor;
  double sigma = 0.0;  // [rad]
  std::string from;
};

// a point in the link and the same in the sensor
struct Place {
  Vector3d in_link, in_sensor;
  Matrix3d covariance;  // of `in_sensor`
  std::string from;
  bool before = false;  // it is the joint that carries the link
  bool line = false;    // only its position along a line is unknown
};

struct Evidence {
  std::size_t known = 0;  // number of directions known before the motion
  std::vector<Direction> directions;
  std::vector<Place> places;
};

// returns standard deviations along the axes of a covariance, ascending
Vector3d sigmas_of(const Matrix3d& covariance) {
  return symmetric_eigen(covariance).values.cwiseMax(0.0).cwiseSqrt();
}

double worst_of(const Matrix3d& covariance) { return sigmas_of(covariance)[2]; }

class Calibration {
 public:
  Calibration(const Model& model, const MovedSession& session, const MotionCalibrationOptions& options)
      : model_(model),
        session_(session),
        options_(options),
        joints_(sensed_joints(model, session.mounts)),
        evidence_(session.mounts.size()) {}

  MotionCalibration run() {
    for (const KnownDirection& known : session_.known)
      evidence_.at(at(known.mount))
          .directions.push_back(
              {known.in_link.normalized(), known.in_sensor.normalized(), known.sigma, "the pose"});
    for (Evidence& evidence : evidence_) evidence.known = evidence.directions.size();
    for (const MovedHinge& hinge : session_.hinges) take_hinge(hinge);
    for (const std::span<const ImuSample>& part : session_.free) take_free(part);
    for (std::size_t k = 0; k < evidence_.size(); ++k) take_lines(k);
    for (std::size_t k = 0; k < evidence_.size(); ++k) result_.sensors.push_back(solve(k));
    return std::move(result_);
  }

 private:
  // sensors beside a joint, as `find_...` takes them; the base counts as a sensor that measures only gravity
  [[nodiscard]] SensorPair pair_of(const SensedJoint& joint) const {
    SensorPair pair;
    pair.first = joint.before < 0 ? session_.mounts.size() : at(joint.before);
    pair.second = at(joint.behind);
    if (joint.before >= 0) pair.first_bias = session_.gyro_bias[at(joint.before)];
    pair.second_bias = session_.gyro_bias[at(joint.behind)];
    return pair;
  }

  [[nodiscard]] std::vector<ImuSample> with_base(std::span<const ImuSample> part) const {
    ImuReading base;
    base.acc = -session_.gravity_W;
    base.has_gyro = base.has_acc = true;
    std::vector<ImuSample> samples(part.begin(), part.end());
    for (ImuSample& sample : samples) {
      if (sample.imus.size() != session_.mounts.size())
        throw ConfigError("calibration by motion: a sample has " + std::to_string(sample.imus.size()) +
                          " sensors, but there are " + std::to_string(session_.mounts.size()) + " mounts");
      sample.imus.push_back(base);
    }
    return samples;
  }

  // factor of standard deviations for correlated residuals
  [[nodiscard]] double lasting(std::span<const ImuSample> part) const {
    const double span = part.empty() ? 0.0 : to_seconds(part.back().t - part.front().t);
    const double rate = span > 0.0 ? static_cast<double>(part.size() - 1) / span : 0.0;
    return std::sqrt(1.0 + 2.0 * options_.lasting * rate);
  }

  [[nodiscard]] std::string name_of(int mount) const {
    return mount < 0 ? std::string() : session_.mounts[at(mount)].name;
  }

  [[nodiscard]] Matrix3d mount_of(int mount) const {
    return mount < 0 ? Matrix3d(Matrix3d::Identity()) : session_.mounts[at(mount)].R_LI;
  }

  void take_hinge(const MovedHinge& moved) {
    const int dof = model_.joint_index(moved.joint);
    take_axis(joints_[at(sensed_joint_of(model_, session_.mounts, joints_, dof))], dof, moved.samples, true);
  }

  // adds what the motion of one hinge shows about both mounts. `named`: the user named it as moving
  void take_axis(const SensedJoint& joint, int dof, std::span<const ImuSample> part, bool named) {
    const SensedAxis known = axis_between(model_, session_.mounts, joint, dof, session_.held);
    const HingeAxis axis =
        find_hinge_axis(with_base(part), pair_of(joint), mount_of(joint.before).transpose() * known.in_first,
                        mount_of(joint.behind).transpose() * known.in_second, options_.functional);
    const std::string& name = model_.joint(dof).name;
    if (named && axis.samples == 0)
      throw ConfigError("hinge '" + name + "': neither '" + name_of(joint.behind) + "' nor " +
                        (joint.before < 0 ? "the base" : "'" + name_of(joint.before) + "'") +
                        " turns faster than " + decimals(options_.functional.moving, 1) +
                        " rad/s in its part of the recording");
    JointFinding found{JointFinding::Kind::Axis, {name},       name_of(joint.before),
                       name_of(joint.behind),    axis.samples, axis.residual};
    const double wider = lasting(part);
    const FunctionalOptions& o = options_.functional;
    const bool shown = axis.samples >= o.least && axis.residual <= o.axis_residual * axis.rate;
    if (!shown) found.advice = axis.advice;
    for (const bool behind : {true, false}) {
      const int mount = behind ? joint.behind : joint.before;
      if (!shown || mount < 0) continue;
      const Direction direction{behind ? known.in_second : known.in_first, behind ? axis.second : axis.first,
                                wider * (behind ? axis.second_sigma : axis.first_sigma), name};
      take_side(direction, mount, behind ? known.second_lever : known.first_lever, found);
    }
    found.good = shown && !spoiled(found.advice);
    result_.joints.push_back(std::move(found));
  }

  // advice that only lists open directions is no failure
  static bool spoiled(const std::string& advice) { return !advice.empty() && !advice.starts_with("open: "); }

  // adds one sensor's side of an axis, if the motion shows it
  void take_side(Direction direction, int mount, double lever, JointFinding& found) {
    const double sigma = direction.sigma;
    const double off = angle_between(direction.in_link, mount_of(mount) * direction.in_sensor);
    if (sigma > options_.functional.axis_sigma) {
      if (found.advice.empty())
        found.advice = "open: in '" + name_of(mount) +
                       "' the motion does not show the axis; turn the whole limb while bending the joint";
      return;
    }
    found.sigma = std::max(found.sigma, sigma);
    found.off = std::max(found.off, off);
    if (off > kFarOff) {
      found.advice =
          "in '" + name_of(mount) + "' the axis is " + degrees(off) +
          " from its nominal mount: check that this hinge moved and that the sensor's mount in the "
          "file is right";
      return;
    }
    direction.sigma = hypot(sigma, options_.flesh, options_.held * lever);
    evidence_[at(mount)].directions.push_back(std::move(direction));
  }

  void take_free(std::span<const ImuSample> part) {
    bool any = false;
    if (joints_.empty()) throw ConfigError("calibration by motion: no joint has sensors on both sides");
    for (const SensedJoint& joint : joints_) {
      if (joint.bodies.size() == 1 && joint.centred) {
        take_axis(joint, model_.tree().dof[at(joint.bodies.front())], part, false);
        any = any || result_.joints.back().samples > 0;
      }
      if (joint.centred) any = take_centre(joint, part) || any;
    }
    if (!any)
      throw ConfigError("calibration by motion: no sensor beside a joint turns faster than " +
                        decimals(options_.functional.moving, 1) + " rad/s in the given part");
  }

  // returns true when something moved
  bool take_centre(const SensedJoint& joint, std::span<const ImuSample> part) {
    const JointCentre centre = find_joint_centre(with_base(part), pair_of(joint), options_.functional);
    const SensedCentre known = centre_between(model_, session_.mounts, joint, session_.held);
    const std::vector<std::string> names = joint_names_of(model_, joint);
    JointFinding found{JointFinding::Kind::Centre, names,          name_of(joint.before),
                       name_of(joint.behind),      centre.samples, centre.residual};
    const double lasts = std::max(1.0, options_.acc / std::max(centre.residual, 1e-9));
    const double variance = power(lasting(part) * lasts, 2);
    const bool shown =
        centre.samples >= options_.functional.least && centre.residual <= options_.functional.centre_residual;
    if (!shown) found.advice = centre.advice;
    for (const bool behind : {true, false}) {
      const int mount = behind ? joint.behind : joint.before;
      if (!shown || mount < 0) continue;
      Place place{behind ? known.in_second : known.in_first, behind ? centre.second : centre.first,
                  variance * (behind ? centre.second_covariance : centre.first_covariance), names.back(),
                  behind};
      take_place(std::move(place), mount, joint.bodies.size() == 1, found);
    }
    found.good = shown && !spoiled(found.advice);
    result_.joints.push_back(std::move(found));
    return centre.samples > 0;
  }

  void take_place(Place place, int mount, bool hinge, JointFinding& found) {
    const Vector3d sigmas = sigmas_of(place.covariance);
    const double sigma = sigmas[2], limit = options_.functional.centre_sigma;
    const ImuMount& nominal = session_.mounts[at(mount)];
    place.line = sigma <= limit;
    if (!place.line && found.advice.empty()) {
      const bool along = sigmas[1] <= limit;  // one line is undetermined, as for a hinge
      found.advice =
          along && hinge ? "open: the position along the hinge's axis; turning about that axis cannot show it"
          : along ? "open: the position along the only axis of its motion; turn it about the others too"
                  : "the motion does not show the centre in '" + nominal.name +
                        "': turn the joint about all its axes, faster";
    }
    found.sigma = std::max(found.sigma, sigma);
    if (place.line) {
      const Vector3d p_LI = place.in_link - nominal.R_LI * place.in_sensor;
      found.off = std::max(found.off, (p_LI - nominal.p_LI).norm());
    }
    evidence_[at(mount)].places.push_back(std::move(place));
  }

  // the line between two centres of a segment gives a direction and the segment's length
  void take_lines(std::size_t k) {
    Evidence& evidence = evidence_[k];
    for (const Place& near : evidence.places) {
      for (const Place& far : evidence.places) {
        if (!near.before || far.before || !near.line || !far.line) continue;
        const Vector3d in_link = far.in_link - near.in_link, in_sensor = far.in_sensor - near.in_sensor;
        const double length = in_sensor.norm();
        if (!(in_link.norm() >= kShortest && length >= 0.5 * kShortest)) continue;
        const Matrix3d P = near.covariance + far.covariance;
        const Vector3d along = in_sensor / length;
        result_.lengths.push_back({session_.mounts[k].link, near.from, far.from, in_link.norm(), length,
                                   std::sqrt(along.dot(P * along))});
        const double sigma = worst_of(P) / length;
        if (sigma > options_.functional.axis_sigma) continue;
        evidence.directions.push_back({in_link.normalized(), along, hypot(sigma, options_.flesh),
                                       "the line from " + near.from + " to " + far.from});
      }
    }
  }

  // the most likely turn given the nominal one: Gauss-Newton on directions
  struct Turn {
    Matrix3d R_LI, covariance;  // of a turn in the link's axes [rad^2]
  };
  [[nodiscard]] Turn turn_of(const ImuMount& nominal, const std::vector<Direction>& directions) const {
    const double prior = power(nominal.turn_sigma.value_or(options_.mounting), -2);
    Turn turn{nominal.R_LI, Matrix3d::Identity() / prior};
    for (int round = 0; round < kRounds; ++round) {
      Matrix3d A = prior * Matrix3d::Identity();
      Vector3d b = -prior * so3::log(turn.R_LI * nominal.R_LI.transpose());
      for (const Direction& d : directions) {
        const Vector3d there = turn.R_LI * d.in_sensor;
        // outliers count less
        const double off = angle_between(there, d.in_link) / d.sigma;
        const double weight = std::min(1.0, 2.0 / std::max(off, 1e-9)) / (d.sigma * d.sigma);
        A += weight * (Matrix3d::Identity() - there * there.transpose());
        b += weight * there.cross(d.in_link);
      }
      turn.covariance = symmetric_inverse(A);
      turn.R_LI = so3::exp(solve_symmetric(A, b)) * turn.R_LI;
    }
    return turn;
  }

  void place(const std::vector<Place>& places, ImuMount& mount) const {
    const double prior = power(mount.position_sigma.value_or(options_.place), -2);
    Matrix3d A = prior * Matrix3d::Identity();
    Vector3d b = prior * mount.p_LI;
    for (const Place& place : places) {
      const Matrix3d P = mount.R_LI * place.covariance * mount.R_LI.transpose() +
                         options_.length * options_.length * Matrix3d::Identity();
      const Matrix3d W = symmetric_inverse(P);
      A += W;
      b += W * (place.in_link - mount.R_LI * place.in_sensor);
    }
    mount.p_LI = solve_symmetric(A, b);
    mount.position_sigma = worst_of(symmetric_inverse(A));
  }

  MovedSensor solve(std::size_t k) {
    const ImuMount& nominal = session_.mounts[k];
    const Evidence& evidence = evidence_[k];
    MovedSensor sensor;
    sensor.mount = nominal;
    sensor.directions = static_cast<int>(evidence.directions.size() - evidence.known);
    sensor.centres = static_cast<int>(evidence.places.size());
    Turn turn{nominal.R_LI, Matrix3d::Zero()};
    if (sensor.directions > 0) {
      turn = turn_of(nominal, evidence.directions);
      sensor.mount.R_LI = turn.R_LI;
      sensor.mount.turn_sigma = worst_of(turn.covariance);
    }
    if (sensor.centres > 0) place(evidence.places, sensor.mount);
    sensor.turned = so3::distance(nominal.R_LI, sensor.mount.R_LI);
    sensor.moved = (sensor.mount.p_LI - nominal.p_LI).norm();
    double sum = 0.0;
    for (const Direction& d : evidence.directions)
      sum += power(angle_between(sensor.mount.R_LI * d.in_sensor, d.in_link), 2);
    if (sensor.directions > 0)
      sensor.residual = std::sqrt(sum / static_cast<double>(evidence.directions.size()));
    sensor.advice = judge(k, sensor, turn.covariance);
    sensor.good = sensor.advice.empty();
    return sensor;
  }

  // returns the objection to a mount, or nothing
  [[nodiscard]] std::string judge(std::size_t k, const MovedSensor& sensor, const Matrix3d& P) const {
    const ImuMount& nominal = session_.mounts[k];
    if (sensor.directions == 0) return "no motion determines its turn: " + hinge_to_move(k, Vector3d::Zero());
    for (const Direction& d : evidence_[k].directions) {
      const double off = angle_between(sensor.mount.R_LI * d.in_sensor, d.in_link);
      if (off > kContradiction * d.sigma)
        return "the directions contradict each other, " + d.from + " by " + degrees(off) +
               ": repeat, moving only that hinge with its neighbours held still";
    }
    const double mounting = nominal.turn_sigma.value_or(options_.mounting);
    if (sensor.turned > kContradiction * std::sqrt(3.0) * mounting)
      return "it is turned by " + degrees(sensor.turned) +
             " from its nominal mount, far beyond its uncertainty of " + degrees(mounting) +
             ": correct the nominal mount, or hold a pose first";
    const SymmetricEigen<3> eigen = symmetric_eigen(P);
    if (std::sqrt(eigen.values[2]) > options_.good_turn)
      return "its turn about " + words(eigen.vectors.col(2)) + " of '" + nominal.link +
             "' is known only to " + degrees(std::sqrt(eigen.values[2])) + ": " +
             hinge_to_move(k, eigen.vectors.col(2));
    return "";
  }

  // names the link axis nearest to a direction
  static std::string words(const Vector3d& direction) {
    Eigen::Index largest = 0;
    direction.cwiseAbs().maxCoeff(&largest);
    return std::string(1, static_cast<char>('x' + largest));
  }

  // names the hinge beside a sensor whose axis is most perpendicular to `open`
  [[nodiscard]] std::string hinge_to_move(std::size_t k, const Vector3d& open) const {
    std::string best;
    double most = -1.0;
    for (const SensedJoint& joint : joints_) {
      const bool behind = joint.behind == static_cast<int>(k);
      if (!behind && joint.before != static_cast<int>(k)) continue;
      for (const int body : joint.bodies) {
        const int dof = model_.tree().dof[at(body)];
        if (model_.joint(dof).type != JointType::Revolute || was_moved(dof)) continue;
        const SensedAxis axis = axis_between(model_, session_.mounts, joint, dof, session_.held);
        const double across = (behind ? axis.in_second : axis.in_first).cross(open).norm();
        if (across <= most) continue;
        most = across;
        best = model_.joint(dof).name;
      }
    }
    return best.empty() ? "hold a pose in which gravity is perpendicular to it"
                        : "move only hinge '" + best + "', and the limb before it too";
  }

  [[nodiscard]] bool was_moved(int dof) const {
    return std::any_of(session_.hinges.begin(), session_.hinges.end(),
                       [&](const MovedHinge& hinge) { return hinge.joint == model_.joint(dof).name; });
  }

  const Model& model_;
  const MovedSession& session_;
  const MotionCalibrationOptions& options_;
  std::vector<SensedJoint> joints_;
  std::vector<Evidence> evidence_;  // by mount
  MotionCalibration result_;
};

void check(const MovedSession& session, const MotionCalibrationOptions& o) {
  if (session.gyro_bias.size() != session.mounts.size())
    throw ConfigError("calibration by motion: " + std::to_string(session.gyro_bias.size()) + " biases for " +
                      std::to_string(session.mounts.size()) + " sensors");
  const bool fits = std::all_of(session.known.begin(), session.known.end(), [&](const KnownDirection& k) {
    return k.mount >= 0 && at(k.mount) < session.mounts.size() && k.sigma > 0.0 && k.in_link.norm() > 0.0 &&
           k.in_sensor.norm() > 0.0;
  });
  if (!fits)
    throw ConfigError("calibration by motion: a known direction is zero, has sigma 0, or names no sensor");
  if (session.hinges.empty() && session.free.empty())
    throw ConfigError("calibration by motion needs a part of the recording with motion");
  if (!(o.mounting > 0.0 && o.place > 0.0 && o.held >= 0.0 && o.flesh > 0.0 && o.length > 0.0 &&
        o.lasting >= 0.0 && o.acc >= 0.0 && o.good_turn > 0.0))
    throw ConfigError(
        "calibration by motion: `mounting`, `place`, `flesh`, `length` and `good_turn` must be larger than "
        "0, `held`, `lasting` and `acc` not negative");
}

}  // namespace

MotionCalibration calibrate_motion(const Model& model, const MovedSession& session,
                                   const MotionCalibrationOptions& options) {
  check(session, options);
  return Calibration(model, session, options).run();
}

}  // namespace panto
