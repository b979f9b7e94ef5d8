#include "panto/base/failure.hpp"

#include <exception>
#include <new>
#include <utility>

namespace panto {
namespace {

void write(std::string_view place, const char* why, std::string& problem) noexcept {
  try {
    std::string text(place);
    text += text.empty() ? "" : ": ";
    text += why;
    problem = std::move(text);
  } catch (...) {
    problem.assign("out of memory");  // short enough to need no allocation
  }
}

}  // namespace

void explain_failure(std::string_view place, std::string& problem) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    write(place, "out of memory", problem);
  } catch (const std::exception& error) {
    write(place, error.what(), problem);
  } catch (...) {
    write(place, "stopped by an unknown error", problem);
  }
}

}  // namespace panto
