#include "panto/io/part_file.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "panto/base/error.hpp"

namespace panto::io {
namespace {

std::string reason(int error) { return std::generic_category().message(error != 0 ? error : EIO); }

}  // namespace

PartFile::PartFile(const std::string& path) : path_(path), part_path_(path + ".part") {
  std::error_code ignored;
  if (path.empty()) throw Error("cannot create a file without a name");
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error("cannot create '" + path + "': there is a folder of that name");
  }
  errno = 0;
  file_ = std::fopen(part_path_.c_str(), "wb");
  if (file_ == nullptr) throw Error("cannot create '" + part_path_ + "': " + reason(errno));
}

PartFile::~PartFile() {
  if (file_ != nullptr) std::fclose(file_);
}

bool PartFile::fail(int error) noexcept {
  if (error_ == 0) error_ = error != 0 ? error : EIO;
  return false;
}

bool PartFile::write(std::string_view text) noexcept {
  if (!good()) return false;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) return fail(errno);
  size_ += static_cast<std::int64_t>(text.size());
  return true;
}

int PartFile::write_placeholder(std::string_view text) {
  placeholders_.push_back({size_, std::string(text)});
  (void)write(text);  // a failure is kept and thrown by close()
  return static_cast<int>(placeholders_.size()) - 1;
}

void PartFile::patch(int placeholder, std::string text) {
  Placeholder& place = placeholders_.at(static_cast<std::size_t>(placeholder));
  if (text.size() != place.text.size()) {
    throw Error("'" + part_path_ + "': '" + text + "' does not fit the " + std::to_string(place.text.size()) +
                " bytes kept for it in the header");
  }
  place.text = std::move(text);
}

bool PartFile::flush() noexcept {
  if (!good()) return false;
  errno = 0;
  return std::fflush(file_) == 0 || fail(errno);
}

void PartFile::apply_patches() {
  for (const Placeholder& place : placeholders_) {
    if (!good()) return;
    errno = 0;
    if (std::fseek(file_, static_cast<long>(place.offset), SEEK_SET) != 0 ||
        std::fwrite(place.text.data(), 1, place.text.size(), file_) != place.text.size()) {
      fail(errno);
    }
  }
}

void PartFile::close() {
  if (file_ == nullptr) return;
  // the body must have reached the file before its header says how long it is
  if (flush()) apply_patches();
  errno = 0;
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail(errno);
  if (error_ != 0) {
    throw Error("cannot write '" + part_path_ + "': " + reason(error_) + "; what was written stays there");
  }
  std::error_code error;
  std::filesystem::rename(part_path_, path_, error);
  if (error) {
    error_ = error.value();
    throw Error("cannot rename '" + part_path_ + "' to '" + path_ + "': " + error.message());
  }
}

}  // namespace panto::io
