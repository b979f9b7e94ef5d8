#pragma once
// Compares the directions of a person's upper arms, forearms and hands with those of the model's links: the
// essence of a gesture, independent of the links' roll. [Tee et al., Robust Modular Inverse Kinematics for
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
  /// `pairs`: followed links; `segments`: names in the samples; only arms are used. The model must outlive
  /// this object. @throws ConfigError as `check_pairs`.
  LimbDirections(const Model& model, const std::vector<TrackedPair>& pairs,
                 const std::vector<std::string>& segments);

  /// Ignores an invalid state.
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
