// panto convert: a recording in another format, and what that format cannot hold; a model as URDF.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/interruption.hpp"
#include "apps/panto/tracking.hpp"
#include "panto/api/models.hpp"
#include "panto/base/text.hpp"
#include "panto/evaluation/recording_health.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/sample_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/urdf.hpp"

namespace panto::app {
namespace {

/// What a file can hold of a motion.
enum class Content : unsigned char { Skeleton, Angles, Keypoints, Orientations };

struct ConvertOptions {
  TrackingOptions tracking;
  std::string output;
  std::optional<Content> as;  ///< unset: the first that the extension can hold
  bool model_given = false;   ///< on the line
};

struct Format {
  std::string extension;
  std::vector<Content> holds;
};

const std::vector<Format> kFormats{{".bvh", {Content::Skeleton}},
                                   {".mvnx", {Content::Skeleton}},
                                   {".csv", {Content::Angles, Content::Keypoints}},
                                   {".mot", {Content::Angles}},
                                   {".sto", {Content::Angles, Content::Orientations}},
                                   {".trc", {Content::Keypoints}},
                                   {".npz", {Content::Keypoints}}};

const char* word(Content content) {
  switch (content) {
    case Content::Skeleton:
      return "skeleton";
    case Content::Angles:
      return "angles";
    case Content::Keypoints:
      return "keypoints";
    case Content::Orientations:
      return "orientations";
  }
  return "";
}

const Format& format_of(const std::string& path) {
  const std::string extension = io::extension_of(path);
  std::vector<std::string> known;
  for (const Format& format : kFormats) {
    if (format.extension == extension) return format;
    known.push_back(format.extension);
  }
  if (extension == ".urdf") {
    throw ConfigError("output '" + path + "': a URDF is a body without motion; a recording becomes one of " +
                      CLI::detail::join(known, ", "));
  }
  throw ConfigError("output '" + path + "': " +
                    unknown_name("format", extension.empty() ? "(none)" : extension, "its name", known));
}

// What is written: as asked, or the first that format and recording have in common.
Content content_of(const ConvertOptions& options, bool trackable) {
  const Format& format = format_of(options.output);
  for (const Content content : format.holds) {
    if (options.as ? content == *options.as : trackable || content >= Content::Keypoints) return content;
  }
  std::string words;
  for (const Content content : format.holds)
    words += (words.empty() ? "" : ", ") + std::string(word(content));
  if (!options.as) {
    throw FormatError(options.tracking.input + ": holds no motion of a person that is known as such; as " +
                      format.extension + " (" + words + ") it cannot be written, as .npz or .csv it can");
  }
  const bool with_points = *options.as == Content::Orientations &&
                           std::count(format.holds.begin(), format.holds.end(), Content::Keypoints) > 0 &&
                           format.extension != ".trc";
  throw ConfigError("--as is '" + std::string(word(*options.as)) + "'; " + format.extension + " holds " +
                    words + (with_points ? ", which have their orientations with them" : ""));
}

void note_lost(const std::string& what) {
  std::fprintf(stderr, "note: not kept: %s\n", printable(what).c_str());
}

// What the recording has and no other format holds.
void note_common_losses(const Recording& file) {
  const RecordingInfo& info = file.info();
  if (info.rig) {
    if (const std::size_t count = info.rig->map.unmapped.size(); count > 0)
      note_lost(counted(static_cast<std::int64_t>(count), "joint") +
                " beyond the body's (fingers, twists and the like): the target holds 23 segments");
    note_lost("the skeleton's own joints and axes: the target has Panto's segments");
  }
  const std::size_t names = file.names().size(), followed = info.attachments.attachments.size();
  if (!info.rig && info.untrackable.empty() && names > followed)
    note_lost(std::to_string(names - followed) + " of " + std::to_string(names) +
              " segments: they are not measured or not of the body");
  if (info.format.starts_with("mvnx"))
    note_lost("sensor data, foot contacts, joint angles, markers and comments of the MVNX");
  if (info.has_angular_velocity || info.has_linear_velocity)
    note_lost("measured velocities; where the target has some, they are those of the poses");
}

// --- BVH to BVH: the same skeleton, all of it

int rewrite_bvh(const ConvertOptions& options) {
  const io::BvhClip clip = io::read_bvh_file(options.tracking.input);
  say(clip.notes);
  say({"BVH to BVH: the skeleton stays as it is, with every joint and number"});
  io::PartFile file(options.output);
  (void)file.write(io::write_bvh(clip));  // a failure is kept for close()
  file.close();
  std::printf("wrote %s: %s, %s\n", printable(options.output).c_str(),
              counted(clip.frame_count, "frame").c_str(),
              counted(static_cast<std::int64_t>(clip.joints.size()), "joint").c_str());
  return kGood;
}

// --- segments as they were measured: nothing is tracked

// The samples in Panto's frames and names: those that a body follows; all, where none does.
class Segments {
 public:
  explicit Segments(const Recording& file) {
    for (const Attachment& a : file.info().attachments.attachments) {
      const auto found = std::find(file.names().begin(), file.names().end(), a.segment);
      if (found == file.names().end()) continue;
      index_.push_back(static_cast<std::size_t>(found - file.names().begin()));
      R_SF_.push_back(a.R_SF);
      names.push_back(a.link);
    }
    if (!names.empty()) return;
    names = file.names();
    for (std::size_t i = 0; i < names.size(); ++i) index_.push_back(i);
    R_SF_.assign(names.size(), Eigen::Matrix3d::Identity());
  }

  void take(const SegmentSample& from, SegmentSample& to) const {
    to.t = from.t;
    to.segments.resize(index_.size());
    for (std::size_t i = 0; i < index_.size(); ++i) {
      to.segments[i] = index_[i] < from.segments.size() ? from.segments[index_[i]] : SegmentMotion{};
      to.segments[i].R_WS *= R_SF_[i];
    }
  }

  std::vector<std::string> names;

 private:
  std::vector<std::size_t> index_;
  std::vector<Eigen::Matrix3d> R_SF_;
};

// What a file of samples must hold to be of use: points, or orientations, or either. An .npz file of a body
// is of use with its orientations alone, one of sensors is not.
bool holds_content(const std::string& extension, bool body, const SegmentSample& sample) {
  return std::any_of(sample.segments.begin(), sample.segments.end(), [&](const SegmentMotion& segment) {
    if (extension == ".csv" || (extension == ".npz" && body))
      return segment.has_position || segment.has_orientation;
    return extension == ".sto" ? segment.has_orientation : segment.has_position;
  });
}

// A file of samples that appears with the first sample of use: without one there is none.
class SampleOutput {
 public:
  SampleOutput(std::string path, std::vector<std::string> names, double rate_hz, bool body)
      : path_(std::move(path)), names_(std::move(names)), rate_hz_(rate_hz), body_(body) {}

  void write(const SegmentSample& sample) {
    if (!file_ && !holds_content(io::extension_of(path_), body_, sample)) {
      waiting_.push_back(sample.t);
      return;
    }
    if (!file_) create();
    count(file_->write(sample));
  }
  // what was begun is not left behind then; a `.part` of another run is none of ours
  void stop_if_asked() {
    try {
      Interruption::check();
    } catch (const Interrupted&) {
      if (file_) {
        file_.reset();
        remove_parts({path_});
      }
      throw;
    }
  }
  // false: there was nothing of use
  [[nodiscard]] bool close() {
    if (file_) file_->close();
    return file_ != nullptr;
  }

  std::int64_t written = 0, dropped = 0;

 private:
  void create() {
    file_ = io::create_sample_file(path_, names_, {rate_hz_});
    SegmentSample empty;
    empty.segments.resize(names_.size());
    for (const Time t : waiting_) {
      empty.t = t;
      count(file_->write(empty));
    }
  }
  void count(WriteStatus status) { ++(status == WriteStatus::Written ? written : dropped); }

  std::string path_;
  std::vector<std::string> names_;
  double rate_hz_;
  bool body_;
  std::unique_ptr<io::SampleFile> file_;
  std::vector<Time> waiting_;  // of samples that hold nothing of use
};

int write_samples(const ConvertOptions& options, Recording& file, std::vector<std::string> notes) {
  const RecordingInfo& info = file.info();
  const std::size_t notes_at_opening = info.notes.size();
  notes.insert(notes.end(), info.notes.begin(), info.notes.end());
  say(notes);
  note_common_losses(file);
  const std::string extension = io::extension_of(options.output);
  if (extension == ".trc") note_lost("orientations: .trc holds points");
  if (extension == ".sto") note_lost("positions: this .sto holds orientations");
  const Segments segments(file);
  SampleOutput output(options.output, segments.names, info.rate_hz, info.untrackable.empty());
  RecordingHealth health(human_names(file), info.rate_hz, info.first_frame);
  SegmentSample read, written;
  std::int64_t frames = 0;
  ReadStatus status{};
  const Interruption interruption;
  while ((status = file.read(read)) == ReadStatus::Sample) {
    health.add(read);
    segments.take(read, written);
    ++frames;
    output.write(written);
    output.stop_if_asked();
  }
  say(info.notes, notes_at_opening);
  say(warnings(health.oddities()));
  const bool damaged = status == ReadStatus::Malformed;
  if (frames == 0) throw FormatError(damaged ? file.problem() : info.path + ": holds no frames of motion");
  if (output.dropped > 0)
    std::fprintf(stderr, "panto: %s could not be written\n", counted(output.dropped, "frame").c_str());
  if (!output.close()) {
    const bool orientations = extension == ".sto";
    throw FormatError(info.path + ": holds no " + (orientations ? "orientations" : "positions") + "; as " +
                      extension + " nothing could be written, as " +
                      (orientations ? ".trc, .npz or .csv" : ".sto or .csv") + " it can");
  }
  std::printf("wrote %s: %s of %s, from %s\n", printable(options.output).c_str(),
              counted(output.written, "frame").c_str(),
              counted(static_cast<std::int64_t>(segments.names.size()), "segment").c_str(),
              info.format.c_str());
  TrackingResult result;
  result.card.frames = frames;
  result.complete = output.dropped == 0;
  if (damaged) result.problem = file.problem();
  return result.finish();
}

// --- joint angles and moving skeletons: tracked

int write_states(const ConvertOptions& options, std::unique_ptr<Recording> file,
                 std::vector<std::string> notes) {
  Tracking tracking(options.tracking, std::move(file), std::move(notes));
  note_common_losses(tracking.file());
  if (content_of(options, true) == Content::Angles)
    note_lost("the person's sizes: the target holds joint angles alone");
  const TrackingResult result = tracking.run();
  const ReportCard& card = result.card;
  say({"tracked onto " + tracking.model().name() + ": its links turn as the recording's segments do, " +
       (card.angle_max_deg ? "to " + digits(*card.angle_max_deg, 2) + " deg" : "as far as those are known") +
       (card.origin_max_m ? "; places differ by up to " + digits(*card.origin_max_m, 2) + " m" : "")});
  for (const std::string& path : result.written)
    std::printf("wrote %s: %s, from %s\n", printable(path).c_str(), counted(card.frames, "frame").c_str(),
                tracking.file().info().format.c_str());
  return result.finish();
}

// a body, not a motion: a shipped model or a file of one
bool names_model(const std::string& input) {
  const std::vector<std::string>& shipped = shipped_models();
  return has_own_size(input) || std::find(shipped.begin(), shipped.end(), input) != shipped.end();
}

int write_model(const ConvertOptions& options) {
  const TrackingOptions& tracking = options.tracking;
  check_outputs({options.output}, {tracking.input});
  std::vector<std::string> notes;
  const SubjectDimensions subject =
      scaled_subject(tracking.height.value_or(1.75), tracking.mass.value_or(70.0));
  const Model model = resolve_model(tracking.input, subject, notes);
  io::write_urdf_file(model, options.output, &notes);
  say(notes);
  std::printf("wrote %s: %s, %d links, %d joints that move\n", printable(options.output).c_str(),
              printable(model.name()).c_str(), model.link_count(), model.dof());
  return 0;
}

int convert(const ConvertOptions& options) {
  if (io::extension_of(options.output) == ".urdf" && names_model(options.tracking.input))
    return write_model(options);
  (void)content_of(options, true);  // a wrong output is told before the work
  const TrackingOptions& tracking = options.tracking;
  check_outputs({options.output}, {tracking.input, tracking.model, tracking.rig});
  const bool own_body = tracking.height || tracking.mass || !tracking.rig.empty() || options.model_given;
  if (io::extension_of(options.output) == ".bvh" && !own_body &&
      io::recognise(tracking.input) == io::RecordingKind::Bvh)
    return rewrite_bvh(options);
  std::vector<std::string> notes;
  std::unique_ptr<Recording> file = open_recording(tracking, read_known(tracking, notes), notes);
  const bool trackable = file->info().untrackable.empty();
  if (content_of(options, trackable) >= Content::Keypoints) return write_samples(options, *file, notes);
  return write_states(options, std::move(file), std::move(notes));
}

}  // namespace

void add_convert(CLI::App& app, Run& run) {
  auto options = std::make_shared<ConvertOptions>();
  TrackingOptions& tracking = options->tracking;
  CLI::App* sub = app.add_subcommand("convert", "A recording in another format; what is lost is said.");
  sub->add_option("recording,-i,--in", tracking.input, kRecordingHelp)->required()->option_text("FILE");
  sub->add_option("output,-o,--out", options->output,
                  "The file to write, by extension: .bvh .mvnx (moving skeleton), .mot .sto .csv (joint "
                  "angles), .trc .npz (points); .urdf of a model")
      ->required()
      ->option_text("FILE");
  add_choice<std::optional<Content>>(
      *sub, "--as", options->as,
      {{"auto", std::nullopt},
       {"angles", Content::Angles},
       {"keypoints", Content::Keypoints},
       {"orientations", Content::Orientations}},
      "What to write where the format holds several: .csv angles or keypoints (with their "
      "orientations), .sto angles or orientations");
  add_body_options(*sub, tracking);
  add_choice<io::AngleConvention>(*sub, "--angles", tracking.angles,
                                  {{"model", io::AngleConvention::Model}, {"isb", io::AngleConvention::Isb}},
                                  "Angles in tables: of the model's joints, or of the 22 ISB joints");
  sub->footer(
      "Between BVH files the skeleton stays as it is. Points and orientations are those\n"
      "of the recording's segments. Joint angles and moving skeletons are tracked: the\n"
      "model's links turn exactly as the segments do.\n"
      "Examples:\n"
      "  panto convert take.mvnx take.bvh\n"
      "  panto convert take.bvh points.csv --as keypoints\n"
      "  panto convert unitree_g1 unitree_g1.urdf");
  sub->callback([options, sub, &run] {
    options->model_given = sub->count("--model") > 0;
    options->tracking.outputs = {options->output};
    options->tracking.velocity = VelocitySource::Differenced;  // poses, to the last digit
    options->tracking.settle = 0.0;                            // what is said is said of every frame
    run = [options] { return convert(*options); };
  });
}

}  // namespace panto::app
