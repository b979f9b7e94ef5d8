#pragma once
// Trackers of SlimeVR and compatible ones (owoTrack), as they talk to SlimeVR's server by UDP, port 6969
// (docs/formats/slimevr.md). Big endian.

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "panto/sample/imu_sample.hpp"
#include "panto/stream/sample_stream.hpp"

namespace panto::stream {

inline constexpr int kSlimeMaxSensors = 64;

/// Fused orientations and accelerations of all trackers, named "<MAC>/<sensor>". The protocol tells neither
/// how many trackers there are nor when they measured: the names are complete when no new sensor came for
/// `gather`, stamps are times of arrival, and a sample is there when every sensor has come once, or one
/// twice.
///
/// A datagram belongs to the tracker at its address, which only `take_from` knows: use it where there is more
/// than one. After each datagram send `reply()` to its sender: trackers give up without answers.
class SlimeTrackers final : public SampleStream<ImuSample> {
 public:
  explicit SlimeTrackers(Time gather = 2'000'000'000);

  Brought take(std::span<const std::byte> datagram, Time arrival) noexcept override {
    return take_from(0, datagram, arrival);
  }
  Brought take_from(std::uint64_t peer, std::span<const std::byte> datagram, Time arrival) noexcept override;
  [[nodiscard]] bool gathers() const noexcept override { return true; }
  /// Never longer than 14 bytes.
  [[nodiscard]] std::span<const std::byte> reply() const noexcept override {
    return std::span(reply_).first(reply_size_);
  }

  [[nodiscard]] const ImuSample& sample() const noexcept override { return sample_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] std::vector<std::string> notes() const override;
  [[nodiscard]] const StreamCounts& counts() const noexcept override { return counts_; }

 private:
  using Mac = std::array<std::byte, 6>;
  using Sensors = std::bitset<at(kSlimeMaxSensors)>;
  struct Device {
    std::uint64_t peer = 0;
    Mac mac{};
    std::uint64_t last = 0;  // packet number
    Time answered = 0;
  };
  struct Sensor {
    std::size_t device = 0;
    int id = 0;
    Eigen::Vector3d acc = Eigen::Vector3d::Zero();  // without gravity
    bool has_acc = false;                           // since the last sample
  };
  struct Part;

  Brought read(std::uint64_t peer, std::span<const std::byte> datagram, Time arrival) noexcept;
  Brought shake_hands(std::uint64_t peer, std::span<const std::byte> body, Time arrival) noexcept;
  Device* device_of(std::uint64_t peer) noexcept;
  int sensor_of(std::size_t device, int id) noexcept;
  void apply(std::size_t device, const Part& part) noexcept;
  void see(int sensor, const Part& part) noexcept;
  void finish_names();
  bool close() noexcept;
  void deliver() noexcept;
  void answer_heartbeat(Device& device, Time arrival) noexcept;

  Time gather_;
  ImuSample sample_, next_;
  std::vector<std::string> names_;
  std::vector<Device> devices_;
  std::vector<Sensor> sensors_;
  StreamCounts counts_;
  std::array<std::byte, 16> reply_{};
  std::size_t reply_size_ = 0;

  bool known_ = false;
  Time newest_sensor_ = 0;  // arrival
  Time arrival_ = 0;
  Sensors seen_, last_seen_, usual_;
  bool delivered_ = false;
  bool brought_sample_ = false;
  bool any_ = false;
  Time last_arrival_ = 0;

  bool late_sensor_ = false, faulty_ = false;
};

/// Sends the sensors of a sample as one tracker with extensions would: orientations and accelerations.
/// Gravity is taken out of the accelerations, as the firmware does; readings without an orientation are not
/// sent.
class SlimeEncoder final : public SampleEncoder<ImuSample> {
 public:
  /// @throws ConfigError on no sensor or more than 64.
  explicit SlimeEncoder(int sensors);

  [[nodiscard]] Datagrams introduction() override;
  [[nodiscard]] Datagrams encode(const ImuSample& sample) override;

 private:
  int sensors_;
  std::uint64_t number_ = 1;
};

}  // namespace panto::stream
