#include "apps/panto/printing.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "apps/panto/commands.hpp"
#include "apps/panto/progress.hpp"
#include "panto/base/printable.hpp"
#include "panto/report/paragraph.hpp"

namespace panto::app {
namespace {

constexpr const char *kGreen = "\033[32m", *kYellow = "\033[33m", *kRed = "\033[31m", *kDim = "\033[2m",
                     *kPlain = "\033[0m";
constexpr std::size_t kNarrow = 40, kWide = 120;  // columns that text is fitted to

const char* colour_of(Verdict::Grade grade) {
  return grade == Verdict::Grade::Good ? kGreen : grade == Verdict::Grade::Care ? kYellow : kRed;
}

// "; try --smooth."
std::string with_advice(const Verdict& verdict) {
  static constexpr std::array<const char*, 5> kOptions{
      "--feet plant", "--smooth", "--limits scale", "--ground",
      "`panto inspect RECORDING` and `panto map ROBOT`: one may be misread"};  // by Remedy
  std::string text = verdict.sentence, before = "; try ";
  for (const Remedy remedy : verdict.remedies) {
    text.replace(text.size() - 1, 1, before + kOptions.at(static_cast<std::size_t>(remedy)) + ".");
    before = ", or ";
  }
  return text;
}

std::string painted(const std::string& text, const char* colour, std::FILE* file) {
  return coloured(file) ? colour + text + kPlain : text;
}

}  // namespace

int code_of(const Verdict& verdict, bool strict, int code) {
  return code == kGood && strict && verdict.grade != Verdict::Grade::Good ? kCheckFailed : code;
}

bool coloured(std::FILE* file) {
  const char *no_colour = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  return isatty(fileno(file)) != 0 && (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string wrapped(std::string_view text, std::FILE* file) {
  winsize size{};
  if (isatty(fileno(file)) == 0 || ioctl(fileno(file), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return std::string(text);
  return fitted(text, std::clamp<std::size_t>(size.ws_col, kNarrow, kWide));
}

void print_result(const Verdict& verdict, const std::string& head, const std::string& details,
                  const std::vector<std::string>& written) {
  Progress::clear();
  const std::string sentence = wrapped(printable(with_advice(verdict)), stdout);
  const std::size_t word = std::string_view(word_of(verdict.grade)).size();
  std::printf("%s%s\n", painted(sentence.substr(0, word), colour_of(verdict.grade), stdout).c_str(),
              sentence.substr(word).c_str());
  if (!head.empty()) std::printf("%s\n", printable(head).c_str());
  const std::string figures = details.empty() ? figures_text(verdict) : details;
  if (!figures.empty()) std::printf("\n%s", printable(figures).c_str());
  if (!written.empty()) std::printf("\n");
  for (const std::string& path : written) std::printf("wrote %s\n", printable(path).c_str());
}

void say_note(std::string_view note) {
  static std::set<std::string, std::less<>> said;  // a recording that is read twice has its notes twice
  if (!said.emplace(note).second) return;
  Progress::clear();
  const bool warning = note.starts_with("warning: ");
  const std::string text = wrapped((warning ? "" : "note: ") + printable(note), stderr);
  std::fprintf(stderr, "%s\n", painted(text, warning ? kYellow : kDim, stderr).c_str());
}

void say_problems(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) std::fprintf(stderr, "panto: %s\n", printable(problem).c_str());
}

void say(const std::vector<std::string>& notes, std::size_t already) {
  for (std::size_t i = already; i < notes.size(); ++i) say_note(notes[i]);
}

}  // namespace panto::app
