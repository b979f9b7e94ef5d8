#pragma once
// Writes motions, whatever the format: to files or to the bytes of files, at once or State by State.

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "panto/model/model.hpp"
#include "panto/motion/motion.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/sample/stages.hpp"

namespace panto::io {

/// Where a file goes that is written: under a path, or into memory.
struct Destination {
  /// A file at `file`.
  Destination(std::string file) : path(std::move(file)) {}
  Destination(const char* file) : path(file) {}
  /// Memory: `into` gets the bytes when the file is closed, and must outlive its writer. `name` stands for
  /// the path in messages; its extension tells the format.
  Destination(std::string name, std::string& into) : path(std::move(name)), bytes(&into) {}

  std::string path;
  std::string* bytes = nullptr;  ///< null: a file
};

/// What the columns of a table hold.
enum class AngleConvention : unsigned char {
  Model,  ///< the model's own joints
  Isb,    ///< the 22 joints of a human in ISB axes, three angles each (human models only)
};

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

/// How a file of States is written.
struct StateFileOptions {
  double rate_hz = 0.0;                             ///< nominal rate for headers that need one; > 0
  AngleConvention angles = AngleConvention::Model;  ///< .csv, .mot and .sto
  /// Tables and arrays of the model's own joints get further columns: the standard deviation of every joint,
  /// as `write_with` brings them.
  bool deviations = false;
  /// .mvnx: what is done to the segments of every frame before they are written, such as errors of
  /// measurement; nothing if empty. Must keep their number, and matrices rotations.
  std::function<void(SegmentSample&)> disturb = {};
};

/// A file that is being written state by state. It appears under its name at `close()`; until then it is
/// `<path>.part`.
class StateFile : public Sink {
 public:
  /// Writes a State with the standard deviations of its joints, State::s order [rad] or [m], into a file
  /// that was made with `StateFileOptions::deviations`; others leave them out. A State that `write` brings
  /// there, or one with deviations of another size, has nan in their columns.
  [[nodiscard]] virtual WriteStatus write_with(const State& state,
                                               const Eigen::VectorXd& deviation) noexcept {
    (void)deviation;
    return write(state);
  }

  /// Finishes the file. @throws Error when anything could not be written. Without it the destructor leaves
  /// the `.part` behind, if a state was written.
  virtual void close() = 0;
};

/// By extension: .csv, .mot, .sto (tables), .npz (arrays), .bvh, .mvnx (human models only). The model must
/// outlive the file.
/// @throws ConfigError for an unknown extension or a model that the format cannot hold, Error when the file
/// cannot be created.
[[nodiscard]] std::unique_ptr<StateFile> create_state_file(const Destination& to, const Model& model,
                                                           const StateFileOptions& options);

}  // namespace panto::io
