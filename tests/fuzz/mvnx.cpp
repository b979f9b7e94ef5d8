// MVNX of both versions.

#include "panto/io/mvnx.hpp"

#include "panto/io/recording_formats.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/support/mvnx_samples.hpp"

namespace panto::fuzz {
namespace {

void check_mvnx(Bytes bytes) {
  const std::unique_ptr<Recording> recording = io::open_mvnx(std::string(text_of(bytes)), "damaged.mvnx");
  check_recording(*recording);
  if (const auto& subject = recording->info().subject) (void)human66(*subject);
  const std::string& problem = recording->problem();
  promise(problem.empty() || problem.starts_with("damaged.mvnx:"), "a problem begins with the place");
}

Seeds seeds_of_mvnx() {
  const Model human = human66(scaled_subject(1.75));
  return {test::mvnx_text({.version = 3, .frames = 2}), test::mvnx_text({.version = 4, .frames = 2}),
          test::mvnx_text({.frames = 2, .props = {"Prop1"}, .positions = false}),
          io::motion_bytes(few_states(human, 2), human, "person.mvnx")};
}

const Registered mvnx_target("mvnx", check_mvnx, seeds_of_mvnx);

}  // namespace
}  // namespace panto::fuzz
