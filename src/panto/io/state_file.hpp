#pragma once
// Files of States: the end of a pipeline.

#include <functional>
#include <memory>
#include <string>

#include "panto/io/part_file.hpp"
#include "panto/model/model.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/tracking/sink.hpp"

namespace panto::io {

/// What the columns of a table hold.
enum class AngleConvention : unsigned char {
  Model,  ///< the model's own joints
  Isb,    ///< the 22 joints of a human in ISB axes, three angles each (human models only)
};

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

/// Before any work: @throws ConfigError unless the name has an extension that `create_state_file` knows. What
/// it offers instead is what can hold a human, or any model.
void check_state_name(const std::string& path, bool human = true);

/// By extension: .csv, .mot, .sto (tables), .npz (arrays), .bvh, .mvnx (human models only). The model must
/// outlive the file.
/// @throws ConfigError for an unknown extension or a model that the format cannot hold, Error when the file
/// cannot be created.
[[nodiscard]] std::unique_ptr<StateFile> create_state_file(const Destination& to, const Model& model,
                                                           const StateFileOptions& options);

[[nodiscard]] std::unique_ptr<StateFile> create_csv(const Destination& to, const Model& model,
                                                    const StateFileOptions& options);
/// `extension` ".mot" or ".sto".
[[nodiscard]] std::unique_ptr<StateFile> create_opensim(const Destination& to, const Model& model,
                                                        const StateFileOptions& options);
/// docs/formats/npz.md, States. Kept in memory until `close()`.
[[nodiscard]] std::unique_ptr<StateFile> create_npz_states(const Destination& to, const Model& model,
                                                           const StateFileOptions& options);
[[nodiscard]] std::unique_ptr<StateFile> create_bvh(const Destination& to, const Model& model,
                                                    const StateFileOptions& options);
[[nodiscard]] std::unique_ptr<StateFile> create_mvnx(const Destination& to, const Model& model,
                                                     const StateFileOptions& options);

}  // namespace panto::io
