#pragma once
// Tells whether a file changed. Internal.

#include <cstdint>
#include <string>

namespace panto::io {

/// When a file was written, on the file system's clock, and its size; both 0 where there is none.
struct FileStamp {
  std::int64_t time = 0;
  std::uintmax_t size = 0;
  [[nodiscard]] bool operator==(const FileStamp&) const = default;
};

[[nodiscard]] FileStamp file_stamp(const std::string& path);

}  // namespace panto::io
