#include "apps/panto/gestures.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "apps/panto/commands.hpp"
#include "apps/panto/robot_task.hpp"
#include "apps/support/command_line.hpp"
#include "panto/api/imitate.hpp"
#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/numbered_files.hpp"
#include "panto/live/address.hpp"
#include "panto/report/robot_report.hpp"

namespace panto::app {
namespace {

void say_left_over(const TrackingOptions& options, std::size_t parts) {
  std::vector<std::string> paths = options.outputs;
  if (!options.report.empty()) paths.push_back(options.report);
  std::string names;
  for (const std::string& path : paths) {
    if (live::is_address(path)) continue;
    for (const std::string& name : io::parts_left_over(path, parts, options.input))
      names += (names.empty() ? "" : ", ") + name;
  }
  if (!names.empty())
    say({"warning: left from an earlier run, not written by this one: " + names + " (this run wrote " +
         (parts == 0 ? "none" : counted(static_cast<std::int64_t>(parts), "gesture")) + ")"});
}

void check_outputs_of(const TrackingOptions& options, std::size_t parts) {
  if (!options.frames.empty())
    throw ConfigError("--frames '" + options.frames + "': not available gesture by gesture; remove it");
  for (const std::string& path : options.outputs) {
    if (parts > 1 && live::is_address(path))
      throw ConfigError(
          "output '" + path + "': " + std::to_string(parts) +
          " gestures cannot go to one address; write files, or scale the whole recording: panto "
          "retarget --limits scale");
  }
}

// Runs gestures into numbered outputs.
class GestureRun {
 public:
  explicit GestureRun(const GestureOptions& options) : options_(options), task_(options.tracking) {
    say(task_.notes());
  }

  int run() {
    const ImitateResult result =
        imitate(*task_.recording, task_.robot.robot, task_.retargeting(), options_.segmentation,
                task_.observer(), [this](const RecordedGesture& gesture, const std::vector<Time>& stamps) {
                  return watch(gesture, stamps);
                });
    print(result);
    say_left_over(options_.tracking, result.gestures.size());
    code_ = std::max(code_, finish(result.damage, std::ssize(result.stamps), complete_));
    if (result.gestures.empty()) return std::max(code_, kCheckFailed);
    return code_of(judged(result), options_.tracking.printing.strict, code_);
  }

 private:
  GestureWatch watch(const RecordedGesture& gesture, const std::vector<Time>& stamps) {
    check_outputs_of(options_.tracking, gesture.of);
    TrackingOptions options = options_.tracking;
    for (std::string& path : options.outputs)
      if (!live::is_address(path)) path = io::numbered(path, gesture.number - 1, gesture.of);
    options.report = io::numbered(options.report, gesture.number - 1, gesture.of);
    check_output_names(options);
    bridge::ClipRun run = task_.output_run();
    run.part = ", gesture " + std::to_string(gesture.number) + " of " + std::to_string(gesture.of);
    run.about = PageGesture{gesture, stamps.size(), to_seconds(stamps.back()) - to_seconds(stamps.front())};
    outputs_.reset();
    page_notes_ = task_.notes();
    outputs_ = open_outputs(options, std::move(run), page_notes_);
    GestureWatch watch{task_.observer(), [this](const RetargetResult& result) { close(result); }};
    outputs_->watch(watch.observer);
    return watch;
  }

  void close(const RetargetResult& result) {
    say_problems(outputs_->close(page_result(report(result), page_notes_)));
    written_.push_back(outputs_->written());
    complete_ = complete_ && outputs_->complete();
  }

  RobotReport report(const RetargetResult& result) const {
    return {task_.robot.robot.model, task_.recording->info(), result, task_.sensed.get()};
  }

  Verdict judged(const ImitateResult& result) const {
    return with_sensors(verdict_of(result, task_.robot.robot.model), task_.sensed.get());
  }

  void print(const ImitateResult& result) const {
    const Model& model = task_.robot.robot.model;
    if (options_.tracking.printing.json)
      return void(std::printf(
          "%s\n",
          gestures_json(result, model, task_.recording->info(), task_.sensed.get(), written_).c_str()));
    const std::string head = options_.tracking.input + ": " + task_.recording->info().format + " -> " +
                             model.name() + ", " + counted(model.dof(), "joint") + ", solver " +
                             to_string(result.solver);
    std::string details;
    std::vector<std::string> written;
    for (std::size_t i = 0; i < result.gestures.size(); ++i) {
      details += options_.tracking.printing.verbose ? gesture_text(result.gestures[i], model)
                                                    : gesture_line(result.gestures[i], model);
      written.insert(written.end(), written_[i].begin(), written_[i].end());
    }
    const Verdict verdict = judged(result);
    print_result(verdict, head,
                 options_.tracking.printing.verbose ? details : figures_text(verdict) + details, written);
    if (result.gestures.empty())
      std::fputs(no_gesture_text(result.stamps, options_.segmentation).c_str(), stdout);
  }

  const GestureOptions& options_;
  RobotTask task_;
  std::unique_ptr<bridge::ClipOutputs> outputs_;
  std::vector<std::string> page_notes_;
  std::vector<std::vector<std::string>> written_;  // by gesture
  bool complete_ = true;
  int code_ = kGood;
};

}  // namespace

int run_gestures(const GestureOptions& options) {
  check_outputs_of(options.tracking, 1);
  return GestureRun(options).run();
}

}  // namespace panto::app
