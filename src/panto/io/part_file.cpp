#include "panto/io/part_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "panto/base/error.hpp"

namespace panto::io {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error != 0 ? error : EIO); }

// returns the file that `path` names, following links, so that a link stays a link
std::string target_of(const std::string& path) {
  if (path.empty()) throw Error("cannot create a file without a name");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) {
    throw Error("cannot create '" + path + "': a folder has that name");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error("cannot create '" + path +
                "': it is not a regular file (a device or pipe?); give the name of a file");
  }
  std::error_code no_link;
  if (!fs::is_symlink(fs::symlink_status(path, no_link))) return path;
  const fs::path target = fs::canonical(path, error);
  if (error) throw Error("cannot create '" + path + "': it is a broken link: " + error.message());
  return target.string();
}

std::string in_use(const std::string& path) {
  return path + " exists: another run is writing it; wait, or give another name";
}

// Opens an existing file if it is empty and no process has it locked: that is what a killed run leaves.
// @throws Error otherwise: the file may belong to another run or hold a recording.
int take_over(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0)
    throw Error(path + " exists, but cannot be written: " +
                (errno == ELOOP ? "it is a link" : reason(errno)) + "; move or remove it");
  struct stat file {};
  const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  if (locked && ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_size == 0)
    return descriptor;
  ::close(descriptor);
  throw Error(locked
                  ? path +
                        " exists, but no program is writing it: a run may have been killed. Look at what it "
                        "holds, then move or remove it"
                  : in_use(path));
}

// Creates the file and keeps it locked while it is open. Never follows a link and never overwrites.
std::FILE* create_new(const std::string& path) {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno != EEXIST) throw Error("cannot create '" + path + "': " + reason(errno));
  if (descriptor < 0) {
    descriptor = take_over(path);
  } else if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 &&
             errno == EWOULDBLOCK) {  // it was taken over in between
    ::close(descriptor);
    throw Error(in_use(path));
  }
  std::FILE* const file = ::fdopen(descriptor, "wb");
  if (file == nullptr) {
    const int error = errno;
    ::close(descriptor);
    ::unlink(path.c_str());
    throw Error("cannot create '" + path + "': " + reason(error));
  }
  return file;
}

}  // namespace

PartFile::PartFile(const Destination& destination) : path_(destination.path), bytes_(destination.bytes) {
  if (bytes_ != nullptr) {
    part_path_ = path_;
    return;
  }
  target_ = target_of(path_);
  part_path_ = target_ + ".part";
  file_ = create_new(part_path_);
}

PartFile::~PartFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  // a file without a body is worthless, and keeping it would block the next run
  if (size_ <= header_size_) ::unlink(part_path_.c_str());
}

bool PartFile::fail(int error) noexcept {
  if (error_ == 0) error_ = error != 0 ? error : EIO;
  return false;
}

bool PartFile::write(std::string_view text) noexcept {
  if (!good()) return false;
  if (bytes_ != nullptr) return keep(text);
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) return fail(errno);
  size_ += static_cast<std::int64_t>(text.size());
  return true;
}

bool PartFile::keep(std::string_view text) noexcept {
  try {
    kept_ += text;
  } catch (...) {
    return fail(ENOMEM);
  }
  size_ += static_cast<std::int64_t>(text.size());
  return true;
}

int PartFile::write_placeholder(std::string_view text) {
  placeholders_.push_back({size_, std::string(text)});
  (void)write(text);  // close() throws a failure
  return static_cast<int>(placeholders_.size()) - 1;
}

void PartFile::patch(int placeholder, std::string text) {
  Placeholder& place = placeholders_.at(static_cast<std::size_t>(placeholder));
  if (text.size() != place.text.size()) {
    throw Error("'" + part_path_ + "': '" + text + "' does not fit the " + std::to_string(place.text.size()) +
                " bytes reserved for it in the header");
  }
  place.text = std::move(text);
}

bool PartFile::flush() noexcept {
  if (!good()) return false;
  if (bytes_ != nullptr) return true;
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

void PartFile::close_memory() {
  std::string* const bytes = std::exchange(bytes_, nullptr);
  if (error_ != 0) throw Error("cannot write '" + path_ + "': " + reason(error_));
  for (const Placeholder& place : placeholders_)
    kept_.replace(static_cast<std::size_t>(place.offset), place.text.size(), place.text);
  *bytes = std::move(kept_);
}

void PartFile::close() {
  if (bytes_ != nullptr) return close_memory();
  if (file_ == nullptr) return;
  // the body must reach the file before the header states its length
  if (flush()) apply_patches();
  errno = 0;
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail(errno);
  if (error_ != 0) {
    throw Error("cannot write '" + part_path_ + "': " + reason(error_) +
                "; the file keeps the part written so far");
  }
  std::error_code error;
  std::filesystem::rename(part_path_, target_, error);
  if (error) {
    error_ = error.value();
    throw Error("cannot rename '" + part_path_ + "' to '" + path_ + "': " + error.message());
  }
}

void remove_part(const std::string& path) noexcept {
  std::error_code ignored;
  std::filesystem::remove(path + ".part", ignored);
}

void write_file(const Destination& destination, std::string_view text) {
  PartFile file(destination);
  (void)file.write(text);  // a failure is kept for close()
  file.close();
}

}  // namespace panto::io
