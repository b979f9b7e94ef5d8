#include "panto/stream/slimevr.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "panto/stream/byte_io.hpp"

namespace panto::stream {
namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;
using Bytes = std::span<const std::byte>;
using Reader = ByteReader<std::endian::big>;
using Writer = ByteWriter<std::endian::big>;

enum Type : std::uint32_t {
  Rotation = 1,  // of sensor 0, old
  Handshake = 3,
  Acceleration = 4,
  SensorInfo = 15,
  Rotation2 = 16,  // of sensor 1, old
  RotationData = 17,
  RotationAndAcceleration = 23,
  Bundle = 100,
  CompactBundle = 101,
};

constexpr std::string_view kHey = "\3Hey OVR =D 5";
constexpr std::size_t kHeaderBytes = 12;
constexpr std::uint8_t kNormal = 1;       // of a rotation; others are corrections
constexpr Time kHeartbeat = 500'000'000;  // [ns]
constexpr double kNorm = 1e-2;            // of a quaternion
constexpr double kFastest = 1e4;          // [m/s^2]
constexpr double kGravity = 9.80665;      // [m/s^2]
constexpr std::size_t kLargest = 1472;    // payload of one Ethernet frame over IPv4 and UDP
constexpr std::size_t kMostDevices = 64;

Vector3d gravity_felt(const Vector4d& wxyz_GI) noexcept {
  return so3::from_quaternion_wxyz(wxyz_GI).transpose() * Vector3d{0.0, 0.0, kGravity};
}

}  // namespace

// A packet within a datagram, checked: what it says of a sensor.
struct SlimeTrackers::Part {
  int id = -1;  // of the sensor; -1: says nothing that is used
  bool turned = false, accelerated = false, faulty = false;
  bool info = false;
  std::uint8_t status = 0;
  Vector4d wxyz = {1.0, 0.0, 0.0, 0.0};
  Vector3d acc = Vector3d::Zero();

  // False when the bytes end too early.
  bool read(std::uint32_t type, Bytes body) noexcept {
    *this = {};
    Reader reader(body);
    if (type == Rotation || type == Rotation2) {
      id = type == Rotation ? 0 : 1;
      read_rotation(reader);
    } else if (type == RotationData) {
      id = reader.word<std::uint8_t>();
      const bool normal = reader.word<std::uint8_t>() == kNormal;
      read_rotation(reader);
      if (!normal) id = -1;
    } else if (type == Acceleration) {
      for (double& value : acc) value = static_cast<double>(reader.real32());
      id = reader.left() > 0 ? reader.word<std::uint8_t>() : 0;
      accelerated = true;
    } else if (type == RotationAndAcceleration) {
      id = reader.word<std::uint8_t>();
      read_whole_numbers(reader);
    } else if (type == SensorInfo) {
      id = reader.word<std::uint8_t>();
      status = reader.word<std::uint8_t>();
      info = true;
    }
    if (!reader.ok()) return false;
    check();
    return true;
  }

 private:
  void read_rotation(Reader& reader) noexcept {
    for (const int i : {1, 2, 3, 0}) wxyz[i] = static_cast<double>(reader.real32());
    turned = true;
  }
  void read_whole_numbers(Reader& reader) noexcept {
    const auto next = [&] {
      return static_cast<double>(static_cast<std::int16_t>(reader.word<std::uint16_t>()));
    };
    for (const int i : {1, 2, 3, 0}) wxyz[i] = next() / 32768.0;
    for (double& value : acc) value = next() / 128.0;
    turned = accelerated = true;
  }
  void check() noexcept {
    if (turned && !(std::abs(wxyz.norm() - 1.0) <= kNorm)) {
      turned = false;
      faulty = true;
    }
    if (accelerated && !(acc.norm() <= kFastest)) {
      accelerated = false;
      faulty = true;
    }
  }
};

namespace {

// Goes through the packets of a datagram: one, or those of a bundle.
class Packets {
 public:
  explicit Packets(Bytes datagram) noexcept : rest_(datagram) {
    Reader reader(datagram);
    type_ = reader.word<std::uint32_t>();
    number_ = reader.word<std::uint64_t>();
    whole_ = reader.ok();
    rest_ = datagram.last(reader.left());
    single_ = type_ != Bundle && type_ != CompactBundle;
  }
  bool next(std::uint32_t& type, Bytes& body) noexcept {
    if (!whole_) return false;
    if (single_) {
      type = type_;
      body = rest_;
      whole_ = false;
      return true;
    }
    if (rest_.empty()) return false;
    Reader reader(rest_);
    const bool compact = type_ == CompactBundle;
    const std::size_t size = compact ? reader.word<std::uint8_t>() : reader.word<std::uint16_t>();
    Reader inner(reader.bytes(size));
    type = compact ? reader_type<std::uint8_t>(inner) : reader_type<std::uint32_t>(inner);
    damaged_ = !reader.ok() || !inner.ok();
    if (damaged_) return false;
    body = rest_.subspan(rest_.size() - reader.left() - inner.left(), inner.left());
    rest_ = rest_.last(reader.left());
    return true;
  }
  [[nodiscard]] bool damaged() const noexcept { return damaged_; }
  [[nodiscard]] std::uint32_t type() const noexcept { return type_; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] bool has_header() const noexcept { return whole_; }

 private:
  template <typename Word>
  static std::uint32_t reader_type(Reader& reader) noexcept {
    return reader.word<Word>();
  }
  Bytes rest_;
  std::uint32_t type_ = 0;
  std::uint64_t number_ = 0;
  bool whole_ = false, single_ = true, damaged_ = false;
};

}  // namespace

SlimeTrackers::SlimeTrackers(Time gather) : gather_(gather) {
  devices_.reserve(kMostDevices);
  sensors_.reserve(at(kSlimeMaxSensors));
  next_.imus.reserve(at(kSlimeMaxSensors));
}

Brought SlimeTrackers::take_from(std::uint64_t peer, Bytes datagram, Time arrival) noexcept {
  reply_size_ = 0;
  const Brought brought = read(peer, datagram, arrival);
  ++counts_.by[static_cast<std::size_t>(brought)];
  return brought;
}

Brought SlimeTrackers::read(std::uint64_t peer, Bytes datagram, Time arrival) noexcept {
  Packets check(datagram);
  if (!check.has_header() || datagram.size() > kLargest) return Brought::Refused;
  if (check.type() == Handshake) return shake_hands(peer, datagram.subspan(kHeaderBytes), arrival);
  Part part;
  std::uint32_t type = 0;
  Bytes body;
  bool useful = false;
  while (check.next(type, body)) {
    if (!part.read(type, body)) return Brought::Refused;
    useful = useful || part.id >= 0;
  }
  if (check.damaged()) return Brought::Refused;
  Device* device = device_of(peer);
  if (device == nullptr) return Brought::Ignored;
  Packets packets(datagram);
  if (packets.number() != 0 && packets.number() <= device->last) return Brought::Late;
  device->last = std::max(device->last, packets.number());
  answer_heartbeat(*device, arrival);
  if (!useful) return Brought::Ignored;

  arrival_ = arrival;
  brought_sample_ = false;
  if (!known_ && !sensors_.empty() && arrival - newest_sensor_ > gather_) finish_names();
  while (packets.next(type, body)) {
    if (part.read(type, body)) apply(static_cast<std::size_t>(device - devices_.data()), part);
  }
  if (known_ && seen_.any() && !delivered_ && (seen_ & usual_) == usual_) deliver();
  return brought_sample_ ? Brought::Sample : Brought::Part;
}

Brought SlimeTrackers::shake_hands(std::uint64_t peer, Bytes body, Time arrival) noexcept {
  Mac mac{};
  Reader reader(body);
  (void)reader.bytes(std::size_t{7} * 4);  // board, sensor, processor, three old ones, version
  (void)reader.bytes(reader.word<std::uint8_t>());
  const Bytes sent = reader.bytes(mac.size());
  std::copy(sent.begin(), sent.end(), mac.begin());
  if (mac == Mac{}) {  // a telephone: its address tells it from others
    for (std::size_t i = 0; i < mac.size(); ++i) mac[i] = static_cast<std::byte>((peer >> (8 * i)) & 0xffU);
  }
  auto found = std::find_if(devices_.begin(), devices_.end(), [&](const Device& d) { return d.mac == mac; });
  if (found == devices_.end()) {
    if (known_ || devices_.size() == kMostDevices) {
      late_sensor_ = true;
      return Brought::Ignored;
    }
    found = devices_.insert(devices_.end(), Device{peer, mac, 0, arrival});
  }
  for (Device& device : devices_) {
    if (device.peer == peer && device.mac != mac)
      device.peer = ~std::uint64_t{0};  // its address is another's
  }
  *found = {peer, mac, 0, arrival};
  std::transform(kHey.begin(), kHey.end(), reply_.begin(), [](char c) { return static_cast<std::byte>(c); });
  // a short handshake gets no longer answer
  reply_size_ = std::min(kHey.size(), kHeaderBytes + body.size());
  return Brought::Part;
}

SlimeTrackers::Device* SlimeTrackers::device_of(std::uint64_t peer) noexcept {
  const auto found =
      std::find_if(devices_.begin(), devices_.end(), [&](const Device& d) { return d.peer == peer; });
  return found == devices_.end() ? nullptr : &*found;
}

// The firmware gives up after 3 s without a packet.
void SlimeTrackers::answer_heartbeat(Device& device, Time arrival) noexcept {
  if (arrival - device.answered < kHeartbeat) return;
  device.answered = arrival;
  reply_.fill(std::byte{0});
  reply_[3] = std::byte{1};
  reply_size_ = kHeaderBytes;
}

// -1 when it came after the names were complete
int SlimeTrackers::sensor_of(std::size_t device, int id) noexcept {
  const auto found = std::find_if(sensors_.begin(), sensors_.end(),
                                  [&](const Sensor& s) { return s.device == device && s.id == id; });
  if (found != sensors_.end()) return static_cast<int>(found - sensors_.begin());
  if (known_ || sensors_.size() == at(kSlimeMaxSensors)) {
    late_sensor_ = true;
    return -1;
  }
  sensors_.push_back({device, id, Vector3d::Zero(), false});
  newest_sensor_ = arrival_;
  return static_cast<int>(sensors_.size()) - 1;
}

void SlimeTrackers::apply(std::size_t device, const Part& part) noexcept {
  if (part.id < 0 || part.id == 255) return;  // 255: the whole device
  if (part.info) {
    // acknowledged, or the tracker repeats it: type, id, status
    reply_.fill(std::byte{0});
    reply_[3] = static_cast<std::byte>(SensorInfo);
    reply_[4] = static_cast<std::byte>(part.id);
    reply_[5] = static_cast<std::byte>(part.status);
    reply_size_ = 6;
    return;
  }
  faulty_ = faulty_ || part.faulty;
  if (!part.turned && !part.accelerated) return;
  const int sensor = sensor_of(device, part.id);
  if (sensor >= 0) see(sensor, part);
}

void SlimeTrackers::see(int sensor, const Part& part) noexcept {
  Sensor& own = sensors_[at(sensor)];
  if (part.turned && seen_.test(at(sensor)) && known_) brought_sample_ = close() || brought_sample_;
  if (part.accelerated) {
    own.acc = part.acc;
    own.has_acc = true;
  }
  if (!known_) return;
  ImuReading& reading = next_.imus[at(sensor)];
  if (part.turned) {
    seen_.set(at(sensor));
    reading.wxyz_GI = part.wxyz;
    reading.has_orientation = true;
  }
  if (reading.has_orientation && own.has_acc) {
    reading.acc = own.acc + gravity_felt(reading.wxyz_GI);
    reading.has_acc = true;
  }
}

void SlimeTrackers::finish_names() {
  known_ = true;
  std::sort(sensors_.begin(), sensors_.end(), [&](const Sensor& a, const Sensor& b) {
    const Mac& of_a = devices_[a.device].mac;
    const Mac& of_b = devices_[b.device].mac;
    return of_a != of_b ? of_a < of_b : a.id < b.id;
  });
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    std::string name;
    for (const std::byte byte : devices_[sensors_[i].device].mac) {
      constexpr std::string_view digit = "0123456789ABCDEF";
      if (!name.empty()) name += ':';
      name += digit[std::to_integer<std::size_t>(byte) >> 4];
      name += digit[std::to_integer<std::size_t>(byte) & 15U];
    }
    names_.push_back(name + '/' + std::to_string(sensors_[i].id));
    usual_.set(i);
  }
  next_.imus.resize(sensors_.size());
  sample_.imus.resize(sensors_.size());
}

// A sensor has come a second time. True when what was collected became a sample.
bool SlimeTrackers::close() noexcept {
  const bool partly = !delivered_;
  if (seen_ == last_seen_) usual_ = seen_;
  last_seen_ = seen_;
  if (partly) deliver();
  seen_.reset();
  delivered_ = false;
  return partly;
}

void SlimeTrackers::deliver() noexcept {
  delivered_ = brought_sample_ = true;
  std::swap(sample_.imus, next_.imus);
  std::fill(next_.imus.begin(), next_.imus.end(), ImuReading{});
  for (Sensor& sensor : sensors_) sensor.has_acc = false;
  sample_.t = any_ ? sample_.t + std::max<Time>(arrival_ - last_arrival_, 1) : 0;
  any_ = true;
  last_arrival_ = arrival_;
}

std::vector<std::string> SlimeTrackers::notes() const {
  std::vector<std::string> notes;
  if (late_sensor_) {
    notes.emplace_back("A tracker came after the first sample: it is left out; restart to include it.");
  }
  if (faulty_)
    notes.emplace_back("A tracker sent values that are no numbers, or no unit quaternion: left out.");
  return notes;
}

// ---- encoder ----------------------------------------------------------------------------------------------

namespace {

std::vector<std::byte> start(Type type, std::uint64_t number) {
  std::vector<std::byte> out;
  Writer writer(out);
  writer.word(static_cast<std::uint32_t>(type));
  writer.word(number);
  return out;
}

}  // namespace

SlimeEncoder::SlimeEncoder(int sensors) : sensors_(sensors) {
  if (sensors < 1 || sensors > kSlimeMaxSensors) {
    throw ConfigError("SlimeVR: " + std::to_string(sensors) + " sensors, must be 1 to " +
                      std::to_string(kSlimeMaxSensors));
  }
}

Datagrams SlimeEncoder::introduction() {
  Datagrams out{start(Handshake, 0)};
  Writer writer(out.back());
  constexpr std::uint32_t version = 19;
  for (const std::uint32_t word : {0U, 0U, 0U, 0U, 0U, 0U, version}) writer.word(word);
  constexpr std::string_view firmware = "panto";
  writer.word(static_cast<std::uint8_t>(firmware.size()));
  writer.letters(firmware);
  for (const unsigned byte : {2U, 0U, 0U, 0U, 0U, 1U}) writer.word(static_cast<std::uint8_t>(byte));
  for (int sensor = 0; sensor < sensors_; ++sensor) {
    out.push_back(start(SensorInfo, number_++));
    Writer info(out.back());
    info.word(static_cast<std::uint8_t>(sensor));
    info.word(std::uint8_t{1});  // works
    info.word(std::uint8_t{0});  // of an unknown kind
  }
  return out;
}

Datagrams SlimeEncoder::encode(const ImuSample& sample) {
  constexpr std::uint16_t rotation_bytes = 4 + 2 + 4 * 4 + 1, acceleration_bytes = 4 + 3 * 4 + 1;
  Datagrams out;
  for (int sensor = 0; sensor < std::min(sensors_, static_cast<int>(sample.imus.size())); ++sensor) {
    const ImuReading& reading = sample.imus[at(sensor)];
    if (!reading.has_orientation) continue;
    if (out.empty() || out.back().size() + 4 + rotation_bytes + acceleration_bytes > kLargest) {
      out.push_back(start(Bundle, number_++));
    }
    Writer writer(out.back());
    writer.word(rotation_bytes);
    writer.word(static_cast<std::uint32_t>(RotationData));
    writer.word(static_cast<std::uint8_t>(sensor));
    writer.word(kNormal);
    for (const int i : {1, 2, 3, 0}) writer.real32(reading.wxyz_GI[i]);
    writer.word(std::uint8_t{0});  // accuracy
    if (!reading.has_acc) continue;
    writer.word(acceleration_bytes);
    writer.word(static_cast<std::uint32_t>(Acceleration));
    for (const double value : Vector3d{reading.acc - gravity_felt(reading.wxyz_GI)}) writer.real32(value);
    writer.word(static_cast<std::uint8_t>(sensor));
  }
  return out;
}

}  // namespace panto::stream
