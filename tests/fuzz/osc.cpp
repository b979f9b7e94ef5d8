// Open Sound Control: messages whose arguments lie within the packet.

#include "panto/stream/osc.hpp"

#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

bool within(std::string_view part, Bytes whole) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(part.data());
  return part.empty() || (begin >= whole.data() && begin + part.size() <= whole.data() + whole.size());
}

void check_osc(Bytes bytes) {
  stream::OscReader reader(raw(bytes));
  stream::OscMessage message;
  std::size_t messages = 0;
  while (reader.next(message)) {
    promise(++messages <= bytes.size(), "a message takes bytes");
    promise(within(message.address(), bytes), "an address lies in the packet");
    stream::OscArgument argument;
    for (std::size_t left = message.tags().size(); message.next(argument); --left) {
      promise(left > 0, "an argument has a tag");
      promise(within(argument.text, bytes), "a text lies in the packet");
      promise(argument.blob.size() <= bytes.size(), "a blob lies in the packet");
    }
  }
  promise(!stream::osc_is_whole(raw(bytes)) || !reader.damaged(), "a whole packet is not damaged");
}

std::string letters(const std::vector<std::byte>& packet) {
  return {reinterpret_cast<const char*>(packet.data()), packet.size()};
}

Seeds seeds_of_osc() {
  const std::vector<stream::OscArgument> arguments{stream::OscArgument::of(std::int32_t{3}),
                                                   stream::OscArgument::of(0.5F),
                                                   stream::OscArgument::of(std::string_view("Hips"))};
  const std::vector<std::byte> message = stream::osc_message("/VMC/Ext/Bone/Pos", arguments);
  std::vector<std::byte> inner = stream::osc_bundle(), outer = stream::osc_bundle();
  stream::osc_append(inner, message);
  stream::osc_append(outer, inner);
  stream::osc_append(outer, message);
  return {letters(message), letters(outer)};
}

const Registered osc_target("osc", check_osc, seeds_of_osc);

}  // namespace
}  // namespace panto::fuzz
