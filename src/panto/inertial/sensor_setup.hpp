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

/// What is known of one unknown's motion before anything is measured.
struct ChainProcess {
  enum class Kind : unsigned char {
    WhiteIncrements,  ///< (A) the paper's: acceleration steps by white noise of `size` at every sample
    WhiteJerk,        ///< (B) jerk of spectral density `size`^2; does not depend on the sample rate
    Singer,           ///< (C) acceleration of rms `size` that forgets itself within `time`
    Tethered,  ///< (D) the same rms, but position and velocity are bounded too: triple pole at -1/`time`
  };
  Kind kind = Kind::Singer;
  double size = 50.0;  ///< [rad/s^2] or [m/s^2]; B: [rad/s^2.5]; > 0. Larger: follows faster, smooths less
  double time = 0.2;   ///< [s]; > 0; A and B do not use it. Larger: the acceleration lasts longer

  friend bool operator==(const ChainProcess&, const ChainProcess&) = default;
};

/// When sensors count as dead or frozen.
struct ImuWatchOptions {
  double dead_after = 0.08;   ///< [s], > 0
  double frozen_after = 0.5;  ///< [s], > 0. Working sensors have noise: none repeats itself so long
};

/// What the filter takes from the magnetometers.
enum class MagneticUse : unsigned char { Off, Heading, Vector };

/// What the filter takes from orientations that trackers have fused, where they say no rates.
enum class OrientationUse : unsigned char {
  Off,
  Inclination,  ///< not the heading, which nothing but the tracker's own dead reckoning may tell
  Full,
};

/// What the filter makes of sensors that are turned against where they should be.
enum class MountingUse : unsigned char {
  Inflate,   ///< more noise, as if the error were another one at every sample
  Consider,  ///< a constant turn per sensor whose covariance counts, and which is never changed [Schmidt
             ///< 1966]
  Estimate,  ///< a constant turn per sensor that is estimated too
};

/// A point of the model that stands while a sensor near it is still.
struct ChainContact {
  std::string point{};   ///< of the ImuModel
  std::string sensor{};  ///< on the same limb
};

/// When points stand, and what that says. For a base that floats.
struct ChainContactOptions {
  std::vector<ChainContact> points = {};
  double gyro = 1.0;                           ///< the sensor turns slower than this [rad/s], > 0,
  double acc = 1.0;                            ///< and what it feels is so near to gravity [m/s^2], > 0,
  double settles = 0.05;                       ///< for this long [s], >= 0
  double speed = 0.02;                         ///< of a point that stands, standard deviation [m/s], > 0
  std::optional<double> floor = std::nullopt;  ///< height of all points that stand [m]; unset: not known
  double height = 0.01;                        ///< standard deviation of it [m], > 0
};

/// What the filter learns of the body's shape while it moves: constants that are estimated with everything
/// else, each only from samples that show it. [docs/algorithms/chain_ekf.md]
struct ChainRefinement {
  /// How uncertain a sensor's place on its segment is along each axis [m], >= 0, where its mount does not say
  /// (`position_sigma`); 0: places are not refined.
  double place = 0.0;
  double length = 0.0;   ///< of a segment [m], >= 0; 0: lengths are not refined
  double excited = 1.0;  ///< [rad/s], >= 0: slower turns tell nothing of either
  /// [s], >= 0, in which one sample counts for the shape: what flesh and wrong turns make of a sample is made
  /// of the next one too. In between it is considered [Schmidt 1966]. 0: every sample counts.
  double interval = 0.25;
};

/// Noise of one sample (standard deviation per axis) and what the model does not know.
struct ChainEkfOptions {
  double gyro = 0.002;       ///< [rad/s], > 0. Larger: rates are smoothed more
  double acc = 0.07;         ///< [m/s^2], > 0. Larger: inclination relies longer on the gyroscope
  double mag = 0.02;         ///< part of the reference field, > 0
  double mounting = 0.0524;  ///< constant turn of sensor against segment [rad], >= 0. Larger: less is
                             ///< trusted; 0: nothing lies between sensor and segment
  MountingUse mounting_use = MountingUse::Estimate;
  /// Turn of sensor against segment that comes and goes with the flesh [rad], >= 0: noise that stays where
  /// the constant one is considered or estimated; at most `mounting` counts.
  double changing = 0.05;
  /// [s], >= 0, for which that turn, wobble and wrong rates from it stay: samples that come faster tell
  /// little that is new. Without it a slow error of the model looks like many measurements that agree, and
  /// the constant turns follow it.
  double changing_memory = 0.03;
  double wobble = 0.002;  ///< sensor against bone [m], >= 0
  double gyro_scale =
      0.0;              ///< part of the rate that the gyroscope gets wrong, >= 0. Larger: turns count less
  double bias = 0.009;  ///< of the gyroscope at the start [rad/s], > 0
  double bias_walk = 5e-5;        ///< [rad/s per sqrt(s)], >= 0
  double gyro_range = kInfinity;  ///< axes that read as much tell nothing but that [rad/s], > 0
  double acc_range = kInfinity;   ///< [m/s^2], > 0
  double huber = 2.0;             ///< innovations count fully up to so many standard deviations, > 0
  double surprise =
      16.27;           ///< squared standard deviations of a sensor beyond which the sample is linearised anew
  int iterations = 4;  ///< at most so often, 1 to 10
  /// Standard deviations of a row's noise by which the model may differ from its linearisation, >= 0. Larger:
  /// fewer samples are linearised anew; 0: all that surprise or move the state far.
  double bend = 0.03;
  std::array<double, 3> start{0.087, 0.1, 1.0};   ///< standard deviations of (q, q', q'') at the start, > 0
  std::array<double, 3> joining{0.6, 3.0, 30.0};  ///< the same of joints that join while it runs, > 0
  /// Joints beyond a limit of the model are drawn back to it so softly [rad] or [m], > 0; unset: no limits.
  std::optional<double> limit = 0.0175;
  ChainContactOptions contact{};
  ChainRefinement refine{};
  ImuWatchOptions watch{};
  MagneticUse magnetic = MagneticUse::Heading;
  double heading = 0.087;       ///< error of the field's heading from place to place [rad], >= 0
  double heading_memory = 2.0;  ///< [s] for which that error stays, >= 0
  /// [s], >= 0, in which the heading of a sensor is used once, every sensor's at another time: within
  /// `heading_memory` a second one tells little that is new. 0: at every sample.
  double heading_interval = 0.05;
  OrientationUse orientation_use = OrientationUse::Full;
  /// Error of a fused orientation's inclination [rad], > 0; of its heading `heading` more,
  double orientation = 0.035;
  double orientation_memory = 0.5;  ///< [s], >= 0, for which that stays.
  /// What two orientations that follow each other differ by at rest [rad], > 0: the noise of the rates that
  /// they tell.
  double orientation_noise = 5e-4;
  double field_norm = 0.1;     ///< fields are believed that differ by less from the reference's norm (part),
  double field_dip = 0.175;    ///< and dip [rad],
  double field_settles = 0.5;  ///< and did so for this long [s]
};

/// Where sensors sit on a model, and what else is known before tracking.
struct InertialSetup {
  std::vector<ImuMount> mounts;                 ///< by sensor name of the source
  std::vector<Eigen::Vector3d> gyro_bias = {};  ///< by mount, at the start [rad/s]; empty: zero
  std::vector<PointMount> points = {};          ///< contact points; with any, a floating base may travel
  Surroundings surroundings;
  ChainEkfOptions filter;
  /// For hinges and the rotation of a floating base.
  ChainProcess turning{ChainProcess::Kind::Singer, 50.0, 0.2};
  /// For slides and the position of a floating base that stays within reach.
  ChainProcess shifting{ChainProcess::Kind::Tethered, 6.0, 0.25};
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
