#pragma once
// Eigen to JSON, for the programs that answer tests in other languages.

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <vector>

namespace panto::test {

/// A vector as one array, a matrix as an array of its rows.
template <typename Derived>
nlohmann::json to_json(const Eigen::MatrixBase<Derived>& M) {
  nlohmann::json rows = nlohmann::json::array();
  if (M.cols() == 1) {
    for (Eigen::Index i = 0; i < M.rows(); ++i) rows.push_back(M(i, 0));
    return rows;
  }
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    nlohmann::json row = nlohmann::json::array();
    for (Eigen::Index j = 0; j < M.cols(); ++j) row.push_back(M(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace panto::test
