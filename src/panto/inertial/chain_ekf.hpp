#pragma once
// Inertial tracking of a chain: an extended Kalman filter over (q, q', q'') of every unknown and a gyroscope
// bias per sensor. Sensors count one after the other, each by its own path; the covariance is touched once.
// docs/algorithms/chain_ekf.md

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

/// Everything that a filter knows at time t. A plain value: copying it is a checkpoint.
struct ChainState {
  Time t = 0;                   ///< [ns]
  ChainMotion motion;           ///< of the unknowns
  Eigen::VectorXd bias;         ///< of the gyroscopes [rad/s], (3 per sensor)
  ChainShape shape;             ///< what was refined of it, else empty
  Eigen::VectorXd mounting;     ///< turns of sensors against their mounts [rad], (3 per sensor, if counted)
  Eigen::MatrixXd P;            ///< covariance of (q, q', q'') by unknown, then of biases, turns, places and
                                ///< lengths
  Eigen::VectorXd good_field;   ///< by sensor: how long its field has been the reference's [s]
  Eigen::VectorXd heading_age;  ///< by sensor: since its heading or orientation was last used [s]
  Eigen::VectorXd standing;     ///< by contact: how long its sensor has been still [s]
  std::vector<ImuMemory> memory;  ///< by sensor
};

/// What the last step found, by sensor.
struct ImuHealth {
  double nis_gyro = 0.0;  ///< squared innovation in standard deviations; 3 is expected, 0: not measured
  double nis_acc = 0.0;
  double nis_orientation = 0.0;
  bool field_used = false;        ///< of the field anything,
  bool heading_used = false;      ///< its heading alone
  bool orientation_used = false;  ///< what it has fused itself
  ImuCondition condition = ImuCondition::Missing;
};

/// The filter. Owns its workspace; the caller owns the state. Hinges with a tethered process are drawn to the
/// model's rest pose; slides and a floating base to zero.
class ChainEkf {
 public:
  /// `processes`: one per unknown. The layout behind `model` must outlive the filter.
  /// @throws ConfigError naming the option, an unknown point or sensor, or the number of processes.
  ChainEkf(ImuModel model, const std::vector<ChainProcess>& processes, const ChainEkfOptions& options = {});

  [[nodiscard]] const ImuModel& model() const noexcept { return model_; }
  [[nodiscard]] const std::vector<ImuHealth>& health() const noexcept { return health_; }
  /// How many updates the last step took, each by the model linearised anew, 1 .. `iterations`.
  [[nodiscard]] int passes() const noexcept { return passes_; }

  /// A state at rest or moving as `state` says, as uncertain as the options say.
  [[nodiscard]] ChainState start(const State& state) const;

  /// What another filter knows, as this one's state: the same joints, sensors and contacts by name, with
  /// their covariance. Joints that are new rest, as uncertain as `joining` says; what is gone is forgotten.
  /// @throws ConfigError when `state` is not one of `other`.
  [[nodiscard]] ChainState take_over(const ChainEkf& other, const ChainState& state) const;

  /// The same, but joints that are new are where the first samples behind `state` say, two or three of them:
  /// of all poses that explain the first one, the one from which all of them surprise least. At the time of
  /// the last one. Not for the loop: what a dozen filters would take.
  /// @throws ConfigError when `state` is not one of `other`, or a sample not one of this filter's sensors.
  [[nodiscard]] ChainState take_over(const ChainEkf& other, const ChainState& state,
                                     std::span<const ImuSample> first) const;

  /// Advances `state` to the sample. A reading without gyro, acc and orientation is a missing sensor; one
  /// that is held counts as missing. A sample that is not newer than the state is late and refused
  /// (TimeNotAdvancing). On failure (that, sizes, not finite) the state is unchanged. No allocation.
  [[nodiscard]] StepStatus step(const ImuSample& sample, ChainState& state) noexcept;

  /// Pose and rates as a State of the model's size: triples on the branch nearest to what `result` holds,
  /// joints moved inside their limits where the options count them. `ahead` [s]: as they will be by then.
  void read(const ChainState& state, State& result, double ahead = 0.0) const noexcept;

  // what `ChainSmoother` needs beside the states: their vectors, in the order of ChainState::P, and the
  // process
  [[nodiscard]] Eigen::Index columns() const noexcept { return x_.size(); }
  /// First column of what never changes: turns and places of sensors, lengths.
  [[nodiscard]] Eigen::Index constants() const noexcept { return turns_; }
  /// Standard deviations of what was refined, in the sizes of ChainState::shape [m].
  [[nodiscard]] ChainShape shape_deviation(const ChainState& state) const;
  /// True when the state has the sizes of this filter's.
  [[nodiscard]] bool fits(const ChainState& state) const noexcept;
  /// `x`: (columns()). Balls count from the references of the state.
  void to_vector(const ChainState& state, Eigen::VectorXd& x) const noexcept;
  void from_vector(const Eigen::VectorXd& x, ChainState& state) const noexcept;
  /// Moves the vector of a state whose motion is `from`, and its covariance, on by `T` [s] > 0, as a step
  /// does before anything is measured.
  void predict(const ChainMotion& from, double T, Eigen::VectorXd& x, Eigen::MatrixXd& P) noexcept;
  /// F of an unknown over the interval of the last `predict`; that of everything else is the identity.
  [[nodiscard]] const Eigen::Matrix3d& transition_of(int unknown) const noexcept {
    return transitions_[static_cast<std::size_t>(kind_[static_cast<std::size_t>(unknown)])].F;
  }

 private:
  // a contact by numbers
  struct Contact {
    int point = 0, sensor = 0;
  };
  // a joint with a limit, or one of the three of a ball of which one has
  struct Stop {
    int ball = -1, axis = 0, unknown = 0;
    Eigen::Vector3d lower, upper;  // of a ball's three joints; of a single one the first
  };
  // where such a joint is, and its slopes
  struct StopValue {
    double value = 0.0;
    int count = 0;
    std::array<int, 3> columns{};
    std::array<double, 3> slopes{};
  };
  // what a block of rows came from
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
  // of the field in parts of the reference's norm
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
  std::vector<ChainProcess> kinds_;  // the different ones
  std::vector<int> kind_;            // by unknown
  std::vector<ChainTransition> transitions_;
  double interval_ = -1.0;  // that the transitions are for
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
  Eigen::VectorXd shift_;  // by tether: what its unknown lacks to be counted from rest
  Eigen::Index biases_ = 0, turns_ = 0, places_ = 0, lengths_ = 0;  // first columns

  ImuSample sample_;           // with the rates that orientations tell
  std::vector<double> since_;  // by sensor: the interval whose mean rate that is [s]; 0: it was measured
  ChainState work_;            // what a step changes before it succeeds; its covariance is P_
  Eigen::VectorXd x_, x_prior_, around_;
  TripleTransition transition_;
  PaddedMatrix P_;  // covariance before anything is measured, then after it (lower half)
  RowStack rows_;
  int passes_ = 0;
  std::vector<RowSource> sources_;  // by block of rows
};

}  // namespace panto
