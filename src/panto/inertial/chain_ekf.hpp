#pragma once
// Inertial tracking of a chain: an extended Kalman filter over (q, q', q'') of every unknown and a gyroscope
// bias per sensor. Sensors update one after the other, each through its own path; the covariance is updated
// once. docs/algorithms/chain_ekf.md

#include <Eigen/Core>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/inertial/chain_covariance.hpp"
#include "panto/inertial/chain_process.hpp"
#include "panto/inertial/imu_model.hpp"
#include "panto/inertial/imu_watch.hpp"
#include "panto/inertial/pose_search.hpp"
#include "panto/inertial/row_stack.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

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
  double gyro = 1.0;                           ///< the sensor turns slower than this [rad/s], > 0,
  double acc = 1.0;                            ///< its force differs less from gravity [m/s^2], > 0,,
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
  double wobble = 0.002;          ///< sensor against bone [m], >= 0
  double gyro_scale = 0.0;        ///< relative error of the gyroscope's rate, >= 0. Larger: turns count less
  double bias = 0.009;            ///< of the gyroscope at the start [rad/s], > 0
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

/// The filter's complete state at time t. A plain value: copying it is a checkpoint.
struct ChainState {
  Time t = 0;                   ///< [ns]
  ChainMotion motion;           ///< of the unknowns
  Eigen::VectorXd bias;         ///< of the gyroscopes [rad/s], (3 per sensor)
  ChainShape shape;             ///< the refined part, else empty
  Eigen::VectorXd mounting;     ///< turns of sensors against their mounts [rad], (3 per sensor, if modelled)
  Eigen::MatrixXd P;            ///< covariance of (q, q', q'') by unknown, then of biases, turns, places and
                                ///< lengths
  Eigen::VectorXd good_field;   ///< by sensor: how long its field has matched the reference [s]
  Eigen::VectorXd heading_age;  ///< by sensor: time since its heading or orientation was used [s]
  Eigen::VectorXd standing;     ///< by contact: how long its sensor has been still [s]
  std::vector<ImuMemory> memory;  ///< by sensor
};

/// Results of the last step, by sensor.
struct ImuHealth {
  double nis_gyro = 0.0;  ///< squared innovation in standard deviations; expected 3; 0: not measured
  double nis_acc = 0.0;
  double nis_orientation = 0.0;
  bool field_used = false;        ///< any part of the field
  bool heading_used = false;      ///< only the field's heading
  bool orientation_used = false;  ///< its fused orientation
  ImuCondition condition = ImuCondition::Missing;
};

/// The filter. Owns its workspace; the caller owns the state. A tethered process draws hinges to the model's
/// rest pose, slides and a floating base to zero.
class ChainEkf {
 public:
  /// `processes`: one per unknown. The layout behind `model` must outlive the filter.
  /// @throws ConfigError naming the option, an unknown point or sensor, or the number of processes.
  ChainEkf(ImuModel model, const std::vector<ChainProcess>& processes, const ChainEkfOptions& options = {});

  [[nodiscard]] const ImuModel& model() const noexcept { return model_; }
  [[nodiscard]] const std::vector<ImuHealth>& health() const noexcept { return health_; }
  /// Returns the number of linearisations of the last step, 1 .. `iterations`.
  [[nodiscard]] int passes() const noexcept { return passes_; }

  /// Returns a filter state at rest, or moving like `state`, with the uncertainty of the options.
  [[nodiscard]] ChainState start(const State& state) const;

  /// Transfers the state of another filter by joint, sensor and contact name, with its covariance. New joints
  /// start at rest with `joining` as uncertainty; removed ones are marginalised out.
  /// @throws ConfigError when `state` is not one of `other`.
  [[nodiscard]] ChainState take_over(const ChainEkf& other, const ChainState& state) const;

  /// The same, but places new joints by the first two or three samples after `state`: of all poses that
  /// explain the first one, chooses the one from which all of them surprise least. Returns the state at the
  /// last one. Not for the loop: costs as much as a dozen filters.
  /// @throws ConfigError when `state` is not one of `other`, or a sample not one of this filter's sensors.
  [[nodiscard]] ChainState take_over(const ChainEkf& other, const ChainState& state,
                                     std::span<const ImuSample> first) const;

  /// Advances `state` to the sample. A reading without gyro, acc and orientation is a missing sensor; a held
  /// one counts as missing. A late sample, not newer than the state, is refused (TimeNotAdvancing). On
  /// failure (late, wrong sizes, not finite) the state is unchanged. No allocation.
  [[nodiscard]] StepStatus step(const ImuSample& sample, ChainState& state) noexcept;

  /// Writes pose and rates to a State of the model's size: triples on the branch nearest to `result`, joints
  /// moved inside their limits if the options use limits. `ahead` [s]: extrapolation in time.
  void read(const ChainState& state, State& result, double ahead = 0.0) const noexcept;

  // for `ChainSmoother`: the states' vectors, in the order of ChainState::P, and the process
  [[nodiscard]] Eigen::Index columns() const noexcept { return x_.size(); }
  /// Returns the first column of the constants: turns and positions of sensors, lengths.
  [[nodiscard]] Eigen::Index constants() const noexcept { return turns_; }
  /// Returns the standard deviations of the refined shape, in the sizes of ChainState::shape [m].
  [[nodiscard]] ChainShape shape_deviation(const ChainState& state) const;
  /// Returns true when the state has the sizes of this filter.
  [[nodiscard]] bool fits(const ChainState& state) const noexcept;
  /// Converts to a vector `x`: (columns()). Balls count from the references of the state.
  void to_vector(const ChainState& state, Eigen::VectorXd& x) const noexcept;
  void from_vector(const Eigen::VectorXd& x, ChainState& state) const noexcept;
  /// Predicts the vector of a state with the motion `from`, and its covariance, by `T` [s] > 0, as a step
  /// does before measuring.
  void predict(const ChainMotion& from, double T, Eigen::VectorXd& x, Eigen::MatrixXd& P) noexcept;
  /// Returns F of an unknown over the interval of the last `predict`; F of everything else is the identity.
  [[nodiscard]] const Eigen::Matrix3d& transition_of(int unknown) const noexcept {
    return transitions_[static_cast<std::size_t>(kind_[static_cast<std::size_t>(unknown)])].F;
  }

 private:
  // a contact by indices
  struct Contact {
    int point = 0, sensor = 0;
  };
  // a joint with a limit, or a ball of which at least one joint has a limit
  struct Stop {
    int ball = -1, axis = 0, unknown = 0;
    Eigen::Vector3d lower, upper;  // of a ball's three joints; a single joint uses the first
  };
  // position of such a joint and its derivatives
  struct StopValue {
    double value = 0.0;
    int count = 0;
    std::array<int, 3> columns{};
    std::array<double, 3> slopes{};
  };
  // origin of a block of rows
  struct RowSource {
    enum class Kind : unsigned char { Imu, Heading, Orientation, Contact };
    Kind kind = Kind::Imu;
    int imu = 0;
    bool gyro = false, acc = false, field = false;
  };

  void reserve_rows();
  void add_stops();
  void add_tethers(const std::vector<ChainProcess>& processes);
  [[nodiscard]] std::pair<int, int> ball_of(int unknown) const noexcept;
  void add_contacts();
  [[nodiscard]] std::vector<int> shared_columns(const ChainEkf& other) const;
  void take_columns(const ChainEkf& other, const ChainState& state, ChainState& result) const;
  void take_memory(const ChainEkf& other, const ChainState& state, ChainState& result) const;
  [[nodiscard]] PoseSearchOptions search_options(const ImuReading& reading, double T) const;
  [[nodiscard]] std::vector<LikelyPose> likely_poses(const ChainMotion& motion, std::vector<int> unknowns,
                                                     std::span<const ImuSample> first) const;
  void find_shifts(const ChainMotion& motion) noexcept;
  void move_vector(const ChainMotion& from, double T, Eigen::VectorXd& x) noexcept;
  void move_covariance(double T, const Eigen::MatrixXd& P) noexcept;
  void take_rates(const ImuSample& sample, const ChainState& state) noexcept;
  void keep(const ChainState& state) noexcept;
  void give(ChainState& state) noexcept;
  void converge(const ImuSample& sample, double T) noexcept;
  [[nodiscard]] bool moved_far() const noexcept;
  void take_rows() noexcept;
  void collect(const ImuSample& sample, double T) noexcept;
  void collect_imu(int imu, const ImuReading& reading, double T) noexcept;
  [[nodiscard]] Eigen::Index free_columns(double T) const noexcept;
  [[nodiscard]] static bool interval_ends(double length, Time shift, Time now, double T) noexcept;
  [[nodiscard]] bool heading_is_due(int imu, double T) const noexcept;
  void collect_heading(int imu, const ImuReading& reading) noexcept;
  void collect_orientation(int imu, const ImuReading& reading) noexcept;
  void collect_contact(const Contact& contact) noexcept;
  void add_slopes(int imu, const RowSource& used, const Eigen::Matrix3d& R_TI) noexcept;
  void predict_measurements() noexcept;
  [[nodiscard]] bool refines() const noexcept { return columns() > places_; }
  [[nodiscard]] bool shows_place(int imu) const noexcept;
  void add_shape(int imu, const Eigen::Matrix3d& R_TI, Eigen::Index acc_row) noexcept;
  void add_turn(int imu, const std::array<bool, 3>& given, const Eigen::Matrix3d& R_TI) noexcept;
  // of the field, relative to the reference's norm
  [[nodiscard]] double part_scale(int part) const noexcept {
    return part == 2 ? 1.0 / model_.surroundings().field_W.norm() : 1.0;
  }
  void add_innovations(int imu, const ImuReading& reading, const RowSource& used, double T,
                       const Eigen::Matrix3d& R_TI, int row) noexcept;
  void count_in(int block) noexcept;
  void stop_at_limits() noexcept;
  [[nodiscard]] StopValue stop_value(const Stop& stop) const noexcept;
  void rebase(Eigen::MatrixXd& P) noexcept;
  void watch_fields(const ImuSample& sample, double T) noexcept;
  void watch_contacts(const ImuSample& sample, double T) noexcept;
  [[nodiscard]] Eigen::Vector3d noise(int imu, const Eigen::Vector3d& acc, double T) const noexcept;

  ImuModel model_;
  ChainEkfOptions options_;
  std::vector<ChainProcess> kinds_;  // the distinct ones
  std::vector<int> kind_;            // by unknown
  std::vector<ChainTransition> transitions_;
  double interval_ = -1.0;  // of the transitions
  std::vector<ImuHealth> health_;
  std::vector<Contact> contacts_;
  std::vector<Stop> stops_;
  // a joint whose process pulls it to the model's rest
  struct Tether {
    int ball = -1, axis = 0, unknown = 0;
    double rest = 0.0;                                     // of a single joint
    Eigen::Matrix3d R_rest = Eigen::Matrix3d::Identity();  // of a ball
  };
  std::vector<Tether> tethers_;
  Eigen::VectorXd shift_;  // by tether: offset of its unknown from rest
  Eigen::Index biases_ = 0, turns_ = 0, places_ = 0, lengths_ = 0;  // first columns

  ImuSample sample_;           // with rates from orientations
  std::vector<double> since_;  // by sensor: interval of the mean rate [s]; 0: measured rate
  ChainState work_;            // working state of a step until it succeeds; its covariance is P_
  Eigen::VectorXd x_, x_prior_, around_;
  TripleTransition transition_;
  PaddedMatrix P_;  // covariance before measuring, then after it (lower half)
  RowStack rows_;
  int passes_ = 0;
  std::vector<RowSource> sources_;  // by block of rows
};

}  // namespace panto
