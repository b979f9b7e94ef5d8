#include "panto/live/robot_link.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>

#include "panto/base/crc32c.hpp"
#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"

namespace panto::live {
namespace {

constexpr std::string_view kMagic = "PNTL";
constexpr std::string_view kQuaternionOrder = "wxyz";
constexpr std::size_t kLengthAt = 6;     // in the header
constexpr std::size_t kHelloStart = 34;  // before the names
constexpr std::size_t kBaseNumbers = 13;
constexpr std::size_t kMotionStart = 4;  // flags and count
constexpr std::uint16_t kValid = 1;
constexpr double kQuaternionNorm = 1e-3;
constexpr double kLargest = 1e6;  // [m], [rad] or per second; larger numbers overflow later

static_assert(kLinkHeaderBytes + kMotionStart + 8 * (kBaseNumbers + 2 * at(kLinkMaxJoints)) <=
              kLinkMaxContent);
static_assert(kLinkHeaderBytes + kHelloStart + 2 * (1 + kLinkMaxName) <= kLinkMaxContent,
              "a part takes at least a name");

template <std::unsigned_integral Word>
void put(std::span<std::byte> datagram, std::size_t place, Word value) noexcept {
  for (std::size_t i = 0; i < sizeof(Word); ++i)
    datagram[place + i] = static_cast<std::byte>((value >> (8 * i)) & 0xffU);
}

class Writer {
 public:
  explicit Writer(Datagram& datagram) : datagram_(&datagram) {}

  template <std::unsigned_integral Word>
  void word(Word value) noexcept {
    put(*datagram_, size_, value);
    size_ += sizeof(Word);
  }
  void number(double value) noexcept { word(std::bit_cast<std::uint64_t>(value)); }
  template <typename Vector>
  void numbers(const Vector& values) noexcept {
    for (Eigen::Index i = 0; i < values.size(); ++i) number(values[i]);
  }
  void letters(std::string_view text) noexcept {
    for (const char c : text) (*datagram_)[size_++] = static_cast<std::byte>(c);
  }
  void name(std::string_view text) noexcept {
    word(static_cast<std::uint8_t>(text.size()));
    letters(text);
  }
  void bytes(std::span<const std::byte> bytes) noexcept {
    for (const std::byte byte : bytes) (*datagram_)[size_++] = byte;
  }
  void header(const PacketHeader& header) noexcept {
    letters(kMagic);
    word(std::uint8_t{kLinkVersion});
    word(static_cast<std::uint8_t>(header.type));
    word(std::uint16_t{0});  // length: see complete
    word(header.session);
    word(header.seq);
    word(static_cast<std::uint64_t>(header.t));
    word(std::uint32_t{0});  // checksum: see complete
  }
  [[nodiscard]] std::size_t finish() noexcept {
    complete(std::span(*datagram_).first(size_));
    return size_;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void go_to(std::size_t place) noexcept { size_ = place; }

 private:
  Datagram* datagram_;
  std::size_t size_ = 0;
};

std::uint32_t checksum(std::span<const std::byte> datagram) noexcept {
  return crc32c(datagram.subspan(kLinkHeaderBytes), crc32c(datagram.first(kLinkChecksumAt)));
}

// Reads from the front; callers compare sizes first, or ask `left`.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <std::unsigned_integral Word>
  Word word() noexcept {
    Word value = 0;
    for (std::size_t i = 0; i < sizeof(Word); ++i) {
      value = static_cast<Word>(value | static_cast<Word>(std::to_integer<Word>(bytes_[i]) << (8 * i)));
    }
    bytes_ = bytes_.subspan(sizeof(Word));
    return value;
  }
  double number() noexcept { return std::bit_cast<double>(word<std::uint64_t>()); }
  std::string_view letters(std::size_t count) noexcept {
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()), count);
    bytes_ = bytes_.subspan(count);
    return text;
  }
  void bytes(std::span<std::byte> into) noexcept {
    std::copy_n(bytes_.begin(), into.size(), into.begin());
    bytes_ = bytes_.subspan(into.size());
  }
  // false when the datagram ends inside the name, or the name is empty
  bool name(std::string_view& text) noexcept {
    if (bytes_.empty()) return false;
    const std::size_t length = word<std::uint8_t>();
    if (length == 0 || length > bytes_.size()) return false;
    text = letters(length);
    return true;
  }
  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

bool known(std::uint8_t type) noexcept {
  return type >= static_cast<std::uint8_t>(PacketType::Hello) &&
         type <= static_cast<std::uint8_t>(PacketType::Welcome);
}

}  // namespace

const char* to_string(PacketFault fault) noexcept {
  switch (fault) {
    case PacketFault::None:
      return "none";
    case PacketFault::Length:
      return "length";
    case PacketFault::Magic:
      return "magic";
    case PacketFault::Version:
      return "version";
    case PacketFault::Checksum:
      return "checksum";
    case PacketFault::Type:
      return "type";
    case PacketFault::Content:
      return "content";
    case PacketFault::NotFinite:
      return "not_finite";
  }
  return "unknown";
}

void check_hello(const LinkHello& hello) {
  const auto refuse = [&hello](const std::string& why) {
    throw ConfigError("robot link: model '" + hello.robot.substr(0, 80) + "' " + why);
  };
  if (hello.joints.empty()) refuse("has no movable joint");
  if (hello.joints.size() > at(kLinkMaxJoints)) {
    refuse("has " + std::to_string(hello.joints.size()) + " joints; one datagram holds at most " +
           std::to_string(kLinkMaxJoints));
  }
  const auto fits = [](const std::string& name) { return !name.empty() && name.size() <= kLinkMaxName; };
  if (!fits(hello.robot)) refuse("needs a name of 1 to 255 bytes");
  for (const std::string& name : hello.joints) {
    if (!fits(name)) refuse("has joint '" + name.substr(0, 80) + "': its name must have 1 to 255 bytes");
  }
  if (!(std::isfinite(hello.rate_hz) && hello.rate_hz > 0.0)) {
    refuse("would get " + digits(hello.rate_hz, 6) + " references per second; their rate must be above 0");
  }
}

PacketFault read_header(std::span<const std::byte> datagram, PacketHeader& header) noexcept {
  if (datagram.size() < kLinkHeaderBytes || datagram.size() > kLinkMaxContent) return PacketFault::Length;
  Reader reader(datagram);
  if (reader.letters(kMagic.size()) != kMagic) return PacketFault::Magic;
  if (reader.word<std::uint8_t>() != kLinkVersion) return PacketFault::Version;
  const auto type = reader.word<std::uint8_t>();
  if (reader.word<std::uint16_t>() != datagram.size()) return PacketFault::Length;
  const auto session = reader.word<std::uint64_t>();
  const auto seq = reader.word<std::uint32_t>();
  const auto t = static_cast<Time>(reader.word<std::uint64_t>());
  if (reader.word<std::uint32_t>() != checksum(datagram)) return PacketFault::Checksum;
  if (!known(type)) return PacketFault::Type;
  if (type == static_cast<std::uint8_t>(PacketType::Bye) && reader.left() != 0) return PacketFault::Content;
  header = {static_cast<PacketType>(type), session, seq, t};
  return PacketFault::None;
}

PacketFault read_hello(std::span<const std::byte> datagram, HelloPart& part) noexcept {
  Reader reader(datagram.subspan(kLinkHeaderBytes));
  if (reader.left() < kHelloStart) return PacketFault::Content;
  part.rate_hz = reader.number();
  if (reader.letters(kQuaternionOrder.size()) != kQuaternionOrder) return PacketFault::Content;
  part.total = reader.word<std::uint16_t>();
  part.first = reader.word<std::uint16_t>();
  part.count = reader.word<std::uint16_t>();
  reader.bytes(part.proof);
  if (part.total < 1 || part.total > kLinkMaxJoints || part.count < 1 ||
      part.first + part.count > part.total) {
    return PacketFault::Content;
  }
  if (!std::isfinite(part.rate_hz) || part.rate_hz <= 0.0) return PacketFault::NotFinite;
  if (!reader.name(part.robot)) return PacketFault::Content;
  for (int i = 0; i < part.count; ++i) {
    if (!reader.name(part.names[at(i)])) return PacketFault::Content;
  }
  return reader.left() == 0 ? PacketFault::None : PacketFault::Content;
}

PacketFault read_motion(std::span<const std::byte> datagram, LinkMotion& motion) noexcept {
  Reader reader(datagram.subspan(kLinkHeaderBytes));
  if (reader.left() < kMotionStart) return PacketFault::Content;
  const auto flags = reader.word<std::uint16_t>();
  const std::size_t joints = reader.word<std::uint16_t>();
  if ((flags & ~kValid) != 0 || joints > at(kLinkMaxJoints)) return PacketFault::Content;
  if (reader.left() != 8 * (kBaseNumbers + 2 * joints)) return PacketFault::Content;

  bool finite = true;
  const auto next = [&]() noexcept {
    const double x = reader.number();
    finite = finite && std::abs(x) <= kLargest;
    return x;
  };
  const auto fill = [&](auto& vector) noexcept {
    for (double& x : vector) x = next();
  };
  Eigen::Vector4d q;
  fill(motion.p_WB);
  fill(q);
  fill(motion.v_WB);
  fill(motion.w_WB);
  for (std::size_t i = 0; i < joints; ++i) motion.s[i] = next();
  for (std::size_t i = 0; i < joints; ++i) motion.sdot[i] = next();
  if (!finite || !(std::abs(q.norm() - 1.0) <= kQuaternionNorm)) return PacketFault::NotFinite;
  motion.R_WB = so3::from_quaternion_wxyz(q);
  motion.valid = (flags & kValid) != 0;
  motion.joints = static_cast<int>(joints);
  return PacketFault::None;
}

std::size_t write_hello(const PacketHeader& header, const LinkHello& hello, int& first,
                        Datagram& datagram) noexcept {
  Writer writer(datagram);
  writer.header(header);
  writer.number(hello.rate_hz);
  writer.letters(kQuaternionOrder);
  writer.word(static_cast<std::uint16_t>(hello.joints.size()));
  writer.word(static_cast<std::uint16_t>(first));
  const std::size_t count_at = writer.size();
  writer.word(std::uint16_t{0});
  writer.bytes(hello.proof);
  writer.name(hello.robot);
  std::uint16_t count = 0;
  for (; at(first) < hello.joints.size(); ++first, ++count) {
    const std::string& name = hello.joints[at(first)];
    if (writer.size() + 1 + name.size() > kLinkMaxContent) break;
    writer.name(name);
  }
  const std::size_t end = writer.size();
  writer.go_to(count_at);
  writer.word(count);
  writer.go_to(end);
  return writer.finish();
}

std::size_t write_motion(const PacketHeader& header, const State& state, bool valid,
                         Datagram& datagram) noexcept {
  Writer writer(datagram);
  writer.header(header);
  writer.word(valid ? kValid : std::uint16_t{0});
  writer.word(static_cast<std::uint16_t>(state.s.size()));
  writer.numbers(state.p_WB);
  writer.numbers(so3::to_quaternion_wxyz(state.R_WB));
  writer.numbers(state.v_WB);
  writer.numbers(state.w_WB);
  writer.numbers(state.s);
  writer.numbers(state.sdot);
  return writer.finish();
}

PacketFault read_welcome(std::span<const std::byte> datagram, LinkProof& proof) noexcept {
  Reader reader(datagram.subspan(kLinkHeaderBytes));
  if (reader.left() != proof.size()) return PacketFault::Content;
  reader.bytes(proof);
  return PacketFault::None;
}

std::size_t write_welcome(const PacketHeader& header, const LinkProof& proof, Datagram& datagram) noexcept {
  Writer writer(datagram);
  writer.header(header);
  writer.bytes(proof);
  return writer.finish();
}

void complete(std::span<std::byte> datagram) noexcept {
  put(datagram, kLengthAt, static_cast<std::uint16_t>(datagram.size()));
  put(datagram, kLinkChecksumAt, checksum(datagram));
}

std::size_t write_bye(const PacketHeader& header, Datagram& datagram) noexcept {
  Writer writer(datagram);
  writer.header(header);
  return writer.finish();
}

}  // namespace panto::live
