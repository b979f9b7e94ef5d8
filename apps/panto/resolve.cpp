#include "apps/panto/resolve.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "panto/base/error.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/urdf.hpp"

namespace panto::app {

Model resolve_model(const std::string& name, const SubjectDimensions& subject,
                    std::vector<std::string>& notes) {
  if (name == "human66") return human66(subject);
  if (name == "human48") return human48(subject);
  if (io::extension_of(name) != ".urdf") {
    throw ConfigError(unknown_name("model", name, "Panto", {"human66", "human48"}) +
                      "; or give a file that ends in .urdf");
  }
  return io::read_urdf(name, {}, &notes);
}

namespace {

[[noreturn]] void refuse_output(const std::string& output, const std::string& why) {
  throw ConfigError("output '" + output + "' " + why + "; give another name");
}

}  // namespace

void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  std::vector<std::filesystem::path> seen;
  for (const std::string& output : outputs) {
    std::error_code ignored;  // what does not exist yet has a path all the same
    const std::filesystem::path path =
        std::filesystem::weakly_canonical(std::filesystem::absolute(output, ignored), ignored);
    for (const std::string& input : inputs) {
      if (std::filesystem::equivalent(output, input, ignored)) refuse_output(output, "is the input itself");
      if (std::filesystem::equivalent(output + ".part", input, ignored))
        refuse_output(output, "would be written through the input '" + input + "'");
    }
    if (std::find(seen.begin(), seen.end(), path) != seen.end())
      throw ConfigError("output '" + output + "' is given twice");
    seen.push_back(path);
  }
}

}  // namespace panto::app
