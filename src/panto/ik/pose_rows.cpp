#include "panto/ik/pose_rows.hpp"

#include <algorithm>

#include "panto/base/index.hpp"

namespace panto {
namespace {

constexpr double kMet = 1e-12;  // of a row's terms: smaller violations are rounding
constexpr double kAt = 1e-9;    // of a row's terms: a row this close to its bound is at it

LimitOptions exact() {
  LimitOptions options;
  options.law = LimitLaw::Exact;
  return options;
}

}  // namespace

PoseRows::PoseRows(const Model& model, const std::vector<CoupledRow>& own)
    : limits_(model, exact(), std::vector<double>(at(model.dof()), kInfinity), own),
      cone_(limits_.positions()),
      projection_(limits_.positions()),
      spoken_of_(at(model.dof()), 0),
      none_left_out_(at(limits_.positions().size()), 0),
      presses_(none_left_out_),
      cone_lower_(Eigen::VectorXd::Zero(model.dof())),
      cone_upper_(cone_lower_) {
  for (const int dof : cone_.entry) spoken_of_[at(dof)] = 1;
  for (int r = 0; r < cone_.size(); ++r) {
    Eigen::VectorXd& row = coefficients_.emplace_back(Eigen::VectorXd::Zero(model.dof()));
    for (int k = cone_.begin[at(r)]; k < cone_.begin[at(r + 1)]; ++k)
      row[cone_.entry[at(k)]] = cone_.coefficient[at(k)];
  }
}

void PoseRows::meet(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, Eigen::VectorXd& s) noexcept {
  const SparseRows& rows = limits_.positions();
  bool met = true;
  for (int r = 0; r < rows.size() && met; ++r) {
    const double value = rows.value(r, s.data()), rounding = kMet * rows.magnitude(r, s.data());
    met = value >= rows.lower[at(r)] - rounding && value <= rows.upper[at(r)] + rounding;
  }
  if (!met) (void)projection_.project(rows, lower.data(), upper.data(), none_left_out_, s.data());
}

void PoseRows::rate_bounds(const Eigen::VectorXd& s, std::vector<double>& lower,
                           std::vector<double>& upper) const noexcept {
  const SparseRows& rows = limits_.positions();
  for (int r = 0; r < rows.size(); ++r) {
    const double value = rows.value(r, s.data()), near = kAt * rows.magnitude(r, s.data());
    lower[at(r)] = value <= rows.lower[at(r)] + near ? 0.0 : -kInfinity;
    upper[at(r)] = value >= rows.upper[at(r)] - near ? 0.0 : kInfinity;
  }
}

void PoseRows::meet_rates(const Eigen::VectorXd& s, const Eigen::VectorXd& lower,
                          const Eigen::VectorXd& upper, Eigen::VectorXd& rates) noexcept {
  if (empty()) return;
  rate_bounds(s, cone_.lower, cone_.upper);
  (void)projection_.project(cone_, lower.data(), upper.data(), none_left_out_, rates.data());
}

int PoseRows::project(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, const Eigen::VectorXd& s,
                      Eigen::VectorXd& slope) noexcept {
  rate_bounds(s, cone_.lower, cone_.upper);
  for (int i = 0; i < s.size(); ++i) {
    if (!speaks_of(i)) continue;
    cone_lower_[i] = s[i] <= lower[i] ? 0.0 : -kInfinity;
    cone_upper_[i] = s[i] >= upper[i] ? 0.0 : kInfinity;
    slope[i] = -slope[i];
  }
  const bool found =
      projection_.project(cone_, cone_lower_.data(), cone_upper_.data(), none_left_out_, slope.data());
  for (int i = 0; i < s.size(); ++i) {
    if (speaks_of(i)) slope[i] = -slope[i];
  }
  int count = 0;
  for (std::size_t r = 0; r < presses_.size(); ++r) {
    presses_[r] = found && projection_.row_side()[r] != 0 ? 1 : 0;
    count += presses_[r];
  }
  return count;
}

}  // namespace panto
