#include "panto/retarget/giving_rows.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"

namespace panto {
namespace {

constexpr double kBroken = 1e-7;    // [rad] or [m] by which a row is called broken
constexpr double kRounding = 1e-9;  // [rad] or [m] by which a row that is kept may be broken

}  // namespace

GivingRows::GivingRows(const Model& model, const std::vector<int>& joints)
    : joints_(joints), group_of_(joints.size(), -1) {
  for (const CoupledRow& given : model.rows()) {
    Row row{{},
            Eigen::VectorXd::Zero(static_cast<Eigen::Index>(joints.size())),
            given.lower,
            given.upper,
            static_cast<int>(rows_.size())};
    for (const CoupledRow::Term& term : given.terms) {
      const int s = model.joint_index(term.joint);
      row.terms.emplace_back(s, term.coefficient);
      for (std::size_t j = 0; j < joints.size(); ++j)
        if (joints[j] == s) row.g[static_cast<Eigen::Index>(j)] += term.coefficient;
    }
    if (row.g.isZero(0.0)) continue;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (row.g[static_cast<Eigen::Index>(j)] == 0.0) continue;
      const int other = std::exchange(group_of_[j], row.group);
      if (other < 0 || other == row.group) continue;
      std::replace(group_of_.begin(), group_of_.end(), other, row.group);
      for (Row& earlier : rows_)
        if (earlier.group == other) earlier.group = row.group;
    }
    rows_.push_back(std::move(row));
  }
}

double GivingRows::value(const Row& row, const Eigen::VectorXd& s) {
  double sum = 0.0;
  for (const auto& [place, coefficient] : row.terms) sum += coefficient * s[place];
  return sum;
}

void GivingRows::add(const Eigen::VectorXd& s, const Eigen::VectorXd& first, double most,
                     NearestChange& change) const {
  for (const Row& row : rows_) {
    const double now = value(row, s) + row.g.dot(first), reach = most * row.g.lpNorm<1>();
    // one that is broken already is not broken further
    if (row.lower - now > -reach) change.add(row.g, std::min(row.lower - now, 0.0));
    if (now - row.upper > -reach) change.add(-row.g, std::min(now - row.upper, 0.0));
  }
}

std::vector<bool> GivingRows::has() const {
  std::vector<bool> has;
  for (const int group : group_of_) has.push_back(group >= 0);
  return has;
}

bool GivingRows::breaks(const Eigen::VectorXd& base, const Eigen::VectorXd& s) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) {
    const double from = value(row, base), to = value(row, s);
    return to < std::min(row.lower, from) - kBroken || to > std::max(row.upper, from) + kBroken;
  });
}

void GivingRows::keep(const Eigen::VectorXd& base, Eigen::VectorXd& s) const {
  std::vector<double> share(rows_.size(), 1.0);  // by group
  for (const Row& row : rows_) {
    const double from = value(row, base), to = value(row, s);
    const double least = std::min(row.lower, from), most = std::max(row.upper, from);
    double& kept = share[at(row.group)];
    if (to < least - kRounding) kept = std::min(kept, (from - least) / (from - to));
    if (to > most + kRounding) kept = std::min(kept, (most - from) / (to - from));
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (group_of_[j] < 0 || share[at(group_of_[j])] == 1.0) continue;
    double& joint = s[joints_[j]];
    joint = base[joints_[j]] + share[at(group_of_[j])] * (joint - base[joints_[j]]);
  }
}

}  // namespace panto
