#include "panto/io/file_stamp.hpp"

#include <filesystem>

namespace panto::io {

FileStamp file_stamp(const std::string& path) {
  std::error_code unknown;
  const auto time = std::filesystem::last_write_time(path, unknown);
  if (unknown) return {};
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  return {static_cast<std::int64_t>(time.time_since_epoch().count()), unknown ? 0 : size};
}

}  // namespace panto::io
