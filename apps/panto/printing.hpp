#pragma once
// How results and notes are printed: a verdict, figures or tables, what was written; colours on a terminal.

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "panto/report/report.hpp"

namespace panto::app {

struct PrintOptions {
  bool verbose = false;  ///< tables of all figures
  bool json = false;     ///< one JSON object on stdout instead of the text
  bool strict = false;   ///< exit code 1 unless the verdict is Good
};
/// Returns the exit code of a job that would end with `code`.
[[nodiscard]] int code_of(const Verdict& verdict, bool strict, int code = 0);

/// Returns whether `file` is a terminal that shows colours, and the variable NO_COLOR is not set.
[[nodiscard]] bool coloured(std::FILE* file);

/// Returns a text broken between words to fit the terminal of `file`; unchanged if `file` is not a terminal.
[[nodiscard]] std::string wrapped(std::string_view text, std::FILE* file);

/// Prints a verdict, `head`, a line that says of what, which may be empty, `details` and what was written.
/// `details`: tables; empty: the verdict's figures. Adds the options that may help.
void print_result(const Verdict& verdict, const std::string& head, const std::string& details,
                  const std::vector<std::string>& written);

/// Prints notes for people on stderr, from the one at `already` on.
void say(const std::vector<std::string>& notes, std::size_t already = 0);
/// Prints what went wrong while the job went on, on stderr.
void say_problems(const std::vector<std::string>& problems);
/// Prints one note.
void say_note(std::string_view note);

}  // namespace panto::app
