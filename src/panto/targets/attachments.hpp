#pragma once
// An attachment map at work: turns samples of segments into targets for links.

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/model/model.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/targets/attachment_map.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

/// Weights and gains for attachments that do not set their own.
struct TargetDefaults {
  double orientation_weight = 1.0;  ///< [1/rad^2]
  double position_weight = 25.0;    ///< [1/m^2]
  double orientation_gain = 20.0;   ///< [1/s]
  double position_gain = 20.0;      ///< [1/s]
};

/// What a row of targets takes from its segment.
struct Following {
  using Flags = std::uint32_t;
  int segment = 0;  ///< index into the source's names
  Flags flags = 0;  ///< 1 in the byte of every flag that may be set in a row
};

/// A map bound to a model and to the order of a source's segments: turns samples into targets.
class Attachments {
 public:
  /// @throws ConfigError or ModelError naming the unknown segment or link (with the valid names), a link
  /// attached twice, an offset that is not a rotation, a weight that is not > 0, a gain that is not >= 0, an
  /// attachment that follows nothing, or an empty map.
  Attachments(const AttachmentMap& map, const Model& model, const std::vector<std::string>& segments,
              const TargetDefaults& defaults);

  /// Makes `apply` fill `Targets::by_lane` of targets from `targets()`: row of every lane, -1 for lanes
  /// without a row. `apply` then fills validity flags and positions of rows; `complete` adds orientations,
  /// which lane solvers do not need.
  void set_lanes(std::vector<int> row_of_lane);
  [[nodiscard]] Targets targets() const;

  /// Returns links, weights and gains without measurements.
  [[nodiscard]] const std::vector<Target>& rows() const noexcept { return rows_; }
  /// Returns the segment of row j, as an index into the source's names.
  [[nodiscard]] int segment(std::size_t row) const { return following_[row].segment; }

  /// Fills `targets` (made from `rows()`, or by `targets()`) from a sample. Returns `Solved`, `SizeMismatch`
  /// or `TargetNotFinite` (a valid value is NaN, infinite or beyond 1e9, or a matrix is further than 1e-2
  /// from a rotation; nearer ones are projected). On failure, `targets` is partly written.
  [[nodiscard]] StepStatus apply(const SegmentSample& sample, Targets& targets) const noexcept;
  /// Copies valid orientations and rates from `by_lane` to rows, if there are lanes.
  void complete(Targets& targets) const noexcept;

 private:
  [[nodiscard]] const SegmentMotion& segment_motion(const SegmentSample& sample,
                                                    std::size_t row) const noexcept {
    return sample.segments[static_cast<std::size_t>(following_[row].segment)];
  }
  [[nodiscard]] bool apply_row(const SegmentMotion& m, std::size_t j, bool is_rotation,
                               Target& row) const noexcept;
  [[nodiscard]] bool apply_rows(const SegmentSample& sample, std::size_t first, bool lanes,
                                Targets& targets) const noexcept;

  std::vector<Target> rows_;
  std::vector<int> order_;  // rows in the order of lanes, in eights; -1: none
  bool lanes_ = false;      // the lanes are a solver's
  std::vector<Following> following_;
  std::vector<Eigen::Matrix3d> R_SF_;
  std::vector<std::size_t> turned_rows_;  // rows whose offset is not the identity
  LaneArray<9> R_SF_by_lane_;
  std::size_t segment_count_ = 0;
  SegmentMotion nothing_;  // for lanes without a row
};

}  // namespace panto
