#pragma once
// Arms that nothing measures hang beside the body: a model whose rest pose says so.

#include <optional>
#include <string>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/targets/attachment_map.hpp"

namespace panto {

/// Returns a person who stands at the origin with arms beside the body: orientations of all segments
/// (`human_segment_names()`).
[[nodiscard]] SegmentSample standing_person();

/// Returns the model with a rest pose in which its arms hang, as far as nothing measures them; an arm
/// of which it follows any link stays; nothing if none hangs. `map`: its attachments to all human segments
/// that it can follow; `standing`: `standing_person`, in the model's terms; `followed`: links with a measured
/// target.
[[nodiscard]] std::optional<Model> with_hanging_arms(const Model& model, const AttachmentMap& map,
                                                     const SegmentSample& standing,
                                                     const std::vector<int>& followed);
/// The same for a model whose links are named as a human's segments; nothing for any other.
[[nodiscard]] std::optional<Model> with_hanging_arms(const Model& human, const std::vector<int>& followed);
/// The same with names of links, of which the model may lack some; else the model itself.
[[nodiscard]] Model with_hanging_arms(const Model& human, const std::vector<std::string>& followed);

}  // namespace panto
