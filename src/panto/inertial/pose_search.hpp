#pragma once
// Finds possible poses of joints that were not tracked before: those that explain the reading of a sensor
// after them. docs/algorithms/chain_ekf.md

#include <Eigen/Core>
#include <array>
#include <optional>
#include <vector>

#include "panto/inertial/imu_model.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// A sensor's measurement at one instant. `reading` has gyroscope and accelerometer.
struct FeltMotion {
  ImuReading reading;
  std::optional<Eigen::Vector3d> alpha_I = std::nullopt;  ///< its angular acceleration in I [rad/s^2]
};

/// Standard deviations per axis, all > 0.
struct PoseSearchOptions {
  double gyro = 0.05;                           ///< [rad/s]
  double acc = 0.5;                             ///< [m/s^2]
  double alpha = 1.0;                           ///< of `FeltMotion::alpha_I` [rad/s^2]
  std::optional<double> mag = 0.1;              ///< relative to the reference field; unset: not used
  std::array<double, 3> prior{0.6, 3.0, 30.0};  ///< (q, q', q'') of the unknowns about their start
  std::optional<double> limit = std::nullopt;   ///< hinges beyond their range [rad]; unset: no limits
};

/// A pose and its misfit: squared standard deviations, including the prior's.
struct LikelyPose {
  ChainMotion motion;
  double cost = 0.0;
};

/// Searches from many start poses, because readings are not monotone in a large turn. Allocates; not for the
/// loop. The layout of the model must outlive this object.
class PoseSearch {
 public:
  PoseSearch(const ImuModel& model, const PoseSearchOptions& options) : model_(model), options_(options) {}

  /// Returns all local best fits of `unknowns` (whole balls, all before the sensor), the likeliest first, at
  /// least one. Everything else stays as in `around`, to which the prior draws the unknowns.
  [[nodiscard]] std::vector<LikelyPose> poses(const ChainMotion& around, int imu,
                                              const std::vector<int>& unknowns, const FeltMotion& felt);

 private:
  // one fit: J^T J and J^T r of rows of standard deviation 1, and r^T r
  struct Normal {
    Eigen::MatrixXd A;
    Eigen::VectorXd b;
    double cost = 0.0;
    void add(const Eigen::MatrixXd& slopes, const Eigen::VectorXd& off, double sigma);
  };

  [[nodiscard]] Eigen::MatrixXd slopes(const ChainMotion& motion);
  [[nodiscard]] Eigen::MatrixXd alpha_slopes(const ChainMotion& motion);
  [[nodiscard]] Normal normal(const ChainMotion& motion);
  void add_prior(const ChainMotion& motion, Normal& result) const;
  [[nodiscard]] bool in_ball(int unknown) const;
  [[nodiscard]] LikelyPose fit(ChainMotion motion);
  [[nodiscard]] std::vector<Eigen::VectorXd> starts() const;
  [[nodiscard]] Eigen::VectorXd turned(const ChainMotion& motion) const;
  void change(const Eigen::VectorXd& step, ChainMotion& motion) const;

  ImuModel model_;
  PoseSearchOptions options_;
  // workspace of one search
  ChainMotion around_;
  int imu_ = 0;
  std::vector<int> unknowns_;
  FeltMotion felt_;
};

}  // namespace panto
