#pragma once
// Contacts of parts of a motion, and of a motion at other instants.

#include <vector>

#include "panto/motion/motion.hpp"

namespace panto {

/// Returns for every instant the frame with the nearest stamp, the later one of two; -1: there are no frames.
/// `stamps` increase.
[[nodiscard]] std::vector<int> nearest_frames(const std::vector<Time>& stamps,
                                              const std::vector<Time>& instants);

/// Returns the contacts of frames `first` to `last`.
[[nodiscard]] std::vector<LinkContacts> contacts_between(const std::vector<LinkContacts>& contacts, int first,
                                                         int last);

/// Returns the contacts of a motion that shows `instants` of one with `stamps`: those of the nearest frame,
/// with anchors interpolated within a stance.
[[nodiscard]] std::vector<LinkContacts> contacts_at(const std::vector<LinkContacts>& contacts,
                                                    const std::vector<Time>& stamps,
                                                    const std::vector<Time>& instants);

}  // namespace panto
