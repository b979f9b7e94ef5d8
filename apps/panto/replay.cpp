// panto replay: streams a recording as a suit or sensors would, to try live input without them.

#include <CLI/App.hpp>
#include <cstdio>
#include <random>

#include "apps/panto/commands.hpp"
#include "apps/panto/inputs.hpp"
#include "apps/panto/interruption.hpp"
#include "apps/support/command_line.hpp"
#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/live/address.hpp"
#include "panto/live/sample_player.hpp"
#include "panto/stream/protocols.hpp"

namespace panto::app {
namespace {

struct ReplayCommand {
  TrackingOptions recording;
  std::string to;
  std::optional<double> rate;
  double burst = 0.0, reorder = 0.0, seed = 1.0;
  live::PlayOptions play;
  stream::ImpairmentOptions faults;
};

template <typename Sample>
int send(ReplayCommand command, const live::UdpAddress& to, const live::Playable<Sample>& samples,
         stream::SampleEncoder<Sample>& encoder, double rate_hz) {
  live::DatagramSender sender(live::UdpSocket::connected_to(to), command.faults);
  command.play.rate_hz = rate_hz;
  const std::int64_t sent = live::play<Sample>(
      samples, encoder, command.play, [] { return Interruption::came(); }, sender);
  const std::int64_t left = sender.sent(), refused = sender.refused();
  std::string text = counted(left, "datagram") + " sent to " + command.to;
  if (refused > 0) text += ", " + std::to_string(refused) + " dropped";
  if (refused > 0 && left <= refused + 1)  // a closed port refuses every second datagram
    text = "none of " + counted(left + refused, "datagram") + " was taken: does a program listen at " +
           command.to + "?";
  std::printf("%s, %s\n", counted(sent, "sample").c_str(), text.c_str());
  return sent > 0 ? kGood : kUnusableInput;
}

int replay_sensors(const ReplayCommand& command, const live::StreamAddress& to) {
  if (command.rate) throw ConfigError("--rate applies to persons; sensors keep the recording's");
  const Interruption interruption;
  const PlayableSensors file = playable_sensors(command.recording.input);
  const auto encoder = stream::sensor_encoder(
      to.scheme, {.names = file.names, .rate_hz = file.rate_hz, .session = std::random_device{}()});
  return send<ImuSample>(command, to.at, file.samples, *encoder, file.rate_hz);
}

int replay_person(const ReplayCommand& command, const live::StreamAddress& to) {
  const Interruption interruption;
  const SuitMotion suit = playable_person(command.recording, command.rate);
  const auto encoder = stream::person_encoder(
      to.scheme, {human_segment_names(), suit.rate_hz, suit.subject, to.character.value_or(0)});
  return send<SegmentSample>(command, to.at, {suit.next, suit.rewind}, *encoder, suit.rate_hz);
}

int replay(ReplayCommand command) {
  command.faults.burst = static_cast<int>(command.burst);
  command.faults.reorder = static_cast<int>(command.reorder);
  command.faults.seed = static_cast<std::uint64_t>(command.seed);
  command.faults.loss /= 100.0;
  command.faults.repeated /= 100.0;
  const live::StreamAddress to = live::parse_stream_address(command.to, live::stream_schemes(true));
  const bool sensors = stream::sends_sensors(to.scheme);
  const std::string& path = command.recording.input;
  const auto raw = io::recognise_imu(path, sensors ? io::Mountings::Given : io::Mountings::Unknown);
  if (sensors && raw == io::ImuFormat::None)
    throw ConfigError("'" + path + "' holds no raw sensors, which " + to.scheme + ":// sends");
  if (!sensors && raw != io::ImuFormat::None && raw != io::ImuFormat::Sto)
    throw ConfigError("'" + path + "' holds raw sensors: send them with --out imu://ADDRESS");
  return sensors ? replay_sensors(command, to) : replay_person(command, to);
}

}  // namespace

void add_replay(CLI::App& app, Run& run) {
  auto command = std::make_shared<ReplayCommand>();
  CLI::App* sub = app.add_subcommand("replay", "Stream a recording like a suit, to try live input.");
  add_recording(*sub, command->recording.input);
  add_text(*sub, "--out", command->to, "ADDRESS",
           "Send to this address: mvn://HOST:PORT, vmc://HOST:PORT, bvh+udp://HOST:PORT (persons), "
           "imu://HOST:PORT or slimevr://HOST:PORT (raw sensors); without a host to this computer")
      ->required();
  add_number(*sub, "--rate", command->rate, 1.0, 1000.0, "Hz",
             "Send this many samples a second (default: the recording's)");
  add_number(*sub, "--speed", command->play.speed, 0.01, 100.0, "times",
             "Play this many times as fast (default 1)");
  add_flag(*sub, "--loop", command->play.loop, "Play again and again");
  add_number(*sub, "--seconds", command->play.seconds, 0.001, 1e7, "s", "End after this many seconds");
  add_number(*sub, "--height", command->recording.height, 0.3, 3.0, "m",
             "Set the body height in metres, instead of the recording's dimensions");
  add_number(*sub, "--loss", command->faults.loss, 0.0, 100.0, "%", "Lose this percentage of the datagrams");
  add_whole_number(*sub, "--burst", command->burst, 0, 100000,
                   "Lose this many more datagrams in a row with each lost one");
  add_number(*sub, "--repeat", command->faults.repeated, 0.0, 100.0, "%",
             "Send this percentage of the datagrams twice");
  add_whole_number(*sub, "--reorder", command->reorder, 0, 100000,
                   "Let up to this many later datagrams overtake each");
  add_number(*sub, "--delay", command->faults.delay, 0.0, 10.0, "s", "Delay all datagrams, in seconds");
  add_number(*sub, "--jitter", command->faults.jitter, 0.0, 10.0, "s",
             "Delay each datagram by up to this many seconds more");
  add_whole_number(*sub, "--seed", command->seed, 0, 1e9, "Draw faults from this seed (default 1)");
  for (const char* name : {"--loss", "--burst", "--repeat", "--reorder", "--delay", "--jitter", "--seed"})
    sub->get_option(name)->group("Faults");
  sub->footer(
      "Examples:\n"
      "  panto replay take.mvnx --out mvn://\n"
      "  panto replay dance.bvh --out mvn://192.168.1.20:9763 --rate 240 --loop\n"
      "  panto replay suit.csv --out imu:// --loss 10 --reorder 8");
  sub->callback([command, &run] { run = [command] { return replay(*command); }; });
}

}  // namespace panto::app
