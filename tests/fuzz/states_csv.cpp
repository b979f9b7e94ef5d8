// Our tables of States.

#include "panto/io/csv.hpp"
#include "tests/fuzz/models.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_state_table(Bytes bytes) {
  static const Model model = small_model();
  std::istringstream stream = stream_of(bytes);
  std::vector<std::string> notes;
  check_motion(io::read_csv_motion(stream, "damaged.csv", model, &notes), model);
}

Seeds seeds_of_state_tables() {
  const Model model = small_model();
  return {io::motion_bytes(few_states(model, 5), model, "a.csv")};
}

const Registered state_table_target("states_csv", check_state_table, seeds_of_state_tables);

}  // namespace
}  // namespace panto::fuzz
