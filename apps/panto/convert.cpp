// panto convert: a recording in another format, and what that format cannot hold.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/resolve.hpp"
#include "apps/panto/tracking.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/part_file.hpp"

namespace panto::app {
namespace {

struct ConvertOptions {
  TrackingOptions tracking;
  std::string output;
};

void check_extension(const std::string& path) {
  const std::string extension = extension_of(path);
  static const std::vector<std::string> known{".bvh", ".mvnx", ".csv", ".mot", ".sto"};
  if (std::find(known.begin(), known.end(), extension) != known.end()) return;
  if (extension == ".urdf")
    throw ConfigError("output '" + path + "': a URDF is a body without motion; a recording becomes " +
                      "one of .bvh, .mvnx, .csv, .mot, .sto");
  throw ConfigError("output '" + path + "': " +
                    unknown_name("format", extension.empty() ? "(no extension)" : extension, "Panto", known));
}

// the same skeleton, all of it
int rewrite_bvh(const ConvertOptions& options) {
  check_outputs({options.output}, {options.tracking.input});
  const io::BvhClip clip = io::read_bvh_file(options.tracking.input);
  std::vector<std::string> notes = clip.notes;
  notes.emplace_back("BVH to BVH: the skeleton stays as it is, with every joint and number");
  if (!options.tracking.rig.empty()) notes.emplace_back("the rig map is not needed for it");
  say(notes);
  io::PartFile file(options.output);
  (void)file.write(io::write_bvh(clip));  // a failure is kept for close()
  file.close();
  std::printf("wrote %s: bvh, %lld frames, %zu joints\n", options.output.c_str(),
              static_cast<long long>(clip.frame_count), clip.joints.size());
  return kGood;
}

bool is_table(const std::string& extension) {
  return extension == ".csv" || extension == ".mot" || extension == ".sto";
}

// What of the recording the output does not hold.
std::vector<std::string> losses(const Tracking& tracking, const std::string& output) {
  const io::MotionFileInfo& info = tracking.file().info();
  const std::string extension = extension_of(output);
  std::vector<std::string> lost;
  if (info.rig && !info.rig->map.unmapped.empty()) {
    const std::size_t count = info.rig->map.unmapped.size();
    lost.push_back(
        std::to_string(count) + (count == 1 ? " joint" : " joints") +
        " that no segment follows (fingers, twists and the like): the target holds the 23 segments "
        "of the body");
  }
  if (info.rig) lost.emplace_back("the skeleton's own joint names and axes: the target is Panto's human");
  const std::size_t segments = tracking.file().names().size(), followed = info.attachments.attachments.size();
  if (segments > followed && !info.rig)
    lost.push_back(std::to_string(segments - followed) + " segments that are not of the body (props)");
  if (info.format.starts_with("mvnx"))
    lost.emplace_back("sensor data, foot contacts, joint angles, markers and comments of the MVNX");
  if ((info.has_angular_velocity || info.has_linear_velocity) && extension != ".mvnx")
    lost.emplace_back("measured velocities");
  if (info.has_angular_velocity && extension == ".mvnx")
    lost.emplace_back("measured velocities: those in the target are differences of the poses");
  if (is_table(extension)) lost.emplace_back("the person's sizes: the target holds joint angles alone");
  return lost;
}

// What tracking adds or takes: the target holds a body of rigid segments on joints.
std::string fidelity(const Tracking& tracking, const ReportCard& card) {
  std::array<char, 200> text{};
  std::snprintf(
      text.data(), text.size(),
      "tracked onto %s: orientations of its links are those of the recording to %.2g deg (largest), "
      "places to %.2g m",
      tracking.model().name().c_str(), card.angle_max_deg.value_or(0.0), card.origin_max_m.value_or(0.0));
  return text.data();
}

int convert(const ConvertOptions& options) {
  check_extension(options.output);
  if (extension_of(options.output) == ".bvh" && !options.tracking.height && is_bvh(options.tracking.input))
    return rewrite_bvh(options);
  Tracking tracking(options.tracking);
  for (const std::string& lost : losses(tracking, options.output))
    std::fprintf(stderr, "note: not kept: %s\n", lost.c_str());
  const TrackingResult result = tracking.run();
  say({fidelity(tracking, result.card)});
  for (const std::string& path : result.written)
    std::printf("wrote %s: %lld frames, from %s\n", path.c_str(), static_cast<long long>(result.card.frames),
                tracking.file().info().format.c_str());
  return result.finish();
}

}  // namespace

void add_convert(CLI::App& app, Run& run) {
  auto options = std::make_shared<ConvertOptions>();
  TrackingOptions& tracking = options->tracking;
  CLI::App* sub = app.add_subcommand("convert", "A recording in another format; what is lost is said.");
  sub->add_option("recording,-i,--in", tracking.input, "A recording, as for `panto track`")
      ->required()
      ->option_text("FILE");
  sub->add_option(
         "output,-o,--out", options->output,
         "The file to write, by extension: .bvh .mvnx (moving skeleton), .csv .mot .sto (joint angles)")
      ->required()
      ->option_text("FILE");
  add_body_options(*sub, tracking);
  add_choice<io::AngleConvention>(*sub, "--angles", tracking.angles,
                                  {{"model", io::AngleConvention::Model}, {"isb", io::AngleConvention::Isb}},
                                  "Angles in tables: of the model's joints, or of the 22 ISB joints");
  sub->footer(
      "Between BVH files the skeleton stays as it is. Otherwise the motion is tracked onto\n"
      "the model, whose links turn exactly as the recording's segments do.\n"
      "Examples:\n"
      "  panto convert take.mvnx take.bvh\n"
      "  panto convert take.bvh angles.sto");
  sub->callback([options, &run] {
    options->tracking.outputs = {options->output};
    options->tracking.velocity = VelocitySource::Differenced;  // poses, to the last digit
    options->tracking.settle = 0.0;                            // what is said is said of every frame
    run = [options] { return convert(*options); };
  });
}

}  // namespace panto::app
