#pragma once
// Files in a layout whose motion is changed as a whole before it is written.

#include <functional>
#include <memory>

#include "panto/io/write_motion.hpp"

namespace panto::io {

/// Creates a file of `options.layout` as `create_state_file` does. `finish` gets the motion at the rate of
/// the file's frames and returns what is written, as with a lead-in.
[[nodiscard]] std::unique_ptr<StateFile> create_layout_file(const Destination& to, const Model& model,
                                                            const StateFileOptions& options,
                                                            std::function<Motion(Motion)> finish);

}  // namespace panto::io
