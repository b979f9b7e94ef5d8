// URDF: a model, which can be written and read back, or a refusal.

#include "panto/io/urdf.hpp"

#include "tests/fuzz/models.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_urdf(Bytes bytes) {
  std::vector<std::string> notes;
  const Model model = io::read_urdf(text_of(bytes), "damaged.urdf", {}, &notes);
  promise(model.links().size() <= io::kUrdfMaxLinks, "links are bounded");
  check_model(model);
  if (model.links().size() > 200) return;
  const Model again = io::read_urdf(io::write_urdf(model), "written.urdf", {});
  promise(again.dof() == model.dof() && again.link_count() == model.link_count(),
          "what was written reads back");
}

Seeds seeds_of_urdf() { return {example("homemade.urdf"), io::write_urdf(small_model())}; }

const Registered urdf_target("urdf", check_urdf, seeds_of_urdf);

}  // namespace
}  // namespace panto::fuzz
