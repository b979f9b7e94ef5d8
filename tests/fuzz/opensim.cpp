// OpenSim's tables: as they stand, as States of a human, as orientations.

#include "panto/io/opensim.hpp"

#include <algorithm>
#include <cmath>

#include "panto/io/recording_formats.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_opensim(Bytes bytes) {
  std::istringstream stream = stream_of(bytes);
  const io::OpenSimTable table = io::read_opensim_table(stream, "damaged.sto");
  promise(
      table.values.size() == table.rows() * table.labels.size() * static_cast<std::size_t>(table.components),
      "a number a cell");
  promise(table.lines.size() == table.rows(), "a line a row");
  for (const double time : table.time) promise(std::isfinite(time), "times are finite");
  // an angle of 1e20 degrees is read as it stands; the judgement of the recording names its frame
  if (std::any_of(table.values.begin(), table.values.end(), [](double x) { return std::abs(x) > 1e6; }))
    return;
  if (table.components == 4) {
    check_recording(*io::open_orientations(table));
  } else {
    check_recording(*io::open_state_table(table));
  }
}

Seeds seeds_of_opensim() {
  const Model human = human66(scaled_subject(1.75));
  return {io::motion_bytes(few_states(human, 3), human, "a.mot"), person_file("a.sto", 3)};
}

const Registered opensim_target("opensim", check_opensim, seeds_of_opensim);

}  // namespace
}  // namespace panto::fuzz
