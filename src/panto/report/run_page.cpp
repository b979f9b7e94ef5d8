#include "panto/report/run_page.hpp"

#include <utility>

#include "panto/base/time.hpp"
#include "panto/recording/person_reader.hpp"
#include "panto/report/robot_motion_report.hpp"
#include "panto/report/robot_report.hpp"

namespace panto {
namespace {

ReportPageInfo about(const RecordingInfo& info, std::vector<std::string> segments, const RunPageFacts& facts,
                     double settle) {
  return {info.path,           info.format, facts.version, info.rate_hz, from_seconds(settle),
          std::move(segments), {},          facts.meshes};
}

// tells a page what a run does, besides `other`
Observer told_to(ReportPage& page, const Observer& other) {
  Observer observer = other;
  observer.frame = [&page, next = other.frame](const SegmentSample& sample, const State& state,
                                               const StepRecord& step) {
    page.add(sample, state, step);
    if (next) next(sample, state, step);
  };
  observer.person = [&page](const SegmentSample& person) { page.show_person(person); };
  observer.contacts = [&page](std::span<const LinkContacts> contacts) { page.set_contacts(contacts); };
  return observer;
}

}  // namespace

RunPage track_page(const io::Destination& to, Recording& recording, const Model& human,
                   const RunPageFacts& facts, const Observer& observer) {
  const TrackOptions options;
  ReportPage page(to, human, followed_pairs(recording, human),
                  about(recording.info(), recording.names(), facts, options.settle), facts.page);
  TrackResult result = track(recording, human, options, told_to(page, observer));
  ReportPageResult told = page_result(result, recording.info(), facts.notes);
  told.verdict = with_sensors(verdict_of(result), facts.sensed);
  page.close(told);
  return {*told.verdict, std::move(result.motion)};
}

RunPage retarget_page(const io::Destination& to, Recording& recording, const Robot& robot,
                      const RetargetOptions& options, const RunPageFacts& facts, const Observer& observer) {
  ReportPage page(to, robot.model, followed_pairs(recording, robot, options),
                  about(recording.info(), PersonReader(recording).names(), facts, options.settle),
                  facts.page);
  RetargetResult result = retarget(recording, robot, options, told_to(page, observer));
  const ReportPageResult told =
      page_result(RobotReport{robot.model, recording.info(), result, facts.sensed}, facts.notes);
  page.close(told);
  return {*told.verdict, std::move(result.motion)};
}

RunPage motion_page(const io::Destination& to, const RobotMotion& motion, const std::string& name,
                    const RunPageFacts& facts) {
  RetargetResult judged = judge_motion(motion);
  ReportPageInfo info{name, motion.format, facts.version, motion.motion.rate_hz, 0, {}, {}, facts.meshes};
  for (const io::ToldFact& fact : motion.facts)
    info.settings.emplace_back(fact.what, fact.value + " (" + io::to_string(fact.certainty) + ")");
  ReportPage page(to, motion.robot.model, {}, info, facts.page);
  page.set_contacts(judged.motion.contacts);
  for (const State& state : motion.motion.states) {
    SegmentSample sample;
    sample.t = state.t;
    page.add(sample, state, {});
  }
  ReportPageResult told = page_result(static_cast<const TrackResult&>(judged), RecordingInfo{}, facts.notes);
  told.verdict = verdict_of(motion, judged);
  page.close(told);
  return {*told.verdict, std::move(judged.motion)};
}

}  // namespace panto
