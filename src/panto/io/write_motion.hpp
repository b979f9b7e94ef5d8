#pragma once
// Writes motions, whatever the format: to files or to the bytes of files.

#include <Eigen/Core>
#include <span>
#include <string>

#include "panto/io/state_file.hpp"
#include "panto/motion/motion.hpp"

namespace panto::io {

/// How `write_motion` works.
struct WriteMotionOptions {
  double rate_hz = 0.0;  ///< [Hz] > 0, for headers that need one; 0: the motion's own
  AngleConvention angles = AngleConvention::Model;  ///< of tables
  /// Standard deviations of the joints by frame, State::s order [rad] or [m]: further columns of tables and
  /// arrays; empty: none. As many as frames.
  std::span<const Eigen::VectorXd> deviation = {};
  /// .mvnx: changes the segments of every frame before they are written, such as by errors of measurement;
  /// must keep their number, and matrices rotations. May be empty.
  std::function<void(SegmentSample&)> disturb = {};
};

/// Writes a motion of `model` to a file that appears complete or not at all, by extension: .csv, .mot, .sto
/// (tables), .npz (arrays), .bvh, .mvnx (human models only). Returns the frames that the format could not
/// take, which are left out.
/// @throws ConfigError for an unknown extension, a model that the format cannot hold, or another number of
/// deviations than frames; Error when the file cannot be written.
std::size_t write_motion(const Motion& motion, const Model& model, const Destination& to,
                         const WriteMotionOptions& options = {});

/// Returns the bytes of that file. `name` tells the format by its extension and stands for the path in
/// messages: "walk.csv". @throws ConfigError as above; Error for frames that the format could not take.
[[nodiscard]] std::string motion_bytes(const Motion& motion, const Model& model, const std::string& name,
                                       const WriteMotionOptions& options = {});

}  // namespace panto::io
