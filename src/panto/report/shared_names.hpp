#pragma once
// File names in what people pass on: pages, JSON, files of sensors.

#include <string>
#include <string_view>
#include <vector>

namespace panto {

/// Returns a file's name as others may see it: an absolute path without its folders, anything else as it is.
[[nodiscard]] std::string shared_name(const std::string& path);

/// Returns a sentence in which absolute paths have lost their folders. `known`: paths that it may name, with
/// spaces in them too.
[[nodiscard]] std::string without_folders(std::string text, const std::vector<std::string>& known = {});
/// The same for many sentences.
[[nodiscard]] std::vector<std::string> without_folders(std::vector<std::string> texts,
                                                       const std::vector<std::string>& known = {});

}  // namespace panto
