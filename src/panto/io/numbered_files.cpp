#include "panto/io/numbered_files.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

// Whether `name` is a file such as "wave_3.csv" for output "wave.csv", of a gesture after the first `parts`.
bool left_over(const std::string& name, const std::string& stem, const std::string& extension,
               std::size_t parts) {
  if (name.size() <= stem.size() + extension.size() + 1 || name.rfind(stem + "_", 0) != 0 ||
      extension_of(name) != extension)
    return false;
  const char* first = name.data() + stem.size() + 1;
  const char* last = name.data() + name.size() - extension.size();
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(first, last, number);
  return error == std::errc{} && end == last && *first != '0' && (parts < 2 || number > parts);
}

}  // namespace

std::string numbered(const std::string& path, std::size_t part, std::size_t parts) {
  if (parts == 1 || path.empty()) return path;
  const std::string extension = extension_of(path);
  return path.substr(0, path.size() - extension.size()) + "_" + std::to_string(part + 1) + extension;
}

std::vector<std::string> parts_left_over(const std::string& path, std::size_t parts,
                                         const std::string& input) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  const auto add = [&](const fs::path& found) {
    if (!fs::equivalent(found, input, error)) names.push_back(found.string());
  };
  if (parts != 1 && fs::is_regular_file(path, error)) add(path);
  const std::string extension = extension_of(path);
  const fs::path whole(path), folder = whole.parent_path();
  const std::string file = whole.filename().string();
  const std::string stem = file.substr(0, file.size() - extension.size());
  for (fs::directory_iterator it(folder.empty() ? fs::path(".") : folder, error), end; !error && it != end;
       it.increment(error)) {
    if (left_over(it->path().filename().string(), stem, extension, parts))
      add(folder / it->path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace panto::io
