#include "panto/io/sample_file.hpp"

#include "panto/base/error.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {

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
