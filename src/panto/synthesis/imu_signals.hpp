#pragma once
// Simulates signals of inertial sensors on a body with known motion, with separately selectable errors.
// docs/algorithms/imu_signals.md

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/sample/imu_sample.hpp"
#include "panto/synthesis/imu_errors.hpp"
#include "panto/synthesis/motion_law.hpp"

namespace panto {

/// Mounting errors of sensors, drawn once per sensor. Standard deviations per axis.
struct MountingErrors {
  double turn = 0.0;   ///< [rad], >= 0
  double shift = 0.0;  ///< [m], >= 0
};

/// Soft tissue under sensors: they swing like masses on springs driven by the bone, and turn with the joint
/// below.
struct SoftTissue {
  double frequency_hz = 8.0;  ///< of the swing, > 0; usually 5 to 12
  double damping = 0.3;       ///< of critical, > 0
  double share = 1.0;         ///< share of the bone's acceleration that drives the mass, >= 0
  /// Turn of the sensor per turn of the hinge before its link [rad/rad], >= 0, about an axis drawn per
  /// sensor.
  double turn = 0.0;
};

/// A magnet in the room: at d, (3 u (u . m) - m) / d^3 is added to the field.
struct Dipole {
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();     ///< [m]
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();  ///< [unit of the field times m^3]
};

/// Steel near a sensor for a while.
struct Steel {
  std::string sensor;
  double from = 0.0, to = 0.0;                        ///< [s]
  Eigen::Vector3d field_I = Eigen::Vector3d::Zero();  ///< added, in the sensor's axes
};

/// Errors of the transmission to the receiver.
struct PacketErrors {
  double loss = 0.0;   ///< share of lost readings, 0 .. 1
  double burst = 0.0;  ///< probability that a burst of 5 to 30 lost readings begins at a sample, 0 .. 1,
  std::optional<std::string> burst_sensor = std::nullopt;  ///< at this sensor; unset: at each
  double delay = 0.0;       ///< largest delay of samples [s], >= 0: their stamps may decrease
  double clock_skew = 0.0;  ///< relative error of the sensors' clock, positive: fast; within 0.01 of 0
};

/// The defaults give exact signals.
struct ImuSignalOptions {
  double duration = 10.0;  ///< [s], > 0
  double rate_hz = 100.0;  ///< of the samples, > 0
  bool magnetometers = true;
  Surroundings surroundings{};
  TriadErrors gyro{}, acc{}, mag{};
  double g_sensitivity = 0.0;  ///< gyroscope by acceleration, standard deviation [rad/s per m/s^2], >= 0
  std::optional<double> low_pass_hz = std::nullopt;  ///< of gyroscopes and accelerometers
  MountingErrors mounting{};
  std::optional<SoftTissue> soft_tissue = std::nullopt;
  std::vector<Dipole> dipoles = {};
  std::vector<Steel> steel = {};
  PacketErrors packets{};
  std::uint64_t seed = 1;
};

/// Samples and the true quantities.
struct ImuSignals {
  std::vector<ImuSample> samples;  ///< in the order of arrival
  std::vector<ImuMount> mounts;    ///< true mounting of the sensors (on bones, without soft tissue)
  /// By sensor, (3 x samples) in the order of time: the gyroscopes' biases [rad/s].
  std::vector<Eigen::Matrix3Xd> gyro_bias;
};

/// Simulates sensors with the nominal `mounts`. Fast effects are computed at the first multiple of the rate
/// from 1 kHz on.
/// @throws ConfigError naming the option; ModelError for an unknown link.
[[nodiscard]] ImuSignals imu_signals(const Model& model, const MotionLaw& law,
                                     const std::vector<ImuMount>& mounts,
                                     const ImuSignalOptions& options = {});

}  // namespace panto
