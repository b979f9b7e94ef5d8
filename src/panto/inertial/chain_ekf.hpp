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
#include "panto/inertial/sensor_setup.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

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
