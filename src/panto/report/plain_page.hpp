#pragma once
// Plain HTML pages in the colours of the report page.

#include <string>

namespace panto {

/// Returns a page. `inside`: HTML of its body; `head`: more HTML for its head.
[[nodiscard]] std::string plain_page(const std::string& title, const std::string& inside,
                                     const std::string& head = "");

}  // namespace panto
