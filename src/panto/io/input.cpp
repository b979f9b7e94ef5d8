#include "panto/io/input.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/printable.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

constexpr std::size_t kHead = 4096, kBlock = 65536;

[[noreturn]] void refuse(const std::string& name, int error) {
  throw FormatError(printable_name(name) +
                    ": cannot be read: " + std::generic_category().message(error != 0 ? error : EIO));
}

// a block of a file of which some blocks were never written
bool is_hole(const std::array<char, kBlock>& block) {
  return std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; });
}

}  // namespace

Input::Input(const std::string& path, Folder folder) : name_(path), in_memory_(false) {
  if (std::error_code unknown; folder == Folder::Allowed && std::filesystem::is_directory(path, unknown))
    return;
  if (path.empty()) throw ConfigError("the recording's name is empty");
  check_regular_file(path);
  errno = 0;
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*file) refuse(path, errno);
  head_.resize(kHead);
  file->read(head_.data(), static_cast<std::streamsize>(kHead));
  if (file->bad()) refuse(path, errno);
  head_.resize(static_cast<std::size_t>(file->gcount()));
  stream_ = std::move(file);
}

Input::Input(std::string bytes, std::string name)
    : name_(std::move(name)),
      head_(bytes.substr(0, kHead)),
      in_memory_(true),
      stream_(std::make_unique<std::istringstream>(std::move(bytes))) {}

std::string_view Input::whole(std::size_t most, Content content) {
  const auto check = [&](std::size_t size) {
    if (size > most) throw FormatError(name_ + ": larger than " + std::to_string(most) + " bytes, the limit");
  };
  refuse_folder();
  if (!text_.empty()) {
    check(text_.size());
    return text_;
  }
  stream().seekg(0, std::ios::end);
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(stream_->tellg(), 0));
  check(size);
  std::istream& file = stream();
  std::array<char, kBlock> block{};
  std::string text;
  text.reserve(size);
  // the size may change while the file is read
  for (bool more = true; more;) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    if (file.bad()) refuse(name_, errno);
    const auto got = static_cast<std::size_t>(file.gcount());
    check(text.size() + got);
    if (content == Content::Text && got == block.size() && is_hole(block))
      throw FormatError(name_ + ": byte " + std::to_string(text.size()) +
                        ": only zero bytes follow: this is no text file, or its writing was interrupted");
    text.append(block.data(), got);
    more = got == block.size();
  }
  text_ = std::move(text);
  return text_;
}

void Input::refuse_folder() const {
  if (is_folder()) throw FormatError(name_ + ": this is a folder, not a regular file");
}

std::unique_ptr<std::istream> Input::take_stream() && {
  refuse_folder();
  return std::move(stream_);
}

std::istream& Input::stream() {
  refuse_folder();
  stream_->clear();
  stream_->seekg(0);
  return *stream_;
}

}  // namespace panto::io
