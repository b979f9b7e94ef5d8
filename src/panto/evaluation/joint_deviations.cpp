#include "panto/evaluation/joint_deviations.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/math/degrees.hpp"

namespace panto {

JointDeviations::JointDeviations(const Model& model, Time settle) : model_(&model), settle_(settle) {
  if (settle < 0) throw ConfigError("settle must not be negative");
  for (Sums* sums : {&settling_, &settled_}) {
    sums->squares = Eigen::VectorXd::Zero(model.dof());
    sums->count.assign(static_cast<std::size_t>(model.dof()), 0);
  }
}

void JointDeviations::add(Time t, const Eigen::VectorXd& deviation, const std::vector<unsigned char>& held) {
  if (deviation.size() != model_->dof()) return;
  if (!first_) first_ = t;
  Sums& sums = t < settling_end(*first_, settle_) ? settling_ : settled_;
  for (Eigen::Index i = 0; i < deviation.size(); ++i) {
    const auto joint = static_cast<std::size_t>(i);
    if (!std::isfinite(deviation[i]) || (joint < held.size() && held[joint] != 0)) continue;
    const bool turns = model_->joint(static_cast<int>(i)).type == JointType::Revolute;
    const double sd = turns ? std::min(deviation[i], kUnknownAngle) : deviation[i];
    sums.squares[i] += sd * sd;
    ++sums.count[static_cast<std::size_t>(i)];
    sums.any = true;
  }
}

KnownJoints JointDeviations::known(const std::vector<unsigned char>& measured) const {
  const Sums& sums = settled_.any ? settled_ : settling_;
  KnownJoints known;
  std::vector<double> turning;
  for (int i = 0; i < model_->dof(); ++i) {
    const auto n = sums.count[static_cast<std::size_t>(i)];
    known.deviation.emplace_back();
    if (n == 0) continue;
    const double rms = std::sqrt(sums.squares[i] / static_cast<double>(n));
    known.deviation.back() = rms;
    if (!measured.empty() && measured[static_cast<std::size_t>(i)] == 0) {
      ++known.unmeasured;
      continue;
    }
    if (model_->joint(i).type != JointType::Revolute) continue;
    const double degrees = in_degrees(rms);
    turning.push_back(degrees);
    if (degrees <= known.max_deg.value_or(-1.0)) continue;
    known.max_deg = degrees;
    known.least_known = i;
  }
  if (turning.empty()) return known;
  std::sort(turning.begin(), turning.end());
  const std::size_t half = turning.size() / 2;
  known.median_deg = turning.size() % 2 == 1 ? turning[half] : 0.5 * (turning[half - 1] + turning[half]);
  return known;
}

}  // namespace panto
