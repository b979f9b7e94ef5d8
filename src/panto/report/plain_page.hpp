#pragma once
// Pages of words, in the colours of the report page.

#include <string>

namespace panto {

/// Returns a page. `inside`: HTML of its body; `head`: HTML for its head, besides the title.
[[nodiscard]] std::string plain_page(const std::string& title, const std::string& inside,
                                     const std::string& head = "");

}  // namespace panto
