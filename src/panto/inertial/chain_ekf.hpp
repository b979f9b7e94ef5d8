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
#include "panto/inertial/sensor_setup.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

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
  Eigen::VectorXd strength;       ///< by unknown: of the process noise of the step that led here, times its
                                  ///< kind's
};

/// Results of the last step, by sensor.
struct ImuHealth {
  double nis_gyro = 0.0;  ///< squared innovation in standard deviations; expected 3; 0: not measured
  double nis_acc = 0.0;
  double nis_orientation = 0.0;
  bool field_used = false;    ///< any part of the field
  bool heading_used = false;  ///< only the field's heading
  /// What the field tells of the heading: 1 where it alone leads it within a minute, 0 where it has no effect
  double field_share = 0.0;
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
  /// failure (late, wrong sizes, not finite, a number beyond 1e12) the state is unchanged. No allocation.
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
  /// Makes `predict` move as the step that led to `later` did, with its strengths of process noise.
  void move_as_before(const ChainState& later) noexcept;
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
    double variance = kInfinity;  // of its velocity [m^2/s^2]; infinite: no contact
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
    enum class Kind : unsigned char { Imu, Heading, Orientation, Contact, Rest };
    Kind kind = Kind::Imu;
    int imu = 0;
    bool gyro = false, acc = false, field = false;
  };

  void reserve_rows();
  void add_stops();
  void find_showers();
  void add_tethers(const std::vector<ChainProcess>& processes);
  [[nodiscard]] std::pair<int, int> ball_of(int unknown) const noexcept;
  void add_contacts();
  [[nodiscard]] std::vector<int> shared_columns(const ChainEkf& other) const;
  void take_columns(const ChainEkf& other, const ChainState& state, ChainState& result) const;
  void take_memory(const ChainEkf& other, const ChainState& state, ChainState& result) const;
  [[nodiscard]] PoseSearchOptions search_options(const ImuReading& reading, double T) const;
  [[nodiscard]] std::vector<LikelyPose> likely_poses(const ChainMotion& motion, std::vector<int> unknowns,
                                                     std::span<const ImuSample> first) const;
  void find_strengths(double T) noexcept;
  [[nodiscard]] double shown_jerk(int imu, double T) const noexcept;
  void find_free_turn();
  void carry(const Eigen::VectorXd& x, Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>> P) noexcept;
  void turn_along(const Eigen::VectorXd& x, Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>> P) noexcept;
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
  void collect_rest(int imu, const ImuReading& reading, double T) noexcept;
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
  [[nodiscard]] bool same_field(double norm, double tilt, double of_norm, double of_tilt) const noexcept;
  [[nodiscard]] double heading_variance(int imu) const noexcept;
  [[nodiscard]] double asked_turn(const ImuSample& sample) const noexcept;
  void face_the_field(const ImuSample& sample) noexcept;
  void learn_field(int imu, const ImuReading& reading, double T) noexcept;
  void weigh_field(int imu, int row) noexcept;
  void watch_contacts(const ImuSample& sample, double T) noexcept;
  [[nodiscard]] Eigen::Vector3d noise(int imu, const Eigen::Vector3d& acc, double T) const noexcept;

  ImuModel model_;
  ChainEkfOptions options_;
  std::vector<ChainProcess> kinds_;  // the distinct ones
  std::vector<int> kind_;            // by unknown
  std::vector<ChainTransition> transitions_;
  double interval_ = -1.0;  // of the transitions
  // The turn about the vertical of everything behind three shifts, which no inertial sensor shows.
  struct FreeTurn {
    int imu = -1;                                          // a sensor behind it; -1: there is no such turn
    bool shifted = false;                                  // false: a ball on a fixed point
    std::array<int, 3> shifts{}, turns{-1, -1, -1};        // unknowns
    std::array<Eigen::Index, 3> on_path{};                 // of the turns, on the sensor's path
    Eigen::Matrix3d spin = Eigen::Matrix3d::Zero();        // how shifts change with it
    Eigen::Matrix3d before = Eigen::Matrix3d::Identity();  // from the world to the ball's reference
  };
  FreeTurn free_turn_;
  Eigen::VectorXd carried_;  // where the covariance was taken
  Eigen::VectorXd by_turn_;
  std::vector<unsigned char> slides_;  // by unknown
  std::vector<unsigned char> alone_;   // by sensor: its segment is measured by nothing else
  std::vector<int> shower_;            // by unknown: the sensor that shows how it moves; -1: none
  Eigen::VectorXd strength_;           // by unknown: of its process noise, times that of its kind
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
  ChainState work_;            // working state of a step until it succeeds; P_ while it measures
  Eigen::VectorXd x_, x_prior_, around_;
  TripleTransition transition_;
  PaddedMatrix P_;  // covariance before measuring, then after it (lower half)
  RowStack rows_;
  int passes_ = 0;
  std::vector<RowSource> sources_;  // by block of rows
};

}  // namespace panto
