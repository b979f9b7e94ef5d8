// MCAP: every whole chunk, message by message; what is damaged is left out and told.

#include "panto/io/mcap.hpp"

#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_mcap(Bytes bytes) {
  (void)io::is_mcap(text_of(bytes));
  std::size_t total = 0;
  std::int64_t messages = 0;
  const io::McapFile file = io::read_mcap(text_of(bytes), "damaged.mcap",
                                          [&](const io::McapChannel&, Time, std::string_view message) {
                                            total += message.size();
                                            ++messages;
                                            return true;
                                          });
  promise(file.messages == messages, "messages are counted");
  promise(total <= bytes.size(), "messages are parts of the file");
  for (const io::McapLoss& loss : file.losses) promise(loss.byte <= bytes.size(), "a loss is in the file");
}

Seeds seeds_of_mcap() {
  std::string bytes;
  io::McapWriter writer(io::Destination("a.mcap", bytes));
  writer.add_metadata("run", {{"a", "b"}});
  const std::uint16_t schema = writer.add_schema("s", "jsonschema", "{}");
  const std::uint16_t one = writer.add_channel(schema, "/one", "json");
  const std::uint16_t two = writer.add_channel(0, "/two", "bytes", {{"k", "v"}});
  for (int k = 0; k < 4; ++k) {
    (void)writer.write(k % 2 == 0 ? one : two, k * Time{1'000'000}, "{\"k\":1}");
    if (k == 1) (void)writer.flush();
  }
  writer.close();
  return {bytes, bytes.substr(0, bytes.size() * 2 / 3)};
}

const Registered mcap_target("mcap", check_mcap, seeds_of_mcap);

}  // namespace
}  // namespace panto::fuzz
