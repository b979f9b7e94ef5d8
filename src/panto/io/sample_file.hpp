#pragma once
// Files of segments: where samples go that are not turned into joint angles.

#include <memory>
#include <string>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/io/part_file.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto::io {

struct SampleFileOptions {
  double rate_hz = 0.0;  ///< nominal rate, for headers that need one; > 0
};

/// A file that is being written sample by sample. It appears under its name at `close()`; until then it is
/// `<path>.part`.
class SampleFile {
 public:
  SampleFile() = default;
  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;
  virtual ~SampleFile() = default;

  /// Samples of the segments that the file was made for, later than the one before; others are `Dropped`.
  [[nodiscard]] virtual WriteStatus write(const SegmentSample& sample) noexcept = 0;
  /// Finishes the file. @throws Error when anything could not be written. Without it the destructor leaves
  /// the `.part` behind, if a sample was written.
  virtual void close() = 0;
};

/// By extension. `segments`: the names of the source. @throws ConfigError for an unknown extension, a rate
/// that is not > 0 or a name that the format cannot hold; Error when the file cannot be created.
[[nodiscard]] std::unique_ptr<SampleFile> create_sample_file(const Destination& to,
                                                             const std::vector<std::string>& segments,
                                                             const SampleFileOptions& options);

/// Origins as markers [mm], y up, x forward: what OpenSim opens. What a sample does not hold is left empty.
[[nodiscard]] std::unique_ptr<SampleFile> create_trc(const Destination& to,
                                                     const std::vector<std::string>& segments,
                                                     const SampleFileOptions& options);
/// Arrays `keypoints` (T, J, 3) [m], `orientations` (T, J, 4) (w, x, y, z), `names`, `times` [s] and `fps`, z
/// up; NaN where a sample does not hold something. Kept in memory until `close()`.
[[nodiscard]] std::unique_ptr<SampleFile> create_npz(const Destination& to,
                                                     const std::vector<std::string>& segments,
                                                     const SampleFileOptions& options);
/// Origins [m] and quaternions of all segments, z up; empty cells where a sample does not hold something.
[[nodiscard]] std::unique_ptr<SampleFile> create_keypoint_csv(const Destination& to,
                                                              const std::vector<std::string>& segments,
                                                              const SampleFileOptions& options);
/// Orientations as OpenSense reads them: DataType=Quaternion, y up. Segments that a sample does not hold are
/// NaN.
[[nodiscard]] std::unique_ptr<SampleFile> create_orientation_sto(const Destination& to,
                                                                 const std::vector<std::string>& segments,
                                                                 const SampleFileOptions& options);

}  // namespace panto::io
