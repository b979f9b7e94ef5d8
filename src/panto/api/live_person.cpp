#include "panto/api/live_person.hpp"

#include <exception>
#include <memory>
#include <utility>

#include "panto/api/live_calibration.hpp"
#include "panto/api/live_retargeter.hpp"
#include "panto/api/live_sensors.hpp"
#include "panto/sample/human_pose.hpp"
#include "panto/sample/realignment.hpp"
#include "panto/sample/time_bound.hpp"
#include "panto/tracking/imu_preparation.hpp"

namespace panto {
namespace {

LiveStep step_of(StepStatus status, const StepReport& report, LiveFrame& frame) {
  frame.valid = usable(status);
  return {advanced(status), advanced(status), report.returning};
}

SegmentSample sized_person(std::size_t segments) {
  SegmentSample person;
  person.segments.resize(segments);
  return person;
}

// A sample with the stamp that its arrival allows, so that limits of speed hold in real time.
struct Bounded {
  explicit Bounded(std::size_t segments) : sample(sized_person(segments)) {}
  /// Returns null when there is no time for this sample: the next one comes instead.
  const SegmentSample* take(const SegmentSample& given, Time arrival) noexcept {
    if (arrival == 0) return &given;  // its arrival is unknown
    const Time t = bound.bound(given.t, arrival);
    if (begun && t <= sample.t) return nullptr;
    begun = true;
    if (t == given.t) {
      sample.t = t;
      return &given;
    }
    sample = given;
    sample.t = t;
    return &sample;
  }

  TimeBound bound;
  SegmentSample sample;
  bool begun = false;
};

// What lets a follower of samples be re-aligned; empty for samples without a pelvis.
std::function<void()> aligner(const std::shared_ptr<Realignment>& realignment) {
  if (!realignment->able()) return {};
  return [realignment] { realignment->ask(); };
}

// A model that wears sensors, and what a frame shows of it.
struct Worn {
  Worn(const Model& model, const SensorSetup& sensors, const std::vector<std::string>& sensor_names,
       const SubjectDimensions& dimensions)
      : human(model),
        names(sensor_names),
        person(dimensions),
        calibration(model, sensors, names),
        tracker(std::make_unique<LiveSensors>(model, sensors, names, dimensions)),
        own(tracker->start_state()) {
    if (is_human(human)) pose = std::make_unique<HumanPose>(human);
  }
  // Restarts the filter with other mounts, in the held pose.
  void mount(const LiveCalibration::Found& found) {
    try {
      tracker = std::make_unique<LiveSensors>(human, found.sensors, names, person);
    } catch (const std::exception& error) {
      return calibration.say(std::string("these mounts cannot be used, the run goes on as before: ") +
                             error.what());
    }
    own = tracker->start_state();
    own.s = found.pose.s;
    own.p_WB.z() += found.lower;
    mounted = std::make_shared<SensorSetup>(found.sensors);
    if (tracker->model().base() == BaseKind::Floating) realignment.ask();
    begins = true;
  }
  // the filter goes on from its own state, whatever is made of it
  StepStatus step(const ImuSample& sample, State& state, SegmentSample& shown) {
    if (const auto found = calibration.add(sample)) mount(*found);
    const StepStatus status = tracker->step(sample, own);
    if (!advanced(status)) return status;
    state = own;
    const bool turned = realignment.apply(state), began = std::exchange(begins, false);
    if (!pose) return status;
    pose->read(state, shown);
    shown.cut = tracker->last_report().clock_gap || turned || began;
    return status;
  }

  Model human;
  std::vector<std::string> names;
  SubjectDimensions person;
  LiveCalibration calibration;
  std::unique_ptr<LiveSensors> tracker;
  State own;
  bool begins = false;
  std::shared_ptr<const SensorSetup> mounted;  // not told yet
  Realignment realignment;
  std::unique_ptr<HumanPose> pose;
};

// Lets a follower of worn sensors be calibrated.
LiveFollower<ImuSample> calibrated(const std::shared_ptr<Worn>& worn, LiveFollower<ImuSample> follower) {
  follower.calibrate = [worn](const std::string& poses) { worn->calibration.begin(poses); };
  follower.news = [worn] { return worn->calibration.news(); };
  follower.waits = [worn] { return worn->calibration.waits(); };
  follower.found = [worn] { return std::exchange(worn->mounted, nullptr); };
  return follower;
}

}  // namespace

LiveFollower<SegmentSample> live_passage(const std::vector<std::string>& segments) {
  const auto realignment = std::make_shared<Realignment>(segments);
  return {[realignment](const SegmentSample& sample, LiveFrame& frame) {
            frame.person = realignment->apply(sample);
            frame.valid = true;
            return LiveStep{true, true, false};
          },
          [](LiveFrame&) { return false; },
          {{}, sized_person(segments.size())},
          aligner(realignment)};
}

LiveFollower<SegmentSample> live_human(const Model& human, const std::vector<std::string>& segments,
                                       const TrackOptions& options) {
  struct Following {
    Following(const Model& body, const std::vector<std::string>& names, const TrackOptions& how)
        : model(body), pose(model), tracker(live_tracker(model, names, how)), bounded(names.size()) {}
    Model model;
    HumanPose pose;
    std::unique_ptr<Tracker<SegmentSample>> tracker;
    Bounded bounded;
  };
  const auto all = std::make_shared<Following>(human, segments, options);
  const auto realignment = std::make_shared<Realignment>(segments);
  return {[all, realignment](const SegmentSample& sample, LiveFrame& frame) {
            const SegmentSample* const taken = all->bounded.take(sample, frame.arrival);
            if (taken == nullptr) return LiveStep{true, false, false};
            const StepStatus status = all->tracker->step(realignment->apply(*taken), frame.state);
            if (advanced(status)) all->pose.read(frame.state, frame.person);
            return step_of(status, all->tracker->last_report(), frame);
          },
          [](LiveFrame&) { return false; },
          {rest_state(all->model), sized_person(kHumanSegmentCount)},
          aligner(realignment)};
}

LiveFollower<SegmentSample> live_robot(const Robot& robot, const std::vector<std::string>& segments,
                                       const SubjectDimensions& person, const RetargetOptions& options) {
  const auto retargeter = std::make_shared<LiveRetargeter>(robot, segments, person, options);
  const auto bounded = std::make_shared<Bounded>(segments.size());
  const auto realignment = std::make_shared<Realignment>(segments);
  return {[retargeter, bounded, realignment](const SegmentSample& sample, LiveFrame& frame) {
            const SegmentSample* const taken = bounded->take(sample, frame.arrival);
            if (taken == nullptr) return LiveStep{true, false, false};
            frame.person = realignment->apply(*taken);
            const std::size_t waiting = retargeter->pending();
            const StepStatus status = retargeter->step(frame.person, frame.state);
            LiveStep step = step_of(status, retargeter->last_report(), frame);
            step.used = step.used || retargeter->pending() > waiting;  // its state comes later
            return step;
          },
          [retargeter](LiveFrame& frame) { return advanced(retargeter->drain(frame.state)); },
          {retargeter->rest_state(), sized_person(segments.size())},
          aligner(realignment)};
}

LiveFollower<ImuSample> live_sensors(const Model& model, const SensorSetup& sensors,
                                     const std::vector<std::string>& names, const SubjectDimensions& person) {
  const auto worn = std::make_shared<Worn>(model, sensors, names, person);
  std::function<void()> align;
  if (worn->tracker->model().base() == BaseKind::Floating) align = [worn] { worn->realignment.ask(); };
  return calibrated(worn, {[worn](const ImuSample& sample, LiveFrame& frame) {
                             const StepStatus status = worn->step(sample, frame.state, frame.person);
                             return step_of(status, worn->tracker->last_report(), frame);
                           },
                           [](LiveFrame&) { return false; },
                           {worn->own, sized_person(worn->pose ? kHumanSegmentCount : 0)},
                           align});
}

LiveFollower<ImuSample> live_sensed_robot(const Model& human, const SensorSetup& sensors,
                                          const std::vector<std::string>& names,
                                          const SubjectDimensions& person, const Robot& robot,
                                          const RetargetOptions& options) {
  const auto worn = std::make_shared<Worn>(human, sensors, names, person);
  const LiveFollower<SegmentSample> follower = live_robot(robot, human_segment_names(), person, options);
  const auto state = std::make_shared<State>(worn->tracker->start_state());
  const auto body = std::make_shared<SegmentSample>(sized_person(kHumanSegmentCount));
  return calibrated(worn, {[=](const ImuSample& sample, LiveFrame& frame) {
                             const StepStatus status = worn->step(sample, *state, *body);
                             return advanced(status) ? follower.step(*body, frame) : LiveStep{};
                           },
                           follower.drain, follower.sized, follower.align});
}

}  // namespace panto
