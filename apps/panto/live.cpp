// panto live: follows a live stream of a person with a robot or a human model, and passes it on.

#include <unistd.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "apps/panto/commands.hpp"
#include "apps/panto/console.hpp"
#include "apps/panto/inputs.hpp"
#include "apps/panto/interruption.hpp"
#include "apps/panto/tracking_options.hpp"
#include "apps/support/command_line.hpp"
#include "panto/base/error.hpp"
#include "panto/base/printable.hpp"
#include "panto/base/text.hpp"
#include "panto/bridge/headset.hpp"
#include "panto/bridge/live_parts.hpp"
#include "panto/bridge/live_view.hpp"
#include "panto/bridge/run_operator.hpp"
#include "panto/io/input.hpp"
#include "panto/io/mcap.hpp"
#include "panto/io/outputs.hpp"
#include "panto/live/address.hpp"
#include "panto/live/browser.hpp"
#include "panto/live/file_source.hpp"
#include "panto/live/first_samples.hpp"
#include "panto/live/input.hpp"
#include "panto/live/pacer.hpp"
#include "panto/live/realtime.hpp"
#include "panto/live/recorded_run.hpp"
#include "panto/live/run.hpp"
#include "panto/report/live_page.hpp"
#include "panto/report/live_report.hpp"

namespace panto::app {
namespace {

using bridge::Following;
using live::LiveRun;
using live::StreamState;

constexpr int kTick = 50;                                        // [ms]
constexpr double kStatusEvery = 0.5;                             // [s] on a terminal
constexpr std::size_t kLargestRecording = std::size_t{4} << 30;  // [bytes] that are read at once
constexpr double kViewPort = 8765.0;

struct LiveCommand : bridge::FollowingOptions {
  std::string from, record;
  std::vector<std::string> outputs;
  double seconds = 0.0;
  bool json = false, strict = false, arm = false, loop = false, no_open = false;
  std::optional<double> port;  // of the view
  std::vector<std::string> origins;
};

bool from_headset(const LiveCommand& command) { return command.from.rfind("webxr://", 0) == 0; }

// Says what opening a run brought up; then a signal removes its files, and the console may arm robots.
template <typename Sample>
void begin(const stream::SampleStream<Sample>& decoder, const bridge::LiveParts<Sample>& parts,
           Console& console) {
  say(decoder.notes());
  if (parts.following.average)
    say_note("the stream does not tell the person's size: 1.75 m is assumed; --height tells it");
  say(parts.following.notes);
  remove_when_interrupted(parts.outputs.files());
  console.begin(parts.outputs.moves_robots());
}

bridge::ViewOptions view_options(const LiveCommand& command, double port, std::string page) {
  bridge::ViewOptions options;
  options.port = static_cast<std::uint16_t>(command.port.value_or(port));
  options.origins = command.origins;
  options.page = std::move(page);
  return options;
}

// Opens the live view, before the first sample comes. Returns null without --view.
std::unique_ptr<bridge::LiveView> view_of(const LiveCommand& command) {
  if (!command.view) return nullptr;
  auto view =
      std::make_unique<bridge::LiveView>(view_options(command, kViewPort, waiting_page(command.from)));
  std::fprintf(stderr, "panto: view at %s\n", view->address().c_str());
  if (!command.no_open) live::open_in_browser(view->address());
  return view;
}

// Opens the page of a headset and the door to it, and says where they are.
std::unique_ptr<bridge::LiveView> view_of(const LiveCommand& command, bridge::Headset& headset) {
  bridge::ViewOptions options = view_options(command, command.view ? kViewPort : 0.0,
                                             headset_page({command.from, PANTO_VERSION, {}, {}}));
  headset.join(options);
  auto view = std::make_unique<bridge::LiveView>(std::move(options));
  if (const std::string note = headset.open(*view); !note.empty()) say_note(note);
  std::fputs(headset.invitation(*view, isatty(STDERR_FILENO) != 0).c_str(), stderr);
  if (command.view && !command.no_open) live::open_in_browser(view->address());
  return view;
}

bridge::ViewedRun viewed(const LiveCommand& command, const Following& following,
                         const std::vector<std::string>& segments, bool robots) {
  const LivePageInfo info{command.from, PANTO_VERSION, segments, following.meshes};
  const bool later = from_headset(command);  // its page is open already, and asks for the run
  return {command.from + " -> " + following.model->name(),
          later ? "" : live_page(*following.model, info),
          later ? live_run(*following.model, info) : "",
          segments,
          robots,
          !command.sensors.empty()};
}

// Shows how the run goes: on a terminal always, else when that changes.
class StatusLine {
 public:
  void show(StreamState state, const LiveFigures& figures, const char* robots) {
    const Time now = live::monotonic_now();
    if (terminal_ && (state != shown_ || to_seconds(now - last_) > kStatusEvery)) {
      std::fprintf(stderr, "\r\033[K%s: %lld samples, %.0f Hz, %.2f ms to the pose%s", to_string(state),
                   static_cast<long long>(figures.samples), figures.rate_hz, 1e3 * figures.to_pose.median,
                   robots);
      last_ = now;
    } else if (!terminal_ && state != shown_ && (live::is_bad(state) || live::is_bad(shown_))) {
      std::fprintf(stderr, "panto: the stream is %s\n", to_string(state));
    }
    std::fflush(stderr);
    shown_ = state;
  }
  void end() const {
    if (terminal_) std::fprintf(stderr, "\r\033[K");
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  StreamState shown_ = StreamState::Good;
  Time last_ = 0;
};

template <typename Sample>
void watch(const LiveCommand& command, const LiveRun<Sample>& run, const live::LiveSource<Sample>& source,
           const bridge::RunOutputs& outputs, bridge::LiveView* view, Console& console,
           const bridge::Takes* takes, bridge::RunOperator granting) {
  StatusLine status;
  bool others = false, blind = false;
  std::string warned;  // of which recording
  const Time begun = live::monotonic_now();
  while (!Interruption::came() && !source.ended() &&
         (command.seconds <= 0.0 || to_seconds(live::monotonic_now() - begun) < command.seconds)) {
    usleep(kTick * 1000);
    const StreamState stream = run.stream();
    const LiveFigures figures = run.figures();
    std::vector<live::Wish> wishes = console.read();
    if (view != nullptr)
      for (live::Wish& wish : view->wishes()) wishes.push_back(std::move(wish));
    Console::say(granting.watch(wishes, stream, outputs.refusal(), live::monotonic_now()));
    status.show(stream, figures, console.status());
    if (view != nullptr) {
      view->show(
          {stream, console.armed(), takes != nullptr ? std::optional(!takes->path().empty()) : std::nullopt},
          figures);
      if (const std::string why = view->failed(); !why.empty() && !std::exchange(blind, true))
        std::fprintf(stderr, "panto: the view has ended: %s; the run goes on\n", printable(why).c_str());
    }
    if (source.foreign() > 0 && !std::exchange(others, true))
      std::fprintf(stderr, "panto: another sender is ignored until this one is silent for 2 s\n");
    if (const std::string failed = outputs.failed();
        !failed.empty() && std::exchange(warned, failed) != failed)
      std::fprintf(stderr, "panto: cannot write to %s any more: is the disk full? The run goes on\n",
                   printable(failed).c_str());
  }
  status.end();
}

int print(const LiveCommand& command, const Following& following, const LiveFigures& figures,
          bridge::RunOutputs& outputs) {
  const std::vector<std::string> problems = outputs.close();
  say_problems(problems);
  const Verdict verdict = verdict_of(figures);
  const std::string name = following.model ? following.model->name() : "nothing follows";
  if (command.json)
    std::printf("%s\n", live_json(figures).c_str());
  else
    print_result(verdict, command.from + " -> " + name, "", outputs.written());
  return code_of(verdict, command.strict, problems.empty() ? kGood : kUnusableInput);
}

// Makes what records an input, now if that is asked for.
template <typename Input>
std::unique_ptr<bridge::Takes> takes_of(const LiveCommand& command, const std::string& scheme, Input& input) {
  // before the first sample; later a signal ends it in order
  if (!command.record.empty()) remove_when_interrupted({command.record});
  auto takes = std::make_unique<bridge::Takes>(
      bridge::TakeInfo{scheme,
                       command.from,
                       {{"robot", command.robot}, {"model", command.model}, {"panto", PANTO_VERSION}}},
      command.record);
  input.tap = takes->tap();
  return takes;
}

// Follows what a source gives. `takes`, `view`: may be null.
template <typename Sample>
int follow_source(const LiveCommand& command, live::LiveSource<Sample>& source,
                  const std::unique_ptr<bridge::Takes>& takes,
                  const std::unique_ptr<bridge::LiveView>& view) {
  const double rate = live::first_samples(
      source, {command.from, command.seconds, command.height.has_value()}, [](const std::string& line) {
        Interruption::check();
        if (!line.empty()) std::fprintf(stderr, "panto: %s; Ctrl-C ends\n", printable(line).c_str());
      });
  Console console(command.arm);
  bridge::LiveParts<Sample> parts(command, command.outputs, source.decoder(), rate, console.arming());
  begin(source.decoder(), parts, console);
  auto& [following, follower, names, outputs] = parts;
  bridge::LiveView* const shown = following.model ? view.get() : nullptr;
  if (shown) shown->begin(*following.model, viewed(command, following, names, outputs.moves_robots()));
  if (takes) {
    if (following.model) takes->follow(*following.model);
    outputs.record(*takes);
  }
  std::vector<live::LiveOutput*> all = outputs.all();
  if (shown) all.push_back(shown);
  LiveRun<Sample> run(source, std::move(follower), all, takes ? takes->events() : live::LiveEvents{});
  (void)live::lock_memory();  // page by page, so after `run`; `panto doctor` says whether it may
  watch(command, run, source, outputs, shown, console, takes.get(),
        {bridge::asked(run), console.arming(), outputs.moves_robots(), takes.get(), shown});
  run.stop();
  return print(command, following, run.figures(), outputs);
}

// Follows what arrives at an address.
template <typename Sample>
int follow(const LiveCommand& command, const live::StreamAddress& from,
           std::unique_ptr<stream::SampleStream<Sample>> decoder) {
  const Interruption interruption;
  live::LiveInput<Sample> input(live::UdpSocket::bound_to(from.at), std::move(decoder));
  const auto takes = takes_of(command, from.scheme, input);
  std::fprintf(stderr, "panto: listening at %s port %d\n", from.at.host.c_str(), input.port());
  return follow_source(command, input, takes, view_of(command));
}

// Follows a headset, whose browser opens a page that this computer serves.
int follow_headset(const LiveCommand& command, const live::StreamAddress& from) {
  const Interruption interruption;
  bridge::Headset headset(from.at, command.height);
  const auto takes = takes_of(command, from.scheme, headset.source());
  return follow_source<SegmentSample>(command, headset.source(), takes, view_of(command, headset));
}

// Follows a file as if the person were there.
int follow_file(const LiveCommand& command) {
  const Interruption interruption;
  std::fprintf(stderr, "panto: playing %s at its own pace\n", printable(command.from).c_str());
  if (!command.sensors.empty()) {
    PlayableSensors file = playable_sensors(command.from);
    live::FileSource<ImuSample> source({std::move(file.samples), command.loop, file.rate_hz},
                                       {file.names, {}});
    return follow_source<ImuSample>(command, source, nullptr, view_of(command));
  }
  TrackingOptions options;
  options.input = command.from;
  options.height = command.height;
  SuitMotion suit = playable_person(options, std::nullopt);
  live::FileSource<SegmentSample> source({{suit.next, suit.rewind}, command.loop, suit.rate_hz},
                                         {human_segment_names(), suit.subject});
  return follow_source<SegmentSample>(command, source, nullptr, view_of(command));
}

// Follows a recorded stream, at the recording's pace where somebody listens.
template <typename Sample>
int follow_recording(const LiveCommand& command, const StreamRecording& take,
                     std::unique_ptr<stream::SampleStream<Sample>> decoder) {
  const Interruption interruption;
  live::RecordedSamples<Sample> samples(take, std::move(decoder));
  if (!samples.next()) throw FormatError(command.from + ": no whole sample in this recording");
  const double rate = live::sane_rate(live::solved_rate(take));
  Console console(command.arm);
  bridge::FollowingOptions options = command;
  options.mounts = take.sensors;
  bridge::LiveParts<Sample> parts(options, command.outputs, samples.decoder(), rate, console.arming());
  begin(samples.decoder(), parts, console);
  auto& [following, follower, names, outputs] = parts;
  const auto view = view_of(command);
  if (view) view->begin(*following.model, viewed(command, following, names, false));
  std::vector<live::LiveOutput*> all = outputs.all();
  if (view) all.push_back(view.get());
  const bool paced = view || std::any_of(command.outputs.begin(), command.outputs.end(), live::is_address);
  live::Pacer pacer;
  bridge::RunOperator granting({}, console.arming(), outputs.moves_robots(), nullptr, nullptr);
  const live::RecordedRun run = live::run_recorded(take, samples, follower, all, [&](Time arrival) {
    Interruption::check();
    Console::say(
        granting.watch(console.read(), StreamState::Good, parts.outputs.refusal(), live::monotonic_now()));
    if (paced) pacer.wait_until(arrival);
  });
  say(live::notes_of(take, run, following.model.has_value()));
  return print(command, following, run.figures, outputs);
}

// Follows with the decoder of a protocol.
template <typename Follow>
int follow_protocol(const LiveCommand& command, const std::string& scheme, std::optional<int> character,
                    const Follow& with) {
  const bool sensors = stream::sends_sensors(scheme);
  if (!sensors && !command.sensors.empty())
    throw ConfigError("--sensors applies to raw sensors; " + scheme + ":// sends persons");
  if (!sensors) return with(stream::person_stream(scheme, character));
  if (command.sensors.empty())
    throw ConfigError(scheme + ":// sends raw sensors: give their mounting with --sensors FILE");
  return with(stream::sensor_stream(scheme));
}

int run_live(const LiveCommand& command) {
  if (!command.robot.empty() && !command.model.empty())
    throw ConfigError("give --robot or --model, not both");
  if (!command.sensors.empty() && !command.any())
    throw ConfigError("raw sensors need --model, the body that wears them, or --robot, which follows it");
  if (!command.view && !from_headset(command) &&
      (command.port || command.no_open || !command.origins.empty()))
    throw ConfigError("--port, --no-open and --allow-origin apply to --view");
  if (command.view && !command.any()) throw ConfigError("--view shows what follows: give --robot or --model");
  io::check_ending("--record", command.record, ".mcap", "a recording");
  bridge::check_run_outputs(command.outputs, command.record, command.robot.empty(),
                            command.any() ? "" : "give --robot or --model");
  bridge::check_following(command);
  if (live::is_address(command.from)) {
    if (command.loop) throw ConfigError("--loop plays files; '" + command.from + "' is an address");
    const live::StreamAddress from = live::parse_stream_address(command.from, live::listening_schemes());
    return follow_protocol(command, from.scheme, from.character, [&](auto decoder) {
      return from_headset(command) ? follow_headset(command, from)
                                   : follow(command, from, std::move(decoder));
    });
  }
  if (!command.record.empty())
    throw ConfigError("--record applies to addresses; '" + command.from + "' is a file");
  io::Input file(command.from);
  if (!io::is_mcap(file.head())) return follow_file(command);
  const StreamRecording take = io::read_stream_recording(file.whole(kLargestRecording), command.from);
  return follow_protocol(command, take.info.scheme, live::recorded_character(take.info.address),
                         [&](auto decoder) { return follow_recording(command, take, std::move(decoder)); });
}

void add_view_options(CLI::App& sub, LiveCommand& command) {
  add_flag(sub, "--view", command.view, "Show the run in the browser of this computer, and in Foxglove");
  add_whole_number(sub, "--port", command.port, 0, 65535,
                   "With --view: the port of this computer (default 8765; 0: a free one)");
  add_flag(sub, "--no-open", command.no_open, "With --view: do not open the browser");
  add_text(sub, "--allow-origin", command.origins, "ORIGIN",
           "With --view: also allow pages of this origin, such as https://app.foxglove.dev");
}

}  // namespace

void add_live(CLI::App& app, Run& run) {
  auto command = std::make_shared<LiveCommand>();
  CLI::App* sub = app.add_subcommand("live", "Follow a live stream of a person with a robot or a human.");
  add_text(*sub, "--in", command->from, "ADDRESS",
           "Listen to this stream: mvn://HOST:PORT (Xsens MVN), vmc://HOST:PORT (SlimeVR, avatars), "
           "bvh+udp://HOST:PORT (Noitom), webxr:// (a headset's browser), imu://HOST:PORT, "
           "slimevr://HOST:PORT (raw sensors); without a host to this computer alone, 0.0.0.0 to all; or "
           "play a recording of any kind, or solve a recorded run (.mcap) again")
      ->required();
  add_text(*sub, "--out", command->outputs, "OUTPUT",
           "Send joint angles to a robot, udp://HOST:PORT[?key=FILE], a G1 itself, unitree-arms:// or "
           "unitree-all://HOST, its controllers, sonic:// or twist2://, ROS 2, ros2://, or a file (.csv "
           ".npz .mot .sto), or the person to vmc://, mvn:// or bvh+udp://; repeatable");
  add_file(*sub, "--record", command->record, "FILE",
           "Record what arrives and what becomes of it (.mcap): Foxglove opens it, --in reads it again");
  add_file(*sub, "--robot", command->robot, "NAME",
           "Choose the robot: a shipped name, a URDF or MJCF file, or a map that `panto map` wrote");
  add_text(*sub, "--package-dir", command->package_dirs, "DIR", kPackageDirHelp);
  add_text(*sub, "--model", command->model, "NAME",
           "Choose a model instead: human48, human66, or any model for raw sensors");
  add_file(*sub, "--sensors", command->sensors, "FILE",
           "Raw sensors: read their mounting on the body from a .toml");
  add_text(*sub, "--worn-by", command->worn_by, "NAME",
           "Raw sensors with --robot: choose the human that wears them (default human48)");
  add_number(*sub, "--height", command->height, 0.3, 3.0, "m",
             "Set the body height in metres, instead of the stream's dimensions");
  add_number(*sub, "--look-ahead", command->look_ahead, 0.0, 0.3, "s",
             "With planted feet: let the robot follow this many seconds later (default 0.1)");
  using enum FeetMode;
  add_choice<FeetMode>(*sub, "--feet", command->feet, {{"plant", Plant}, {"soft", Soft}, {"off", Off}},
                       "Choose how feet move; plant: no slide in stance");
  add_choice<Collisions>(*sub, "--collisions", command->collisions,
                         {{"avoid", Collisions::Avoid}, {"off", Collisions::Off}},
                         "Move limbs out of the body, or not");
  add_base_option(*sub, command->base);
  add_flag(*sub, "--arm", command->arm,
           "Start robots with the first sample; without it type a and Enter to start, Enter to stop");
  add_flag(*sub, "--loop", command->loop, "Play a recording again and again");
  add_view_options(*sub, *command);
  add_number(*sub, "--seconds", command->seconds, 0.1, 1e7, "s", "End after these seconds (default: Ctrl-C)");
  add_flag(*sub, "--json", command->json, "Print one JSON object at the end instead of the text");
  add_flag(*sub, "--strict", command->strict, "Exit with code 1 unless the verdict is Good");
  sub->footer(
      "Examples:\n"
      "  panto live --in mvn:// --robot g1 --out udp://127.0.0.1:7000\n"
      "  panto live --in 'mvn://:9763?character=1' --model human48 --out take.csv\n"
      "  panto live --in imu:// --sensors suit.toml --robot g1 --out take.npz\n"
      "  panto live --in mvn:// --robot g1 --record take.mcap\n"
      "  panto live --in take.mcap --robot g1 --out take.npz\n"
      "  panto live --in dance.bvh --loop --robot g1 --out sonic:// --out ros2://\n"
      "  panto live --in dance.bvh --loop --robot g1 --view\n"
      "  panto live --in webxr:// --robot g1\n"
      "  panto live --in mvn:// --out vmc://127.0.0.1:39539\n"
      "Words while it runs, with Enter: a arms, Enter alone disarms, r re-aligns,\n"
      "m WORDS marks, w begins or ends a recording, c POSES calibrates raw sensors.");
  sub->callback([command, &run] { run = [command] { return run_live(*command); }; });
}

}  // namespace panto::app
