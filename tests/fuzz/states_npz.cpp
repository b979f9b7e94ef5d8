// Our archives of States, put together from members.

#include "panto/io/npz_archive.hpp"
#include "panto/io/npz_motion.hpp"
#include "tests/fuzz/models.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_state_archive(Bytes bytes) {
  static const Model model = small_model();
  check_motion(io::read_npz_motion(archive_of(bytes), "damaged.npz", model), model);
}

Seeds seeds_of_state_archives() {
  const Model model = small_model();
  const std::string bytes = io::motion_bytes(few_states(model, 4), model, "a.npz");
  const io::NpzArchive archive(bytes, "a.npz");
  Members members;
  for (std::size_t i = 0; i < archive.members().size(); ++i)
    members.emplace_back(archive.members()[i], archive.array(i).content);
  return {members_in_a_row(members)};
}

const Registered state_archive_target("states_npz", check_state_archive, seeds_of_state_archives);

}  // namespace
}  // namespace panto::fuzz
