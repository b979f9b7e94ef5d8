#pragma once
// Arrays of NumPy and the archives that hold them (.npy, .npz), as bytes in memory. Without a clock in them:
// the same content is the same bytes whenever it is written.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace panto::io {

/// An array in C order; `shape` as NumPy prints it within its brackets: "3, 4", "5,", "".
[[nodiscard]] std::string npy(const std::vector<double>& numbers, const std::string& shape);
[[nodiscard]] std::string npy(const std::vector<std::int64_t>& numbers, const std::string& shape);
/// Texts, padded to the longest.
[[nodiscard]] std::string npy(const std::vector<std::string>& names, const std::string& shape);

/// Members by name ("times.npy") and their bytes as one archive. @throws Error when it cannot be packed.
[[nodiscard]] std::string pack_npz(const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace panto::io
