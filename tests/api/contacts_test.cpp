// Contacts and anchors that retargeting leaves with the motion.

#include <gtest/gtest.h>

#include <algorithm>

#include "panto/api/imitate.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/retarget/foot_plan.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::bundled_walk;
using test::shipped_robot;

RetargetResult walked(const RetargetOptions& options = {}) {
  const auto walk = bundled_walk();
  return retarget(*walk, shipped_robot("unitree_g1"), options);
}

RetargetResult walked(FeetMode feet) {
  RetargetOptions options;
  options.feet = feet;
  return walked(options);
}

double stance_share(const RetargetResult& result) {
  double stands = 0.0, all = 0.0;
  for (const LinkContacts& foot : result.motion.contacts)
    for (std::size_t k = 0; k < foot.heel.size(); ++k, ++all) stands += foot.stands(k) ? 1.0 : 0.0;
  return stands / all;
}

// Checks names and lengths; anchors in stance only.
void expect_feet_of_the_g1(const RetargetResult& result, bool held) {
  ASSERT_EQ(result.motion.contacts.size(), 2U);
  EXPECT_EQ(result.motion.contacts[0].link, "right_ankle_roll_link");
  EXPECT_EQ(result.motion.contacts[1].link, "left_ankle_roll_link");
  for (const LinkContacts& foot : result.motion.contacts) {
    const std::size_t frames = result.motion.states.size();
    ASSERT_EQ(foot.heel.size(), frames);
    ASSERT_EQ(foot.ball.size(), frames);
    ASSERT_EQ(foot.anchor.size(), held ? frames : 0U);
    for (std::size_t k = 0; k < foot.anchor.size(); ++k)
      EXPECT_EQ(foot.anchor[k].has_value(), foot.stands(k)) << k;
  }
  EXPECT_GT(stance_share(result), 0.4);  // in a walk 60 %, less the time in which heel and ball still move
  EXPECT_LT(stance_share(result), 0.7);
}

struct Misses {
  double place = 0.0, turn = 0.0;  // [m], [rad] largest
};

// From the anchors to the feet.
Misses misses(const RetargetResult& result) {
  const Robot g1 = shipped_robot("unitree_g1");
  Kinematics kinematics(g1.model);
  Misses most;
  for (std::size_t k = 0; k < result.motion.states.size(); ++k) {
    kinematics.update(result.motion.states[k]);
    for (const LinkContacts& foot : result.motion.contacts) {
      if (foot.anchor.empty() || !foot.anchor[k]) continue;
      const int link = g1.model.link_index(foot.link);
      most.place = std::max(most.place, (kinematics.p_WL(link) - foot.anchor[k]->p_WL).norm());
      most.turn = std::max(most.turn, so3::distance(kinematics.R_WL(link), foot.anchor[k]->R_WL));
    }
  }
  return most;
}

TEST(MotionContacts, OfPlannedFeetHaveAnchorsThatTheFeetKeep) {
  const RetargetResult result = walked();
  expect_feet_of_the_g1(result, true);
  EXPECT_LT(misses(result).place, 0.02);  // a foot that misses its plan by more is said in a note
}

// Returns the lowest corner of the part of a G1's sole that is behind or before the ankle [m].
double lowest_corner(const Model& g1, const Kinematics& kinematics, int link, bool heel) {
  double lowest = kInfinity;
  for (const Eigen::Vector3d& corner : link_corners(g1, link))
    if ((corner.x() < 0.0) == heel)
      lowest = std::min(lowest, (kinematics.p_WL(link) + kinematics.R_WL(link) * corner).z());
  return lowest;
}

TEST(MotionContacts, AreOfSolesThatTheRobotHasOnTheFloor) {
  PANTO_NEED_DATA("lafan1/dance1_subject2.bvh");
  const Robot g1 = shipped_robot("unitree_g1");
  const auto dance = io::open_recording(test::data_file("lafan1/dance1_subject2.bvh"));
  const RetargetResult result = retarget(*dance, g1);
  Kinematics kinematics(g1.model);
  int flags = 0;
  double highest = 0.0;
  for (std::size_t k = 0; k < result.motion.states.size(); ++k) {
    kinematics.update(result.motion.states[k]);
    for (const LinkContacts& foot : result.motion.contacts)
      for (const bool heel : {true, false}) {
        if ((heel ? foot.heel : foot.ball)[k] == 0) continue;
        ++flags;
        highest =
            std::max(highest, lowest_corner(g1.model, kinematics, g1.model.link_index(foot.link), heel));
      }
  }
  EXPECT_GT(flags, 4000);
  EXPECT_LT(highest, 0.025) << "[m] it was 64 mm";
}

TEST(MotionContacts, OfHeldFeetHaveTheirPlansAnchors) {
  const RetargetResult result = walked(FeetMode::Hold);
  expect_feet_of_the_g1(result, true);
  EXPECT_LT(misses(result).place, 0.02);
}

TEST(MotionContacts, OfFeetThatFollowAreThePersonsWithoutAnchors) {
  for (const FeetMode feet : {FeetMode::Soft, FeetMode::Off}) expect_feet_of_the_g1(walked(feet), false);
}

TEST(MotionContacts, StayWhenTheMotionIsSmoothed) {
  RetargetOptions smooth;
  smooth.smooth.emplace();
  const RetargetResult plain = walked(), smoothed = walked(smooth);
  expect_feet_of_the_g1(smoothed, true);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(plain.motion.contacts[i].heel, smoothed.motion.contacts[i].heel);
}

TEST(MotionContacts, AreThoseOfTheInstantsThatAScaledMotionShows) {
  for (const FeetMode feet : {FeetMode::Plant, FeetMode::Off}) {
    RetargetOptions scale;
    scale.feet = feet;
    scale.method.dynamical.limits.law = LimitLaw::None;
    scale.scale.emplace();
    const RetargetResult result = walked(scale);
    expect_feet_of_the_g1(result, feet == FeetMode::Plant);
    EXPECT_LT(misses(result).place, 0.02);
    EXPECT_NEAR(stance_share(result), stance_share(walked(feet)), 0.05);
  }
}

TEST(MotionContacts, OfARobotWithAFixedBaseAreUnknown) {
  const auto walk = bundled_walk();
  EXPECT_TRUE(retarget(*walk, shipped_robot("olivia17")).motion.contacts.empty());
}

TEST(MotionContacts, ReachTheObserverBeforeTheFirstFrame) {
  const auto walk = bundled_walk();
  RetargetOptions options;
  options.keep_motion = false;
  std::size_t frames = 0, told = 0;
  Observer observer;
  observer.contacts = [&](std::span<const LinkContacts> contacts) {
    EXPECT_EQ(frames, 0U);
    told = contacts.empty() ? 0 : contacts.front().heel.size();
  };
  observer.frame = [&](const SegmentSample&, const State&, const StepRecord&) { ++frames; };
  const RetargetResult result = retarget(*walk, shipped_robot("unitree_g1"), options, observer);
  EXPECT_EQ(told, frames);
  EXPECT_TRUE(result.motion.contacts.empty());
}

TEST(MotionContacts, OfGesturesAreThoseOfTheirFrames) {
  const auto walk = bundled_walk();
  const ImitateResult result = imitate(*walk, shipped_robot("unitree_g1"));
  ASSERT_FALSE(result.gestures.empty());
  for (const GestureResult& gesture : result.gestures) {
    ASSERT_EQ(gesture.result.motion.contacts.size(), 2U);
    for (const LinkContacts& foot : gesture.result.motion.contacts) {
      EXPECT_EQ(foot.heel.size(), gesture.result.motion.states.size());
      EXPECT_TRUE(foot.anchor.empty());
    }
  }
}

// Leaves out every tenth sample, and cuts the recording in the middle.
class Torn final : public Recording {
 public:
  explicit Torn(std::unique_ptr<Recording> all) : all_(std::move(all)) {}
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return all_->names(); }
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return all_->info(); }
  [[nodiscard]] const std::string& problem() const noexcept override { return all_->problem(); }
  void rewind() override {
    all_->rewind();
    read_ = 0;
  }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override {
    if (read_ % 10 == 9) (void)all_->read(sample);
    const ReadStatus status = all_->read(sample);
    sample.cut = sample.cut || read_ == 60;
    ++read_;
    return status;
  }

 private:
  std::unique_ptr<Recording> all_;
  int read_ = 0;
};

TEST(MotionContacts, OfARecordingWithGapsAndCutsAreThoseOfItsStamps) {
  Torn torn(bundled_walk());
  const RetargetResult gaps = retarget(torn, shipped_robot("unitree_g1")), whole = walked();
  ASSERT_EQ(gaps.motion.contacts.size(), 2U);
  ASSERT_LT(gaps.motion.states.size(), whole.motion.states.size());
  std::size_t same = 0, all = 0, k = 0;
  for (std::size_t j = 0; j < gaps.motion.states.size(); ++j) {
    while (whole.motion.states[k].t < gaps.motion.states[j].t) ++k;
    ASSERT_EQ(whole.motion.states[k].t, gaps.motion.states[j].t);
    for (std::size_t i = 0; i < 2; ++i, ++all)
      same += gaps.motion.contacts[i].stands(j) == whole.motion.contacts[i].stands(k) ? 1 : 0;
  }
  EXPECT_GT(static_cast<double>(same), 0.95 * static_cast<double>(all));  // begin and end shift by a frame
}

}  // namespace
}  // namespace panto
