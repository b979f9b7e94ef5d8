#pragma once
#include "panto/evaluation/capsules.hpp"
namespace panto {
[[nodiscard]] CapsuleBody link_pairs(const Model& model);
}  // namespace panto
