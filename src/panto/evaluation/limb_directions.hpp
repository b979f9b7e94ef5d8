#pragma once
// Where a person's upper arms, forearms and hands point, and where the model's links that follow them do:
// what a gesture is made of, whatever the links' roll. [Tee et al., Robust Modular Inverse Kinematics for
// Gesture Imitation in an Upper-Body Humanoid Robot], section V: errors of elbow and wrist direction.

#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

/// Collects a motion frame by frame. A segment points from its own joint to the next one: along -y of its
/// frame in a right arm, +y in a left one (MVN's frames in a T-pose).
class LimbDirections {
 public:
  /// `pairs`: what is followed, `segments`: names of the samples; of arms alone are looked at. The model must
  /// outlive it. @throws ConfigError as `check_pairs`.
  LimbDirections(const Model& model, const std::vector<TrackedPair>& pairs,
                 const std::vector<std::string>& segments);

  /// A state that is not valid is left out.
  void add(const SegmentSample& sample, const State& state);

  [[nodiscard]] std::vector<LimbDirection> report() const;

 private:
  struct Limb {
    std::string segment;
    TrackedPair pair;
    Eigen::Vector3d along;   // in the segment's frame
    SampleStatistics angle;  // [deg]
  };
  const Model* model_;
  Kinematics kinematics_;
  std::vector<Limb> limbs_;
};

}  // namespace panto
