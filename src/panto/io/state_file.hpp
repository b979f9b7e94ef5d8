#pragma once
// Writes files of States: the end of a pipeline.

#include <functional>
#include <memory>
#include <string>

#include "panto/io/part_file.hpp"
#include "panto/model/model.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/tracking/sink.hpp"

namespace panto::io {

/// Content of the columns of a table.
enum class AngleConvention : unsigned char {
  Model,  ///< the model's own joints
  Isb,    ///< the 22 joints of a human in ISB axes, three angles each (human models only)
};

struct StateFileOptions {
  double rate_hz = 0.0;                             ///< nominal rate for headers that need it; > 0
  AngleConvention angles = AngleConvention::Model;  ///< .csv, .mot and .sto
  /// Adds columns to tables and arrays of the model's own joints: the standard deviation of every joint from
  /// `write_with`.
  bool deviations = false;
  /// .mvnx: changes the segments of every frame before they are written, e.g. adds measurement errors; empty:
  /// none. Must keep their number, and matrices must stay rotations.
  std::function<void(SegmentSample&)> disturb = {};
};

/// A file that is written state by state. It appears under its name at `close()`; until then it is
/// `<path>.part`.
class StateFile : public Sink {
 public:
  /// Writes a State with the standard deviations of its joints, State::s order [rad] or [m]. Files created
  /// without `StateFileOptions::deviations` omit them. A State from `write`, or with deviations of another
  /// size, gets nan in their columns.
  [[nodiscard]] virtual WriteStatus write_with(const State& state,
                                               const Eigen::VectorXd& deviation) noexcept {
    (void)deviation;
    return write(state);
  }

  /// Finishes the file. @throws Error when a write failed. Without it the destructor keeps the `.part` if a
  /// state was written.
  virtual void close() = 0;
};

/// Checks a name before any work. @throws ConfigError unless `create_state_file` knows the extension; the
/// message lists formats for humans or for any model.
void check_state_name(const std::string& path, bool human = true);

/// Creates a file by extension: .csv, .mot, .sto (tables), .npz (arrays), .bvh, .mvnx (human models only).
/// The model must outlive the file. @throws ConfigError for an unknown extension or a model that the format
/// cannot represent, Error when the file cannot be created.
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
