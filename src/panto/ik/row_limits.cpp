#include "panto/ik/row_limits.hpp"

#include <algorithm>
#include <cmath>

namespace panto {
namespace {

// of the speed that a row's joints allow together: all of it would make the way back a single direction,
// which contradicts that of any other row
constexpr double kRecovery = 0.5;
constexpr double kRounding = 1e-15;  // of the size of a row's terms: closer to its bound, it is at it

// a distance within rounding becomes zero
double rounded(double distance, double size) noexcept {
  return std::abs(distance) <= kRounding * size ? 0.0 : distance;
}

}  // namespace

RowLimits::RowLimits(const Model& model, const LimitOptions& options, const std::vector<double>& speed,
                     const std::vector<CoupledRow>& own)
    : options_(options), first_own_(model.rows().size()) {
  for (const CoupledRow& row : model.rows()) add(model, row, speed);
  for (const CoupledRow& row : own) {
    model.check(row);
    add(model, row, speed);
  }
}

void RowLimits::add(const Model& model, const CoupledRow& row, const std::vector<double>& speed) {
  std::vector<std::pair<int, double>> terms;
  for (const CoupledRow::Term& term : row.terms)
    terms.emplace_back(model.joint_index(term.joint), term.coefficient);
  rows_.add(terms, row.lower, row.upper);
  double most = 0.0, gain = 0.0;
  for (std::size_t k = at(rows_.begin[at(rows_.size() - 1)]); k < rows_.entry.size(); ++k) {
    const double a = std::abs(rows_.coefficient[k]);
    most += a * speed[at(rows_.entry[k])];
    gain += a;
  }
  speed_.push_back(most);
  gain_.push_back(gain);
}

void RowLimits::set_bounds(const std::vector<CoupledRow>& own) noexcept {
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (!(own[k].lower <= own[k].upper)) continue;
    rows_.lower[first_own_ + k] = own[k].lower;
    rows_.upper[first_own_ + k] = own[k].upper;
  }
}

void RowLimits::rate_bounds(const Eigen::VectorXd& s, double dt, std::vector<double>& lower,
                            std::vector<double>& upper) const noexcept {
  for (int r = 0; r < rows_.size(); ++r) {
    const std::size_t k = at(r);
    const double value = rows_.value(r, s.data()), size = rows_.magnitude(r, s.data()), v_max = speed_[k];
    if (rows_.is_equality(r)) {
      const double back = rounded(rows_.lower[k] - value, size) / dt;
      lower[k] = upper[k] = std::clamp(back, -kRecovery * v_max, kRecovery * v_max);
      continue;
    }
    if (options_.law == LimitLaw::None) {
      lower[k] = -v_max;
      upper[k] = v_max;
      continue;
    }
    LimitOptions options = options_;
    options.max_deceleration *= gain_[k];
    const auto towards = [&](double distance) {
      return speed_towards(distance, distance < 0.0 ? kRecovery * v_max : v_max, dt, options);
    };
    upper[k] = towards(rounded(rows_.upper[k] - value, size));
    lower[k] = -towards(rounded(value - rows_.lower[k], size));
    if (lower[k] > upper[k]) lower[k] = upper[k] = value > rows_.upper[k] ? upper[k] : lower[k];
  }
}

void RowLimits::speed_bounds(std::vector<double>& lower, std::vector<double>& upper) const noexcept {
  for (int r = 0; r < rows_.size(); ++r) {
    upper[at(r)] = rows_.is_equality(r) ? 0.0 : speed_[at(r)];
    lower[at(r)] = -upper[at(r)];
  }
}

double RowLimits::violation(const Eigen::VectorXd& s) const noexcept {
  double worst = 0.0;
  for (int r = 0; r < rows_.size(); ++r) {
    const double value = rows_.value(r, s.data());
    worst = std::max({worst, value - rows_.upper[at(r)], rows_.lower[at(r)] - value});
  }
  return worst;
}

}  // namespace panto
