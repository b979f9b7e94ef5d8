#pragma once
// Asks the desktop for a browser.

#include <string>

namespace panto::live {

/// Asks the desktop, by xdg-open, to open an address. Does nothing without a display or that program.
void open_in_browser(const std::string& address) noexcept;

}  // namespace panto::live
