#include "panto/io/state_file.hpp"

#include <algorithm>
#include <string_view>

#include "panto/base/error.hpp"
#include "panto/io/bvh_character.hpp"
#include "panto/io/robot_layout.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/model/human.hpp"

namespace panto::io {
namespace {

bool holds_human(const std::string& extension) { return extension == ".bvh" || extension == ".mvnx"; }

[[noreturn]] void refuse_robot(const std::string& path) {
  throw ConfigError(
      "output '" + path + "': " + extension_of(path) +
      " holds the segments of a human model; a robot's motion can be written to .csv, .mot, .sto "
      "or .npz");
}

}  // namespace

void check_state_name(const std::string& path, bool human) {
  const std::string extension = extension_of(path);
  if (!human && holds_human(extension)) refuse_robot(path);
  for (const char* known : {".csv", ".mot", ".sto", ".npz", ".bvh", ".mvnx"})
    if (extension == known) return;
  const std::string found =
      extension.empty() ? "has no extension" : "has the unknown extension '" + extension + "'";
  throw ConfigError(
      "output '" + path + "' " + found + "; expected .csv, .mot or .sto (tables of joint angles)" +
      (human ? ", .npz (arrays of them), .bvh or .mvnx (human models)" : " or .npz (arrays of them)"));
}

std::unique_ptr<StateFile> create_state_file(const Destination& to, const Model& model,
                                             const StateFileOptions& options) {
  if (options.character && !options.layout.empty())
    throw ConfigError("output '" + to.path + "': layouts are for robots; a character's motion is a .bvh");
  if (options.character && extension_of(to.path) == ".bvh")
    return create_bvh_character(to, model, options.character, options);
  if (!options.layout.empty()) return create_layout_file(to, model, options);
  if (options.resample_hz != 0.0)
    throw ConfigError("output '" + to.path +
                      "': a rate of frames needs a layout, such as mjlab, or a character's .bvh");
  check_state_name(to.path);
  const std::string extension = extension_of(to.path);
  if (options.deviations && holds_human(extension))
    throw ConfigError("output '" + to.path +
                      "' cannot hold standard deviations; .csv, .mot, .sto and .npz can");
  const auto is_link = [&](std::string_view segment) { return model.find_link(segment).has_value(); };
  if (holds_human(extension) && std::none_of(kHumanSegmentNames.begin(), kHumanSegmentNames.end(), is_link))
    refuse_robot(to.path);
  if (options.deviations && options.angles != AngleConvention::Model)
    throw ConfigError("output '" + to.path +
                      "': standard deviations exist only for the model's own joints, not for ISB angles");
  if (extension == ".csv") return create_csv(to, model, options);
  if (extension == ".npz") return create_npz_states(to, model, options);
  if (extension == ".bvh") return create_bvh(to, model, options);
  if (extension == ".mvnx") return create_mvnx(to, model, options);
  return create_opensim(to, model, options);
}

}  // namespace panto::io
