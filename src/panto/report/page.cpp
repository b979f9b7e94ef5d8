#include "panto/report/page.hpp"

#include <algorithm>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/evaluation/timeline.hpp"
#include "panto/io/part_file.hpp"
#include "panto/motion/contacts.hpp"
#include "panto/recording/recording.hpp"
#include "panto/report/page_json.hpp"
#include "panto/report/shared_names.hpp"

namespace panto {
namespace {

TimelineOptions timeline_options(const ReportPageInfo& info) {
  TimelineOptions options;
  options.settle = info.settle;
  options.rate_hz = info.rate_hz;
  return options;
}

// The contacts of the shown frames; none where they are not of the frames that were added.
std::vector<LinkContacts> shown_contacts(const std::vector<LinkContacts>& contacts,
                                         const std::vector<Time>& stamps, const Timeline& timeline) {
  for (const LinkContacts& foot : contacts)
    if (stamps.empty() || foot.heel.size() != stamps.size() || foot.ball.size() != stamps.size()) return {};
  std::vector<Time> instants;
  for (const TimelineFrame& frame : timeline.shown) instants.push_back(frame.t);
  return contacts_at(contacts, stamps, instants);
}

}  // namespace

std::string_view checked_page(std::string_view page) {
  if (page.empty()) throw Error("no report can be written: " + std::string(report_page_missing()));
  const std::size_t place = page.find(kReportPagePlace);
  if (place == std::string_view::npos || page.find(kReportPagePlace, place + 1) != std::string_view::npos)
    throw Error("no report can be written: the page must hold " + std::string(kReportPagePlace) +
                " exactly once");
  return page;
}

struct ReportPage::Impl {
  std::string_view page;
  const Model& model;
  std::vector<TrackedPair> pairs;
  ReportPageInfo info;
  TimelineBuilder timeline;
  std::optional<SegmentSample> person;
  std::vector<LinkContacts> contacts;
  std::vector<Time> solved_at;  // stamps of the frames that contacts are of
  io::PartFile file;            // last: what cannot be collected leaves no file behind
};

ReportPage::ReportPage(const io::Destination& to, const Model& model, const std::vector<TrackedPair>& pairs,
                       const ReportPageInfo& info, std::string_view page)
    : impl_(new Impl{checked_page(page),
                     model,
                     pairs,
                     info,
                     TimelineBuilder(model, pairs, timeline_options(info)),
                     {},
                     {},
                     {},
                     io::PartFile(to)}) {}

ReportPage::~ReportPage() = default;

void ReportPage::add(const SegmentSample& sample, const State& state, const StepRecord& step) {
  const SegmentSample* person = impl_->person ? &*impl_->person : nullptr;
  impl_->timeline.add(sample, state, step, person);
  impl_->person.reset();
  if (advanced(step.status)) impl_->solved_at.push_back(state.t);
}

void ReportPage::show_person(const SegmentSample& person) {
  if (person.segments.size() == impl_->info.segments.size()) impl_->person = person;
}

void ReportPage::set_contacts(std::span<const LinkContacts> contacts) {
  impl_->contacts.assign(contacts.begin(), contacts.end());
}

void ReportPage::close(const ReportPageResult& result) {
  io::PartFile& file = impl_->file;
  if (!file.good()) return file.close();
  const Timeline timeline = impl_->timeline.timeline();
  ReportPageResult complete = result;
  complete.contacts = shown_contacts(impl_->contacts, impl_->solved_at, timeline);
  const std::string run = report_page_json(impl_->model, impl_->pairs, impl_->info, complete, timeline);
  const std::size_t place = impl_->page.find(kReportPagePlace);
  // a failure is kept and thrown by close()
  (void)file.write(impl_->page.substr(0, place));
  (void)file.write(run);
  (void)file.write(impl_->page.substr(place + kReportPagePlace.size()));
  file.close();
}

ReportPageResult page_result(const TrackResult& result, const RecordingInfo& info,
                             std::vector<std::string> notes) {
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  if (result.damage) notes.push_back(*result.damage);
  ReportPageResult page;
  page.card = result.card;
  page.notes = without_folders(std::move(notes), {info.path});
  page.verdict = verdict_of(result);
  page.rig = info.rig;
  page.rig_joints = info.rig_joints;
  page.unmeasured = result.unmeasured_joints;
  return page;
}

}  // namespace panto
