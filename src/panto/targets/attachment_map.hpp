#pragma once
// Which link of a model follows which measured segment, and the offset of their frames. Retargeting only
// needs another such table.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

namespace panto {

/// One link that follows one segment.
struct Attachment {
  std::string segment;  ///< name in the source
  std::string link;     ///< link of the model
  Eigen::Matrix3d R_SF =
      Eigen::Matrix3d::Identity();            ///< link frame F seen from segment S: R_WF_target = R_WS R_SF
  bool orientation = true;                    ///< follow the segment's orientation
  bool position = false;                      ///< follow the segment's origin
  std::optional<double> orientation_weight;   ///< [1/rad^2], > 0; unset: the solver's default
  std::optional<double> position_weight;      ///< [1/m^2], > 0; unset: the solver's default
  std::optional<double> gain = std::nullopt;  ///< K of both [1/s], >= 0; unset: the solver's defaults
  /// [1/m^2], > 0: weight of the position while the segment touches something (`SegmentMotion::touch` 1), for
  /// `robot::with_touch_weights`; unset: `position_weight`.
  std::optional<double> touch_weight = std::nullopt;
};

/// All attachments of one source to one model.
struct AttachmentMap {
  std::string source;  ///< kind of source, for people: "mvnx 4", "bvh (xsens)"
  std::vector<Attachment> attachments;
};

/// The pose of the arms in which the frames of MVN segments are the identity.
enum class MvnArms : unsigned char { TPose, Hanging };

/// Returns the attachments of MVN segments to our human models: same names, frames equal in the T-pose, so
/// every R_SF is the identity; the pelvis also gives the position. `MvnArms::Hanging`: MVNX version 3, whose
/// arm frames are the identity when the arm hangs: R_SF = R_x(+90 deg) for the right upper arm, forearm and
/// hand, R_x(-90 deg) for the left (formats, section 2.2).
[[nodiscard]] AttachmentMap mvn_attachments(MvnArms arms = MvnArms::TPose);

}  // namespace panto
