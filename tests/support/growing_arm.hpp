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

/// The first `links` links of the arm with the sensors that sit on them.
struct ArmStage {
  ArmStage(const DhTree& whole, std::size_t links) {
    DhTree part = whole;
    part.links.resize(links);
    arm.emplace(dh_model(part));
    layout.emplace(*arm);
    std::vector<ImuMount> mounts;
    for (const ImuMount& mount : right_arm_mounts()) {
      if (arm->find_link(mount.link)) mounts.push_back(mount);
    }
    ekf.emplace(ImuModel(*layout, mounts), std::vector<ChainProcess>(at(layout->unknowns()), ChainProcess{}),
                suit_options());
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

/// An arm at work at twice the usual tempo, its body changing every `kStageSeconds`.
inline void follow_growing_arm(const DhTree& tree, std::uint64_t seed,
                               const std::function<void(const GrownSample&)>& after_sample) {
  const Model body = dh_model(tree);
  const Synthesis motion = arm_at_work(body, seed, 2.0);
  const ImuSignals signals =
      imu_signals(body, motion_law(motion), right_arm_mounts(),
                  suit_signals(seed, kStageSeconds * static_cast<double>(kGrowth.size())));
  std::vector<std::unique_ptr<ArmStage>> stages;
  stages.push_back(std::make_unique<ArmStage>(tree, kGrowth[0]));
  ChainState state = stages[0]->ekf->start(rest_state(*stages[0]->arm));
  state.t = -10'000'000;
  for (const ImuSample& sample : signals.samples) {
    const double begun = kStageSeconds * static_cast<double>(stages.size());
    if (to_seconds(sample.t) >= begun - 1e-9) {
      stages.push_back(std::make_unique<ArmStage>(tree, kGrowth[stages.size()]));
      state = stages.back()->ekf->take_over(*stages[stages.size() - 2]->ekf, state);
    }
    ArmStage& stage = *stages.back();
    GrownSample now;
    now.stage = stages.size() - 1;
    now.since = to_seconds(sample.t) - kStageSeconds * static_cast<double>(now.stage);
    now.joints = stage.arm->dof();
    ImuSample seen;
    seen.t = sample.t;
    for (std::size_t k = 0; k < stage.ekf->model().imus().size(); ++k) {
      seen.imus.push_back(sample.imus[k]);
      now.strongest_m_s2 = std::max(now.strongest_m_s2, sample.imus[k].acc.norm());
    }
    now.status = stage.ekf->step(seen, state);
    now.finite = state.P.allFinite() && state.motion.q.allFinite();
    State estimate = rest_state(*stage.arm);
    stage.ekf->read(state, estimate);
    const Eigen::VectorXd off = estimate.s - motion.state(sample.t).s.head(estimate.s.size());
    now.off_deg = std::sqrt(off.squaredNorm() / static_cast<double>(off.size())) / kDegree;
    after_sample(now);
  }
}

}  // namespace panto::test
