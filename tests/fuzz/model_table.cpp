// Model tables: a model, which is written as the same table again.

#include "panto/io/model_table.hpp"

#include "tests/fuzz/models.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_table(Bytes bytes) {
  const Model model = io::read_model_table(text_of(bytes), "damaged.toml");
  promise(model.links().size() <= io::kModelTableMaxLinks, "links are bounded");
  check_model(model);
  const Model again = io::read_model_table(io::write_model_table(model), "written.toml");
  promise(again.dof() == model.dof() && again.link_names() == model.link_names(),
          "what was written reads back");
}

Seeds seeds_of_tables() {
  return {io::write_model_table(small_model()), std::string(io::shipped_robot_table("tee7")),
          example("arm.toml")};
}

const Registered table_target("model_table", check_table, seeds_of_tables);

}  // namespace
}  // namespace panto::fuzz
