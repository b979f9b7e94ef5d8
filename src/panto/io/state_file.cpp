#include "panto/io/state_file.hpp"

#include <algorithm>
#include <string_view>

#include "panto/base/error.hpp"
#include "panto/io/character_file.hpp"
#include "panto/io/robot_layout.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/model/human.hpp"

namespace panto::io {
namespace {

bool holds_human(const std::string& extension) { return extension == ".bvh" || extension == ".mvnx"; }

[[noreturn]] void refuse_other(const std::string& path, Mover mover) {
  throw ConfigError("output '" + path + "': " + extension_of(path) +
                    " holds the segments of a human model; " +
                    (mover == Mover::Character ? "a character's motion can be written to .bvh, .glb"
                                               : "a robot's motion can be written to .csv, .mot, .sto") +
                    " or .npz");
}

}  // namespace

void check_state_name(const std::string& path, Mover mover) {
  const std::string extension = extension_of(path);
  if (mover == Mover::Character && is_character_file(path)) return;
  if (mover != Mover::Human && holds_human(extension)) refuse_other(path, mover);
  for (const char* known : {".csv", ".mot", ".sto", ".npz", ".bvh", ".mvnx"})
    if (extension == known) return;
  const std::string found =
      extension.empty() ? "has no extension" : "has the unknown extension '" + extension + "'";
  throw ConfigError(
      "output '" + path + "' " + found + "; expected .csv, .mot or .sto (tables of joint angles)" +
      (mover == Mover::Human       ? ", .npz (arrays of them), .bvh or .mvnx (human models)"
       : mover == Mover::Character ? ", .npz (arrays of them), .bvh or .glb (the character that moves)"
                                   : " or .npz (arrays of them)"));
}

const std::vector<std::pair<std::string, AngleConvention>>& angle_conventions() {
  using enum AngleConvention;
  static const std::vector<std::pair<std::string, AngleConvention>> all{
      {"model", Model},         {"isb", Isb},       {"gait2392", Gait2392},
      {"rajagopal", Rajagopal}, {"hamner", Hamner}, {"opensim", Rajagopal}};
  return all;
}

void check_angles(const std::vector<std::string>& outputs, AngleConvention angles) {
  if (angles == AngleConvention::Model) return;
  const bool isb = angles == AngleConvention::Isb;
  const auto is_table = [isb](const std::string& path) {
    const std::string extension = extension_of(path);
    return extension == ".mot" || extension == ".sto" || (isb && extension == ".csv");
  };
  if (std::any_of(outputs.begin(), outputs.end(), is_table)) return;
  for (const auto& [word, convention] : angle_conventions())
    if (convention == angles)
      throw ConfigError("--angles " + word + " has no effect without a " +
                        (isb ? ".csv, .mot or .sto" : ".mot or .sto") +
                        " output, which hold joint angles: add one, or leave it out");
}

std::unique_ptr<StateFile> create_state_file(const Destination& to, const Model& model,
                                             const StateFileOptions& options) {
  if (options.character && !options.layout.empty())
    throw ConfigError("output '" + to.path +
                      "': layouts are for robots; a character's motion is a .bvh or .glb");
  if (options.character && is_character_file(to.path))
    return create_character_file(to, model, options.character, options);
  if (!options.layout.empty()) return create_layout_file(to, model, options);
  if (options.resample_hz != 0.0)
    throw ConfigError("output '" + to.path +
                      "': a rate of frames needs a layout, such as mjlab, or a character's .bvh or .glb");
  check_state_name(to.path, options.character ? Mover::Character : Mover::Human);
  const std::string extension = extension_of(to.path);
  if (options.deviations && holds_human(extension))
    throw ConfigError("output '" + to.path +
                      "' cannot hold standard deviations; .csv, .mot, .sto and .npz can");
  const auto is_link = [&](std::string_view segment) { return model.find_link(segment).has_value(); };
  if (holds_human(extension) && std::none_of(kHumanSegmentNames.begin(), kHumanSegmentNames.end(), is_link))
    refuse_other(to.path, Mover::Robot);
  if (options.deviations && options.angles != AngleConvention::Model)
    throw ConfigError("output '" + to.path +
                      "': standard deviations exist only for the model's own joints, not for angles of "
                      "another convention");
  if (extension == ".csv" && options.angles > AngleConvention::Isb)
    throw ConfigError("output '" + to.path + "': coordinates of OpenSim's models go into a .mot or .sto");
  if (extension == ".csv") return create_csv(to, model, options);
  if (extension == ".npz") return create_npz_states(to, model, options);
  if (extension == ".bvh") return create_bvh(to, model, options);
  if (extension == ".mvnx") return create_mvnx(to, model, options);
  return create_opensim(to, model, options);
}

}  // namespace panto::io
