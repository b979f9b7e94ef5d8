#include "panto/api/models.hpp"

#include "panto/base/error.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto {

robot::MapProposal propose_map(const std::string& name, const Model& model) {
  try {
    return robot::propose_robot_map(model);
  } catch (const ModelError& error) {
    throw ModelError((io::extension_of(name).empty() ? "" : name + ": ") + error.what());
  }
}

}  // namespace panto
