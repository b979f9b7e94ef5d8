#pragma once
// Why work ended with an exception, where exceptions must not pass: loops that return a status.

#include <string>
#include <string_view>

namespace panto {

/// Writes into `problem` why the exception in flight was thrown, after `place` and a colon: that memory is
/// lacking, or the exception's own text. Call it in a catch block.
void explain_failure(std::string_view place, std::string& problem) noexcept;

}  // namespace panto
