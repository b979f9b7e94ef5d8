#include "panto/bridge/live_view.hpp"

#include <chrono>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "panto/live/pacer.hpp"

namespace panto::bridge {
namespace {

constexpr Time kShowEvery = 16'000'000;  // [ns]

enum Channel : std::uint32_t { Scene, Joints, Transforms, Person, Health, Log };

constexpr std::string_view kHealthSchema =
    R"({"title":"panto.Health","type":"object","properties":{"stream":{"type":"string"},"rate_hz":)"
    R"({"type":"number"},"samples":{"type":"integer"},"overtaken":{"type":"integer"},"losses":)"
    R"({"type":"integer"},"longest_gap_s":{"type":"number"},"pose_median_ms":{"type":"number"},)"
    R"("pose_p99_ms":{"type":"number"},"output_median_ms":{"type":["number","null"]},"output_p99_ms":)"
    R"({"type":["number","null"]},"armed":{"type":["boolean","null"]},"missing":{"type":"array","items":)"
    R"({"type":"string"}}}})";

std::vector<ServedChannel> channels() {
  return {{{"/scene", io::kSceneUpdateSchema.name, io::kSceneUpdateSchema.json}, Waiting::Kept},
          {{"/joint_states", io::kJointStatesSchema.name, io::kJointStatesSchema.json}, Waiting::Newest},
          {{"/tf", io::kFrameTransformsSchema.name, io::kFrameTransformsSchema.json}, Waiting::Newest},
          {{"/person", io::kFrameTransformsSchema.name, io::kFrameTransformsSchema.json}, Waiting::Newest},
          {{"/health", "panto.Health", kHealthSchema}, Waiting::Kept},
          {{"/log", io::kLogSchema.name, io::kLogSchema.json}, Waiting::All}};
}

std::string new_token() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device random;
  std::string token;
  while (token.size() < 32) token.push_back(kDigits[random() % kDigits.size()]);
  return token;
}

std::string health_text(live::StreamState stream, const LiveFigures& figures, std::optional<bool> armed) {
  nlohmann::json json{{"stream", live::to_string(stream)},
                      {"rate_hz", figures.rate_hz},
                      {"samples", figures.samples},
                      {"overtaken", figures.overtaken},
                      {"losses", figures.losses},
                      {"longest_gap_s", figures.longest_gap},
                      {"pose_median_ms", 1e3 * figures.to_pose.median},
                      {"pose_p99_ms", 1e3 * figures.to_pose.p99},
                      {"output_median_ms", 1e3 * figures.to_output.median},
                      {"output_p99_ms", 1e3 * figures.to_output.p99},
                      {"armed", nullptr},
                      {"missing", figures.missing}};
  if (armed) json["armed"] = *armed;
  if (figures.to_output.count == 0) json["output_median_ms"] = json["output_p99_ms"] = nullptr;  // no output
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

LiveView::LiveView(std::uint16_t port, const std::vector<std::string>& origins, const Model& model,
                   ViewedRun run)
    : model_(&model),
      kinematics_(model),
      run_(std::move(run)),
      token_(new_token()),
      since_1970_(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count() -
                  live::monotonic_now()),
      pages_(port, origins) {
  viewers_.emplace(run_.name, channels(), token_, [this](bool arm) {
    const std::lock_guard lock(mutex_);
    if (run_.robots) wish_ = arm;
  });
  viewers_->publish(Scene, since_1970_ + live::monotonic_now(),
                    io::model_scene_text(model, since_1970_ + live::monotonic_now()));
  thread_ = std::thread([this] { serve(); });
}

LiveView::~LiveView() {
  stop_ = true;
  thread_.join();
  viewers_.reset();
}

std::string LiveView::address() const {
  return "http://127.0.0.1:" + std::to_string(pages_.port()) + "/#" + token_;
}

void LiveView::serve() noexcept {
  try {
    pages_.serve(
        [this](const std::string& path) {
          return path == "/" ? std::optional(live::WebPage{run_.page}) : std::nullopt;
        },
        [this] { return stop_.load(); },
        [this](int handle, std::string head) { viewers_->adopt(handle, std::move(head)); });
  } catch (const std::exception& problem) {
    const std::lock_guard lock(mutex_);
    problem_ = problem.what();
  }
}

void LiveView::write(const LiveFrame& frame) noexcept {
  if (frame.flushed() || frame.arrival - shown_ < kShowEvery) return;
  shown_ = frame.arrival;
  const Time date = since_1970_ + frame.arrival;
  try {
    if (viewers_->wanted(Joints))
      viewers_->publish(Joints, date, io::joint_states_text(*model_, frame.state, date));
    if (viewers_->wanted(Transforms))
      viewers_->publish(Transforms, date, io::link_transforms_text(*model_, kinematics_, frame.state, date));
    if (viewers_->wanted(Person) && !frame.person.segments.empty())
      viewers_->publish(Person, date, io::person_transforms_text(run_.segments, frame.person, date));
  } catch (const std::bad_alloc&) {
    ++missed_;  // the next one comes soon
  }
}

void LiveView::show(live::StreamState stream, const LiveFigures& figures, std::optional<bool> armed) {
  const Time date = since_1970_ + live::monotonic_now();
  viewers_->publish(Health, date, health_text(stream, figures, armed));
  if (std::exchange(stream_, stream) == stream) return;
  const bool bad = stream == live::StreamState::Lost || stream == live::StreamState::Fault;
  viewers_->publish(Log, date,
                    io::log_text(bad ? io::LogLevel::Warning : io::LogLevel::Info,
                                 std::string("the stream is ") + live::to_string(stream), date));
}

std::string LiveView::failed() {
  const std::lock_guard lock(mutex_);
  return problem_;
}

std::optional<bool> LiveView::wish() {
  const std::lock_guard lock(mutex_);
  return std::exchange(wish_, std::nullopt);
}

}  // namespace panto::bridge
