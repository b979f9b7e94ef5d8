#pragma once
// Words of the command line to things: one resolver for every sub-command.

#include <optional>
#include <string>
#include <vector>

#include "panto/model/human.hpp"

namespace panto::app {

/// A shipped name (human66, human48) scaled to `subject`, or a URDF file. What a person should know goes to
/// `notes`.
/// @throws ConfigError for a name that is neither (listing the shipped ones), FormatError for a bad file.
[[nodiscard]] Model resolve_model(const std::string& name, const SubjectDimensions& subject,
                                  std::vector<std::string>& notes);

/// @throws ConfigError when two outputs, or an output (or the `.part` it is written through) and an input,
/// are the same file.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

}  // namespace panto::app
