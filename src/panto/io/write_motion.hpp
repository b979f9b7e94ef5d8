#pragma once
// Writes motions, whatever the format: to files or to the bytes of files, at once or State by State.

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/motion/motion.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/sample/stages.hpp"

namespace panto::io {

struct BvhCharacter;

/// Destination of a written file: a path or memory.
struct Destination {
  /// Writes to the file at `file`.
  Destination(std::string file) : path(std::move(file)) {}
  Destination(const char* file) : path(file) {}
  /// Writes to memory: `into` receives the bytes when the file is closed, and must outlive its writer.
  /// Messages call it `name`, whose extension gives the format.
  Destination(std::string name, std::string& into) : path(std::move(name)), bytes(&into) {}

  std::string path;
  std::string* bytes = nullptr;  ///< null: a file
};

/// Content of the columns of a table.
enum class AngleConvention : unsigned char {
  Model,  ///< the model's own joints
  Isb,    ///< the 22 joints of a human in ISB axes, three angles each (human models only)
  // coordinates of OpenSim's models of muscles (`MuscleModel`; human models, .mot and .sto only)
  Gait2392,
  Rajagopal,
  Hamner,
};

/// Returns the conventions by their words: "model", "isb", "gait2392", "rajagopal", "hamner"; "opensim" is
/// Rajagopal's.
[[nodiscard]] const std::vector<std::pair<std::string, AngleConvention>>& angle_conventions();

/// Axes of forearms and hands in ISB angles: MVN turned both by 90 degrees about their length between
/// versions 3 and 4 of its files.
enum class IsbArms : unsigned char {
  Mvnx4,  ///< both arms' frames as in version 4: pronation is 0 in the T-pose
  Mvnx3,  ///< as in version 3: pronation is 0 with the palm to the thigh
};

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
  IsbArms isb_arms = IsbArms::Mvnx4;  ///< of ISB angles; a recording's own: `isb_arms_of`
  std::string layout = {};   ///< of another program, "mjlab" (docs/formats/layouts.md); empty: Panto's own
  double resample_hz = 0.0;  ///< of the frames of a layout or character [Hz]; 0: as its reader expects
  /// The character whose model it is (`Robot::character`), for .bvh and, if its own file is glTF, .glb,
  /// .gltf, .vrm, .vrma; null: a human or a robot.
  std::shared_ptr<const BvhCharacter> character = nullptr;
};

/// Returns the names of the layouts of other programs.
[[nodiscard]] std::vector<std::string> layout_names();
/// Returns the extension of a layout's files, ".npz". @throws ConfigError for an unknown layout.
[[nodiscard]] std::string layout_extension(const std::string& layout);

/// Writes a motion of `model` to a file that appears complete or not at all, by extension: .csv, .mot, .sto
/// (tables), .npz (arrays), .bvh, .mvnx (human models only; for a character see `WriteMotionOptions`).
/// Returns the frames that the format could not take; they are left out. @throws ConfigError for an unknown
/// extension, a model that the format cannot represent, or deviations or contacts of another number of
/// frames; Error when the file cannot be written.
std::size_t write_motion(const Motion& motion, const Model& model, const Destination& to,
                         const WriteMotionOptions& options = {});

/// Returns the bytes of that file. The extension of `name` ("walk.csv") gives the format; messages call it
/// `name`. @throws ConfigError as above; Error for frames that the format could not take.
[[nodiscard]] std::string motion_bytes(const Motion& motion, const Model& model, const std::string& name,
                                       const WriteMotionOptions& options = {});

struct StateFileOptions {
  double rate_hz = 0.0;                             ///< nominal rate for headers that need it; > 0
  AngleConvention angles = AngleConvention::Model;  ///< .csv, .mot and .sto
  /// Adds columns to tables and arrays of the model's own joints: the standard deviation of every joint from
  /// `write_with`.
  bool deviations = false;
  /// .mvnx: changes the segments of every frame before they are written, e.g. adds measurement errors; empty:
  /// none. Must keep their number, and matrices must stay rotations.
  std::function<void(SegmentSample&)> disturb = {};
  IsbArms isb_arms = IsbArms::Mvnx4;                        ///< of ISB angles
  std::string layout = {};                                  ///< as in `WriteMotionOptions`
  double resample_hz = 0.0;                                 ///< as in `WriteMotionOptions`
  std::shared_ptr<const BvhCharacter> character = nullptr;  ///< as in `WriteMotionOptions`
};

/// Returns the axes with which ISB angles equal those in a recording of this format
/// (`RecordingInfo::format`).
[[nodiscard]] IsbArms isb_arms_of(const std::string& format);

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

  /// Sets the contacts of the motion's feet, by frame, before its first State is written. Formats without
  /// contacts ignore them.
  virtual void set_contacts(std::span<const LinkContacts> contacts) { (void)contacts; }

  /// Finishes the file. @throws Error when a write failed. Without it the destructor keeps the `.part` if a
  /// state was written.
  virtual void close() = 0;
};

/// Creates a file by extension: .csv, .mot, .sto (tables), .npz (arrays), .bvh, .mvnx (human models only).
/// The model must outlive the file. @throws ConfigError for an unknown extension or a model that the format
/// cannot represent, Error when the file cannot be created.
[[nodiscard]] std::unique_ptr<StateFile> create_state_file(const Destination& to, const Model& model,
                                                           const StateFileOptions& options);

}  // namespace panto::io
