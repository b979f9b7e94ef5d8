#include "panto/model/state.hpp"

#include <bit>
#include <cmath>

#include "panto/math/so3.hpp"

namespace panto {
namespace {

void hash_word(std::uint64_t word, std::uint64_t& hash) noexcept {
  for (int shift = 0; shift < 64; shift += 8) {
    hash ^= (word >> shift) & 0xffU;
    hash *= 0x100000001b3ULL;
  }
}

void hash_number(double x, std::uint64_t& hash) noexcept {
  hash_word(std::bit_cast<std::uint64_t>(x + 0.0), hash);
}

}  // namespace

State rest_state(const Model& model) {
  State state;
  state.s = model.rest();
  state.sdot = Eigen::VectorXd::Zero(model.dof());
  return state;
}

bool is_valid(const State& state, const Model& model) noexcept {
  if (state.s.size() != model.dof() || state.sdot.size() != model.dof()) return false;
  // x - x is NaN for non-finite numbers and zero for all others: no branch per number
  const double zero = (state.s - state.s).sum() + (state.sdot - state.sdot).sum() +
                      (state.p_WB - state.p_WB).sum() + (state.v_WB - state.v_WB).sum() +
                      (state.w_WB - state.w_WB).sum();
  return zero == 0.0 && so3::is_rotation(state.R_WB, 1e-6);
}

std::uint64_t state_hash(const State& state, std::uint64_t hash) noexcept {
  const auto add = [&hash](const auto& vector) {
    for (Eigen::Index i = 0; i < vector.size(); ++i) hash_number(vector[i], hash);
  };
  hash_word(static_cast<std::uint64_t>(state.t), hash);
  add(state.p_WB);
  add(so3::to_quaternion_wxyz(state.R_WB));
  add(state.s);
  add(state.v_WB);
  add(state.w_WB);
  add(state.sdot);
  return hash;
}

}  // namespace panto
