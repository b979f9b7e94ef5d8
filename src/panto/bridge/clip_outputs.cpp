#include "panto/bridge/clip_outputs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/bridge/close_output.hpp"
#include "panto/io/led_layout.hpp"
#include "panto/io/outputs.hpp"
#include "panto/io/robot_layout.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/live/address.hpp"
#include "panto/live/pacer.hpp"
#include "panto/live/robot.hpp"

namespace panto::bridge {
namespace {

constexpr double kLinkRate = 50.0;  // [Hz] of references where the recording has no rate

[[noreturn]] void refuse_points(const std::string& input, const std::string& output) {
  throw ConfigError(fmt::format("output '{1}': points are not tracked; `panto convert {0} {1}` writes them",
                                input, output));
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

// Sends references to an address when they are due. Writing to `paced` waits.
struct ClipOutputs::Link {
  Link(std::string to, const Model& model, std::optional<double> rate, double recording_rate)
      : address(std::move(to)),
        rate_hz(rate.value_or(recording_rate > 0.0
                                  ? std::clamp(recording_rate, live::kSlowestLink, live::kFastestLink)
                                  : kLinkRate)),
        sender(live::open_robot_link(address, model, rate_hz)),
        paced(*sender, rate_hz) {}

  // sends bye; returns a sentence about what was sent
  [[nodiscard]] std::string close() {
    sender->close();
    return fmt::format(
        "{} to {} at {:g} Hz{}, largest delay {:.1f} ms{}", counted(sender->sent(), "reference"), address,
        rate_hz, sender->dropped() > 0 ? fmt::format(" ({} dropped)", sender->dropped()) : "",
        1e3 * paced.pacer().latest(),
        sender->answered() ? "" : "; the robot did not answer: check that it runs and uses the same key");
  }

  std::string address;
  double rate_hz;
  std::unique_ptr<live::RobotLink> sender;
  live::PacedSink paced;
};

// All links to robots, which are opened when the motion is there.
class ClipOutputs::Links final : public Sink {
 public:
  explicit Links(ClipOutputs& outputs) : outputs_(&outputs) {}
  [[nodiscard]] WriteStatus write(const State& state) noexcept override {
    for (const auto& link : outputs_->links_)
      outputs_->dropped_ += link->paced.write(state) == WriteStatus::Dropped ? 1 : 0;
    return WriteStatus::Written;
  }

 private:
  ClipOutputs* outputs_;
};

std::vector<std::string> written_files(const ClipOutputOptions& options) {
  std::vector<std::string> paths;
  std::copy_if(options.outputs.begin(), options.outputs.end(), std::back_inserter(paths),
               [](const std::string& path) { return !live::is_address(path); });
  for (const std::string& path : {options.report, options.frames})
    if (!path.empty()) paths.push_back(path);
  return paths;
}

void check_clip_outputs(const ClipOutputOptions& options, const std::vector<std::string>& inputs,
                        io::Mover mover) {
  io::check_outputs(written_files(options), inputs);
  io::check_once(options.outputs);
  io::check_angles(options.outputs, options.angles);
  for (const std::string& path : options.outputs) {
    if (live::is_address(path)) {
      (void)live::parse_link_address(path);
      continue;
    }
    if (io::extension_of(path) == ".trc") refuse_points(options.input, path);
    if (options.layout.empty())
      io::check_state_name(path, mover);
    else
      io::check_layout_name(path, options.layout);
  }
}

ClipOutputs::ClipOutputs(ClipOutputOptions options, const ClipRun& run, std::vector<std::string>& notes)
    : options_(std::move(options)), model_(&run.model), rate_hz_(run.info.rate_hz), about_(run.about) {
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
  if (options_.report.empty()) return;
  page_ = std::make_unique<ReportPage>(
      options_.report, *model_, run.pairs,
      ReportPageInfo{options_.input + run.part, run.info.format, run.version, rate_hz_,
                     from_seconds(options_.settle), run.segments, run.settings,
                     io::page_meshes(run.shapes.get(), *model_, notes)});
}

ClipOutputs::~ClipOutputs() = default;

void ClipOutputs::open_links() {
  for (const std::string& path : options_.outputs)
    if (live::is_address(path))
      links_.push_back(std::make_unique<Link>(path, *model_, options_.rate, rate_hz_));
}

void ClipOutputs::watch(Observer& observer) {
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

std::vector<std::string> ClipOutputs::close(const ReportPageResult& result) {
  std::vector<std::string> problems;
  for (const auto& link : links_)
    if (link->sender->dropped() > 0)
      problems.push_back(fmt::format("{} to {} could not be sent; is a receiver running there?",
                                     counted(link->sender->dropped(), "reference"), link->address));
  if (dropped_ > 0 && problems.empty())
    problems.push_back(counted(dropped_, "frame") + " could not be written");
  complete_ = dropped_ == 0;
  const auto close_one = [&](const std::string& path, const std::function<void()>& close) {
    complete_ = close_output(path, close, written_, problems) && complete_;
  };
  for (std::size_t i = 0; i < outputs_.size(); ++i) close_one(files_[i], [&] { outputs_[i]->close(); });
  for (const auto& link : links_) written_.push_back(link->close());
  if (frames_) close_one(options_.frames, [&] { frames_->close(); });
  if (!page_) return problems;
  ReportPageResult page = result;
  page.gesture = about_;
  close_one(options_.report, [&] { page_->close(page); });
  return problems;
}

}  // namespace panto::bridge
