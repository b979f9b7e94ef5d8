#pragma once
// The rows of a model (`CoupledRow`) that joints which give way must keep (docs/algorithms/clearance.md).

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/retarget/nearest_change.hpp"

namespace panto {

/// Rows with a joint that gives way. Vectors are in the order of those joints.
class GivingRows {
 public:
  /// `joints`: those that give way, as positions in State::s.
  GivingRows(const Model& model, const std::vector<int>& joints);

  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  /// Adds what the rows ask of a further change x of joints that are at `s` (State::s order) and will first
  /// be moved by `first`: rows that a change of `most` each cannot reach are left out.
  void add(const Eigen::VectorXd& s, const Eigen::VectorXd& first, double most, NearestChange& change) const;
  /// Returns which of the joints are in a row.
  [[nodiscard]] std::vector<bool> has() const;
  /// Returns whether `s` breaks a row that `base` keeps, or breaks it more (State::s order).
  [[nodiscard]] bool breaks(const Eigen::VectorXd& base, const Eigen::VectorXd& s) const;
  /// Shortens a change from `base` to `s` (State::s order) so that no row is broken that `base` keeps. Joints
  /// that share rows keep the same share of it.
  void keep(const Eigen::VectorXd& base, Eigen::VectorXd& s) const;

 private:
  struct Row {
    std::vector<std::pair<int, double>> terms;  // place in State::s, coefficient
    Eigen::VectorXd g;                          // by joint that gives way
    double lower, upper;
    int group;  // rows that share joints
  };
  [[nodiscard]] static double value(const Row& row, const Eigen::VectorXd& s);

  std::vector<Row> rows_;
  std::vector<int> joints_, group_of_;  // by joint that gives way; -1: in no row
};

}  // namespace panto
