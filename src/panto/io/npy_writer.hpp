#pragma once
// Writes NumPy arrays and archives (.npy, .npz) as bytes in memory. They contain no time, so the same content
// gives the same bytes.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace panto::io {

/// Returns an array in C order; `shape` as NumPy prints it inside its brackets: "3, 4", "5,", "".
[[nodiscard]] std::string npy(const std::vector<double>& numbers, const std::string& shape);
[[nodiscard]] std::string npy(const std::vector<float>& numbers, const std::string& shape);
[[nodiscard]] std::string npy(const std::vector<std::int64_t>& numbers, const std::string& shape);
/// Returns an array of truth values, 1 for true.
[[nodiscard]] std::string npy(const std::vector<unsigned char>& flags, const std::string& shape);
/// Returns an array of texts, padded to the longest.
[[nodiscard]] std::string npy(const std::vector<std::string>& names, const std::string& shape);

/// Packs members by name ("times.npy") and bytes into one archive, without compression. @throws Error when
/// packing fails.
[[nodiscard]] std::string pack_npz(const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace panto::io
