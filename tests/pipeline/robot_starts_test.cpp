// A robot that begins a clip anywhere, in any pose, ends in the same motion.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "panto/base/index.hpp"
#include "panto/ik/robot_skeleton.hpp"
#include "panto/io/motion_file.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/io/urdf.hpp"
#include "panto/math/so3.hpp"
#include "panto/pipeline/retargeter.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr double kFollowTime = 1.5;  // [s] after the start at which motions are compared

struct Clip {
  std::vector<std::string> names;  // of the 23 segments
  std::vector<SegmentSample> samples;
  SubjectDimensions subject;
};

Clip read_clip(const std::string& path) {
  const auto file = io::open_motion_file(path);
  Clip clip;
  clip.subject = file->info().subject.value_or(scaled_subject(1.75));
  std::vector<std::size_t> from;
  const auto& attachments = file->info().attachments.attachments;
  for (const Attachment& a : attachments) {
    clip.names.push_back(a.link);
    from.push_back(static_cast<std::size_t>(std::find(file->names().begin(), file->names().end(), a.segment) -
                                            file->names().begin()));
  }
  SegmentSample raw;
  while (file->read(raw) == ReadStatus::Sample) {
    SegmentSample sample;
    sample.t = raw.t;
    for (std::size_t i = 0; i < from.size(); ++i) {
      sample.segments.push_back(raw.segments[from[i]]);
      sample.segments.back().R_WS = sample.segments.back().R_WS * attachments[i].R_SF;
    }
    clip.samples.push_back(std::move(sample));
  }
  return clip;
}

// One robot on one clip: the samples that it follows, and the motion from the clip's beginning.
class Followed {
 public:
  Followed(const Model& model, const Clip& clip) : model_(model), map_(propose_robot_map(model).map) {
    AttachmentMap attached = map_.attachments;
    std::erase_if(attached.attachments, [&](const Attachment& a) {
      return std::find(clip.names.begin(), clip.names.end(), a.segment) == clip.names.end();
    });
    RobotSkeleton skeleton(model_, map_, clip.subject, clip.names);
    for (const SegmentSample& person : clip.samples) {
      samples_.emplace_back();
      skeleton.pose(person, samples_.back());
    }
    tracker_ = std::make_unique<Retargeter>(model_, attached, robot_options(), clip.names);
    for (const Attachment& a : attached.attachments) links_.push_back(model_.link_index(a.link));
    State state = tracker_->rest_state();
    for (const SegmentSample& sample : samples_) {
      EXPECT_TRUE(usable(tracker_->step(sample, state)));
      reference_.push_back(state);
    }
  }

  // Largest angle between links of a motion that begins at a drawn frame and pose and the one from the
  // beginning, `kFollowTime` later [deg]; `flagged`: the tracker has said that its answer is not usable.
  double start_anywhere(test::Random& random, bool& flagged) {
    const double rate =
        static_cast<double>(samples_.size() - 1) / to_seconds(samples_.back().t - samples_.front().t);
    const int span = static_cast<int>(kFollowTime * rate);
    const int first = test::pick(random, static_cast<int>(samples_.size()) - span);
    State state = tracker_->rest_state();
    for (int i = 0; i < model_.dof(); ++i)
      state.s[i] = test::uniform(random, std::max(model_.lower()[i], -3.0), std::min(model_.upper()[i], 3.0));
    state.R_WB = test::random_rotation(random);
    state.p_WB = test::random_vector(random, 2.0);
    tracker_->reset();
    flagged = false;
    for (int k = first; k < first + span; ++k)
      flagged = !usable(tracker_->step(samples_[at(k)], state)) || flagged;
    Kinematics ours(model_), theirs(model_);
    ours.update(state);
    theirs.update(reference_[at(first + span - 1)]);
    double worst = 0.0;
    for (const int link : links_)
      worst = std::max(worst, so3::log(ours.R_WL(link).transpose() * theirs.R_WL(link)).norm() * kDegrees);
    return worst;
  }

 private:
  Model model_;
  RobotMap map_;
  std::vector<SegmentSample> samples_;
  std::unique_ptr<Retargeter> tracker_;
  std::vector<int> links_;
  std::vector<State> reference_;
};

TEST(RobotStarts, EndInTheSameMotionWhereverAndHoweverTheyBegin) {
  PANTO_NEED_DATA("bvh/cmu");
  PANTO_NEED_DATA("models/talos");
  std::vector<Clip> clips;
  for (const char* name : {"bvh/cmu/002_01.bvh", "bvh/cmu/002_03.bvh", "bvh/cmu/005_02.bvh",
                           "bvh/cmu/131_01.bvh", "mvnx/blender-mvnx-io_test_mocap.mvnx"})
    clips.push_back(read_clip(test::data_file(name)));
  std::map<std::string, Model> robots;
  for (const char* name : {"unitree_g1", "icub"}) robots.emplace(name, io::shipped_robot(name));
  for (const char* name :
       {"models/talos/talos_reduced.urdf", "models/unitree/h1.urdf", "models/talos/simple_humanoid.urdf"})
    robots.emplace(name, io::read_urdf(test::data_file(name)));
  test::Random random(40);
  int starts = 0, same = 0, unflagged = 0;
  const int each = std::max(1, test::scaled(8));
  for (const auto& [name, model] : robots) {
    int own = 0, others = 0;
    double worst = 0.0;
    for (const Clip& clip : clips) {
      Followed run(model, clip);
      for (int i = 0; i < each; ++i) {
        bool flagged = false;
        const double angle = run.start_anywhere(random, flagged);
        ++starts, ++own;
        worst = std::max(worst, angle);
        if (angle < 0.1) {
          ++same;
        } else {
          ++others;
          unflagged += flagged ? 0 : 1;
        }
      }
    }
    std::printf("%s: %d starts, %d not the same motion, worst %.3g deg\n", name.c_str(), own, others, worst);
  }
  std::printf("%d of %d starts the same within 0.1 deg, %d others not flagged\n", same, starts, unflagged);
  EXPECT_GE(same, 0.999 * starts - 1.0);
}

}  // namespace
}  // namespace panto
