#pragma once
// Writes motions in any known format, to files or to bytes.

#include <Eigen/Core>
#include <span>
#include <string>

#include "panto/io/state_file.hpp"
#include "panto/motion/motion.hpp"

namespace panto::io {

/// Options of `write_motion`.
struct WriteMotionOptions {
  double rate_hz = 0.0;  ///< [Hz] > 0, for headers that need it; 0: the motion's own
  AngleConvention angles = AngleConvention::Model;  ///< of tables
  /// Standard deviations of the joints by frame, State::s order [rad] or [m]: extra columns of tables and
  /// arrays. One per frame; empty: none.
  std::span<const Eigen::VectorXd> deviation = {};
  /// .mvnx: changes the segments of every frame before they are written, e.g. adds measurement errors. Must
  /// keep their number, and matrices must stay rotations. May be empty.
  std::function<void(SegmentSample&)> disturb = {};
};

/// Writes a motion of `model` to a file that appears complete or not at all, by extension: .csv, .mot, .sto
/// (tables), .npz (arrays), .bvh, .mvnx (human models only). Returns the frames that the format could not
/// take; they are left out. @throws ConfigError for an unknown extension, a model that the format cannot
/// represent, or different numbers of deviations and frames; Error when the file cannot be written.
std::size_t write_motion(const Motion& motion, const Model& model, const Destination& to,
                         const WriteMotionOptions& options = {});

/// Returns the bytes of that file. The extension of `name` ("walk.csv") gives the format; messages call it
/// `name`. @throws ConfigError as above; Error for frames that the format could not take.
[[nodiscard]] std::string motion_bytes(const Motion& motion, const Model& model, const std::string& name,
                                       const WriteMotionOptions& options = {});

}  // namespace panto::io
