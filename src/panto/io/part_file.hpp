#pragma once
// A file that appears under its name only when it is whole; or the same bytes in memory.

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "panto/io/write_motion.hpp"

namespace panto::io {

/// Writes to `<path>.part` and renames that to `path` at `close()`. Every write is checked; the first failure
/// is kept and thrown by `close()`. Without `close()` the `.part` stays behind, holding all that was written;
/// it is removed where that is no more than the header. Where `path` is a symbolic link to a file, that file
/// is replaced, with the `.part` beside it, and the link stays. In memory there is no `.part`, and without
/// `close()` nothing is left.
class PartFile {
 public:
  /// @throws Error when `<path>.part` exists or cannot be created, or `path` is anything but a regular file.
  explicit PartFile(const Destination& destination);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  /// Appends. False when this or an earlier write failed, or the file is closed.
  [[nodiscard]] bool write(std::string_view text) noexcept;

  /// Appends `text` whose final value is known only at the end, such as a count of rows; `patch` replaces it.
  /// @returns its handle. For set-up: may allocate.
  int write_placeholder(std::string_view text);
  /// Text that `close()` puts in the place-holder's stead. @throws Error unless it is exactly as long.
  void patch(int placeholder, std::string text);

  /// What was written so far is only the header: without more, a file that is not closed is not kept.
  void end_header() noexcept { header_size_ = size_; }

  /// Hands everything written so far to the operating system; it then survives the death of this process.
  [[nodiscard]] bool flush() noexcept;

  /// Patches, flushes, closes and renames. @throws Error with the system's reason; the `.part` then stays. A
  /// second call does nothing.
  void close();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::string& part_path() const noexcept { return part_path_; }
  [[nodiscard]] bool good() const noexcept { return (file_ != nullptr || bytes_ != nullptr) && error_ == 0; }
  /// Bytes written.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

 private:
  struct Placeholder {
    std::int64_t offset;
    std::string text;
  };

  bool fail(int error) noexcept;
  bool keep(std::string_view text) noexcept;
  void close_memory();
  void apply_patches();

  std::string path_, target_, part_path_;
  std::FILE* file_ = nullptr;
  std::string* bytes_ = nullptr;  // where the bytes go that are kept until then
  std::string kept_;
  std::int64_t size_ = 0, header_size_ = 0;
  int error_ = 0;  // errno of the first failure
  std::vector<Placeholder> placeholders_;
};

/// Removes the `.part` of a file that was begun and is not to be. Who wrote it must be gone.
void remove_part(const std::string& path) noexcept;

}  // namespace panto::io
