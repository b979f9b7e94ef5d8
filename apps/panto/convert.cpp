// panto convert: writes recordings and models in other formats, and lists what is lost.

#include <CLI/App.hpp>
#include <cstdio>
#include <memory>
#include <optional>

#include "apps/panto/commands.hpp"
#include "apps/panto/track_task.hpp"
#include "apps/support/command_line.hpp"
#include "panto/api/convert.hpp"
#include "panto/api/robot_motion.hpp"
#include "panto/api/written_content.hpp"
#include "panto/base/error.hpp"
#include "panto/base/printable.hpp"
#include "panto/base/text.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/outputs.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/report/robot_motion_report.hpp"
#include "panto/report/tables.hpp"

namespace panto::app {
namespace {

struct ConvertOptions {
  TrackingOptions tracking;
  std::string output;
  std::optional<Content> as;       ///< unset: the first that the extension can hold
  bool changes = false;            ///< what is read is changed: a BVH is tracked, not copied
  std::vector<std::string> words;  ///< given options that not every content takes
};

void note_lost(const std::string& what) { say_note("not kept: " + what); }

void note_losses(const Recording& recording) {
  for (const std::string& what : losses(recording)) note_lost(what);
}

// Writes BVH as BVH, with the whole skeleton.
int rewrite_bvh(const ConvertOptions& options) {
  const io::BvhClip clip = io::read_bvh_file(options.tracking.input);
  say(clip.notes);
  say({"BVH to BVH: skeleton, joints and numbers stay unchanged"});
  io::write_file(options.output, io::write_bvh(clip));
  print_result({Verdict::Grade::Good, "Good: every joint and number is kept.", {}, {}, {}},
               options.tracking.input + ": bvh, " + counted(clip.frame_count, "frame") + ", " +
                   counted(static_cast<std::int64_t>(clip.joints.size()), "joint"),
               "", {options.output});
  return kGood;
}

// Writes segments as measured, without tracking.
int write_measured(const ConvertOptions& options, Recording& recording, std::vector<std::string> notes,
                   const Observer& observer) {
  if (options.tracking.angles != io::AngleConvention::Model)
    throw ConfigError("--angles has no effect: '" + options.output +
                      "' gets points or orientations, no angles");
  const RecordingInfo& info = recording.info();
  notes.insert(notes.end(), info.notes.begin(), info.notes.end());
  say(notes);
  note_losses(recording);
  const std::string extension = io::extension_of(options.output);
  if (extension == ".trc") note_lost("orientations: .trc holds points only");
  if (extension == ".sto") note_lost("positions: this .sto holds orientations only");
  const WrittenSamples result = write_samples(recording, options.output, observer);
  if (result.dropped > 0)
    std::fprintf(stderr, "panto: %s could not be written\n", counted(result.dropped, "frame").c_str());
  print_result(verdict_of(result),
               options.tracking.input + ": " + info.format + ", " + counted(result.written, "frame") +
                   " of " + counted(std::ssize(result.segments), "segment"),
               "", {options.output});
  return finish(result.damage, result.frames, result.dropped == 0);
}

// Writes joint angles and moving skeletons, from tracking.
int write_states(const ConvertOptions& options, std::unique_ptr<Recording> opened,
                 std::vector<std::string> notes) {
  TrackTask task(options.tracking, std::move(opened), std::move(notes));
  const auto outputs = open_outputs(options.tracking, task.output_run(), task.notes());
  say(task.notes());
  Observer observer = task.observer();
  observer.begin = [&] {  // the recording's own notes come first
    note_losses(*task.recording);
    if (content_of(options.output, options.as, options.tracking.input, true) == Content::Angles)
      note_lost("the person's sizes: the output holds joint angles only");
  };
  outputs->watch(observer);
  const TrackResult result = track(*task.recording, *task.model, task.tracking(), observer);
  say_problems(outputs->close(task.page_result(result)));
  print_result(verdict_of(result),
               options.tracking.input + ": " + task.recording->info().format + " -> " + task.model->name() +
                   ", " + counted(result.card.frames, "frame"),
               options.tracking.printing.verbose ? format_table(result.card) : "", outputs->written());
  return finish(result.damage, result.frames_used, outputs->complete());
}

int write_model(const ConvertOptions& options) {
  const TrackingOptions& tracking = options.tracking;
  io::check_outputs({options.output}, {tracking.input});
  refuse_given(options.words, tracking.input, "is a model, not a motion", {"--height", "--mass"});
  if (tracking.height || tracking.mass) io::check_scalable(tracking.input);
  std::vector<std::string> notes;
  const SubjectDimensions subject =
      scaled_subject(tracking.height.value_or(1.75), tracking.mass.value_or(70.0));
  const Model model = io::convert_model(tracking.input, subject, options.output, notes);
  say(notes);
  std::printf("wrote %s: %s, %d links, %d movable joints\n", printable(options.output).c_str(),
              printable(model.name()).c_str(), model.link_count(), model.dof());
  return 0;
}

int convert_motion(const ConvertOptions& options, io::Input& input) {
  const TrackingOptions& tracking = options.tracking;
  refuse_given(options.words, tracking.input, "holds a robot's motion",
               {"--robot", "--from", "--for", "--fps", "--lead-in", "--lead-out", "--loop"});
  RobotMotion motion = open_robot_motion(input, tracking.robot, io::parse_motion_hints(tracking.from));
  check_settled(motion);
  write_robot_motion(motion, options.output, tracking.layout, tracking.fps, tracking.leads);
  say(motion.notes);
  print_result(verdict_of(motion), tracking.input + ": " + head_of(motion), told_text(motion),
               {options.output});
  return kGood;
}

int convert(const ConvertOptions& options) {
  if (io::is_written_model(options.output) && names_model(options.tracking.input))
    return write_model(options);
  const TrackingOptions& tracking = options.tracking;
  (void)content_of(options.output, options.as, tracking.input, true);  // refuse wrong outputs before the work
  io::check_outputs({options.output}, {tracking.input, tracking.model, tracking.rig, tracking.robot});
  io::check_angles({options.output}, tracking.angles);
  io::Input input(tracking.input, io::Folder::Allowed);
  if (io::is_robot_motion(input)) return convert_motion(options, input);
  refuse_motion_words(options.words, tracking.input);
  if (io::extension_of(options.output) == ".bvh" && !options.changes &&
      io::recognise(input) == io::RecordingKind::Bvh)
    return rewrite_bvh(options);
  std::vector<std::string> notes;
  std::unique_ptr<Recording> recording;
  {
    const Job job;  // one at a time
    recording = open_recording(tracking, notes, job.observer, &input).recording;
    if (content_of(options.output, options.as, tracking.input, recording->info().untrackable.empty()) >=
        Content::Keypoints)
      return write_measured(options, *recording, std::move(notes), job.observer);
  }
  return write_states(options, std::move(recording), std::move(notes));
}

}  // namespace

void add_convert(CLI::App& app, Run& run) {
  auto options = std::make_shared<ConvertOptions>();
  TrackingOptions& tracking = options->tracking;
  CLI::App* sub = app.add_subcommand("convert", "Convert between formats and list what is lost.");
  add_text(*sub, "recording,-i,--in", tracking.input, "FILE", kRecordingHelp)->required();
  add_text(*sub, "output,-o,--out,--output", options->output, "FILE",
           "Write this file, by extension: .bvh .mvnx (moving skeleton), .mot .sto .csv (joint angles), .trc "
           ".npz (points); .urdf .xml (MJCF) .osim (of a model)")
      ->required();
  add_choice<std::optional<Content>>(
      *sub, "--as", options->as,
      {{"auto", std::nullopt},
       {"angles", Content::Angles},
       {"keypoints", Content::Keypoints},
       {"orientations", Content::Orientations}},
      "Choose the content where the format can hold several: .csv angles or keypoints (with "
      "orientations), .sto angles or orientations");
  add_motion_options(*sub, tracking.robot, tracking.from);
  add_layout_options(*sub, tracking);
  sub->get_option("--fps")->needs("--for");
  add_body_options(*sub, tracking);
  add_choice(*sub, "--angles", tracking.angles, io::angle_conventions(), kAnglesHelp);
  add_flag(*sub, "--verbose", tracking.printing.verbose,
           "Print all figures as tables where the recording is tracked");
  sub->footer(
      "BVH to BVH keeps the skeleton. Points and orientations are those of the\n"
      "recording's segments. Joint angles and moving skeletons come from tracking: the\n"
      "model's links turn exactly as the segments do.\n"
      "Examples:\n"
      "  panto convert take.mvnx take.bvh\n"
      "  panto convert take.bvh points.csv --as keypoints\n"
      "  panto convert dance.csv motion.npz --for mjlab\n"
      "  panto convert unitree_g1 unitree_g1.xml\n"
      "  panto convert human66 human66.osim");
  sub->callback([options, sub, &run] {
    options->changes = !given_besides(*sub, {"--in", "--out", "--as", "--angles", "--verbose"}).empty();
    options->words = given_besides(*sub, {"--in", "--out", "--verbose"});
    options->tracking.outputs = {options->output};
    options->tracking.velocity = VelocitySource::Differenced;  // velocities match the written poses
    options->tracking.settle = 0.0;                            // statistics cover every frame
    run = [options] { return convert(*options); };
  });
}

}  // namespace panto::app
