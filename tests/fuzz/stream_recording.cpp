// Recordings of live runs, put together from messages, so that damage reaches what is in them.

#include "panto/io/stream_recording.hpp"

#include <array>

#include "panto/io/mcap.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

std::string recording_of(Bytes bytes) {
  Draws draws(bytes);
  std::string file;
  io::McapWriter writer(io::Destination("damaged.mcap", file));
  writer.add_metadata(
      "panto", {{"scheme", "mvn"}, {"address", "mvn://"}, {"begun_ns", std::string(text_of(draws.piece()))}});
  const std::array channels{writer.add_channel(0, "/input", "panto.datagram", {{"scheme", "mvn"}}),
                            writer.add_channel(0, "/solved", "panto.stamp"),
                            writer.add_channel(0, "/state", "panto.state", {{"model", "m"}}),
                            writer.add_channel(0, std::string(text_of(draws.piece())), "json")};
  const auto damaged_at = static_cast<std::size_t>(draws.word(2));  // 0: nowhere
  for (int k = 0; k < 200 && !draws.empty(); ++k) {
    const std::uint16_t channel = channels.at(draws.below(channels.size()));
    const auto t = static_cast<Time>(draws.word(8));
    (void)writer.write(channel, t, text_of(draws.piece()));
    if (draws.flag()) (void)writer.flush();
  }
  writer.close();
  if (damaged_at > 0 && damaged_at < file.size()) file[damaged_at] = static_cast<char>(~file[damaged_at]);
  return file;
}

void check_stream_recording(Bytes bytes) {
  const StreamRecording recording = io::read_stream_recording(recording_of(bytes), "damaged.mcap");
  for (const StreamRecording::Datagram& datagram : recording.datagrams)
    promise(datagram.bytes.size() <= bytes.size(), "a datagram is part of the file");
  for (const State& state : recording.states)
    promise(state.s.size() == state.sdot.size(), "a State has a rate a joint");
}

void append_message(std::string& seed, char channel, char t, const std::string& content) {
  (seed += channel) += std::string{t, 0, 0, 0, 0, 0, 0, 0};
  pack(seed, content);
  seed += '\1';
}

std::string recorded(char damaged_at) {
  std::string seed;
  pack(seed, "1700000000000000000");
  pack(seed, "/more");
  (seed += damaged_at) += '\1';
  append_message(seed, 0, 1, std::string(8, '\0') + "a datagram");
  append_message(seed, 1, 2, std::string(8, '\1'));
  append_message(seed, 2, 3, std::string((1 + 18 + 4) * 8, '\0'));
  append_message(seed, 3, 4, "{}");
  return seed;
}

Seeds seeds_of_stream_recordings() {
  std::string whole = recorded('\0');
  whole[whole.find("/more") + 6] = '\0';
  return {whole, recorded('\x90')};
}

const Registered stream_recording_target("stream_recording", check_stream_recording,
                                         seeds_of_stream_recordings);

}  // namespace
}  // namespace panto::fuzz
