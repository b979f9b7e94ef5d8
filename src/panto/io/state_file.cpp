#include "panto/io/state_file.hpp"

#include "panto/base/error.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {

std::unique_ptr<StateFile> create_state_file(const std::string& path, const Model& model,
                                             const StateFileOptions& options) {
  const std::string extension = extension_of(path);
  if (options.deviation != nullptr && (extension == ".bvh" || extension == ".mvnx"))
    throw ConfigError("output '" + path + "' cannot hold standard deviations; .csv, .mot, .sto and .npz can");
  if (options.deviation != nullptr && options.angles != AngleConvention::Model)
    throw ConfigError("output '" + path +
                      "': standard deviations are those of the model's own joints, not of ISB angles");
  if (extension == ".csv") return create_csv(path, model, options);
  if (extension == ".mot" || extension == ".sto") return create_opensim(path, model, options);
  if (extension == ".npz") return create_npz_states(path, model, options);
  if (extension == ".bvh") return create_bvh(path, model, options);
  if (extension == ".mvnx") return create_mvnx(path, model, options);
  const std::string found =
      extension.empty() ? "has no extension" : "has the unknown extension '" + extension + "'";
  throw ConfigError(
      "output '" + path + "' " + found +
      "; expected .csv, .mot or .sto (tables of joint angles), .npz (arrays of them), .bvh or .mvnx "
      "(human models)");
}

}  // namespace panto::io
