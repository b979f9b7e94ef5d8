#include "panto/rig/limbs.hpp"

#include <algorithm>
#include <cmath>

#include "panto/math/elementary.hpp"

namespace panto::rig {
namespace {

constexpr double kRad = M_PI / 180.0;
constexpr double kPassiveTurn = 1.0 * kRad;  // rotation of a joint that only marks an end
constexpr double kStraight = 0.05;           // kink of a bone [of its length], one sigma
constexpr std::size_t kMaxChain = 16;        // points per chain that are examined
constexpr std::size_t kMaxCandidates = 40;   // readings kept per chain
constexpr std::size_t kMaxBranches = 8;      // longest chains per junction that are examined
constexpr std::size_t kMaxReadings = 6;      // kept per pair of chains

// Priors for limbs. Lengths: formats, section 6.6 (thigh .275 H, shank .250, upper arm .168, forearm .138,
// between hips .105, between shoulders .204); the spreads cover game rigs and the CMU collection.
struct LimbPrior {
  double ratio, ratio_sigma;            // log(upper / lower bone)
  double separation, separation_sigma;  // log(distance of the roots / length of the limb)
  double separation_play;               // relative standard deviation of that distance
  BodyPart upper, lower, end;
};
const LimbPrior kLeg{0.05, 0.2, log(0.2), 0.4, 0.02, BodyPart::Thigh, BodyPart::Shank, BodyPart::Foot};
const LimbPrior kArm{0.2, 0.25, log(0.67), 0.35, 0.10, BodyPart::UpperArm, BodyPart::ForeArm, BodyPart::Hand};

// a fitting name makes a reading more likely, a contradicting name less likely
double name_cost(const Tree& tree, const NameReading& names, int point, BodyPart part) {
  if (tree.is_tip(point)) return 0.0;
  const BodyPart named = names.parts[at(point)].part;
  if (named == BodyPart::Unknown) return 0.0;
  return named == part ? -1.0 : 1.0;
}

// one chain and the lengths that its readings need, measured once
struct Chain {
  std::vector<int> points;
  std::vector<double> length, wander;  // (n x n) from the row's point to the column's
  [[nodiscard]] std::size_t index(int i, int j) const { return at(i) * points.size() + at(j); }
};

Chain measure_chain(const Tree& tree, int child) {
  Chain chain;
  chain.points = tree.longest_chain(child);
  if (chain.points.size() > kMaxChain) chain.points.resize(kMaxChain);
  const int n = static_cast<int>(chain.points.size());
  chain.length.assign(at(n) * at(n), 0.0);
  chain.wander = chain.length;
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      const int a = chain.points[at(i)], b = chain.points[at(j)];
      chain.length[chain.index(i, j)] = tree.length(a, b);
      chain.wander[chain.index(i, j)] = tree.wander(a, b) + tree.unsteadiness(a, b);
    }
  }
  return chain;
}

struct Candidate {
  LimbReading reading;
  double upper = 0.0, lower = 0.0, cost = 0.0;
};

// a limb ends in a joint that rotates, if the file has one: neither in a tip nor in a joint that only marks
// an end
double end_cost(const Tree& tree, int point) {
  if (tree.is_tip(point)) return 1.0;
  return !tree.is_still() && tree.turn(point) < kPassiveTurn ? 1.0 : 0.0;
}

// counts the points in between that do not coincide with either end
int skipped(const Chain& chain, int from, int to, double length) {
  int count = 0;
  for (int i = from + 1; i < to; ++i) {
    const bool apart = chain.length[chain.index(from, i)] > 0.03 * length &&
                       chain.length[chain.index(i, to)] > 0.03 * length;
    count += apart ? 1 : 0;
  }
  return count;
}

// Bones are straight: returns how far a point between the ends lies off the line, over the bone's length.
double kink(const Tree& tree, const Chain& chain, int from, int to, double length) {
  double most = 0.0;
  for (int i = from + 1; i < to; ++i) {
    double sum = 0.0;
    for (int f = 0; f < tree.frame_count(); ++f) {
      const Eigen::Vector3d& a = tree.p(chain.points[at(from)], f);
      const Eigen::Vector3d along = (tree.p(chain.points[at(to)], f) - a).normalized();
      const Eigen::Vector3d way = tree.p(chain.points[at(i)], f) - a;
      sum += (way - along * along.dot(way)).norm();
    }
    most = std::max(most, sum / tree.frame_count() / length);
  }
  return most;
}

// all readings of one chain; each bone must be rigid and fixed in its joint's frame
std::vector<Candidate> read_chain(const Tree& tree, const NameReading& names, const Chain& chain,
                                  const LimbPrior& prior) {
  std::vector<Candidate> candidates;
  const int n = static_cast<int>(chain.points.size());
  const double total = tree.reach(chain.points.front());
  for (int r = 0; r < n; ++r) {
    for (int m = r + 1; m < n && !tree.is_tip(chain.points[at(m)]); ++m) {
      const double upper = chain.length[chain.index(r, m)];
      if (!(upper > 0.05 * total)) continue;
      const double upper_cost = misfit(chain.wander[chain.index(r, m)], 3.0 * kRad, 8.0);
      for (int e = m + 1; e < n; ++e) {
        const double lower = chain.length[chain.index(m, e)];
        const double ratio = log(upper / lower) - prior.ratio;
        if (!(lower > 0.05 * total) || std::abs(ratio) > 5.0 * prior.ratio_sigma) continue;
        const int a = chain.points[at(r)], b = chain.points[at(m)], c = chain.points[at(e)];
        Candidate found{{r, m, e}, upper, lower, upper_cost};
        found.cost +=
            misfit(chain.wander[chain.index(m, e)], 3.0 * kRad, 8.0) + misfit(ratio, prior.ratio_sigma);
        found.cost += 0.4 * (skipped(chain, r, m, upper) + skipped(chain, m, e, lower));
        found.cost += misfit(kink(tree, chain, r, m, upper), kStraight, 4.0) +
                      misfit(kink(tree, chain, m, e, lower), kStraight, 4.0);
        found.cost += end_cost(tree, c);
        found.cost -= 2.0 * std::min(1.0, tree.bend_range(a, b, c) / (40.0 * kRad));
        found.cost += name_cost(tree, names, a, prior.upper) + name_cost(tree, names, b, prior.lower) +
                      name_cost(tree, names, c, prior.end);
        candidates.push_back(found);
      }
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  if (candidates.size() > kMaxCandidates) candidates.resize(kMaxCandidates);
  return candidates;
}

// twin chains of equal joint count should be read alike
double unlike_cost(const std::array<Chain, 2>& chains, const LimbReading& a, const LimbReading& b) {
  if (chains[0].points.size() != chains[1].points.size()) return 0.0;
  return (a.root != b.root ? 1.0 : 0.0) + (a.middle != b.middle ? 1.0 : 0.0) + (a.end != b.end ? 1.0 : 0.0);
}

// the two limbs must be twins with a usual and steady distance
void add_readings(const Tree& tree, const std::array<Chain, 2>& chains,
                  const std::array<std::vector<Candidate>, 2>& candidates, const LimbPrior& prior,
                  int junction, std::vector<LimbPair>& pairs) {
  std::vector<LimbPair> found;
  for (const Candidate& a : candidates[0]) {
    for (const Candidate& b : candidates[1]) {
      double cost = a.cost + b.cost + misfit(log(a.upper / b.upper), 0.1) +
                    misfit(log(a.lower / b.lower), 0.1) + unlike_cost(chains, a.reading, b.reading);
      if (cost > 40.0) continue;
      LimbPair pair{junction, {chains[0].points, chains[1].points}, {a.reading, b.reading}, 0.0, cost};
      pair.length = 0.5 * (a.upper + a.lower + b.upper + b.lower);
      const double apart = tree.length(pair.root(0), pair.root(1));
      if (apart < 1e-3 * pair.length) continue;
      pair.cost += misfit(log(apart / pair.length) - prior.separation, prior.separation_sigma);
      pair.cost += misfit(tree.unsteadiness(pair.root(0), pair.root(1)), prior.separation_play, 8.0);
      found.push_back(std::move(pair));
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  if (found.size() > kMaxReadings) found.resize(kMaxReadings);
  pairs.insert(pairs.end(), found.begin(), found.end());
}

}  // namespace

double misfit(double x, double sigma, double most) noexcept {
  return std::min(most, 0.5 * (x / sigma) * (x / sigma));
}

double longest_twin(const Tree& tree) noexcept {
  double longest = 0.0;
  for (int junction = 0; junction < tree.joint_count(); ++junction) {
    const std::vector<int>& children = tree.children(junction);
    for (const int a : children) {
      for (const int b : children) {
        const double shorter = std::min(tree.reach(a), tree.reach(b));
        if (a != b && shorter > 0.8 * std::max(tree.reach(a), tree.reach(b)))
          longest = std::max(longest, shorter);
      }
    }
  }
  return longest;
}

std::vector<LimbPair> find_limb_pairs(const Tree& tree, const NameReading& names, LimbKind kind) {
  const LimbPrior& prior = kind == LimbKind::Leg ? kLeg : kArm;
  const double longest = longest_twin(tree);
  std::vector<LimbPair> pairs;
  for (int junction = 0; junction < tree.joint_count(); ++junction) {
    std::vector<Chain> chains;
    std::vector<std::vector<Candidate>> candidates;
    std::vector<int> children = tree.children(junction);
    std::stable_sort(children.begin(), children.end(),
                     [&](int a, int b) { return tree.reach(a) > tree.reach(b); });
    if (children.size() > kMaxBranches) children.resize(kMaxBranches);
    for (const int child : children) {
      if (tree.reach(child) < 0.12 * longest) continue;
      Chain chain = measure_chain(tree, child);
      std::vector<Candidate> read = read_chain(tree, names, chain, prior);
      if (read.empty()) continue;
      chains.push_back(std::move(chain));
      candidates.push_back(std::move(read));
    }
    for (std::size_t a = 0; a < chains.size(); ++a) {
      for (std::size_t b = a + 1; b < chains.size(); ++b) {
        add_readings(tree, {chains[a], chains[b]}, {candidates[a], candidates[b]}, prior, junction, pairs);
      }
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  return pairs;
}

}  // namespace panto::rig
