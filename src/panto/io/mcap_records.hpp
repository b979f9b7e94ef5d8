#pragma once
// The records of an MCAP, for its writer and reader.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace panto::io::mcap {

inline constexpr std::string_view kMagic{"\x89MCAP0\r\n", 8};
inline constexpr std::size_t kRecordHead = 9;    ///< opcode and length
inline constexpr std::size_t kMessageHead = 22;  ///< channel, sequence, two stamps

enum class Op : std::uint8_t {
  Header = 1,
  Footer,
  Schema,
  Channel,
  Message,
  Chunk,
  MessageIndex,
  ChunkIndex,
  Attachment,
  AttachmentIndex,
  Statistics,
  Metadata,
  MetadataIndex,
  SummaryOffset,
  DataEnd,
};

}  // namespace panto::io::mcap
