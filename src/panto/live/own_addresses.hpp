#pragma once
// Under which addresses other computers of a network reach this one.

#include <string>
#include <vector>

namespace panto::live {

/// Returns the IPv4 addresses of this computer's networks that are up, without its own loop; those of wired
/// and wireless cards before those of virtual ones.
[[nodiscard]] std::vector<std::string> own_addresses();

}  // namespace panto::live
