#include "panto/report/shared_names.hpp"

#include <algorithm>

namespace panto {
namespace {

constexpr std::string_view kOpening = " '\"`(,=\n";  // what may come before a path
constexpr std::string_view kClosing = " '\"`),;\n";  // what ends it

}  // namespace

std::string shared_name(const std::string& path) {
  if (path.empty() || path[0] != '/') return path;
  const std::size_t end = path.find_last_not_of('/');
  if (end == std::string::npos) return "";
  return path.substr(path.rfind('/', end) + 1, end - path.rfind('/', end));
}

std::string without_folders(std::string text, const std::vector<std::string>& known) {
  for (const std::string& path : known) {
    const std::string name = shared_name(path);
    if (name == path) continue;
    for (std::size_t found = 0; (found = text.find(path, found)) != std::string::npos; found += name.size())
      text.replace(found, path.size(), name);
  }
  for (std::size_t begin = 0; (begin = text.find('/', begin)) != std::string::npos; ++begin) {
    if (begin > 0 && kOpening.find(text[begin - 1]) == std::string_view::npos) continue;
    const bool quoted = begin > 0 && (text[begin - 1] == '\'' || text[begin - 1] == '"');
    const std::size_t end = std::min(
        quoted ? text.find(text[begin - 1], begin) : text.find_first_of(kClosing, begin), text.size());
    const std::size_t last = text.rfind('/', end - 1);
    if (last > begin && last + 1 < end) text.erase(begin, last + 1 - begin);
  }
  return text;
}

std::vector<std::string> without_folders(std::vector<std::string> texts,
                                         const std::vector<std::string>& known) {
  for (std::string& text : texts) text = without_folders(std::move(text), known);
  return texts;
}

}  // namespace panto
