#pragma once
// Motion of the body models SMPL, SMPL-H and SMPL-X as AMASS and video estimators store it: local rotations
// of joints and a path, without lengths. Reads it without the model. (docs/formats/body_model.md) Internal.

#include <Eigen/Core>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/bvh.hpp"
#include "panto/io/npz_archive.hpp"
#include "panto/rig/stature.hpp"

namespace panto::io {

/// The joints that all these models share: the body without hands, jaw and eyes.
inline constexpr std::size_t kBodyJoints = 22;

/// A motion in the file's axes.
struct BodyPoses {
  std::string name;    ///< of the file, for messages
  std::string source;  ///< "amass smpl-x"
  double rate_hz = 0.0;
  std::string up;                      ///< by the source's convention; empty: unknown
  bool has_path = false;               ///< else the root stays in one place
  std::vector<Eigen::Vector3d> path;   ///< of the root, up to a constant [m]
  std::vector<Eigen::Vector3d> turns;  ///< frames x kBodyJoints rotation vectors, joint in its parent
  std::vector<double> betas;           ///< shape of the person; empty: the file has none
  std::vector<std::string> notes;
};

struct BodyShape;

/// Returns true for an archive with pose parameters of a body model, and not points.
[[nodiscard]] bool holds_body_poses(const NpzArchive& archive);

/// Returns why an archive of a body model holds no motion, as the rest of a sentence; empty for others.
[[nodiscard]] std::string no_body_motion(const NpzArchive& archive);

/// Reads them. @throws FormatError "name: 'member': ..." for other shapes, values that are not finite,
/// matrices that are no rotations.
[[nodiscard]] BodyPoses read_body_poses(const NpzArchive& archive, const std::string& name);

/// Returns true for one array of poses in a row: (frames, 69) of PHUMA, (frames, 322) of Motion-X.
[[nodiscard]] bool is_body_array(const std::vector<std::size_t>& shape) noexcept;
/// Reads it. @throws FormatError as above.
[[nodiscard]] BodyPoses read_body_array(const NpyArray& array, const std::string& name);

/// Reads either from the bytes of a file.
[[nodiscard]] BodyPoses read_body_poses(std::string_view bytes, const std::string& name);

/// Returns the leg paths that `rig::stature_from_stances` takes; clips of one person can be pooled.
[[nodiscard]] rig::LegPaths leg_paths(const BodyPoses& poses);

/// Returns the poses on a skeleton of average proportions, T-pose with x left, y up, z forward. The joints
/// of `shape`, if given, are the person's own.
[[nodiscard]] BvhClip body_model_clip(const BodyPoses& poses, double height,
                                      const BodyShape* shape = nullptr);

/// Opens the motion: lengths and path from the model file `body`; else stature from `hints.height`, from the
/// feet, or 1.7 m, with the soles on the floor, whose height the file does not have. Notes say which.
[[nodiscard]] std::unique_ptr<Recording> open_body_poses(BodyPoses poses, const RecordingHints& hints,
                                                         const std::string& body = {});

}  // namespace panto::io
