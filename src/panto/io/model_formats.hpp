#pragma once
// Opens models from what is open already. Internal.

#include <string>
#include <vector>

#include "panto/model/model.hpp"

namespace panto::io {

class Input;

/// Opens a model from an open input, whose name's extension gives the format. Adds decisions of the reader to
/// `notes`. @throws as `open_model` of a path.
[[nodiscard]] Model open_model(Input& input, std::vector<std::string>& notes);

}  // namespace panto::io
