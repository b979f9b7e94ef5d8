#include "panto/io/state_file.hpp"

#include "panto/base/error.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {

void check_state_name(const std::string& path, bool human) {
  const std::string extension = extension_of(path);
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
  check_state_name(to.path);
  const std::string extension = extension_of(to.path);
  if (options.deviations && (extension == ".bvh" || extension == ".mvnx"))
    throw ConfigError("output '" + to.path +
                      "' cannot hold standard deviations; .csv, .mot, .sto and .npz can");
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
