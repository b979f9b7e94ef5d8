#pragma once
// Which joints the followed links determine, and which nothing measures.

#include <string>
#include <vector>

#include "panto/model/model.hpp"

namespace panto {

/// Returns by joint (State::s order) 1 if some of the links are on both of its sides, so that they determine
/// it. A base that does not float counts as a link.
[[nodiscard]] std::vector<unsigned char> joints_between(const Model& model, const std::vector<int>& links);

/// Returns the joints (State::s order) that `all` links would determine and the `followed` ones do not.
[[nodiscard]] std::vector<int> unmeasured_joints(const Model& model, const std::vector<int>& followed,
                                                 const std::vector<int>& all);

/// Returns the links of the model that are named as a human's segments.
[[nodiscard]] std::vector<int> human_links(const Model& model);

/// Returns the names of joints (State::s order).
[[nodiscard]] std::vector<std::string> names_of_joints(const Model& model, const std::vector<int>& joints);

}  // namespace panto
