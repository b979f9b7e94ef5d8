#pragma once
// Where inertial sensors sit on a model, and what is known of them and their noise before anything is
// measured: all options of the chain filter.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// A point P of a link: a sole, the tip of a pen.
struct PointMount {
  std::string name;
  std::string link;
  Eigen::Vector3d p_LP = Eigen::Vector3d::Zero();  ///< [m]
};

/// Prior model of one unknown's motion.
struct ChainProcess {
  enum class Kind : unsigned char {
    WhiteIncrements,  ///< (A) the paper's: acceleration steps by white noise of `size` at every sample
    WhiteJerk,        ///< (B) jerk of spectral density `size`^2; does not depend on the sample rate
    Singer,           ///< (C) acceleration of rms `size` that decays within `time`
    Tethered,         ///< (D) the same rms, with bounded position and velocity: triple pole at -1/`time`
  };
  Kind kind = Kind::Singer;
  double size = 50.0;  ///< [rad/s^2] or [m/s^2]; B: [rad/s^2.5]; > 0. Larger: follows faster, smooths less
  double time = 0.2;   ///< [s]; > 0; A and B do not use it. Larger: the acceleration lasts longer
  /// The strength follows what the sensors show: the changes of their angular accelerations, not `size`.
  bool adapts = false;

  friend bool operator==(const ChainProcess&, const ChainProcess&) = default;
};

struct ImuWatchOptions {
  double dead_after = 0.08;   ///< [s], > 0
  double frozen_after = 0.5;  ///< [s], > 0. Working sensors have noise and never repeat this long
};

/// Use of the magnetometers.
enum class MagneticUse : unsigned char { Off, Heading, Vector };

/// Use of orientations fused by trackers without rates.
enum class OrientationUse : unsigned char {
  Off,
  Inclination,  ///< without the heading, which may come only from the tracker's dead reckoning
  Full,
};

/// Treatment of sensors that are turned against their mounting.
enum class MountingUse : unsigned char {
  Inflate,   ///< more noise, as if every sample had another error
  Consider,  ///< a constant turn per sensor with a covariance, never changed [Schmidt 1966]
  Estimate,  ///< a constant turn per sensor that is estimated
};

/// A point of the model in contact while a sensor near it is still.
struct ChainContact {
  std::string point{};   ///< name in the ImuModel
  std::string sensor{};  ///< on the same limb
};

/// Detection and use of contacts. For a floating base.
struct ChainContactOptions {
  std::vector<ChainContact> points = {};
  double gyro = 2.0;                           ///< the sensor turns slower than this [rad/s], > 0,
  double acc = 3.0;                            ///< its force differs less from gravity [m/s^2], > 0,
  double settles = 0.05;                       ///< for this long [s], >= 0
  double speed = 0.02;                         ///< of a point in contact, standard deviation [m/s], > 0
  std::optional<double> floor = std::nullopt;  ///< height of all contact points [m]; unset: unknown
  double height = 0.01;                        ///< its standard deviation [m], > 0
};

/// Estimation of the body's shape during motion: constants estimated with everything else, each only from
/// samples that show it. [docs/algorithms/chain_ekf.md]
struct ChainRefinement {
  /// Uncertainty of a sensor's position on its segment along each axis [m], >= 0, if its mount has no
  /// `position_sigma`; 0: positions are not refined.
  double place = 0.0;
  double length = 0.0;   ///< of a segment [m], >= 0; 0: lengths are not refined
  double excited = 1.0;  ///< [rad/s], >= 0: slower turns show neither
  /// [s], >= 0, interval in which one sample counts for the shape, because soft tissue and wrong turns affect
  /// successive samples alike. In between it is only considered [Schmidt 1966]. 0: every sample counts.
  double interval = 0.25;
};

/// Noise of one sample (standard deviation per axis) and errors of the model.
struct ChainEkfOptions {
  double gyro = 0.002;       ///< [rad/s], > 0. Larger: smooths rates more
  double acc = 0.07;         ///< [m/s^2], > 0. Larger: inclination relies longer on the gyroscope
  bool acc_adapts = false;   ///< vibration that an accelerometer shows counts as its noise
  double mag = 0.02;         ///< relative to the reference field, > 0
  double mounting = 0.0524;  ///< constant turn of sensor against segment [rad], >= 0. Larger: less trust; 0:
                             ///< the mounting is exact
  MountingUse mounting_use = MountingUse::Estimate;
  /// Varying turn of sensor against segment by soft tissue [rad], >= 0: remaining noise when the constant
  /// turn is considered or estimated; at most `mounting` counts.
  double changing = 0.05;
  /// [s], >= 0, for which that turn, wobble and the resulting rate errors persist: faster samples add little
  /// information. Without it a slow error of the model looks like many agreeing measurements, and the
  /// constant turns follow it.
  double changing_memory = 0.03;
  double wobble = 0.002;    ///< sensor against bone [m], >= 0
  double gyro_scale = 0.0;  ///< relative error of the gyroscope's rate, >= 0. Larger: turns count less
  double bias = 0.009;      ///< of the gyroscope at the start [rad/s], > 0
  /// Rate of a sensor that has rested for 1.5 s [rad/s]: what its gyroscope reads then is its bias. Unset:
  /// resting shows no bias.
  std::optional<double> resting = std::nullopt;
  double bias_walk = 5e-5;        ///< [rad/s per sqrt(s)], >= 0
  double gyro_range = kInfinity;  ///< axes at this reading are clipped [rad/s], > 0
  double acc_range = kInfinity;   ///< [m/s^2], > 0
  double huber = 2.0;             ///< innovations count fully up to this many standard deviations, > 0
  double surprise =
      16.27;           ///< squared standard deviations of a sensor above which the sample is linearised again
  int iterations = 4;  ///< most linearisations, 1 to 10
  /// Standard deviations of a row's noise by which the model may differ from its linearisation, >= 0. Larger:
  /// fewer samples are linearised again; 0: all that surprise or move the state far.
  double bend = 0.03;
  /// The covariance moves with the state; false: where so little is known that the iteration might not end.
  bool carries = true;
  std::array<double, 3> start{0.087, 0.1, 1.0};   ///< standard deviations of (q, q', q'') at the start, > 0
  std::array<double, 3> joining{0.6, 3.0, 30.0};  ///< the same for joints that join later, > 0
  /// Softness with which joints beyond a limit of the model are drawn back [rad] or [m], > 0; unset: no
  /// limits.
  std::optional<double> limit = 0.0175;
  ChainContactOptions contact{};
  ChainRefinement refine{};
  ImuWatchOptions watch{};
  MagneticUse magnetic = MagneticUse::Heading;
  double heading = 0.087;       ///< error of the field's heading from place to place [rad], >= 0
  double heading_memory = 2.0;  ///< [s] for which that error persists, >= 0
  /// [s], >= 0, interval in which the heading of a sensor is used once, each sensor at another time: within
  /// `heading_memory` a second heading adds little. 0: at every sample.
  double heading_interval = 0.05;
  OrientationUse orientation_use = OrientationUse::Full;
  /// Error of a fused orientation's inclination [rad], > 0; its heading has `heading` in addition,
  double orientation = 0.035;
  double orientation_memory = 0.5;  ///< [s], >= 0, for which that error persists.
  /// Difference of two successive orientations at rest [rad], > 0: the noise of rates from orientations.
  double orientation_noise = 5e-4;
  double field_norm = 0.1;   ///< fields are used if they differ by less from the reference's norm (relative),
  double field_dip = 0.175;  ///< and dip [rad],
  double field_settles = 0.5;  ///< for this long [s]
};

/// Where sensors sit on a model, and what else is known before tracking.
struct InertialSetup {
  std::vector<ImuMount> mounts;                 ///< by sensor name of the source
  std::vector<Eigen::Vector3d> gyro_bias = {};  ///< by mount, at the start [rad/s]; empty: zero
  std::vector<PointMount> points = {};          ///< contact points; with any, a floating base may travel
  Surroundings surroundings;
  ChainEkfOptions filter{.acc_adapts = true, .gyro_scale = 0.005, .resting = 0.003};
  /// For hinges and the rotation of a floating base.
  ChainProcess turning{ChainProcess::Kind::Singer, 50.0, 0.2, true};
  /// For slides and the position of a floating base that stays within reach.
  ChainProcess shifting{ChainProcess::Kind::Tethered, 20.0, 0.15};
  /// For the position of a floating base that contacts hold.
  ChainProcess travelling{ChainProcess::Kind::Singer, 5.0, 0.3};
  /// For hinges that sensors do not determine individually: more than three between two sensors, or no sensor
  /// after them. They stay near the model's rest pose, rms * time^2 [rad], and share what is measured.
  ChainProcess sharing{ChainProcess::Kind::Tethered, 10.0, 0.15};
  /// Start positions of joints that do not begin at rest: hinges [rad], slides [m].
  std::vector<std::pair<std::string, double>> start_hinges, start_slides;
  Eigen::Matrix3d R_WB = Eigen::Matrix3d::Identity();  ///< orientation of the base at the start
  std::optional<Eigen::Vector3d> p_WB = std::nullopt;  ///< floating base at the start [m]; unset: zero
  /// Delay of the sensors [s], 0 to 0.1: time by which readings are later than their stamps, caused by
  /// low-pass filters and transmission. Poses and rates are predicted to the stamps.
  double lag = 0.0;
  double longest_gap =
      1.0;  ///< [s] > 0 without any sensor, after which the motion begins again at its last pose
};

/// Where sensors sit, and other contents of a sensor file.
struct SensorSetup {
  InertialSetup setup;
  bool has_field = false;    ///< a reference field is given; if not, `setup.filter.magnetic` is Off
  bool says_refine = false;  ///< `places` or `lengths` are given under `[refine]`
  bool soles = false;        ///< `contacts = "soles"`: those of a human's feet, found once the model is known
  /// Removes trembling faster than this from the recording before tracking [s]; 0: off.
  double steadied = 0.0;
  std::string name = "the sensor setup";  ///< names its file in messages
};

}  // namespace panto
