#pragma once
// Reads NumPy archives (.npz): a zip of .npy members. libzip reads the container; its sizes are checked
// before memory is allocated.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/npy_array.hpp"

struct zip;

namespace panto::io {

/// Size of the largest .npz file that is read [bytes].
inline constexpr std::size_t kLargestNpzFile = std::size_t{1} << 30U;

/// An archive in memory. The bytes must outlive this object.
class NpzArchive {
 public:
  /// Messages call the file `name`. @throws FormatError when it is not a zip archive.
  NpzArchive(std::string_view bytes, std::string name);

  [[nodiscard]] const std::vector<std::string>& members() const noexcept { return members_; }

  /// Finds the member `<key>.npy`.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view key) const;
  /// Finds the first of these that is present.
  template <typename Keys>
  [[nodiscard]] std::optional<std::size_t> find_first(const Keys& keys) const {
    for (const std::string_view key : keys) {
      if (const auto member = find(key)) return member;
    }
    return std::nullopt;
  }

  /// Unpacks a member as an array and verifies its checksum. @throws FormatError "<file>: '<member>': ...",
  /// also for more than the archive may need: all arrays count, whatever bytes of the file they share.
  [[nodiscard]] NpyArray array(std::size_t member) const;

 private:
  struct Close {
    void operator()(struct zip* archive) const noexcept;
  };

  [[nodiscard]] std::string read(std::size_t index) const;
  std::size_t room(std::size_t member, std::size_t bytes) const;

  std::size_t bytes_;
  mutable std::size_t spent_ = 0;  // bytes of what was unpacked
  std::string name_;
  std::unique_ptr<struct zip, Close> archive_;
  std::vector<std::string> members_;
};

}  // namespace panto::io
