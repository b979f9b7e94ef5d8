#pragma once
// A robot's hands that touch weigh more, by the door that a user's targets have
// (docs/algorithms/own_targets.md).

#include <string>
#include <vector>

#include "panto/targets/attachment_map.hpp"
#include "panto/targets/own_targets.hpp"

namespace panto::robot {

/// Returns `own`, and weighs the position of every segment that touches something (`SegmentMotion::touch`) up
/// to its `Attachment::touch_weight`, but for links that `own` weighs itself. `own.update` is called first.
/// `segments`: names of the samples; `position_weight` [1/m^2]: of attachments without their own.
/// @throws ConfigError for a `touch_weight` that is not finite and > 0.
[[nodiscard]] OwnTargetsOption with_touch_weights(OwnTargetsOption own, const AttachmentMap& map,
                                                  const std::vector<std::string>& segments,
                                                  double position_weight);

}  // namespace panto::robot
