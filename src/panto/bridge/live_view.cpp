#include "panto/bridge/live_view.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "panto/bridge/token.hpp"
#include "panto/live/pacer.hpp"

namespace panto::bridge {
namespace {

constexpr Time kShowEvery = 16'000'000;  // [ns]
constexpr Time kJump = 1'000'000'000;    // [ns] by which a sender's clock has been set
constexpr std::size_t kMostWishes = 16;  // between two looks at them
constexpr Time kFollows = 200;           // part of the time that passes by which its pace is followed at most

enum Channel : std::uint32_t { Scene, Joints, Transforms, Person, Health, Log };

// Foxglove reads one plain type per key, so unknown values are absent instead of null.
constexpr std::string_view kHealthSchema =
    R"({"title":"panto.Health","type":"object","properties":{"stream":{"type":"string"},"silent_s":)"
    R"({"type":"number"},"rate_hz":{"type":"number"},"samples":{"type":"integer"},"overtaken":)"
    R"({"type":"integer"},"losses":{"type":"integer"},"longest_gap_s":{"type":"number"},"pose_median_ms":)"
    R"({"type":"number"},"pose_p99_ms":{"type":"number"},"output_median_ms":{"type":"number"},)"
    R"("output_p99_ms":{"type":"number"},"armed":{"type":"boolean"},"recording":{"type":"boolean"},)"
    R"("sensors":{"type":"boolean"},"missing":{"type":"array","items":{"type":"string"}}}})";

std::vector<ServedChannel> channels() {
  return {{{"/scene", io::kSceneUpdateSchema.name, io::kSceneUpdateSchema.json}, Waiting::Kept},
          {{"/joint_states", io::kJointStatesSchema.name, io::kJointStatesSchema.json}, Waiting::Newest},
          {{"/tf", io::kFrameTransformsSchema.name, io::kFrameTransformsSchema.json}, Waiting::Newest},
          {{"/person", io::kFrameTransformsSchema.name, io::kFrameTransformsSchema.json}, Waiting::Newest},
          {{"/health", "panto.Health", kHealthSchema}, Waiting::Kept},
          {{"/log", io::kLogSchema.name, io::kLogSchema.json}, Waiting::All}};
}

// `silent`: time since the newest sample [s]
std::string health_text(const RunNow& run, bool sensors, double silent, const LiveFigures& figures) {
  const bool lost = run.stream == live::StreamState::Lost;
  nlohmann::json json{{"stream", live::to_string(run.stream)},
                      {"sensors", sensors},
                      {"silent_s", silent},
                      {"rate_hz", lost ? 0.0 : figures.rate_hz},
                      {"samples", figures.samples},
                      {"overtaken", figures.overtaken},
                      {"losses", figures.losses + (lost ? 1 : 0)},
                      {"longest_gap_s", std::max(figures.longest_gap, lost ? silent : 0.0)},
                      {"pose_median_ms", 1e3 * figures.to_pose.median},
                      {"pose_p99_ms", 1e3 * figures.to_pose.p99},
                      {"missing", figures.missing}};
  if (run.armed) json["armed"] = *run.armed;
  if (run.recording) json["recording"] = *run.recording;
  if (figures.to_output.count > 0) {
    json["output_median_ms"] = 1e3 * figures.to_output.median;
    json["output_p99_ms"] = 1e3 * figures.to_output.p99;
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

struct LiveView::Shown {
  Shown(const Model& of, ViewedRun viewed, const std::string& token,
        const std::function<void(const live::Wish&)>& wished)
      : model(&of), kinematics(of), run(std::move(viewed)), viewers(run.name, channels(), token, wished) {}
  const Model* model;
  Kinematics kinematics;
  ViewedRun run;
  FoxgloveServer viewers;
};

LiveView::LiveView(ViewOptions options)
    : token_(options.token.empty() ? new_token() : std::move(options.token)),
      waiting_page_(std::move(options.page)),
      headset_(std::move(options.headset)),
      since_1970_(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count() -
                  live::monotonic_now()),
      pages_(options.port, options.origins) {
  if (!options.outside.hosts.empty()) outside_port_ = pages_.listen_for_outside(std::move(options.outside));
  thread_ = std::thread([this] { serve(); });
}

LiveView::~LiveView() {
  stop_ = true;
  thread_.join();
  for (const auto& [handle, head] : early_) (void)::close(handle);
}

std::string LiveView::address() const {
  return "http://127.0.0.1:" + std::to_string(pages_.port()) + "/#" + token_;
}

void LiveView::begin(const Model& model, ViewedRun run) {
  const bool robots = run.robots;
  run_ = std::make_unique<Shown>(model, std::move(run), token_, [this, robots](const live::Wish& wish) {
    using enum live::Wish::Kind;
    if (!robots && (wish.kind == Arm || wish.kind == Disarm)) return;
    const std::lock_guard lock(mutex_);
    if (wish.kind == Disarm) {  // is never lost; once is enough
      if (std::ranges::find(wishes_, Disarm, &live::Wish::kind) == wishes_.end()) wishes_.push_back(wish);
    } else if (wishes_.size() < kMostWishes) {
      wishes_.push_back(wish);
    }
  });
  const Time date = since_1970_ + live::monotonic_now();
  run_->viewers.publish(Scene, date, io::model_scene_text(model, date));
  const std::lock_guard lock(mutex_);
  begun_ = run_.get();
  for (auto& [handle, head] : early_) run_->viewers.adopt(handle, std::move(head));
  early_.clear();
}

std::optional<live::WebPage> LiveView::page(const live::WebRequest& request) const {
  const Shown* const run = begun_;
  if (request.path == "/")
    return live::WebPage{run != nullptr && !run->run.page.empty() ? run->run.page : waiting_page_};
  if (request.path != "/run.json" || run == nullptr || run->run.data.empty()) return std::nullopt;
  if (request.outside && !same_secret(request.query, token_))
    return live::WebPage{"The token is missing.\n", "text/plain; charset=utf-8", 403};
  return live::WebPage{run->run.data, "application/json"};
}

int LiveView::take_viewer(const live::WebRequest& request, int handle, const std::string& head) {
  if (request.path == "/headset" && headset_) return headset_(handle, head), 0;
  if (request.path != "/") return 404;
  if (request.outside && !same_secret(request.query, token_)) return 403;
  const std::lock_guard lock(mutex_);
  if (Shown* const run = begun_; run != nullptr)
    run->viewers.adopt(handle, head);
  else if (early_.size() < FoxgloveServer::kMostViewers)
    early_.emplace_back(handle, head);
  else
    return 403;
  return 0;
}

void LiveView::serve() noexcept {
  try {
    pages_.serve([this](const auto& request) { return page(request); }, [this] { return stop_.load(); },
                 [this](const auto& request, int handle, const std::string& head) {
                   return take_viewer(request, handle, head);
                 });
  } catch (const std::exception& problem) {
    const std::lock_guard lock(mutex_);
    problem_ = problem.what();
  }
}

// Dates frames by their stamps, which do not jitter as arrivals do. Follows the sender's clock so slowly that
// speeds between frames stay right to 0.5 %, however late a busy machine takes them; a jump of that clock
// sets the offset at once.
Time LiveView::date_of(const LiveFrame& frame) noexcept {
  const Time off = frame.arrival - frame.state.t - clock_;
  const Time most = std::max<Time>(frame.state.t - dated_, 0) / kFollows;
  dated_ = frame.state.t;
  clock_ += std::abs(off) > kJump ? off : std::clamp(off, -most, most);
  return since_1970_ + frame.state.t + clock_;
}

void LiveView::write(const LiveFrame& frame) noexcept {
  if (frame.flushed() || frame.arrival - shown_ < kShowEvery) return;
  shown_ = frame.arrival;
  const Time date = date_of(frame);
  FoxgloveServer& viewers = run_->viewers;
  try {
    if (viewers.wanted(Joints))
      viewers.publish(Joints, date, io::joint_states_text(*run_->model, frame.state, date));
    if (viewers.wanted(Transforms))
      viewers.publish(Transforms, date,
                      io::link_transforms_text(*run_->model, run_->kinematics, frame.state, date));
    if (viewers.wanted(Person) && !frame.person.segments.empty())
      viewers.publish(Person, date, io::person_transforms_text(run_->run.segments, frame.person, date));
  } catch (const std::bad_alloc&) {
    ++missed_;  // the next one comes soon
  }
}

void LiveView::note(io::LogLevel level, const std::string& line, Time date) {
  run_->viewers.publish(Log, date, io::log_text(level, line, date));
}

void LiveView::show(const RunNow& run, const LiveFigures& figures) {
  using io::LogLevel;
  const Time now = live::monotonic_now(), date = since_1970_ + now;
  if (std::exchange(samples_, figures.samples) != figures.samples || fresh_ == 0) fresh_ = now;
  run_->viewers.publish(Health, date, health_text(run, run_->run.sensors, to_seconds(now - fresh_), figures));
  const live::StreamState stream = run.stream;
  const std::optional<bool> armed = run.armed;
  const bool lost = stream == live::StreamState::Lost;
  if (std::exchange(stream_, stream) != stream)
    note(live::is_bad(stream) ? LogLevel::Warning : LogLevel::Info,
         std::string("the stream is ") + live::to_string(stream), date);
  const std::optional<bool> before = std::exchange(armed_, armed);
  if (before && armed && *before != *armed)
    note(*armed ? LogLevel::Warning : LogLevel::Info,
         *armed ? "robots are armed"
         : lost ? "robots are disarmed: the stream was lost for 2 s"
                : "robots are disarmed",
         date);
}

std::string LiveView::failed() {
  const std::lock_guard lock(mutex_);
  return problem_;
}

void LiveView::say(const std::string& line) {
  note(io::LogLevel::Info, line, since_1970_ + live::monotonic_now());
}

std::vector<live::Wish> LiveView::wishes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(wishes_, {});
}

}  // namespace panto::bridge
