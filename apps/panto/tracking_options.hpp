#pragma once
// Common options of `track`, `retarget`, `convert` and `check`.

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/panto/printing.hpp"
#include "panto/api/robot_motion.hpp"
#include "panto/bridge/clip_outputs.hpp"

namespace panto::app {

struct TrackingOptions : bridge::ClipOutputOptions {
  std::string model = "human66";
  std::string sensors;             ///< mounting of the raw sensors of `input`; empty: it holds segments
  std::string person = "human48";  ///< the human that wears them
  std::vector<std::string> package_dirs;  ///< where meshes of `robot` may be too
  std::string robot;          ///< a robot that follows the person, instead of `model`; empty: none
  std::string character_rig;  ///< map of the joints of `character`; empty: found
  std::string character;      ///< a BVH skeleton that follows the person, instead of `robot`; empty: none
  FeetMode feet = FeetMode::Plant;  ///< of a robot
  std::optional<BaseKind> base;     ///< unset: told from the model
  Collisions collisions = Collisions::Avoid;
  std::optional<robot::RelativeTargets> relative;  ///< of a robot's hands; unset: the map's
  std::optional<SmoothingOptions> smooth;  ///< smooths a robot's whole motion: cut-off, acceleration and jerk
  std::optional<ScaleOptions> scale;  ///< scales a robot's whole motion into its limits, instead of `limits`
  std::string rig;                    ///< map of the skeleton's joints; empty: found from the recording
  std::string body;                   ///< the person's model of SMPL, SMPL-H or SMPL-X; empty: none
  std::string one;                    ///< which of several people; empty: the likeliest
  std::string take;                   ///< which animation of a glTF file; empty: the first
  std::optional<double> height, mass;
  PointCleaning clean = PointCleaning::Light;  ///< of points
  bool ground = false;                         ///< puts the recording on the floor
  std::string from;   ///< what the user says of a robot's motion that is read, `io::parse_motion_hints`
  LeadOptions leads;  ///< of a layout's motion
  SolverKind solver = SolverKind::Dynamical;
  bool any_solver = false;  ///< with a note the dynamical one, for a robot that `solver` cannot follow
  JacobianDamping damping = JacobianDamping::Adaptive;
  ModularLaw module_law = ModularLaw::DriftFree;
  VelocitySource velocity = VelocitySource::Measured;
  LimitLaw limits = LimitLaw::Exact;
  bool align = true;
  bool paper = false;
  std::optional<double> gain;         ///< K of orientations and positions [1/s]
  std::optional<double> limit_gain;   ///< K_g of the tanh law [1/rad]
  std::optional<double> speed_limit;  ///< of joints whose model has none [rad/s]
  PrintOptions printing;
};

/// Help of the argument that names a recording.
inline constexpr const char* kRecordingHelp =
    "Motion to read: .mvnx, .bvh .glb .vrm of any skeleton, .trc .npz .csv .json (points), .sto "
    "(orientations), .csv .mot .sto (joint angles that Panto wrote)";

/// Help of --angles.
inline constexpr const char* kAnglesHelp =
    "Write angles of the model's joints, of the 22 ISB joints, or coordinates of a model of OpenSim (.mot "
    ".sto; opensim: rajagopal)";

/// Added to it by commands that take raw sensors.
inline constexpr const char* kRawSensorsHelp =
    "; inertial sensors (.csv .npz .sto, .txt of Xsens or a folder of them)";

/// Adds --base; --rig and --person.
void add_base_option(CLI::App& sub, std::optional<BaseKind>& base);
void add_rig_option(CLI::App& sub, std::string& rig, std::string& one, std::string& take);
/// Adds options that describe the person, and --base: --rig, --height.
void add_person_options(CLI::App& sub, TrackingOptions& options);
/// Adds options for raw sensors with a robot: --sensors, --model.
void add_sensor_options(CLI::App& sub, TrackingOptions& options);
/// Adds --robot, with `standard` at the end of its help, --package-dir and --rate.
void add_robot(CLI::App& sub, TrackingOptions& options, const std::string& standard = "");
/// Adds options that describe the body: --model, --rig, --height, --mass.
void add_body_options(CLI::App& sub, TrackingOptions& options);
/// Adds options of the method: --solver, --damping, --module-law, --velocity, --limits, --align, --paper,
/// --gain, --limit-gain, --speed-limit, --settle.
void add_method_options(CLI::App& sub, TrackingOptions& options);

/// Adds options for what is written beside the outputs, --report and --frames, and for what is printed.
void add_page_options(CLI::App& sub, TrackingOptions& options);
/// Adds --verbose, --json and --strict.
void add_print_options(CLI::App& sub, PrintOptions& options);
/// Adds the recording to read, of a person or of raw sensors.
void add_recording(CLI::App& sub, std::string& input);

/// Adds --from, or it and --robot, for a robot's motion that is read.
void add_from_option(CLI::App& sub, std::string& from);
void add_motion_options(CLI::App& sub, std::string& robot, std::string& from);
/// Adds --for, --fps, --lead-in, --lead-out, --loop: of a robot's motion that is written.
void add_layout_options(CLI::App& sub, TrackingOptions& options);

/// Refuses options without effect. @throws ConfigError with the reason.
void check_effects(const TrackingOptions& options);

/// Returns the options of the solver. @throws ConfigError when options contradict each other.
[[nodiscard]] SolverOptions solver_options(const TrackingOptions& options);

/// Returns name and value of the options of a run, as on the command line.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> settings_of(const TrackingOptions& options);

}  // namespace panto::app
