#pragma once
// Input of a reader: a file that is opened once, or its bytes. Internal.

#include <cstddef>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace panto::io {

/// Whether a folder may take the place of a file: some suits write one file a sensor.
enum class Folder : bool { Refused, Allowed };

/// What a file holds: a text has no block of zeros.
enum class Content : bool { Any, Text };

/// A file or its bytes. The beginning identifies the format; then it is read whole or as a stream.
class Input {
 public:
  /// Opens a regular file. @throws FormatError "path: ..." when it cannot be read or is not a regular file;
  /// ConfigError for an empty name.
  /// Of a folder, where one is allowed, only the name is kept: reading it is a FormatError.
  explicit Input(const std::string& path, Folder folder = Folder::Refused);
  /// Takes the bytes of a file. Messages call it `name`, whose extension may determine the format.
  Input(std::string bytes, std::string name);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  [[nodiscard]] bool is_folder() const noexcept { return stream_ == nullptr; }
  /// Returns whether it was given as bytes: then `name()` is no path.
  [[nodiscard]] bool in_memory() const noexcept { return in_memory_; }

  /// Returns the first bytes, at most 4096: enough to identify the format.
  [[nodiscard]] const std::string& head() const noexcept { return head_; }
  /// Returns the whole content, at most `most` bytes; valid as long as this object. @throws FormatError
  /// "name: ..." when it is larger, before it is read, when it cannot be read, or when it is no such content.
  [[nodiscard]] std::string_view whole(std::size_t most, Content content = Content::Any);
  /// Returns a stream from the beginning. One stream at a time.
  [[nodiscard]] std::istream& stream();
  /// Moves the stream out, for a reader that outlives this object; it may be anywhere in the content.
  [[nodiscard]] std::unique_ptr<std::istream> take_stream() &&;

 private:
  void refuse_folder() const;

  std::string name_, head_;
  bool in_memory_;
  std::unique_ptr<std::istream> stream_;
  std::string text_;  // content of a file that was read whole
};

}  // namespace panto::io
