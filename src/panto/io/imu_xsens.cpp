// Reads text exports of Xsens MT Manager: one file per sensor, rows counted by packets.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/imu_table.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

constexpr std::int64_t kPackets = 65536;  // the counter has 16 bits
constexpr std::size_t kMostFiles = 100;
constexpr double kTicks = 4294967296.0, kTickSeconds = 1e-4;  // of SampleTimeFine

/// One file: a clip of one sensor with the packet number of each row.
struct XsensFile {
  ImuClip clip;
  std::vector<std::int64_t> packets;  // increasing: counter wraps are removed
  double rate_hz = 0.0;
};

// MT_012005D6_009-001_00B421E6.txt: the sensor's own number comes last
std::string sensor_of(const std::string& name) {
  const std::string stem = std::filesystem::path(name).stem().string();
  const std::size_t line = stem.rfind('_');
  return line == std::string::npos || line + 1 == stem.size() ? stem : stem.substr(line + 1);
}

class XsensReader {
 public:
  XsensReader(std::istream& stream, const std::string& name) : reader_(stream, name) {
    file_.clip.name = name;
    file_.clip.format = "xsens mt";
  }

  XsensFile read() {
    const std::string head = read_comments();
    const std::size_t after = head.find_first_of("\t,;");
    const char separator = after == std::string::npos ? '\t' : head[after];
    const std::vector<std::string_view> labels = split_cells(head, separator);
    const std::vector<ImuColumn> columns = columns_of(labels);
    fine_ =
        static_cast<std::size_t>(std::find(labels.begin(), labels.end(), "SampleTimeFine") - labels.begin());
    ImuRows rows(reader_, {labels.begin(), labels.end()}, columns, 0, separator, file_.clip);
    std::string text;
    for (std::string_view line; reader_.next(line);) {
      if (trimmed(line).empty()) continue;
      text = line;
      if (separator != ',') std::replace(text.begin(), text.end(), ',', '.');  // of a German or French system
      const auto packet = rows.add(text);
      if (!packet) continue;
      add_packet(*packet);
      if (file_.rate_hz == 0.0) add_tick(split_cells(text, separator));
    }
    if (file_.packets.empty()) throw reader_.error("the table has no rows of measurements");
    if (file_.rate_hz == 0.0) set_rate();
    return std::move(file_);
  }

 private:
  // "// Update Rate: 100.0Hz"; returns the line that names the columns
  std::string read_comments() {
    for (std::string_view line; reader_.next(line);) {
      if (line.starts_with("PacketCounter")) {
        if (file_.rate_hz > 0.0 || line.find("SampleTimeFine") != std::string_view::npos)
          return std::string(line);
        throw reader_.error(
            "neither a line `// Update Rate: ...Hz` nor a column SampleTimeFine: the times of packets are "
            "unknown");
      }
      if (!line.starts_with("//")) break;
      constexpr std::string_view key = "Update Rate:";
      const std::size_t found = line.find(key);
      if (found == std::string_view::npos) continue;
      std::string_view value = trimmed(line.substr(found + key.size()));
      if (value.ends_with("Hz")) value = trimmed(value.substr(0, value.size() - 2));
      file_.rate_hz = parse_number(value).value_or(0.0);
      if (!(file_.rate_hz > 1e-3 && file_.rate_hz < 1e6))
        throw reader_.error("the update rate is " + io::in_quotes(value) + ", not a number of Hz");
    }
    throw reader_.error(
        "an MT Manager export begins with // comments and a line of columns, PacketCounter first");
  }

  // Acc_X, Gyr_X, Mag_X; Quat_q0 or Mat[1][1], sensor to earth; other columns are ignored
  std::vector<ImuColumn> columns_of(const std::vector<std::string_view>& labels) {
    constexpr std::array<std::pair<std::string_view, ImuQuantity>, 3> known{
        {{"Gyr_", ImuQuantity::Gyro}, {"Acc_", ImuQuantity::Acc}, {"Mag_", ImuQuantity::Mag}}};
    const std::string sensor = sensor_of(file_.clip.name);
    std::vector<ImuColumn> columns(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      for (const auto& [prefix, quantity] : known) {
        const std::string_view label = labels[i];
        if (label.size() != 5 || !label.starts_with(prefix) || label[4] < 'X' || label[4] > 'Z') continue;
        columns[i] = {sensor_index(file_.clip, sensor), quantity, label[4] - 'X', 1.0};
      }
    }
    add_orientation(labels, sensor, columns);
    if (file_.clip.sensors.empty())
      throw reader_.error(
          "no columns Gyr_X, Acc_X or Mag_X, and no whole orientation (Quat_q0 to Quat_q3, or Mat[1][1] to "
          "Mat[3][3])");
    return columns;
  }

  // finds one of the two forms with all of its numbers; quaternions first
  void add_orientation(const std::vector<std::string_view>& labels, const std::string& sensor,
                       std::vector<ImuColumn>& columns) {
    for (const ImuQuantity way : {ImuQuantity::Orientation, ImuQuantity::Matrix}) {
      std::vector<std::size_t> places;
      for (int k = 0; k < numbers_of(way); ++k) {
        const std::string name = way == ImuQuantity::Orientation ? "Quat_q" + std::to_string(k)
                                                                 : "Mat[" + std::to_string(k % 3 + 1) + "][" +
                                                                       std::to_string(k / 3 + 1) + "]";
        const auto found = std::find(labels.begin(), labels.end(), name);
        if (found != labels.end()) places.push_back(static_cast<std::size_t>(found - labels.begin()));
      }
      if (std::ssize(places) != numbers_of(way)) continue;
      for (int k = 0; k < numbers_of(way); ++k)
        columns[places[at(k)]] = {sensor_index(file_.clip, sensor), way, k, 1.0};
      return;
    }
  }

  void add_packet(std::string_view cell) {
    std::int64_t counter = -1;
    const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), counter);
    if (error != std::errc{} || stop != cell.data() + cell.size() || counter < 0 || counter >= kPackets)
      throw reader_.error("the packet counter is " + io::in_quotes(cell) +
                          ", not a whole number from 0 to 65535");
    if (!file_.packets.empty()) {
      const std::int64_t last = file_.packets.back(),
                         step = (counter - last % kPackets + kPackets) % kPackets;
      if (step == 0 || step > kPackets / 2)
        throw reader_.error("the time does not increase: packet " + std::to_string(counter) + " after " +
                            std::to_string(last % kPackets));
      counter = last + step;
    }
    file_.packets.push_back(counter);
  }

  // SampleTimeFine counts tenths of milliseconds in 32 bits
  void add_tick(const std::vector<std::string_view>& cells) {
    const auto tick = fine_ < cells.size() ? parse_number(cells[fine_]) : std::nullopt;
    if (!tick || !(*tick >= 0.0 && *tick < kTicks))
      throw reader_.error("SampleTimeFine is " + io::in_quotes(fine_ < cells.size() ? cells[fine_] : "") +
                          ", not a whole number below 2^32, and no line `// Update Rate: ...Hz` is there");
    if (last_tick_) {
      double step = *tick - *last_tick_;
      if (step < 0.0) step += kTicks;
      if (step > 0.5 * kTicks) throw reader_.error("the time does not increase: SampleTimeFine goes back");
      elapsed_ += step;
    }
    last_tick_ = tick;
  }

  // packets over their time, as a usual rate
  void set_rate() {
    const auto packets = static_cast<double>(file_.packets.back() - file_.packets.front());
    const double rate = elapsed_ > 0.0 ? packets / (kTickSeconds * elapsed_) : 0.0;
    if (!(rate > 1e-3 && rate < 1e6))
      throw reader_.error("SampleTimeFine does not increase, and no line `// Update Rate: ...Hz` is there");
    file_.rate_hz = snapped_rate(1.0 / rate);
  }

  LineReader reader_;
  XsensFile file_;
  std::size_t fine_ = 0;             // column of SampleTimeFine
  std::optional<double> last_tick_;  // and its last value
  double elapsed_ = 0.0;             // [ticks]
};

// stamps and rate by packets; the first is time 0
void stamp(const std::vector<std::int64_t>& packets, double rate_hz, ImuClip& clip) {
  for (const std::int64_t packet : packets)
    clip.times.push_back(frame_time(packet - packets.front(), rate_hz));
  clip.rate_hz = rate_hz;
}

XsensFile read_one(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw FormatError(path.string() + ": cannot be opened for reading");
  return XsensReader(stream, path.string()).read();
}

// returns the counter wraps that bring a file's first packet next to another's
std::int64_t shift_to(std::int64_t first, std::int64_t packet) {
  std::int64_t away = (packet - first) % kPackets;
  if (away > kPackets / 2) away -= kPackets;
  if (away < -kPackets / 2) away += kPackets;
  return first + away - packet;
}

std::vector<XsensFile> read_all(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file() && extension_of(entry.path().string()) == ".txt" &&
        recognise_imu(entry.path().string()) == ImuFormat::XsensText)
      paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  if (paths.empty() || paths.size() > kMostFiles)
    throw FormatError(folder + ": a folder with " + std::to_string(paths.size()) +
                      " exports of MT Manager (.txt); expected 1 to 100");
  std::vector<XsensFile> files;
  std::size_t rows = 0;
  for (const auto& path : paths) {
    files.push_back(read_one(path));
    rows += files.back().packets.size();
    if (rows > kMostImuReadings)
      throw FormatError(folder + ": more than " + std::to_string(kMostImuReadings) +
                        " readings; split the recording");
  }
  return files;
}

// Aligns the packets of all files by one counter; refuses files of different recordings.
std::map<std::int64_t, std::size_t> shared_packets(std::vector<XsensFile>& files, ImuClip& clip) {
  std::map<std::int64_t, std::size_t> row;
  for (XsensFile& file : files) {
    const std::string& sensor = file.clip.sensors.front();
    const std::size_t known = clip.sensors.size();
    if (at(sensor_index(clip, sensor)) < known)
      throw FormatError(file.clip.name + ": sensor " + io::in_quotes(sensor) +
                        " has two files in this folder; a folder must hold one recording");
    if (file.rate_hz != files.front().rate_hz)
      throw FormatError(file.clip.name + ": its update rate differs from that of " + files.front().clip.name);
    const std::int64_t shift = shift_to(files.front().packets.front(), file.packets.front());
    for (std::int64_t& packet : file.packets) row[packet += shift] = 0;
  }
  std::size_t index = 0;
  for (auto& [packet, place] : row) place = index++;
  return row;
}

}  // namespace

ImuClip read_xsens_text(std::istream& stream, const std::string& name) {
  XsensFile file = XsensReader(stream, name).read();
  stamp(file.packets, file.rate_hz, file.clip);
  return std::move(file.clip);
}

ImuClip read_xsens_folder(const std::string& path) {
  std::vector<XsensFile> files = read_all(path);
  ImuClip clip;
  clip.name = path;
  clip.format = "xsens mt folder";
  const std::map<std::int64_t, std::size_t> row = shared_packets(files, clip);
  if (row.size() * files.size() > kMostImuReadings)
    throw FormatError(path + ": more than " + std::to_string(kMostImuReadings) +
                      " readings; split the recording");
  std::vector<std::int64_t> packets;
  packets.reserve(row.size());
  for (const auto& [packet, place] : row) packets.push_back(packet);
  stamp(packets, files.front().rate_hz, clip);
  clip.readings.resize(packets.size() * files.size());
  for (std::size_t s = 0; s < files.size(); ++s) {
    for (std::size_t k = 0; k < files[s].packets.size(); ++k)
      clip.at(row.at(files[s].packets[k]), s) = files[s].clip.readings[k];
  }
  return clip;
}

}  // namespace panto::io
