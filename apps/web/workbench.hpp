#pragma once
// One clip and one body, solved again whenever a setting changes: what the page in the browser drives.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/api/retarget.hpp"
#include "panto/api/track_sensors.hpp"
#include "panto/recording/edited_recording.hpp"
#include "panto/recording/edited_sensors.hpp"
#include "panto/recording/recording.hpp"

namespace panto::web {

/// A file that somebody dropped.
struct File {
  std::string name, bytes;
};

/// What a visitor may change.
struct Settings {
  std::optional<double> height;  ///< of the person [m]; unset: the recording's
  FeetMode feet = FeetMode::Plant;
  Collisions collisions = Collisions::Avoid;
  std::string hands = {};           ///< words of `--relative`; empty: the map's
  std::optional<double> cutoff_hz;  ///< smooths the motion with this cut-off; unset: not smoothed
  double max_acceleration = 200.0;  ///< of smoothing [rad/s^2]
  double speed = 1.0;               ///< factor on the robot's joint speed limits, 0.05 to 10
  double arms = 1.0, legs = 1.0;    ///< factors on how much these limbs' directions count, 0.01 to 100
  RecordingEdits edits;
  SensorEdits sensors;  ///< of raw sensors alone
};

/// A whole clip, solved.
struct Solved {
  std::string run;       ///< JSON of the page (docs/formats/report_page.md)
  std::string sentence;  ///< the verdict
  std::int64_t frames = 0;
};

/// A part of a clip, solved alone: rows of base position (3), base quaternion x y z w (4), joints.
struct Window {
  std::vector<double> t;  ///< [s]
  int columns = 0;
  std::vector<double> rows;
};

/// Holds a clip, a body and the last motion.
class Workbench {
 public:
  Workbench();

  /// Opens a recording of segments, or raw sensors with the table of their mountings among `others`; returns
  /// its JSON facts: name, format, seconds, frames, rate, segments, sensors, notes. Keeps the old one on
  /// failure.
  /// @throws FormatError that names what is wrong.
  std::string open_recording(const File& file, const std::vector<File>& others = {});
  /// Opens a body: human66, human48, or a robot that ships with Panto. @throws ConfigError for other names.
  std::string open_body(const std::string& name);
  /// Opens a robot from its file; `others` hold its meshes and includes, found by the ends of their names.
  std::string open_body(const File& file, const std::vector<File>& others);

  /// Solves the whole clip and keeps the motion. @throws Error, ConfigError: no clip, options out of range.
  [[nodiscard]] Solved solve(const Settings& settings);
  /// Solves the samples from `from_s` to `until_s`, with a second before them that is left out.
  [[nodiscard]] Window window(const Settings& settings, double from_s, double until_s);
  /// Returns the bytes of the last motion; `layout`: of another program, or empty. @throws ConfigError.
  [[nodiscard]] std::string save(const std::string& name, const std::string& layout, double fps) const;

 private:
  struct Body;
  // Raw sensors as they were given, and those that the clip was made from.
  struct Sensed {
    ImuClip clip;
    SensorSetup setup;
    SensorEdits edits;
    std::shared_ptr<const SensedFigures> figures;
  };
  [[nodiscard]] static std::unique_ptr<EditedRecording> wear(Sensed& sensed);
  [[nodiscard]] std::shared_ptr<const Body> body_for(const Settings& settings) const;
  [[nodiscard]] EditedRecording& clip_for(const Settings& settings, std::optional<Time> from = {},
                                          std::optional<Time> until = {});
  [[nodiscard]] const SensedFigures* figures() const noexcept {
    return sensed_ ? sensed_->figures.get() : nullptr;
  }

  std::unique_ptr<EditedRecording> clip_;
  std::optional<Sensed> sensed_;       ///< unset: the clip holds segments
  std::string human_;                  ///< its name; empty: a robot
  std::shared_ptr<const Body> robot_;  ///< null: a human
  std::shared_ptr<const Body> last_;   ///< whose motion it is
  std::shared_ptr<const Motion> motion_;
};

}  // namespace panto::web
