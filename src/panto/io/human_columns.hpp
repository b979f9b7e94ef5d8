#pragma once
// The 23 segments of a human model's State, for writers of tables of other conventions.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panto/io/state_file.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/model/muscle_coordinates.hpp"

namespace panto::io {

/// Orientations of the segments of a model whose links they are. The model must outlive this object.
class HumanColumns {
 public:
  /// `what`: what needs them, "ISB angles". @throws ConfigError when a segment has no link of the same name.
  HumanColumns(const Model& model, const std::string& what);

  /// Moves to a State.
  void update(const State& state) noexcept;
  /// Returns the orientations R_WS in T-pose frames at the last State.
  [[nodiscard]] const std::array<Eigen::Matrix3d, kHumanSegmentCount>& R_WS() const noexcept { return R_WS_; }
  /// Returns the middle of the hips at the last State, and their distance from it [m].
  [[nodiscard]] Eigen::Vector3d hips() const noexcept { return 0.5 * (hip(true) + hip(false)); }
  [[nodiscard]] double half_hips() const noexcept { return 0.5 * (hip(true) - hip(false)).norm(); }

 private:
  [[nodiscard]] Eigen::Vector3d hip(bool right) const noexcept;
  Kinematics kinematics_;
  std::array<int, kHumanSegmentCount> link_;
  std::array<Eigen::Matrix3d, kHumanSegmentCount> R_WS_;
};

/// Coordinates of one of OpenSim's models of muscles, of a human model's State. The model must outlive it.
class MuscleColumns {
 public:
  /// @throws ConfigError as `HumanColumns`.
  MuscleColumns(const Model& model, MuscleModel of);

  [[nodiscard]] const std::vector<std::string>& labels() const noexcept { return coordinates_.labels(); }
  /// Returns the coordinates [rad], [m] (`MuscleCoordinates::is_length`); valid until the next call.
  [[nodiscard]] std::span<const double> at(const State& state) noexcept;

 private:
  HumanColumns human_;
  MuscleCoordinates coordinates_;
};

/// Creates the columns when `options` request them; else nothing. @throws ConfigError as the constructor
/// does.
[[nodiscard]] std::optional<MuscleColumns> muscle_columns(const Model& model,
                                                          const StateFileOptions& options);

}  // namespace panto::io
