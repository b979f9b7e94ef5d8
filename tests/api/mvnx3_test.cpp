// MVNX version 3 as it is: ISB angles of what was tracked against the angles in the file, and units of rates.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "panto/api/track.hpp"
#include "panto/io/isb_columns.hpp"
#include "panto/io/mvnx.hpp"
#include "panto/math/degrees.hpp"
#include "tests/support/mvnx_samples.hpp"

namespace panto {
namespace {

using test::mvnx_text;

// Largest difference of the ISB angles of the tracked motion and of the file, over joints and frames [deg].
double off_the_file(const std::string& text, std::optional<io::IsbArms> arms = {}) {
  const auto recording = io::open_mvnx(text, "take.mvnx");
  const Model model = human66(recording->info().subject.value_or(scaled_subject(1.75)));
  const TrackResult result = track(*recording, model);
  io::IsbColumns columns(model, arms.value_or(io::isb_arms_of(recording->info().format)));
  io::MvnxFile file(test::stream_of(text), "take.mvnx");
  io::MvnxFrame frame;
  double most = 0.0;
  for (const State& state : result.motion.states) {
    EXPECT_EQ(file.read(frame), ReadStatus::Sample);
    const auto& told = frame[io::MvnxVector::JointAngle];
    const auto angles = columns.angles(state);
    for (std::size_t j = 0; j < angles.size(); ++j) {
      for (int axis = 0; axis < 3; ++axis) {
        const double off = angles[j][axis] * kToDegrees - told[3 * j + static_cast<std::size_t>(axis)];
        most = std::max(most, std::abs(std::remainder(off, 360.0)));
      }
    }
  }
  return most;
}

TEST(Mvnx3, IsbAnglesAreTheFilesOwnInBothVersions) {
  for (const int version : {3, 4})
    EXPECT_LT(off_the_file(mvnx_text({.version = version, .frames = 20, .velocities = false})), 0.1)
        << version;
}

TEST(Mvnx3, ForearmsAndHandsDifferByAQuarterTurnInTheOtherVersion) {
  const double off =
      off_the_file(mvnx_text({.version = 3, .frames = 20, .velocities = false}), io::IsbArms::Mvnx4);
  EXPECT_GT(off, 60.0) << "elbows about y, and wrists about x and z";
}

TEST(Mvnx3, NoRateUnitIsGuessedFromRatesThatAreNotThoseOfTheOrientations) {
  const auto recording = io::open_mvnx(mvnx_text({.version = 3, .frames = 40}), "take.mvnx");
  for (const std::string& note : recording->info().notes)
    EXPECT_EQ(note.find("degrees per second"), std::string::npos) << note;
}

}  // namespace
}  // namespace panto
