#pragma once
// What a smoother says of states that a filter left.

#include <gtest/gtest.h>

#include <vector>

#include "panto/inertial/chain_smoother.hpp"

namespace panto::test {

/// What the smoother says of every state that a filter left, first one first
inline std::vector<ChainState> smoothed(const ChainEkf& ekf, const std::vector<ChainState>& filtered,
                                        bool covariance = true) {
  ChainSmoother smoother(ekf, {covariance});
  std::vector<ChainState> result(filtered.size());
  for (std::size_t k = filtered.size(); k-- > 0;) {
    if (k + 1 == filtered.size()) {
      smoother.begin(filtered[k]);
    } else {
      EXPECT_TRUE(smoother.step_back(filtered[k])) << k;
      EXPECT_TRUE(smoother.covariance_smoothed()) << k;
    }
    result[k] = smoother.state();
  }
  return result;
}

inline Eigen::VectorXd vector_of(const ChainEkf& ekf, const ChainState& state) {
  Eigen::VectorXd x(ekf.columns());
  ekf.to_vector(state, x);
  return x;
}

}  // namespace panto::test
