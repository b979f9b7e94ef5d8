#include "panto/io/outputs.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "panto/base/error.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

[[noreturn]] void refuse_output(const std::string& output, const std::string& why) {
  throw ConfigError("output '" + output + "' " + why + "; give another name");
}

// writing a file does not create its folder
void check_folder(const std::string& output) {
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw Error("cannot create '" + output + "': the folder '" + folder.string() + "' does not exist");
}

}  // namespace

void check_once(const std::vector<std::string>& outputs) {
  std::vector<std::filesystem::path> seen;
  for (const std::string& output : outputs) {
    std::error_code ignored;  // a path that does not exist yet is valid
    const std::filesystem::path path =
        std::filesystem::weakly_canonical(std::filesystem::absolute(output, ignored), ignored);
    if (std::find(seen.begin(), seen.end(), path) != seen.end())
      throw ConfigError("output '" + output + "' is given twice");
    seen.push_back(path);
  }
}

void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  for (const std::string& output : outputs) {
    check_folder(output);
    std::error_code ignored;
    for (const std::string& input : inputs) {
      if (std::filesystem::equivalent(output, input, ignored)) refuse_output(output, "is also the input");
      if (std::filesystem::equivalent(output + ".part", input, ignored))
        refuse_output(output, "would overwrite the input '" + input + "' while writing");
    }
  }
  check_once(outputs);
}

void check_ending(std::string_view option, std::string_view path, std::string_view ending,
                  std::string_view kind) {
  const std::string extension = extension_of(std::string(path));
  if (path.empty() || extension == ending || (ending == ".html" && extension == ".htm")) return;
  throw ConfigError(std::string(option) + " '" + std::string(path) + "': the name of " + std::string(kind) +
                    " must end in " + std::string(ending));
}

}  // namespace panto::io
