#pragma once
// Outputs in parts: "wave.csv" becomes "wave_1.csv", "wave_2.csv".

#include <cstddef>
#include <string>
#include <vector>

namespace panto::io {

/// Returns the name of a part, from 0: "wave_2.csv" for "wave.csv" and part 1 of 3; the name itself of a
/// single part.
[[nodiscard]] std::string numbered(const std::string& path, std::size_t part, std::size_t parts);

/// Finds files that an earlier run left beside the `parts` of this one, sorted; never removes them.
/// Leaves out `input`.
[[nodiscard]] std::vector<std::string> parts_left_over(const std::string& path, std::size_t parts,
                                                       const std::string& input);

}  // namespace panto::io
