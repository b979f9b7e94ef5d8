#pragma once
// The joints of a person from the user's own model file of SMPL, SMPL-H or SMPL-X.
// (docs/formats/body_model.md) Internal.

#include <Eigen/Core>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/body_model.hpp"

namespace panto::io {

/// A person at rest: x left, y up, z forward [m].
struct BodyShape {
  std::array<Eigen::Vector3d, kBodyJoints> joints;
  double height = 0.0;    ///< from the lowest to the highest vertex
  std::size_t betas = 0;  ///< that were used
};

/// Computes J_regressor (v_template + shapedirs betas) of a model file (.npz). The regressor is an array, or
/// sparse as `J_regressor_data`, `_indices` and `_indptr`. @throws FormatError "name: 'member': ..." for
/// arrays that do not fit each other, another tree of joints, or a size that no person has.
[[nodiscard]] BodyShape read_body_shape(std::string_view bytes, const std::string& name,
                                        const std::vector<double>& betas);
[[nodiscard]] BodyShape read_body_shape(const std::string& path, const std::vector<double>& betas);

}  // namespace panto::io
