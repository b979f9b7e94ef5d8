#pragma once
// Tells whether a file changed. Internal.

#include <cstdint>
#include <string>

namespace panto::io {

/// Time of the last write, on the file system's clock, and size [bytes]; both 0 if the file is missing.
struct FileStamp {
  std::int64_t time = 0;
  std::uintmax_t size = 0;
  [[nodiscard]] bool operator==(const FileStamp&) const = default;
};

[[nodiscard]] FileStamp file_stamp(const std::string& path);

}  // namespace panto::io
