#include "panto/rig/stature.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"

namespace panto::rig {
namespace {

using Eigen::Vector3d;

constexpr double kLag = 0.1;             // [s] between the two frames of a pair
constexpr double kTurn = 8.0 * kDegree;  // a foot that turns further within a pair is not flat
constexpr double kMoved = 0.03;          // [m] a pelvis that moves less shows nothing
constexpr double kSlip = 0.12;           // of the pelvis's way: a foot that moves further is no stance
constexpr double kShortest = 0.9, kTallest = 2.6, kStep = 1.005;  // statures that are tried [m]
constexpr int kTried = 213;                 // as many steps as reach from one to the other
constexpr double kWorst = 0.03;             // of stature: a larger deviation shows nothing
constexpr double kFewest = 4.0;             // the spread of fewer stances is itself unknown
constexpr double kRival = 0.6;              // votes of another stature, of those of the best
constexpr std::size_t kMostPairs = 20'000;  // of a leg

// two frames of one foot that does not turn
struct Pair {
  std::size_t stance;
  Vector3d reach, pelvis;  // changes; standing: pelvis + stature * reach = 0
  [[nodiscard]] double slip(double stature) const { return (pelvis + stature * reach).norm(); }
  [[nodiscard]] double limit() const { return kSlip * pelvis.norm(); }
};

void add_pairs(const LegPaths& clip, std::size_t side, std::vector<Pair>& pairs) {
  const auto lag = static_cast<std::size_t>(std::max(1.0, std::round(kLag * clip.rate_hz)));
  const std::size_t frames = clip.pelvis.size();
  if (frames <= lag) return;
  const std::size_t stride = 1 + (frames - lag) / kMostPairs;
  std::size_t last = 0, stance = pairs.empty() ? 0 : pairs.back().stance + 1;
  bool any = false;
  for (std::size_t a = 0; a + lag < frames; a += stride) {
    const std::size_t b = a + lag;
    const Pair pair{0, clip.reach[side][b] - clip.reach[side][a], clip.pelvis[b] - clip.pelvis[a]};
    if (!(pair.pelvis.norm() > kMoved) || !(pair.reach.norm() > kMoved / kTallest)) continue;
    if (so3::distance(clip.foot[side][a], clip.foot[side][b]) > kTurn) continue;
    if (any && a - last > lag + stride) ++stance;
    any = true;
    last = a;
    pairs.push_back(pair);
    pairs.back().stance = stance;
  }
}

double votes(const std::vector<Pair>& pairs, double stature) {
  double sum = 0.0;
  for (const Pair& pair : pairs) {
    const double off = pair.slip(stature) / pair.limit(), near = std::max(0.0, 1.0 - off * off);
    sum += near * near;
  }
  return sum;
}

// zero: the pairs show no stature that stands out
double most_voted(const std::vector<Pair>& pairs) {
  double best = 0.0, most = 0.0, rival = 0.0;
  std::vector<std::pair<double, double>> tried;
  double stature = kShortest;
  for (int i = 0; i < kTried; ++i, stature *= kStep) {
    tried.emplace_back(stature, votes(pairs, stature));
    if (tried.back().second <= most) continue;
    most = tried.back().second;
    best = stature;
  }
  for (const auto& [other, count] : tried) {
    if (other < best / 1.1 || other > best * 1.1) rival = std::max(rival, count);
  }
  return rival < kRival * most ? best : 0.0;
}

double refined(const std::vector<Pair>& pairs, double stature) {
  for (int round = 0; round < 10; ++round) {
    double along = 0.0, squares = 0.0;
    for (const Pair& pair : pairs) {
      const double slip = pair.slip(stature), limit = pair.limit();
      if (slip > 2.0 * limit) continue;
      const double weight = slip > 0.3 * limit ? 0.3 * limit / slip : 1.0;  // Huber
      along -= weight * pair.reach.dot(pair.pelvis);
      squares += weight * pair.reach.squaredNorm();
    }
    if (!(squares > 0.0)) return 0.0;
    stature = along / squares;
  }
  return stature;
}

}  // namespace

StatureFit stature_from_stances(std::span<const LegPaths> clips) {
  std::vector<Pair> pairs;
  for (const LegPaths& clip : clips) {
    for (const std::size_t side : {0U, 1U}) add_pairs(clip, side, pairs);
  }
  StatureFit fit;
  fit.height = most_voted(pairs);
  if (fit.height > 0.0) fit.height = refined(pairs, fit.height);
  if (!(fit.height > kShortest && fit.height < kTallest)) return fit;
  std::vector<double> along(pairs.back().stance + 1, 0.0), squares(along.size(), 0.0);
  for (const Pair& pair : pairs) {
    if (pair.slip(fit.height) > 2.0 * pair.limit()) continue;
    along[pair.stance] -= pair.reach.dot(pair.pelvis);
    squares[pair.stance] += pair.reach.squaredNorm();
  }
  double sum = 0.0, sum_of_squares = 0.0, mean = 0.0, spread = 0.0;
  for (std::size_t i = 0; i < along.size(); ++i) {
    fit.stances += squares[i] > 0.0 ? 1 : 0;
    sum += squares[i];
    sum_of_squares += squares[i] * squares[i];
    mean += along[i];
  }
  mean /= sum;
  for (std::size_t i = 0; i < along.size(); ++i) {
    if (!(squares[i] > 0.0)) continue;
    const double off = along[i] / squares[i] - mean;
    spread += squares[i] * off * off / sum;
  }
  const double count = sum * sum / sum_of_squares;  // of stances of equal weight
  if (count < kFewest) return fit;
  fit.deviation = std::sqrt(spread / (count - 1.0));
  fit.found = fit.deviation <= kWorst * fit.height;
  return fit;
}

}  // namespace panto::rig
