#pragma once
// Known families of skeletons: their up axis and frames of joints. A family
// proposes; the body in the clip decides.

#include <Eigen/Core>
#include <span>
#include <string_view>

namespace panto::rig {

/// The frame of a human segment in its joint, by the joint's axes: "+x" .. "-z".
struct FamilyFrame {
  int segment = -1;  ///< HumanSegment
  std::string_view forward, left, up;
  double raised_deg = 0.0;  ///< forward and up then turn about left: forward rises by this angle
};

/// Conventions of one family. What is not published is empty.
struct Family {
  std::string_view name;    ///< as `NameReading::family`
  std::string_view up;      ///< axis of the files, "y"; empty: files differ
  std::string_view source;  ///< where these facts come from
  std::span<const FamilyFrame> frames;
};

/// Returns the conventions of the family; null: none are known.
[[nodiscard]] const Family* find_family(std::string_view name) noexcept;

/// Returns the family's frame of a segment; null: none is known.
[[nodiscard]] const FamilyFrame* find_frame(const Family* family, int segment) noexcept;

/// Returns the segment's frame in the joint's frame.
[[nodiscard]] Eigen::Matrix3d rotation_of(const FamilyFrame& frame) noexcept;

// with frames, one file each: family_<name>.cpp; those without: families.cpp
extern const Family kLafanFamily, kSomaFamily, kSmplFamily;

}  // namespace panto::rig
