#include "apps/panto/outputs.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "apps/panto/interruption.hpp"
#include "panto/base/error.hpp"
#include "panto/base/printable.hpp"
#include "panto/base/text.hpp"
#include "panto/io/led_layout.hpp"
#include "panto/io/outputs.hpp"
#include "panto/io/state_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/live/address.hpp"

namespace panto::app {
namespace {

std::vector<std::string> file_paths(const TrackingOptions& options) {
  std::vector<std::string> paths;
  std::copy_if(options.outputs.begin(), options.outputs.end(), std::back_inserter(paths),
               [](const std::string& path) { return !live::is_address(path); });
  for (const std::string& path : {options.report, options.frames})
    if (!path.empty()) paths.push_back(path);
  return paths;
}

[[noreturn]] void refuse_points(const std::string& input, const std::string& output) {
  std::string text = "output '" + output + "': points are not tracked; `panto convert ";
  text.append(input).append(" ").append(output).append("` writes them");
  throw ConfigError(text);
}

// Counts what another sink drops.
class CountingSink final : public Sink {
 public:
  CountingSink(Sink& sink, std::int64_t& dropped) : sink_(&sink), dropped_(&dropped) {}
  [[nodiscard]] WriteStatus write(const State& state) noexcept override {
    const WriteStatus status = sink_->write(state);
    *dropped_ += status == WriteStatus::Dropped ? 1 : 0;
    return status;
  }

 private:
  Sink* sink_;
  std::int64_t* dropped_;
};

}  // namespace

// All links to robots, which are opened when the motion is there.
class Outputs::Links final : public Sink {
 public:
  explicit Links(Outputs& outputs) : outputs_(&outputs) {}
  [[nodiscard]] WriteStatus write(const State& state) noexcept override {
    for (const auto& link : outputs_->links_)
      outputs_->dropped_ += link->paced.write(state) == WriteStatus::Dropped ? 1 : 0;
    return WriteStatus::Written;
  }

 private:
  Outputs* outputs_;
};

void check_output_names(const TrackingOptions& options) {
  io::check_outputs(file_paths(options), {options.input, options.sensors, options.model, options.robot,
                                          options.character, options.rig});
  for (const std::string& path : options.outputs) {
    if (live::is_address(path)) {
      (void)live::parse_link_address(path);
      if (std::count(options.outputs.begin(), options.outputs.end(), path) > 1)
        throw ConfigError("output '" + path + "' is given twice");
      continue;
    }
    if (io::extension_of(path) == ".trc") refuse_points(options.input, path);
    io::check_state_name(path, options.robot.empty());
  }
  io::check_ending("--report", options.report, ".html", "a page");
  io::check_ending("--frames", options.frames, ".csv", "a table");
}

Outputs::Outputs(const TrackingOptions& options, const OutputRun& run, std::vector<std::string>& notes)
    : options_(options), model_(&run.model), rate_hz_(run.info.rate_hz), about_(run.about) {
  io::StateFileOptions file{rate_hz_, options_.angles};
  file.isb_arms = io::isb_arms_of(run.info.format);
  file.layout = options_.layout;
  file.resample_hz = options_.fps;
  file.character = run.character;
  for (const std::string& path : options_.outputs) {
    if (live::is_address(path)) continue;
    files_.push_back(path);
    outputs_.push_back(run.finish ? io::create_layout_file(path, *model_, file, run.finish)
                                  : io::create_state_file(path, *model_, file));
  }
  if (!options_.frames.empty()) frames_.emplace(options_.frames, *model_, run.pairs);
  remove_when_interrupted(file_paths(options_));
  if (options_.report.empty()) return;
  page_ = std::make_unique<ReportPage>(
      options_.report, *model_, run.pairs,
      ReportPageInfo{options_.input + run.part, run.info.format, PANTO_VERSION, rate_hz_,
                     from_seconds(options_.settle), run.segments, settings_of(options_),
                     io::page_meshes(run.shapes.get(), *model_, notes)});
}

Outputs::~Outputs() = default;

void Outputs::open_links() {
  for (const std::string& path : options_.outputs)
    if (live::is_address(path))
      links_.push_back(std::make_unique<LinkOutput>(path, *model_, options_.rate, rate_hz_));
}

void Outputs::watch(Observer& observer) {
  for (const auto& output : outputs_) counting_.push_back(std::make_unique<CountingSink>(*output, dropped_));
  for (const auto& sink : counting_) observer.sinks.push_back(sink.get());
  observer.contacts = [this](std::span<const LinkContacts> contacts) {
    for (const auto& output : outputs_) output->set_contacts(contacts);
    if (page_) page_->set_contacts(contacts);
  };
  to_links_ = std::make_unique<Links>(*this);
  observer.sinks.push_back(to_links_.get());
  observer.begin = [this, before = observer.begin] {
    if (before) before();
    open_links();
  };
  observer.person = [this](const SegmentSample& person) {
    if (page_) page_->show_person(person);
  };
  observer.frame = [this, before = observer.frame](const SegmentSample& sample, const State& state,
                                                   const StepRecord& record) {
    if (page_) page_->add(sample, state, record);
    if (frames_) frames_->add(sample, state, record);
    if (before) before(sample, state, record);
  };
}

// References that an address did not take; true when there are none.
bool Outputs::report_dropped_references() const {
  bool all_sent = true;
  for (const auto& link : links_) {
    if (link->sender->dropped() == 0) continue;
    all_sent = false;
    std::fprintf(stderr, "panto: %s to %s could not be sent; is a receiver running there?\n",
                 counted(link->sender->dropped(), "reference").c_str(), link->address.c_str());
  }
  return all_sent;
}

void Outputs::close_one(const std::string& path, const std::function<void()>& close) {
  try {
    close();
    written_.push_back(path);
  } catch (const Error& error) {
    std::fprintf(stderr, "panto: %s\n", printable(error.what()).c_str());
    complete_ = false;
  }
}

void Outputs::close(const ReportPageResult& result) {
  const bool all_sent = report_dropped_references();
  if (dropped_ > 0 && all_sent)
    std::fprintf(stderr, "panto: %s could not be written\n", counted(dropped_, "frame").c_str());
  complete_ = dropped_ == 0;
  for (std::size_t i = 0; i < outputs_.size(); ++i) close_one(files_[i], [&] { outputs_[i]->close(); });
  for (const auto& link : links_) written_.push_back(link->close());
  if (frames_) close_one(options_.frames, [&] { frames_->close(); });
  if (!page_) return;
  ReportPageResult page = result;
  page.gesture = about_;
  page_->close(page);
  written_.push_back(options_.report);
}

}  // namespace panto::app
