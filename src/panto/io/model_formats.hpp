#pragma once
// Opens models from what is open already. Internal.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/model/model.hpp"

namespace panto::io {

class Input;
struct UrdfShapes;

/// Opens a model from an open input, whose name's extension gives the format. Adds decisions of the reader to
/// `notes`. @throws as `open_model` of a path.
[[nodiscard]] Model open_model(Input& input, std::vector<std::string>& notes);

/// A model, and the shapes of its links if it is a URDF.
struct ShapedModel {
  Model model;
  std::shared_ptr<const UrdfShapes> shapes;  ///< null: none
};

/// Opens a model as `open_model` does, and reads its shapes from the same bytes: a URDF is opened once.
/// `base`: how it moves; unset: as the file says. @throws ConfigError for one that rolls, which is for
/// robots.
[[nodiscard]] ShapedModel open_shaped_model(const std::string& name, const SubjectDimensions& subject,
                                            std::vector<std::string>& notes,
                                            std::optional<BaseKind> base = {});

}  // namespace panto::io
