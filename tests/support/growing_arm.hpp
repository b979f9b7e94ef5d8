#pragma once
// The right arm followed while it grows and shrinks: segments and their sensors join and leave.

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tests/support/right_arm.hpp"

namespace panto::test {

/// Links up to thorax, clavicle, upper arm, forearm, hand; back; and once more.
inline const std::vector<std::size_t> kGrowth{4, 6, 9, 11, 13, 11, 6, 9, 11, 13};
inline constexpr double kStageSeconds = 2.0;
/// Samples from which joints that join are found; until then they move as they may from rest.
inline constexpr std::size_t kJoiningSamples = 3;

/// The first `links` links of the arm with the sensors that sit on them.
struct ArmStage {
  ArmStage(const DhTree& whole, std::size_t links, const ChainEkfOptions& options = suit_options()) {
    DhTree part = whole;
    part.links.resize(links);
    arm.emplace(dh_model(part));
    layout.emplace(*arm);
    std::vector<ImuMount> mounts;
    for (const ImuMount& mount : right_arm_mounts()) {
      if (arm->find_link(mount.link)) mounts.push_back(mount);
    }
    ekf.emplace(ImuModel(*layout, mounts), std::vector<ChainProcess>(at(layout->unknowns()), ChainProcess{}),
                options);
  }

  /// What the sensors that it has measured.
  [[nodiscard]] ImuSample seen(const ImuSample& sample) const {
    ImuSample result;
    result.t = sample.t;
    const auto count = static_cast<std::ptrdiff_t>(ekf->model().imus().size());
    result.imus.assign(sample.imus.begin(), sample.imus.begin() + count);
    return result;
  }

  std::optional<Model> arm;
  std::optional<ChainLayout> layout;
  std::optional<ChainEkf> ekf;
};

/// One sample of such a run.
struct GrownSample {
  std::size_t stage = 0;  ///< 0 is what it began with
  double since = 0.0;     ///< the stage began [s]
  int joints = 0;         ///< of it
  StepStatus status = StepStatus::Solved;
  bool finite = true;           ///< state and covariance
  double off_deg = 0.0;         ///< root mean square over the joints
  double strongest_m_s2 = 0.0;  ///< that a sensor felt
};

/// An arm at work at twice the usual tempo, its body changing every `kStageSeconds`: links by stage.
inline void follow_growing_arm(const DhTree& tree, std::uint64_t seed,
                               const std::function<void(const GrownSample&)>& after_sample,
                               const std::vector<std::size_t>& growth = kGrowth) {
  const Model body = dh_model(tree);
  const Synthesis motion = arm_at_work(body, seed, 2.0);
  const ImuSignals signals =
      imu_signals(body, motion_law(motion), right_arm_mounts(),
                  suit_signals(seed, kStageSeconds * static_cast<double>(growth.size())));
  ChainEkfOptions unknown = suit_options();
  unknown.start = unknown.joining;  // how the trunk stands and moves is not known
  std::vector<std::unique_ptr<ArmStage>> stages;
  stages.push_back(std::make_unique<ArmStage>(tree, growth[0], unknown));
  ChainState state = stages[0]->ekf->start(rest_state(*stages[0]->arm));
  state.t = -10'000'000;
  ChainState before;             // the change
  std::vector<ImuSample> first;  // behind it
  for (const ImuSample& sample : signals.samples) {
    const double begun = kStageSeconds * static_cast<double>(stages.size());
    if (to_seconds(sample.t) >= begun - 1e-9) {
      before = state;
      first.clear();
      stages.push_back(std::make_unique<ArmStage>(tree, growth[stages.size()]));
      state = stages.back()->ekf->take_over(*stages[stages.size() - 2]->ekf, state);
    }
    ArmStage& stage = *stages.back();
    GrownSample now;
    now.stage = stages.size() - 1;
    now.since = to_seconds(sample.t) - kStageSeconds * static_cast<double>(now.stage);
    now.joints = stage.arm->dof();
    const ImuSample seen = stage.seen(sample);
    for (const ImuReading& reading : seen.imus)
      now.strongest_m_s2 = std::max(now.strongest_m_s2, reading.acc.norm());
    now.status = stage.ekf->step(seen, state);
    if (now.stage > 0 && first.size() < kJoiningSamples) {
      first.push_back(seen);
      if (first.size() == kJoiningSamples)
        state = stage.ekf->take_over(*stages[now.stage - 1]->ekf, before, first);
    }
    now.finite = state.P.allFinite() && state.motion.q.allFinite();
    State estimate = rest_state(*stage.arm);
    stage.ekf->read(state, estimate);
    const Eigen::VectorXd off = estimate.s - motion.state(sample.t).s.head(estimate.s.size());
    now.off_deg = std::sqrt(off.squaredNorm() / static_cast<double>(off.size())) / kDegree;
    after_sample(now);
  }
}

}  // namespace panto::test
