#include "panto/stream/imu_datagram.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "panto/base/crc32c.hpp"
#include "panto/base/printable.hpp"
#include "panto/stream/byte_io.hpp"

namespace panto::stream {
namespace {

using Reader = ByteReader<std::endian::little>;

constexpr std::string_view kMagic = "PNTI";
constexpr std::size_t kChecksumAt = 28;
constexpr Time kLastStamp = Time{1} << 62;
constexpr unsigned kGyro = 1, kAcc = 2, kMag = 4, kOrientation = 8, kAllFlags = 15;
constexpr double kBeyondSensors = 1e7;  // in any unit, as in files
constexpr double kNorm = 1e-2;          // of a quaternion
constexpr Time kSilence = 500'000'000;  // [ns] after which another session may begin
constexpr Time kJump = 1'000'000'000;   // [ns] between the sender's clock and ours
constexpr std::uint32_t kSequenceWindow = 1U << 15U;

// True when all are numbers that a sensor can measure.
template <typename Vector>
bool read_vector(Reader& reader, Vector& values) noexcept {
  bool fine = true;
  for (double& value : values) {
    value = static_cast<double>(reader.real32());
    fine = fine && std::abs(value) <= kBeyondSensors;
  }
  if (!fine) values.setZero();
  return fine;
}

}  // namespace

// One datagram of names: `count` from `first` on. Views into the datagram.
struct ImuStream::Names {
  int total = 0, first = 0, count = 0;
  std::array<std::string_view, at(kImuMaxSensors)> names;

  bool read(std::span<const std::byte> body) noexcept {
    Reader reader(body);
    total = reader.word<std::uint16_t>();
    first = reader.word<std::uint16_t>();
    count = reader.word<std::uint16_t>();
    if (!reader.ok() || total < 1 || total > kImuMaxSensors || count < 1 || first + count > total)
      return false;
    for (int i = 0; i < count; ++i) {
      const std::string_view name = names[at(i)] = reader.letters(reader.word<std::uint8_t>());
      if (name.empty()) return false;
      const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
      if (std::any_of(name.begin(), name.end(), control)) return false;
      const auto before = names.begin() + i;
      if (std::find(names.begin(), before, name) != before) return false;
    }
    return reader.ok() && reader.left() == 0;
  }
};

struct ImuStream::Reading {
  int sensor = 0;
  bool faulty = false;
  ImuReading value;

  // Quantities that are no numbers are left out. False at the end of the datagram.
  bool read(Reader& reader) noexcept {
    *this = {};
    sensor = reader.word<std::uint16_t>();
    const unsigned flags = reader.word<std::uint16_t>();
    if (!reader.ok() || (flags & ~kAllFlags) != 0) return false;
    const auto take = [&](unsigned flag, auto& values, bool& has) noexcept {
      if ((flags & flag) == 0) return;
      has = read_vector(reader, values);
      faulty = faulty || !has;
    };
    take(kGyro, value.gyro, value.has_gyro);
    take(kAcc, value.acc, value.has_acc);
    take(kMag, value.mag, value.has_mag);
    take(kOrientation, value.wxyz_GI, value.has_orientation);
    if (value.has_orientation && !(std::abs(value.wxyz_GI.norm() - 1.0) <= kNorm)) {
      value.has_orientation = false;
      faulty = true;
    }
    if (!value.has_orientation) value.wxyz_GI = {1.0, 0.0, 0.0, 0.0};
    return reader.ok();
  }
};

std::optional<ImuHeader> read_imu_header(std::span<const std::byte> datagram) noexcept {
  if (datagram.size() < kImuHeaderBytes || datagram.size() > kImuMaxBytes) return {};
  Reader reader(datagram);
  if (reader.letters(kMagic.size()) != kMagic || reader.word<std::uint8_t>() != kImuVersion) return {};
  const auto type = reader.word<std::uint8_t>();
  if (reader.word<std::uint16_t>() != datagram.size()) return {};
  ImuHeader header;
  header.session = reader.word<std::uint64_t>();
  header.seq = reader.word<std::uint32_t>();
  header.t = static_cast<Time>(reader.word<std::uint64_t>());
  const auto checksum = crc32c(datagram.subspan(kImuHeaderBytes), crc32c(datagram.first(kChecksumAt)));
  if (reader.word<std::uint32_t>() != checksum) return {};
  if (type != static_cast<std::uint8_t>(ImuPacketType::Names) &&
      type != static_cast<std::uint8_t>(ImuPacketType::Sample)) {
    return {};
  }
  header.type = static_cast<ImuPacketType>(type);
  if (header.t <= -kLastStamp || header.t >= kLastStamp) return {};
  return header;
}

ImuStream::ImuStream() { told_.resize(at(kImuMaxSensors)); }

Brought ImuStream::take(std::span<const std::byte> datagram, Time arrival) noexcept {
  Brought brought = Brought::Refused;
  if (const auto header = read_imu_header(datagram)) {
    const auto body = datagram.subspan(kImuHeaderBytes);
    brought = header->type == ImuPacketType::Names ? hear_names(*header, body, arrival)
                                                   : hear_sample(*header, body, arrival);
  }
  ++counts_.by[static_cast<std::size_t>(brought)];
  return brought;
}

Brought ImuStream::hear_names(const ImuHeader& header, std::span<const std::byte> body,
                              Time arrival) noexcept {
  Names names;
  if (!names.read(body)) return Brought::Refused;
  if (session_ != header.session) {
    if (!may_begin(header.session, arrival)) return Brought::Ignored;
    if (!knows_any(names)) return Brought::Refused;
    begin_session(header, names.total);
  }
  if (!agrees(names)) return Brought::Refused;
  heard_ = arrival;
  if (ready_) return Brought::Part;
  for (int i = 0; i < names.count; ++i) {
    told_[at(names.first + i)].assign(names.names[at(i)]);
    told_set_.set(at(names.first + i));
  }
  if (told_set_.count() == at(total_)) be_ready();
  return Brought::Part;
}

// A list without any of the sensors that are followed is of another suit.
bool ImuStream::knows_any(const Names& names) const noexcept {
  if (names_.empty()) return true;
  return std::any_of(names.names.begin(), names.names.begin() + names.count, [&](std::string_view name) {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  });
}

// A session that has ended never begins again; another begins when the last one is silent.
bool ImuStream::may_begin(std::uint64_t session, Time arrival) const noexcept {
  const auto end = past_.begin() + static_cast<std::ptrdiff_t>(std::min(past_count_, past_.size()));
  if (std::find(past_.begin(), end, session) != end) return false;
  return !session_ || arrival - heard_ > kSilence;
}

void ImuStream::begin_session(const ImuHeader& header, int total) noexcept {
  if (session_) {
    if (given_) leaving_ = session_;
    if (leaving_ == header.session) leaving_.reset();
    restarted_ = any_;
    was_restarted_ = true;
  }
  given_ = false;
  session_ = header.session;
  total_ = total;
  told_set_.reset();
  ready_ = false;
  pending_count_ = 0;
  newest_.reset();
  learned_ = true;
}

bool ImuStream::agrees(const Names& names) const noexcept {
  if (names.total != total_) return false;
  for (int i = 0; i < names.count; ++i) {
    const std::string_view name = names.names[at(i)];
    for (int known = 0; known < total_; ++known) {
      if (told_set_.test(at(known)) && (told_[at(known)] == name) != (known == names.first + i)) return false;
    }
  }
  return true;
}

void ImuStream::be_ready() noexcept {
  ready_ = true;
  if (names_.empty()) {
    names_.assign(told_.begin(), told_.begin() + total_);
    sample_.imus.resize(names_.size());
    for (Pending& pending : pending_) pending.imus.resize(names_.size());
  }
  usual_.reset();
  last_seen_.reset();
  for (int sensor = 0; sensor < total_; ++sensor) {
    const auto found = std::find(names_.begin(), names_.end(), told_[at(sensor)]);
    item_of_[at(sensor)] = found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
    stranger_ = stranger_ || found == names_.end();
    usual_.set(at(sensor));
  }
}

// A clock that was set back is believed where the numbers go on.
bool ImuStream::newer(const ImuHeader& header) const noexcept {
  if (!newest_ || header.t > newest_->t) return true;
  const std::uint32_t ahead = header.seq - newest_->seq;
  return header.t < newest_->t - kJump && ahead > 0 && ahead < kSequenceWindow;
}

Brought ImuStream::hear_sample(const ImuHeader& header, std::span<const std::byte> body,
                               Time arrival) noexcept {
  Reader reader(body);
  const int total = reader.word<std::uint16_t>(), count = reader.word<std::uint16_t>();
  Reading reading;
  Sensors here;
  for (int i = 0; i < count; ++i) {
    if (!reading.read(reader) || reading.sensor >= total || total > kImuMaxSensors) return Brought::Refused;
    if (here.test(at(reading.sensor))) return Brought::Refused;
    here.set(at(reading.sensor));
  }
  if (!reader.ok() || reader.left() != 0 || count < 1) return Brought::Refused;
  if (!session_) return Brought::Part;
  if (header.session != *session_) return Brought::Ignored;
  if (ready_ && total != total_) return Brought::Refused;
  heard_ = arrival;
  if (!ready_) return Brought::Part;

  const auto end = pending_.begin() + pending_count_;
  auto own = std::find_if(pending_.begin(), end, [&](const Pending& p) { return p.header.t == header.t; });
  bool came = false;
  if (own == end) {
    if (!newer(header)) return hear_late(header, here);
    came = begin_sample(header);
    own = pending_.begin() + pending_count_ - 1;
  } else if ((here & ~own->seen).none()) {
    return Brought::Late;
  }
  own->arrival = arrival;
  Reader again(body.subspan(4));
  for (int i = 0; i < count && reading.read(again); ++i) keep(reading, *own);
  own->seen |= here;
  const int done = whole();
  if (done >= 0) finish(done);
  return came || done >= 0 ? Brought::Sample : Brought::Part;
}

// A reading of a sample that was given without it: the sensors come further apart than was thought.
Brought ImuStream::hear_late(const ImuHeader& header, const Sensors& here) noexcept {
  if (header.t == finished_t_ && !learned_) finished_ |= here;
  if (header.t == finished_t_ && partly_ && (here & ~finished_given_).any() && held_ < kMostHeld) {
    ++held_;
    partly_ = false;
  }
  return Brought::Late;
}

// Makes room for a sample. Returns true when an older one was given for it.
bool ImuStream::begin_sample(const ImuHeader& header) noexcept {
  const bool set_back = newest_ && header.t < newest_->t;
  const bool full = pending_count_ == held_;
  const bool gives = full || (set_back && pending_count_ > 0);
  if (gives) finish(set_back ? pending_count_ - 1 : 0);
  if (!learned_) learn();
  if (newest_) {
    const std::uint32_t ahead = header.seq - newest_->seq;
    if (ahead > 1 && ahead < kSequenceWindow) counts_.lost += ahead - 1;
  }
  newest_ = header;
  Pending& pending = pending_[at(pending_count_++)];
  pending.header = header;
  pending.seen.reset();
  std::fill(pending.imus.begin(), pending.imus.end(), ImuReading{});
  return gives;
}

// Returns the newest sample to which no reading can come any more, -1 for none: each sensor that is waited
// for has sent its own or a later one.
int ImuStream::whole() const noexcept {
  Sensors sent;
  for (int i = pending_count_ - 1; i >= 0; --i) {
    sent |= pending_[at(i)].seen;
    if ((sent & usual_) == usual_) return i;
  }
  return -1;
}

// Gives a sample. Older ones that are not whole are lost.
void ImuStream::finish(int newest) noexcept {
  if (!learned_) learn();
  Pending& given = pending_[at(newest)];
  partly_ = (given.seen & usual_) != usual_;
  counts_.lost += newest + (partly_ ? 1 : 0);
  finished_t_ = given.header.t;
  finished_ = finished_given_ = given.seen;
  learned_ = false;
  deliver(given);
  const auto begin = pending_.begin();
  std::rotate(begin, begin + newest + 1, begin + pending_count_);
  pending_count_ -= newest + 1;
}

void ImuStream::learn() noexcept {
  if (finished_ == last_seen_) usual_ = finished_;
  last_seen_ = finished_;
  learned_ = true;
}

void ImuStream::keep(const Reading& reading, Pending& pending) noexcept {
  const int item = item_of_[at(reading.sensor)];
  if (pending.seen.test(at(reading.sensor)) || item < 0) return;
  pending.imus[at(item)] = reading.value;
  if (reading.faulty) faulty_ = names_[at(item)];
}

void ImuStream::deliver(Pending& pending) noexcept {
  Time step = 0;
  if (any_) {
    const Time by_arrival = std::max<Time>(pending.arrival - last_arrival_, 1);
    step = pending.header.t - last_t_;
    const bool jump = !restarted_ && (step <= 0 || std::abs(step - by_arrival) > kJump);
    jumped_ = jumped_ || jump;
    if (restarted_ || jump) step = by_arrival;
  }
  std::swap(sample_.imus, pending.imus);
  sample_.t += step;
  any_ = given_ = true;
  if (leaving_) past_[past_count_++ % past_.size()] = *leaving_;
  leaving_.reset();
  restarted_ = false;
  last_t_ = pending.header.t;
  last_arrival_ = pending.arrival;
}

std::vector<std::string> ImuStream::notes() const {
  std::vector<std::string> notes;
  if (was_restarted_) notes.emplace_back("The sender started again: stamps go on by the time of arrival.");
  if (jumped_)
    notes.emplace_back("The sender's clock jumped by more than 1 s: the time of arrival is used there.");
  if (held_ > 1)
    notes.emplace_back("The sensors' readings arrive at different times: samples wait for the slowest.");
  if (stranger_) notes.emplace_back("After a new start the sender named other sensors: they are left out.");
  if (!faulty_.empty()) {
    notes.push_back("Sensor '" + printable(faulty_) +
                    "' sent values that are no numbers, too large, or no unit quaternion: left out.");
  }
  return notes;
}

}  // namespace panto::stream
