#pragma once
// A recording onto a model: what `track`, `convert` and `check` have in common.

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/panto/link_output.hpp"
#include "apps/panto/smoothed_tracker.hpp"
#include "panto/evaluation/recording_health.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/ik/make_solver.hpp"
#include "panto/io/frame_table.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/state_file.hpp"
#include "panto/report/page.hpp"
#include "panto/retarget/foot_plan.hpp"
#include "panto/retarget/robot_judge.hpp"
#include "panto/retarget/robot_recording.hpp"
#include "panto/retarget/scaled_clip.hpp"
#include "panto/retarget/sole_depth.hpp"
#include "panto/robot/map.hpp"
#include "panto/tracking/run.hpp"
#include "panto/tracking/two_way_tracker.hpp"

namespace panto::app {

struct SensedFigures;

struct TrackingOptions {
  std::string input;
  std::vector<std::string> outputs;
  std::string report;  ///< an HTML page beside the outputs; empty: none
  std::string frames;  ///< a table of every frame's figures; empty: none
  std::string model = "human66";
  std::string sensors;              ///< where the raw sensors of `input` sit; empty: it holds segments
  std::string person = "human48";   ///< the human that wears them
  std::string robot;                ///< instead of `model`: a robot follows the person; empty: none
  FeetMode feet = FeetMode::Plant;  ///< of a robot
  std::optional<robot::RelativeTargets> relative;  ///< of a robot's hands; unset: the map's
  std::optional<SmoothingOptions> smooth;  ///< of a robot's whole motion: cut-off, acceleration and jerk
  std::optional<ScaleOptions> scale;       ///< a robot's whole motion to its limits, instead of `limits`
  bool turns = false;                      ///< with `scale`: part by part, see Tracking::take_part
  std::optional<double> rate;              ///< of references to a robot [Hz]; unset: the recording's
  std::string rig;                         ///< map of the skeleton's joints; empty: found from the recording
  std::optional<double> height, mass;
  io::AngleConvention angles = io::AngleConvention::Model;
  SolverKind solver = SolverKind::Dynamical;
  bool any_solver =
      false;  ///< a robot that `solver` cannot follow is followed by the dynamical one, and said so
  JacobianDamping damping = JacobianDamping::Adaptive;
  ModularLaw module_law = ModularLaw::DriftFree;
  VelocitySource velocity = VelocitySource::Measured;
  LimitLaw limits = LimitLaw::Exact;
  bool align = true;
  bool paper = false;
  std::optional<double> gain;         ///< K of orientations and positions [1/s]
  std::optional<double> limit_gain;   ///< K_g of the tanh law [1/rad]
  std::optional<double> speed_limit;  ///< of joints whose model has none [rad/s]
  double settle = 0.5;                ///< [s]
};

/// Help of the argument that names a recording.
inline constexpr const char* kRecordingHelp =
    "A recording: .mvnx, .bvh of any person, .trc .npz .csv (points), .sto (orientations), .csv .mot .sto "
    "(joint "
    "angles that Panto wrote)";

/// What is added to it by commands that take raw sensors.
inline constexpr const char* kRawSensorsHelp =
    "; inertial sensors (.csv .npz .sto, .txt of Xsens or a folder of them)";

/// Options that describe the person: --rig, --height.
void add_person_options(CLI::App& sub, TrackingOptions& options);
/// Options of raw sensors before a robot: --sensors, --model.
void add_sensor_options(CLI::App& sub, TrackingOptions& options);
/// Options that describe the body: --model, --rig, --height, --mass.
void add_body_options(CLI::App& sub, TrackingOptions& options);
/// Options of the method: --solver, --damping, --module-law, --velocity, --limits, --align, --paper, --gain,
/// --limit-gain,
/// --speed-limit, --settle.
void add_method_options(CLI::App& sub, TrackingOptions& options);

/// What is written beside the outputs: --report, --frames; and --json instead of `usual` ("the table").
void add_page_options(CLI::App& sub, TrackingOptions& options, bool& json, const std::string& usual);

/// An option that changes nothing is a misunderstanding. @throws ConfigError that says why it would.
void check_effects(const TrackingOptions& options);

/// What the solver is told. @throws ConfigError when options contradict each other.
[[nodiscard]] SolverOptions solver_options(const TrackingOptions& options);

/// Name and value of the options that a run went by, in the words of the command line.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> settings_of(const TrackingOptions& options);

/// Notes for people on stderr, from the one at `already` on.
void say(const std::vector<std::string>& notes, std::size_t already = 0);

/// What the options say that the recording does not: the map in the file `options.rig` unless that is empty,
/// and the height. What is odd about the map goes to `notes`. @throws FormatError as `read_rig_map` does.
[[nodiscard]] RecordingHints read_known(const TrackingOptions& options, std::vector<std::string>& notes);

/// Opens `options.input` with what is `known`. @throws Error as `open_recording` does; a map that names
/// what the recording has not is a ModelError with the map's line.
[[nodiscard]] std::unique_ptr<Recording> open_recording(const TrackingOptions& options,
                                                        const RecordingHints& known,
                                                        std::vector<std::string>& notes);

/// Adds --rig.
void add_rig_option(CLI::App& sub, std::string& rig);

/// What a run left behind.
struct TrackingResult {
  ReportCard card;
  std::optional<RobotVerdict> robot;  ///< where a robot followed
  std::vector<std::string> written;   ///< outputs that are complete
  bool complete = true;               ///< every output is, with every frame
  std::string problem;                ///< of a recording that is damaged behind the frames that were used
  std::int64_t used = 0;              ///< frames of the recording

  /// Says on stderr how a damaged recording ended; the exit code of the run.
  [[nodiscard]] int finish() const;
};

/// Says on stderr how a damaged recording ended, of which `frames` were used; the exit code for it. Nothing
/// of one that is not (`problem` is empty).
[[nodiscard]] int finish_damaged(const std::string& problem, std::int64_t frames);

/// Called after every step with what went in, what came out and how.
using Observe = std::function<void(const SegmentSample&, const State&, const StepRecord&)>;

/// Some samples of a recording.
struct RecordingPart {
  int first = 0, last = 0;
  std::string name;   ///< "gesture 1 of 2"
  std::string about;  ///< what the page says of it, a JSON object
};

/// A recording, a model and a tracker, ready to run once.
class Tracking {
 public:
  /// Opens and binds everything and says the notes. @throws Error with the reason.
  explicit Tracking(TrackingOptions options);
  /// The same of a recording that is open already; `notes`: what came up on opening it.
  Tracking(TrackingOptions options, std::unique_ptr<Recording> file, std::vector<std::string> notes);
  Tracking(const Tracking&) = delete;
  Tracking& operator=(const Tracking&) = delete;

  [[nodiscard]] const TrackingOptions& options() const noexcept { return options_; }
  [[nodiscard]] const Recording& file() const noexcept { return *file_; }
  [[nodiscard]] const Model& model() const noexcept { return *model_; }
  /// What was scaled, where `TrackingOptions::scale` asks for it; null otherwise.
  [[nodiscard]] const ScaledClip* scaled() const noexcept { return scaled_.get(); }
  /// The motion before it was scaled; null without `TrackingOptions::scale`.
  [[nodiscard]] const FreeClip* free() const noexcept { return free_.get(); }
  /// With `TrackingOptions::turns`, before every run: what is run next, samples of `free()`, and what is
  /// written. @throws as ScaledClip does, and when an output cannot be created.
  void take_part(const RecordingPart& part, std::vector<std::string> outputs, std::string report);
  /// Of the human between raw sensors and the robot; null where the recording holds segments.
  [[nodiscard]] const SensedFigures* sensed() const noexcept { return sensed_.get(); }
  /// How the robot follows the person; empty for a human.
  [[nodiscard]] const robot::MapProposal& robot_map() const noexcept { return robot_map_; }
  /// Which link is judged against which segment.
  [[nodiscard]] std::vector<TrackedPair> pairs() const;

  /// Tracks to the end, writes the outputs, says what came up on the way.
  /// @throws FormatError when the recording holds no motion, or none of its frames could be tracked.
  [[nodiscard]] TrackingResult run(const Observe& observe = {});

 private:
  void bind();
  void bind_robot();
  void divide(double most_interval);
  void smooth(double speed_limit);
  void look_back(const SolverOptions& solver, std::unique_ptr<RobotRecording> recording);
  void lift(const SolverOptions& solver);
  [[nodiscard]] Tracker<SegmentSample>& tracker() noexcept;
  void make_tracker(SolverOptions solver);
  void make_some_tracker(const SolverOptions& solver);
  void scale();
  void scale_part(int first, int last);
  [[nodiscard]] Tracker<SegmentSample>& answering() noexcept;
  [[nodiscard]] StepRecord solved(const StepRecord& measured) const;
  [[nodiscard]] StepRecord once(StepRecord record) const;
  void make_judge();
  void take_notes();
  void take_verdict(TrackingResult& result);
  [[nodiscard]] bool say_unheard() const;
  [[nodiscard]] TrackingResult follow(const Observe& observe);
  void judge_recording(const RecordingHealth& health, bool cut, ReportCard& card);
  void probe_outputs() const;
  void open_outputs();
  void discard_outputs();
  void close_outputs(TrackingResult& result);
  void close_page(TrackingResult& result);
  [[nodiscard]] std::vector<std::string> output_paths() const;

  TrackingOptions options_;
  std::unique_ptr<Recording> file_;
  std::shared_ptr<const SensedFigures> sensed_;
  robot::MapProposal robot_map_;
  std::optional<RobotJudge> judge_;
  PersonFeet person_feet_;                ///< of the person that a robot follows
  RobotRecording* robot_file_ = nullptr;  ///< what `file_` is where a robot follows
  std::optional<Model> model_;
  std::optional<Model> free_model_;  ///< what is solved where the whole motion is scaled: no limits, no rows
  std::optional<SegmentTracker> tracker_;
  std::optional<SubsteppingTracker> divided_;   ///< where feet are planted
  std::unique_ptr<RobotRecording> first_pass_;  ///< the recording once more, before it is run
  std::unique_ptr<RobotRecording> whole_;       ///< and once more, to follow it backwards
  std::unique_ptr<TwoWayTracker> hindsight_;    ///< where that is better than forwards alone
  std::unique_ptr<SmoothedTracker> smoothed_;
  std::unique_ptr<LiftedTracker> lifted_;
  std::shared_ptr<const FreeClip> free_;
  std::unique_ptr<ScaledClip> scaled_;
  std::vector<std::unique_ptr<io::StateFile>> outputs_;
  std::vector<std::string> files_;  ///< names of `outputs_`
  std::vector<std::unique_ptr<LinkOutput>> links_;
  std::unique_ptr<ReportPage> page_;
  std::optional<io::FrameTable> frames_;
  std::string part_;        ///< what the page calls the part that is run ...
  std::string about_part_;  ///< ... and says of it
  std::vector<std::string> notes_;
  std::size_t notes_taken_ = 0;              ///< of the file's own
  std::optional<std::size_t> notes_of_all_;  ///< how many are not of a part; set with the first part
};

}  // namespace panto::app
