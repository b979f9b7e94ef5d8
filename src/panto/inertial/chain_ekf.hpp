#pragma once
// Inertial tracking of a chain: an extended Kalman filter over (q, q', q'') of every unknown and a gyroscope
// bias per sensor. Sensors are taken one after the other, each touching its own path.
// docs/algorithms/chain_ekf.md

#include <Eigen/Core>
#include <array>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/inertial/chain_process.hpp"
#include "panto/inertial/imu_model.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// What the filter takes from the magnetometers.
enum class MagneticUse : unsigned char { Off, Heading, Vector };

/// Noise of one sample (standard deviation per axis) and what the model does not know.
struct ChainEkfOptions {
  double gyro = 0.002;       ///< [rad/s], > 0. Larger: rates are smoothed more
  double acc = 0.07;         ///< [m/s^2], > 0. Larger: inclination relies longer on the gyroscope
  double mag = 0.02;         ///< part of the reference field, > 0
  double mounting = 0.0524;  ///< constant turn of sensor against segment [rad], >= 0. Larger: less is trusted
  double wobble = 0.002;     ///< sensor against bone [m], >= 0
  double gyro_scale =
      0.0;              ///< part of the rate that the gyroscope gets wrong, >= 0. Larger: turns count less
  double bias = 0.009;  ///< of the gyroscope at the start [rad/s], > 0
  double bias_walk = 5e-5;  ///< [rad/s per sqrt(s)], >= 0
  double huber = 2.0;       ///< innovations count fully up to so many standard deviations, > 0
  double surprise =
      16.27;           ///< squared standard deviations of a sensor beyond which the sample is linearised anew
  int iterations = 4;  ///< at most so often, 1 to 10
  std::array<double, 3> start{0.087, 0.1, 1.0};  ///< standard deviations of (q, q', q'') at the start, > 0
  MagneticUse magnetic = MagneticUse::Heading;
  double heading = 0.087;       ///< error of the field's heading from place to place [rad], >= 0
  double heading_memory = 2.0;  ///< [s] for which that error stays, >= 0
  double field_norm = 0.1;      ///< fields are believed that differ by less from the reference's norm (part),
  double field_dip = 0.175;     ///< and dip [rad],
  double field_settles = 0.5;   ///< and did so for this long [s]
};

/// Everything that a filter knows at time t. A plain value: copying it is a checkpoint.
struct ChainState {
  Time t = 0;                  ///< [ns]
  ChainMotion motion;          ///< of the unknowns
  Eigen::VectorXd bias;        ///< of the gyroscopes [rad/s], (3 per sensor)
  Eigen::MatrixXd P;           ///< covariance of (q, q', q'') by unknown, then of the biases
  Eigen::VectorXd good_field;  ///< by sensor: how long its field has been the reference's [s]
};

/// What the last step found, by sensor.
struct ImuHealth {
  double nis_gyro = 0.0;  ///< squared innovation in standard deviations; 3 is expected, 0: not measured
  double nis_acc = 0.0;
  bool field_used = false;
};

/// The filter. Owns its workspace; the caller owns the state.
class ChainEkf {
 public:
  /// `processes`: one per unknown. The layout behind `model` must outlive the filter.
  /// @throws ConfigError naming the option or the number of processes.
  ChainEkf(ImuModel model, const std::vector<ChainProcess>& processes, const ChainEkfOptions& options = {});

  [[nodiscard]] const ImuModel& model() const noexcept { return model_; }
  [[nodiscard]] const std::vector<ImuHealth>& health() const noexcept { return health_; }

  /// A state at rest or moving as `state` says, as uncertain as the options say.
  [[nodiscard]] ChainState start(const State& state) const;

  /// Advances `state` to the sample. A reading without gyro and acc is a missing sensor. On failure (time not
  /// advancing, sizes, not finite) the state is unchanged. No allocation.
  [[nodiscard]] StepStatus step(const ImuSample& sample, ChainState& state) noexcept;

 private:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 9>;  // one column per row of a sensor

  void predict(double T) noexcept;
  void pass(const ImuSample& sample, const ChainMotion& around, double T) noexcept;
  void update_imu(int imu, const ImuReading& reading, double T) noexcept;
  void update_heading(int imu, const ImuReading& reading, double T) noexcept;
  [[nodiscard]] int gather(int imu, const ImuReading& reading, double T) noexcept;
  void project(int rows) noexcept;
  [[nodiscard]] double innovation(int a, int b) const noexcept;
  [[nodiscard]] double weigh(int first) noexcept;
  void update(int rows) noexcept;
  void rebase() noexcept;
  void watch_fields(const ImuSample& sample, double T) noexcept;
  [[nodiscard]] Eigen::Vector3d noise(int imu, const Eigen::Vector3d& acc, double T) const noexcept;
  void select(int imu) noexcept;
  void to_vector(const ChainMotion& motion, const Eigen::VectorXd& bias, Eigen::VectorXd& x) const noexcept;
  void from_vector(const Eigen::VectorXd& x, ChainMotion& motion, Eigen::VectorXd& bias) const noexcept;

  ImuModel model_;
  ChainEkfOptions options_;
  std::vector<ChainProcess> kinds_;  // the different ones
  std::vector<int> kind_;            // by unknown
  std::vector<ChainTransition> transitions_;
  double interval_ = -1.0;  // that the transitions are for
  std::vector<ImuHealth> health_;

  ChainState work_;  // what a step changes before it succeeds
  Eigen::VectorXd x_, x_prior_, around_, column_;
  Eigen::MatrixXd P_prior_;
  // one update: columns of the state that matter, slopes, innovation, variances
  std::vector<int> columns_;
  Eigen::Matrix<double, 9, Eigen::Dynamic> H_;
  Eigen::Matrix<double, 9, 1> nu_, R_;
  Rows PHt_, W_;
};

}  // namespace panto
