#pragma once
// ISB joint angles of a human model's State, for writers of tables.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>

#include "panto/io/human_columns.hpp"
#include "panto/io/state_file.hpp"
#include "panto/model/isb_angles.hpp"

namespace panto::io {

/// ISB angles of a model whose links are the 23 segments. The model must outlive this object.
class IsbColumns {
 public:
  /// @throws ConfigError when a segment has no link of the same name.
  explicit IsbColumns(const Model& model, IsbArms arms = IsbArms::Mvnx4);

  /// Returns the name of ISB joint `index` (< kIsbJointCount) without MVN's leading j: "L5S1".
  [[nodiscard]] static std::string joint_name(int index);

  /// Returns the principal angles (x, y, z) of all joints at `state` [rad], as MVN reports them.
  [[nodiscard]] std::array<Eigen::Vector3d, kIsbJointCount> angles(const State& state) noexcept;

 private:
  HumanColumns human_;
  std::array<Eigen::Matrix3d, kHumanSegmentCount> R_T_isb_;
};

/// Creates the columns when `options` request ISB angles; else nothing. @throws ConfigError as the
/// constructor does.
[[nodiscard]] std::optional<IsbColumns> isb_columns(const Model& model, const StateFileOptions& options);

}  // namespace panto::io
