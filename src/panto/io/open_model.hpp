#pragma once
// Opens models, whatever their format: from names, files or the bytes of files.

#include <string>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/model/model.hpp"

namespace panto::io {

class Input;

/// Returns the names of the models that ship with Panto: humans, then robots.
[[nodiscard]] const std::vector<std::string>& shipped_models();

/// Returns true for robots and files, whose sizes do not follow a subject; false for humans and for no model
/// at all.
[[nodiscard]] bool has_own_size(const std::string& name);

/// Opens the model that `name` names: a shipped human scaled to `subject`, a shipped robot, a URDF (.urdf), a
/// model table or a chain by Denavit and Hartenberg (.toml). Decisions of the reader are added to `notes`.
/// @throws ConfigError for a name that is none (listing the shipped ones) and for a robot map; FormatError
/// "path:line: ..." for a bad file.
[[nodiscard]] Model open_model(const std::string& name, const SubjectDimensions& subject,
                               std::vector<std::string>& notes);
/// Opens a model from the bytes of a file: needs no file system. `name` stands for the path in messages; its
/// extension tells the format. @throws as above.
[[nodiscard]] Model open_model(std::string bytes, const std::string& name, std::vector<std::string>& notes);
/// Opens a model from what is open already. @throws as above.
[[nodiscard]] Model open_model(Input& input, std::vector<std::string>& notes);

}  // namespace panto::io
