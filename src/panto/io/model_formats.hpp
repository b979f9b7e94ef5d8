#pragma once
// Opens models from what is open already. Internal.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/io/open_model.hpp"
#include "panto/model/human.hpp"
#include "panto/model/model.hpp"

namespace panto::io {

class Input;
struct RobotShapes;

/// How a file describes a model.
enum class ModelFormat : unsigned char { Urdf, Mjcf, Table, None };

/// Returns the format, from content and extension; None: not the file of a model.
[[nodiscard]] ModelFormat model_format(const Input& input);

/// A model, and the shapes of its links if its format has them.
struct ShapedModel {
  Model model;
  std::shared_ptr<const RobotShapes> shapes;  ///< null: none
};

/// Opens a model and its shapes from an open input. `open_file` returns files that an MJCF includes. Adds
/// decisions of the reader to `notes`. @throws as `open_model` of a path.
[[nodiscard]] ShapedModel open_shaped_model(Input& input, const OpenFile& open_file,
                                            std::vector<std::string>& notes);

/// Opens a model as `open_model` does, and reads its shapes from the same bytes: a file is opened once.
/// `base`: how it moves; unset: as the file says. @throws ConfigError for one that rolls, which is for
/// robots.
[[nodiscard]] ShapedModel open_shaped_model(const std::string& name, const SubjectDimensions& subject,
                                            std::vector<std::string>& notes,
                                            std::optional<BaseKind> base = {});

}  // namespace panto::io
