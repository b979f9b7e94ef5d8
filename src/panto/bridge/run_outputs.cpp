#include "panto/bridge/run_outputs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/bridge/close_output.hpp"
#include "panto/io/outputs.hpp"
#include "panto/io/state_file.hpp"
#include "panto/live/address.hpp"
#include "panto/live/pacer.hpp"

namespace panto::bridge {
namespace {

constexpr std::size_t kFilesBacklog = 4096;  // frames that wait for a disk

bool to_robot(const std::string& output) { return output.rfind("udp://", 0) == 0; }
bool to_controller(const std::string& output) {
  const auto& all = controllers();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& one) { return output.rfind(one.name + "://", 0) == 0; });
}

bool to_ros2(const std::string& output) { return output.rfind("ros2://", 0) == 0; }

live::StreamAddress address_of(const std::string& output) {
  std::vector<live::StreamScheme> schemes = live::stream_schemes(false);
  schemes.insert(schemes.end(), controllers().begin(), controllers().end());
  schemes.push_back({"udp", 0});   // handled by the caller; named where a scheme is unknown
  schemes.push_back({"ros2", 0});  // without a domain
  return live::parse_stream_address(output, schemes);
}

}  // namespace

// A file of States.
struct RunOutputs::File final : live::LiveOutput {
  File(const std::string& name, const Model& model, double rate_hz)
      : path(name), file(io::create_state_file(name, model, {rate_hz})) {}
  void write(const LiveFrame& frame) noexcept override {
    dropped += file->write(frame.state) == WriteStatus::Dropped ? 1 : 0;
  }
  [[nodiscard]] std::size_t depth() const noexcept override { return kFilesBacklog; }
  std::string path;
  std::unique_ptr<io::StateFile> file;
  std::int64_t dropped = 0;
};

void check_run_outputs(const std::vector<std::string>& outputs, const std::string& recording, bool human,
                       const std::string& remedy) {
  std::vector<std::string> files;
  std::set<std::uint32_t> domains;
  if (!recording.empty()) files.push_back(recording);
  for (const std::string& output : outputs) {
    const bool file = !live::is_address(output);
    if (!remedy.empty() && (file || to_robot(output) || to_controller(output)))
      throw ConfigError(fmt::format("output '{}' takes joint angles: {}", output, remedy));
    if (file) {
      files.push_back(output);
      io::check_state_name(output, human ? io::Mover::Human : io::Mover::Robot);
    } else if (to_robot(output)) {
      (void)live::parse_link_address(output);
    } else {
      const live::StreamAddress to = address_of(output);
      std::optional<std::uint32_t> domain;
      if (to_ros2(output)) domain = check_ros2_address(to.at);
      if (to_controller(output)) domain = check_controller(to);
      if (domain && !domains.insert(*domain).second)
        throw ConfigError(
            fmt::format("output '{}': another output has DDS domain {}; one of them needs another: "
                        "{}://HOST:DOMAIN",
                        output, *domain, to.scheme));
    }
  }
  io::check_once(outputs);
  io::check_outputs(files, {});
}

RunOutputs::RunOutputs(const std::vector<std::string>& outputs, const Model* model, const stream::Sent& sent,
                       const live::Arming& arming, const std::string& urdf) {
  for (const std::string& output : outputs) {
    if (!live::is_address(output)) {
      files_.push_back(std::make_unique<File>(output, *model, sent.rate_hz));
    } else if (to_robot(output)) {
      const double rate = std::clamp(sent.rate_hz, live::kSlowestLink, live::kFastestLink);
      robots_.emplace_back(output, std::make_unique<live::RobotOutput>(output, *model, rate, arming));
    } else if (to_controller(output)) {
      controllers_.emplace_back(output, open_controller(address_of(output), *model, arming));
    } else if (to_ros2(output)) {
      shown_.emplace_back(output,
                          std::make_unique<Ros2Output>(address_of(output).at, model, sent.names, urdf));
    } else {
      const live::StreamAddress to = address_of(output);
      stream::Sent as = sent;
      as.character = to.character.value_or(0);
      persons_.emplace_back(output,
                            std::make_unique<live::PersonOutput>(live::UdpSocket::connected_to(to.at),
                                                                 stream::person_encoder(to.scheme, as)));
    }
  }
}

RunOutputs::~RunOutputs() = default;

std::vector<std::string> RunOutputs::files() const {
  std::vector<std::string> paths;
  for (const auto& file : files_) paths.push_back(file->path);
  return paths;
}

std::vector<live::LiveOutput*> RunOutputs::all() const {
  std::vector<live::LiveOutput*> outputs;
  for (const auto& file : files_) outputs.push_back(file.get());
  if (takes_ != nullptr) outputs.push_back(takes_);
  for (const auto& [address, robot] : robots_) outputs.push_back(robot.get());
  for (const auto& [address, controller] : controllers_) outputs.push_back(controller.get());
  for (const auto& [address, person] : persons_) outputs.push_back(person.get());
  for (const auto& [address, shown] : shown_) outputs.push_back(shown.get());
  return outputs;
}

std::string RunOutputs::refusal() const {
  for (const auto& [address, controller] : controllers_)
    if (std::string why = controller->refusal(); !why.empty()) return why;
  return {};
}

std::string RunOutputs::failed() const { return takes_ != nullptr ? takes_->failed() : std::string(); }

std::vector<std::string> RunOutputs::close() {
  std::vector<std::string> problems;
  for (const auto& [address, controller] : controllers_) controller->close();  // robots before files
  for (const auto& file : files_) {
    if (file->dropped > 0)
      problems.push_back(counted(file->dropped, "frame") + " could not be written to " + file->path);
    (void)close_output(
        file->path, [&] { file->file->close(); }, written_, problems);
  }
  if (takes_ != nullptr) {
    for (std::string& problem : takes_->close()) problems.push_back(std::move(problem));
    written_.insert(written_.end(), takes_->written().begin(), takes_->written().end());
  }
  const auto say_sent = [this](const std::string& address, std::int64_t sent, std::int64_t dropped,
                               const std::string& what) {
    written_.push_back(fmt::format("{} to {}{}", counted(sent, what), address,
                                   dropped > 0 ? fmt::format(" ({} dropped)", dropped) : ""));
  };
  for (const auto& [address, robot] : robots_) {
    robot->close();
    if (robot->dropped() > robot->sent())
      problems.push_back(fmt::format("{} to {} could not be sent; is a receiver running there?",
                                     counted(robot->dropped(), "reference"), address));
    say_sent(address, robot->sent(), robot->dropped(), "reference");
  }
  for (const auto& [address, controller] : controllers_) {
    if (controller->sent() == 0 && controller->dropped() > 0)
      problems.push_back(fmt::format("{} took none of {}: does the robot or its controller run there?",
                                     address, counted(controller->dropped(), "frame")));
    say_sent(address, controller->sent(), controller->dropped(), "frame");
  }
  for (const auto& [address, person] : persons_) {
    // a closed port refuses every second datagram, introductions among them
    if (5 * person->dropped() > 4 * person->sent())
      problems.push_back(fmt::format("none of {} was taken: does a program listen at {}?",
                                     counted(person->sent() + person->dropped(), "sample"), address));
    say_sent(address, person->sent(), person->dropped(), "sample");
  }
  for (const auto& [address, shown] : shown_) say_sent(address, shown->sent(), shown->dropped(), "frame");
  return problems;
}

}  // namespace panto::bridge
