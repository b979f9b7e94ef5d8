#include "panto/io/npz_archive.hpp"

#include <zip.h>

#include <algorithm>
#include <array>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/io/text_lines.hpp"

namespace panto::io {
namespace {

constexpr std::size_t kLargestMember = std::size_t{1} << 28U;  // unpacked: an hour of 23 points at 120 Hz
constexpr double kLargestRatio = 1100.0;  // deflate packs at most 1032 to 1; more is a zip bomb or damage
constexpr std::size_t kMostMembers = 1000;
// Members that are read may together take this much in memory, and this much more for each byte of the file:
// a recording takes 1 to 20 times its packed size, zeros a thousand times, and members may share their bytes.
constexpr std::size_t kFree = std::size_t{64} << 20U, kPerByte = 100;  // [bytes]

struct CloseMember {
  void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
};

}  // namespace

void NpzArchive::Close::operator()(struct zip* archive) const noexcept { zip_discard(archive); }

NpzArchive::NpzArchive(std::string_view bytes, std::string name)
    : bytes_(bytes.size()), name_(std::move(name)) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* archive = source != nullptr ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
  if (archive == nullptr) {
    if (source != nullptr) zip_source_free(source);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw FormatError(name_ + ": not a zip archive, as an .npz file must be: " + reason);
  }
  zip_error_fini(&error);
  archive_.reset(archive);
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  if (count < 0 || static_cast<std::size_t>(count) > kMostMembers)
    throw FormatError(name_ + ": " + std::to_string(count) + " members, more than the limit of 1000");
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* const member = zip_get_name(archive, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW);
    members_.emplace_back(member != nullptr ? member : "");
  }
}

std::optional<std::size_t> NpzArchive::find(std::string_view key) const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i] == std::string(key) + ".npy") return i;
  }
  return std::nullopt;
}

NpyArray NpzArchive::array(std::size_t member) const {
  NpyArray array = read_npy(read(member), name_ + ": " + in_quotes(members_[member]));
  const std::size_t one = array.is_text() ? sizeof(std::string) : sizeof(double);
  const std::size_t all = std::max(array.content.size(), array.count * one);
  spent_ += room(member, all - array.content.size());
  return array;
}

// Returns `bytes` if there is still room for them.
std::size_t NpzArchive::room(std::size_t member, std::size_t bytes) const {
  if (bytes > kFree + kPerByte * bytes_ - spent_)
    throw FormatError(name_ + ": " + in_quotes(members_[member]) + ": needs " + std::to_string(bytes) +
                      " bytes, more than a recording packs into " + std::to_string(bytes_) +
                      "; if it is one, write it with numpy.savez");
  return bytes;
}

std::string NpzArchive::read(std::size_t index) const {
  const auto refuse = [&](const std::string& reason) -> FormatError {
    return FormatError(name_ + ": " + in_quotes(members_[index]) + ": " + reason);
  };
  zip_stat_t stat;
  if (zip_stat_index(archive_.get(), index, 0, &stat) != 0) throw refuse("has no entry in the directory");
  if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE)
    throw refuse("is encrypted");
  // the directory may lie: memory grows with the bytes actually read
  if ((stat.valid & ZIP_STAT_SIZE) != 0 &&
      static_cast<double>(stat.size) > kLargestRatio * static_cast<double>(bytes_))
    throw refuse("claims " + std::to_string(stat.size) + " bytes, more than this file can contain");
  if ((stat.valid & ZIP_STAT_SIZE) != 0 && stat.size > kLargestMember)
    throw refuse("has " + std::to_string(stat.size) + " bytes when unpacked, more than the limit of 256 MiB");
  if ((stat.valid & ZIP_STAT_SIZE) != 0) (void)room(index, static_cast<std::size_t>(stat.size));
  const std::unique_ptr<zip_file_t, CloseMember> file(zip_fopen_index(archive_.get(), index, 0));
  if (!file) throw refuse(zip_strerror(archive_.get()));
  std::string content;
  std::array<char, 65536> block;
  for (;;) {
    const zip_int64_t got = zip_fread(file.get(), block.data(), block.size());
    if (got < 0) throw refuse(std::string("cannot be unpacked: ") + zip_file_strerror(file.get()));
    if (got == 0) return content;
    if (content.size() + static_cast<std::size_t>(got) > kLargestMember)
      throw refuse("has more than the limit of 256 MiB when unpacked");
    spent_ += room(index, static_cast<std::size_t>(got));
    content.append(block.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace panto::io
