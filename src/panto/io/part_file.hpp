#pragma once
// A file that appears under its name only when complete; or the same bytes in memory.

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "panto/io/write_motion.hpp"

namespace panto::io {

/// Writes to `<path>.part` and renames that to `path` at `close()`. Every write is checked; `close()` throws
/// the first failure. Without `close()` the `.part` stays with everything written so far; it is removed when
/// it holds only the header. If `path` is a symbolic link to a file, that file is replaced, with the `.part`
/// beside it, and the link stays. In memory there is no `.part`, and without `close()` nothing is kept.
class PartFile {
 public:
  /// Takes over an empty `<path>.part` that no process writes. @throws Error when another `<path>.part`
  /// exists or it cannot be created, or `path` is not a regular file.
  explicit PartFile(const Destination& destination);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  /// Appends. Returns false when this or an earlier write failed, or the file is closed.
  [[nodiscard]] bool write(std::string_view text) noexcept;

  /// Appends a placeholder `text` whose final value is known only at the end, such as a count of rows;
  /// `patch` replaces it. Returns its handle. For set-up: may allocate.
  int write_placeholder(std::string_view text);
  /// Sets the text that `close()` writes over the placeholder. @throws Error unless it has the same length.
  void patch(int placeholder, std::string text);

  /// Marks everything written so far as header: an unclosed file with nothing more is removed.
  void end_header() noexcept { header_size_ = size_; }

  /// Hands everything written so far to the operating system; it then survives a crash of this process.
  [[nodiscard]] bool flush() noexcept;

  /// Patches, flushes, closes and renames. @throws Error with the system's reason; the `.part` then stays. A
  /// second call does nothing.
  void close();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::string& part_path() const noexcept { return part_path_; }
  [[nodiscard]] bool good() const noexcept { return (file_ != nullptr || bytes_ != nullptr) && error_ == 0; }
  /// Returns the bytes written.
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
  std::string* bytes_ = nullptr;  // receives the buffered bytes at close()
  std::string kept_;
  std::int64_t size_ = 0, header_size_ = 0;
  int error_ = 0;  // errno of the first failure
  std::vector<Placeholder> placeholders_;
};

/// Removes the `.part` of an abandoned file. Its writer must be destroyed before.
void remove_part(const std::string& path) noexcept;

/// Writes a whole file. @throws Error as PartFile.
void write_file(const Destination& destination, std::string_view text);

}  // namespace panto::io
