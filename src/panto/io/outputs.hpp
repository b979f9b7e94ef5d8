#pragma once
// Checks names of output files before any work.

#include <string>
#include <string_view>
#include <vector>

namespace panto::io {

/// Checks that no output is given twice: an address as it is written, a file by where it lies.
/// @throws ConfigError that names the second one.
void check_once(const std::vector<std::string>& outputs);

/// Checks the names of files. @throws ConfigError when two outputs, or an output (or its `.part`) and an
/// input, are the same file; Error for a folder that does not exist.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

/// Checks the extension of an output, .html or .htm for a page; an empty name passes.
/// @param option how the user names the output, such as --report.
/// @param kind what is written, such as "a page". @throws ConfigError for another extension.
void check_ending(std::string_view option, std::string_view path, std::string_view ending,
                  std::string_view kind);

}  // namespace panto::io
