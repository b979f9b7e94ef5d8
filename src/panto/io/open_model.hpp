#pragma once
// Opens models in any known format: from names, files or the bytes of files.

#include <string>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/model/model.hpp"

namespace panto::io {

class Input;

/// Returns the names of the models that ship with Panto: humans, then robots.
[[nodiscard]] const std::vector<std::string>& shipped_models();

/// Returns true for robots and files, whose sizes do not depend on a subject; false for humans and unknown
/// models.
[[nodiscard]] bool has_own_size(const std::string& name);

/// Opens the model that `name` names: a shipped human scaled to `subject`, a shipped robot, a URDF (.urdf), a
/// model table or a Denavit-Hartenberg chain (.toml). Adds decisions of the reader to `notes`. @throws
/// ConfigError for an unknown name (listing the shipped ones) and for a robot map; FormatError "path:line:
/// ..." for a bad file.
[[nodiscard]] Model open_model(const std::string& name, const SubjectDimensions& subject,
                               std::vector<std::string>& notes);
/// Opens a model from the bytes of a file; needs no file system. Messages call it `name`, whose extension
/// gives the format. @throws as above.
[[nodiscard]] Model open_model(std::string bytes, const std::string& name, std::vector<std::string>& notes);
/// Opens a model from an open input. @throws as above.
[[nodiscard]] Model open_model(Input& input, std::vector<std::string>& notes);

}  // namespace panto::io
