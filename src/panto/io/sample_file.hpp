#pragma once
// Writes files of segments: samples that are not turned into joint angles.

#include <memory>
#include <string>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/io/part_file.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto::io {

struct SampleFileOptions {
  double rate_hz = 0.0;  ///< nominal rate for headers that need it; > 0
};

/// A file that is written sample by sample. It appears under its name at `close()`; until then it is
/// `<path>.part`.
class SampleFile {
 public:
  SampleFile() = default;
  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;
  virtual ~SampleFile() = default;

  /// Writes a sample of the file's segments, later than the one before; others are `Dropped`.
  [[nodiscard]] virtual WriteStatus write(const SegmentSample& sample) noexcept = 0;
  /// Finishes the file. @throws Error when a write failed. Without it the destructor keeps the `.part` if a
  /// sample was written.
  virtual void close() = 0;
};

/// Creates a file by extension. `segments`: the names of the source. @throws ConfigError for an unknown
/// extension, a rate that is not > 0 or a name that the format cannot contain; Error when the file cannot be
/// created.
[[nodiscard]] std::unique_ptr<SampleFile> create_sample_file(const Destination& to,
                                                             const std::vector<std::string>& segments,
                                                             const SampleFileOptions& options);

/// Writes origins as markers [mm], y up, x forward, for OpenSim. Missing values are left empty.
[[nodiscard]] std::unique_ptr<SampleFile> create_trc(const Destination& to,
                                                     const std::vector<std::string>& segments,
                                                     const SampleFileOptions& options);
/// Writes arrays `keypoints` (T, J, 3) [m], `orientations` (T, J, 4) (w, x, y, z), `names`, `times` [s] and
/// `fps`, z up; NaN for missing values. Kept in memory until `close()`.
[[nodiscard]] std::unique_ptr<SampleFile> create_npz(const Destination& to,
                                                     const std::vector<std::string>& segments,
                                                     const SampleFileOptions& options);
/// Writes origins [m] and quaternions of all segments, z up; empty cells for missing values.
[[nodiscard]] std::unique_ptr<SampleFile> create_keypoint_csv(const Destination& to,
                                                              const std::vector<std::string>& segments,
                                                              const SampleFileOptions& options);
/// Writes orientations for OpenSense: DataType=Quaternion, y up. Missing segments are NaN.
[[nodiscard]] std::unique_ptr<SampleFile> create_orientation_sto(const Destination& to,
                                                                 const std::vector<std::string>& segments,
                                                                 const SampleFileOptions& options);

}  // namespace panto::io
