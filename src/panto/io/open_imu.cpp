#include "panto/io/open_imu.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/foreign_format.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/imu_header.hpp"
#include "panto/io/imu_table.hpp"
#include "panto/io/input.hpp"
#include "panto/io/npz_archive.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

// our table: the first column is the time, and columns of sensors have a dot
bool is_own_header(std::string_view line) {
  const std::vector<std::string_view> cells = split_cells(line);
  if (cells.front() != "time_s" && cells.front() != "time") return false;
  return std::any_of(cells.begin() + 1, cells.end(), [](std::string_view cell) {
    const std::string_view word = cell.substr(std::min(cell.rfind('.'), cell.size() - 1) + 1);
    return cell.find('.') != std::string_view::npos &&
           (word.starts_with("gyro_") || word.starts_with("acc_") || word.starts_with("mag_") ||
            word.starts_with("q_"));
  });
}

ImuFormat recognise_text(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  bool first = true;
  const bool is_xsens = head.starts_with("//") || head.starts_with("PacketCounter\t");
  for (std::size_t begin = 0; begin < head.size();) {
    const std::size_t end = std::min(head.find('\n', begin), head.size());
    const std::string_view line = trimmed(head.substr(begin, end - begin));
    begin = end + 1;
    if (is_xsens && line.starts_with("PacketCounter")) return ImuFormat::XsensText;
    if (line.starts_with("Time,") &&
        (line.find("/Acceleration/X") != line.npos || line.find("/Angular Velocity/X") != line.npos))
      return ImuFormat::ApdmCsv;
    if (line.empty() || line.front() == '#') continue;
    if (first && is_own_header(line)) return ImuFormat::Csv;
    first = false;
  }
  return find_imu_header(head) ? ImuFormat::Table : ImuFormat::None;
}

ImuFormat recognise_npz(Input& input) {
  try {
    const NpzArchive archive(input.whole(kLargestNpzFile), input.name());
    constexpr std::array<std::string_view, 7> telling{
        "gyro", "gyr", "acc", "gyroscope", "accelerometer", "angular_velocity", "orientation_wxyz"};
    return archive.find_first(telling) ? ImuFormat::Npz : ImuFormat::None;
  } catch (const FormatError&) {
    return ImuFormat::None;  // another reader reports why the file cannot be read
  }
}

// one export of MT Manager is enough, or one table
ImuFormat recognise_folder(const std::string& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  if (error) throw FormatError(folder + ": cannot be read: " + error.message());
  ImuFormat format = ImuFormat::None;
  for (const auto& entry : entries) {
    const std::string extension = extension_of(entry.path().string());
    if (!entry.is_regular_file() || (extension != ".txt" && extension != ".csv")) continue;
    const ImuFormat found = recognise_text(read_head(entry.path().string()));
    if (found == ImuFormat::XsensText && extension == ".txt") return ImuFormat::XsensFolder;
    if (found == ImuFormat::Table) format = ImuFormat::TableFolder;
  }
  return format;
}

// a column of an accelerometer or gyroscope by usual names: Acc_X, gyro.z, imu1_ax
bool is_sensor_column(std::string_view cell) {
  std::string name(cell);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (name.find("acc") != std::string::npos || name.find("gyr") != std::string::npos) return true;
  const std::string last = name.substr(name.find_last_of("_. ") + 1);
  return last.size() == 2 && (last[0] == 'a' || last[0] == 'g') && last[1] >= 'x' && last[1] <= 'z';
}

// names a kind of file that holds a person's motion; null: another kind, or sensors may be in it
const char* motion_kind(RecordingKind kind) {
  switch (kind) {
    case RecordingKind::Bvh:
      return "a BVH";
    case RecordingKind::Gltf:
      return "a glTF";
    case RecordingKind::Trc:
      return "a table of markers";
    case RecordingKind::Landmarks:
      return "landmarks of people in video";
    default:
      return nullptr;
  }
}

[[noreturn]] void refuse(Input& input) {
  const std::string& name = input.name();
  if (input.is_folder())
    throw FormatError(name +
                      ": this is a folder without files of raw sensors (.txt of MT Manager, or .csv tables); "
                      "give a file");
  if (input.head().find_first_not_of(" \t\r\n") == std::string::npos)
    throw FormatError(name + ":1: the file is empty; expected raw sensors");
  if (const std::string_view advice = foreign_format(input.head()); !advice.empty())
    throw FormatError(name + ": " + std::string(advice));
  if (const char* kind = motion_kind(recognise(input)); kind != nullptr)
    throw FormatError(name + ": is " + kind + ": a person's motion, not raw sensors");
  if (const std::string advice = unread_sensors(input.head()); !advice.empty())
    throw FormatError(name + ":1: " + advice);
  throw FormatError(name +
                    ":1: no raw sensors found; expected a table with time_s and <sensor>.gyro_x_rad_s, an "
                    ".npz with gyro and acc, an export of MT Manager or APDM, a table whose header names "
                    "a time and three axes of a gyroscope or an accelerometer, orientations (.sto), or MVNX");
}

}  // namespace

std::string unread_sensors(std::string_view head) {
  constexpr std::size_t kAxes = 3;  // of one sensor
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  for (std::size_t begin = 0; begin < head.size();) {
    const std::size_t end = std::min(head.find('\n', begin), head.size());
    const std::string_view line = trimmed(head.substr(begin, end - begin));
    begin = end + 1;
    if (line.empty() || line.starts_with('#') || line.starts_with("//") || line.starts_with("sep=")) continue;
    std::vector<std::string> found;
    for (const char separator : {',', ';', '\t'}) {
      for (const std::string_view cell : split_cells(line, separator))
        if (is_sensor_column(cell)) found.push_back(in_quotes(cell));
      if (found.size() >= kAxes && line.find("base_q") == std::string_view::npos)
        return "looks like raw sensors (" + listed(found, kAxes) +
               "), but in no layout that Panto reads; name the columns time_s, <sensor>.gyro_x_rad_s, "
               "<sensor>.acc_x_m_s2 and so on, separated by commas";
      found.clear();
    }
    if (line.find_first_of(",;\t") != std::string_view::npos) return {};
  }
  return {};
}

ImuFormat recognise_imu(Input& input, Mountings mountings) {
  if (input.is_folder()) return recognise_folder(input.name());
  const bool asked = mountings == Mountings::Given;
  const std::string& head = input.head();
  if (head.starts_with("PK")) return recognise_npz(input);
  if (const ImuFormat format = recognise_text(head); format != ImuFormat::None) return format;
  const RecordingKind kind = recognise(input);
  if (kind == RecordingKind::Orientations && (asked || has_sensor_labels(head))) return ImuFormat::Sto;
  return kind == RecordingKind::Mvnx && asked ? ImuFormat::Mvnx : ImuFormat::None;
}

ImuFormat recognise_imu(const std::string& path, Mountings mountings) {
  Input input(path, Folder::Allowed);
  return recognise_imu(input, mountings);
}

namespace {

ImuClip open_kind(Input& input) {
  const std::string& name = input.name();
  switch (recognise_imu(input, Mountings::Given)) {
    case ImuFormat::Csv:
      return read_imu_csv(input.stream(), name);
    case ImuFormat::Npz:
      return read_imu_npz(input.whole(kLargestNpzFile), name);
    case ImuFormat::XsensText:
      return read_xsens_text(input.stream(), name);
    case ImuFormat::ApdmCsv:
      return read_apdm_csv(input.stream(), name);
    case ImuFormat::Table:
      return read_imu_table(input.stream(), name);
    case ImuFormat::Sto:
      return read_imu_sto(input.stream(), name);
    case ImuFormat::Mvnx:
      return read_imu_mvnx(input.stream(), name);
    case ImuFormat::TableFolder:
      return read_imu_table_folder(name);
    case ImuFormat::XsensFolder:
      return read_xsens_folder(name);
    case ImuFormat::None:
      break;
  }
  refuse(input);
}

}  // namespace

ImuClip open_imu(Input& input) {
  ImuClip clip = open_kind(input);
  check_rate(clip.rate_hz, input.name());
  return clip;
}

ImuClip open_imu(const std::string& path) {
  Input input(path, Folder::Allowed);
  return open_imu(input);
}

ImuClip open_imu(std::string bytes, const std::string& name) {
  Input input(std::move(bytes), name);
  return open_imu(input);
}

}  // namespace panto::io
