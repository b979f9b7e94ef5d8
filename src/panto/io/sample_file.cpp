#include "panto/io/sample_file.hpp"

#include "panto/base/error.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {

std::unique_ptr<SampleFile> create_sample_file(const Destination& to,
                                               const std::vector<std::string>& segments,
                                               const SampleFileOptions& options) {
  const std::string extension = extension_of(to.path);
  if (extension == ".trc") return create_trc(to, segments, options);
  if (extension == ".npz") return create_npz(to, segments, options);
  if (extension == ".csv") return create_keypoint_csv(to, segments, options);
  if (extension == ".sto") return create_orientation_sto(to, segments, options);
  throw ConfigError("output '" + to.path + "' has the extension '" + extension +
                    "'; segments need .trc or .npz (points), .csv (points and orientations) or .sto "
                    "(orientations)");
}

}  // namespace panto::io
