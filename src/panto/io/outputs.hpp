#pragma once
// Checks names of output files before any work.

#include <string>
#include <vector>

namespace panto::io {

/// Checks the names of outputs. @throws ConfigError when two outputs, or an output (or its `.part`) and an
/// input, are the same file; Error for a folder that does not exist.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

}  // namespace panto::io
