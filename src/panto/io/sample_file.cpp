#include "panto/io/sample_file.hpp"

#include <algorithm>
#include <filesystem>

#include "panto/base/error.hpp"

namespace panto::io {
namespace {

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

}  // namespace

bool holds_samples(const std::string& path) {
  const std::string extension = extension_of(path);
  return extension == ".trc" || extension == ".npz" || extension == ".csv" || extension == ".sto";
}

std::unique_ptr<SampleFile> create_sample_file(const std::string& path,
                                               const std::vector<std::string>& segments,
                                               const SampleFileOptions& options) {
  const std::string extension = extension_of(path);
  if (extension == ".trc") return create_trc(path, segments, options);
  if (extension == ".npz") return create_npz(path, segments, options);
  if (extension == ".csv") return create_keypoint_csv(path, segments, options);
  if (extension == ".sto") return create_orientation_sto(path, segments, options);
  throw ConfigError(
      "output '" + path + "' has the extension '" + extension +
      "'; segments are written as .trc or .npz (points), .csv (points and orientations) or .sto "
      "(orientations)");
}

}  // namespace panto::io
