#pragma once
// Inertial sensors by UDP, Panto's own protocol: readings of a suit, or of sensors with their own radios
// (docs/formats/imu_stream.md). The header is that of the robot link. Little endian.
//
//   header 32 bytes | names: sensors by index           | first, and every second
//                   | sample: readings by sensor        | at the rate of the sensors

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "panto/sample/imu_sample.hpp"
#include "panto/stream/sample_stream.hpp"

namespace panto::stream {

inline constexpr std::size_t kImuMaxBytes = 1472;  ///< payload of one Ethernet frame over IPv4 and UDP
inline constexpr std::size_t kImuHeaderBytes = 32;
inline constexpr int kImuVersion = 1;
inline constexpr int kImuMaxSensors = 255;
inline constexpr std::size_t kImuMaxName = 255;

enum class ImuPacketType : std::uint8_t { Names = 1, Sample = 2 };

struct ImuHeader {
  ImuPacketType type = ImuPacketType::Names;
  std::uint64_t session = 0;  ///< random, chosen at the sender's start
  std::uint32_t seq = 0;      ///< number of the sample, the same in all of its datagrams; wraps around
  Time t = 0;                 ///< stamp of the sample by the sender's clock [ns]; of names: the newest
};

/// Reads and checks the header of a complete datagram: magic, version, type, length, checksum, |t| < 2^62.
[[nodiscard]] std::optional<ImuHeader> read_imu_header(std::span<const std::byte> datagram) noexcept;

/// One suit from its datagrams. A sample comes when all named sensors have a reading of one stamp, or when
/// the next stamp begins; a sensor that was missing twice in a row is no longer waited for. Where readings
/// come after that, as from sensors with their own radios, up to four stamps are collected at once. Missing
/// readings have no flags. Names are those of the first session; a later one's sensors are found by name. A
/// list of names without any known sensor is refused.
class ImuStream final : public SampleStream<ImuSample> {
 public:
  ImuStream();

  Brought take(std::span<const std::byte> datagram, Time arrival) noexcept override;
  [[nodiscard]] const ImuSample& sample() const noexcept override { return sample_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] std::vector<std::string> notes() const override;
  [[nodiscard]] const StreamCounts& counts() const noexcept override { return counts_; }

 private:
  using Sensors = std::bitset<at(kImuMaxSensors)>;
  static constexpr int kMostHeld = 4;
  struct Names;
  struct Reading;
  // A sample that is being collected.
  struct Pending {
    ImuHeader header;
    Time arrival = 0;
    Sensors seen;
    std::vector<ImuReading> imus;
  };

  Brought hear_names(const ImuHeader& header, std::span<const std::byte> body, Time arrival) noexcept;
  Brought hear_sample(const ImuHeader& header, std::span<const std::byte> body, Time arrival) noexcept;
  [[nodiscard]] bool may_begin(std::uint64_t session, Time arrival) const noexcept;
  void begin_session(const ImuHeader& header, int total) noexcept;
  [[nodiscard]] bool knows_any(const Names& names) const noexcept;
  [[nodiscard]] bool agrees(const Names& names) const noexcept;
  void be_ready() noexcept;
  [[nodiscard]] bool newer(const ImuHeader& header) const noexcept;
  bool begin_sample(const ImuHeader& header) noexcept;
  Brought hear_late(const ImuHeader& header, const Sensors& here) noexcept;
  [[nodiscard]] int whole() const noexcept;
  void finish(int newest) noexcept;
  void learn() noexcept;
  void keep(const Reading& reading, Pending& pending) noexcept;
  void deliver(Pending& pending) noexcept;

  ImuSample sample_;
  std::vector<std::string> names_;
  StreamCounts counts_;

  // the session
  std::optional<std::uint64_t> session_;
  std::optional<std::uint64_t> leaving_;  // the one before; it has ended once the new one gives a sample
  bool given_ = false;                    // the session gave a sample
  std::array<std::uint64_t, 16> past_{};
  std::size_t past_count_ = 0;
  Time heard_ = 0;
  std::vector<std::string> told_;  // by the session's index
  Sensors told_set_;
  int total_ = 0;
  bool ready_ = false;
  std::array<int, at(kImuMaxSensors)> item_of_{};  // in the sample, -1 for a sensor that it lacks

  // the samples that are being collected, oldest first; more than one when sensors come apart
  std::array<Pending, at(kMostHeld)> pending_;
  int pending_count_ = 0, held_ = 1;
  std::optional<ImuHeader> newest_;  // that has begun
  Time finished_t_ = 0;              // of the last sample given
  Sensors finished_given_, finished_, last_seen_, usual_;
  bool partly_ = false, learned_ = true;

  // stamps
  bool any_ = false;
  bool restarted_ = false;
  Time last_t_ = 0, last_arrival_ = 0;

  // notes
  bool was_restarted_ = false, jumped_ = false, stranger_ = false;
  std::string_view faulty_;  // a sensor that sent what is no number; one of names_
};

/// Sends samples as a suit would: names, then as many sensors in a datagram as fit.
class ImuEncoder final : public SampleEncoder<ImuSample> {
 public:
  /// `session` is to be random, another for each start. `largest` datagram [bytes], at most 1472, at least
  /// 300. With `alone`, each sensor has its own datagram. @throws ConfigError on no sensor, more than 255,
  /// and names that are empty, longer than 255 bytes, or used twice.
  explicit ImuEncoder(std::vector<std::string> names, std::uint64_t session, bool alone = false,
                      std::size_t largest = kImuMaxBytes);

  [[nodiscard]] Datagrams introduction() override;
  /// Readings without any flag are not sent.
  [[nodiscard]] Datagrams encode(const ImuSample& sample) override;

 private:
  std::vector<std::string> names_;
  ImuHeader header_;
  bool alone_;
  std::size_t largest_;
};

}  // namespace panto::stream
