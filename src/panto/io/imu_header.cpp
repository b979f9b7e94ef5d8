#include "panto/io/imu_header.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "panto/base/index.hpp"

namespace panto::io {
namespace {

constexpr std::size_t kMostColumns = 2000;        // of a table
constexpr std::size_t kMostLines = 40;            // before the columns
constexpr double kSlowest = 4.0, kFastest = 5e3;  // [Hz] usual rates

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_word(char c) { return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z'); }

struct Unit {
  std::string_view name;
  ImuQuantity quantity;
  double factor;
};
// without blanks, in lower case, with ^2 as 2
constexpr std::array<Unit, 31> kUnits{{{"rad/s", ImuQuantity::Gyro, 1.0},
                                       {"rad/sec", ImuQuantity::Gyro, 1.0},
                                       {"rad_s", ImuQuantity::Gyro, 1.0},
                                       {"rads", ImuQuantity::Gyro, 1.0},
                                       {"rps", ImuQuantity::Gyro, 1.0},
                                       {"deg/s", ImuQuantity::Gyro, kDegreesPerSecond},
                                       {"deg/sec", ImuQuantity::Gyro, kDegreesPerSecond},
                                       {"degrees/s", ImuQuantity::Gyro, kDegreesPerSecond},
                                       {"deg_s", ImuQuantity::Gyro, kDegreesPerSecond},
                                       {"dps", ImuQuantity::Gyro, kDegreesPerSecond},
                                       {"mdps", ImuQuantity::Gyro, 1e-3 * kDegreesPerSecond},
                                       {"m/s2", ImuQuantity::Acc, 1.0},
                                       {"m/(s2)", ImuQuantity::Acc, 1.0},
                                       {"m/sec2", ImuQuantity::Acc, 1.0},
                                       {"m/s/s", ImuQuantity::Acc, 1.0},
                                       {"m_s2", ImuQuantity::Acc, 1.0},
                                       {"ms2", ImuQuantity::Acc, 1.0},
                                       {"ms-2", ImuQuantity::Acc, 1.0},
                                       {"g", ImuQuantity::Acc, kStandardGravity},
                                       {"gs", ImuQuantity::Acc, kStandardGravity},
                                       {"mg", ImuQuantity::Acc, 1e-3 * kStandardGravity},
                                       {"ut", ImuQuantity::Mag, 1.0},
                                       {"nt", ImuQuantity::Mag, 1e-3},
                                       {"mt", ImuQuantity::Mag, 1e3},
                                       {"t", ImuQuantity::Mag, 1e6},
                                       {"gauss", ImuQuantity::Mag, 100.0},
                                       {"g", ImuQuantity::Mag, 100.0},
                                       {"mgauss", ImuQuantity::Mag, 0.1},
                                       {"au", ImuQuantity::Mag, 1.0},
                                       {"a.u.", ImuQuantity::Mag, 1.0},
                                       {"local_flux", ImuQuantity::Mag, 1.0}}};
constexpr std::array<std::pair<std::string_view, double>, 10> kTimeUnits{{{"s", 1.0},
                                                                          {"sec", 1.0},
                                                                          {"seconds", 1.0},
                                                                          {"ms", 1e-3},
                                                                          {"milliseconds", 1e-3},
                                                                          {"us", 1e-6},
                                                                          {"microseconds", 1e-6},
                                                                          {"ns", 1e-9},
                                                                          {"nanoseconds", 1e-9},
                                                                          {"min", 60.0}}};
// what no raw sensor measures: made from it, or by something else
constexpr std::array<std::string_view, 25> kOthers{
    "linear", "linearacc", "lin",   "linacc", "user",  "useracc", "free",     "freeacc", "gravity",
    "vicon",  "reference", "ref",   "omc",    "bias",  "std",     "variance", "temp",    "temperature",
    "dv",     "dq",        "euler", "roll",   "pitch", "yaw",     "raw"};
// says how a column was made, not which sensor it is of
constexpr std::array<std::string_view, 14> kDecoration{
    "cal",   "calibrated", "uncal", "uncalibrated", "axis",  "rate",   "field",
    "value", "data",       "total", "velocity",     "meter", "sensor", "imu"};

template <typename Words>
bool among(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string normal_unit(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> signs{
      {{"\xc2\xb0", "deg"}, {"\xc2\xb2", "2"}, {"\xc2\xb5", "u"}, {"\xce\xbc", "u"}}};
  std::string unit;
  while (!text.empty()) {
    const auto sign =
        std::find_if(signs.begin(), signs.end(), [&](const auto& s) { return text.starts_with(s.first); });
    if (sign != signs.end()) {
      unit += sign->second;
      text.remove_prefix(sign->first.size());
      continue;
    }
    if (const char c = text.front(); c != ' ' && c != '^' && c != '*') unit += lower(c);
    text.remove_prefix(1);
  }
  return unit;
}

std::optional<double> factor_of(ImuQuantity quantity, std::string_view text) {
  const std::string unit = normal_unit(text);
  for (const Unit& known : kUnits)
    if (known.quantity == quantity && known.name == unit) return known.factor;
  return std::nullopt;
}

std::optional<double> time_factor_of(std::string_view text) {
  const std::string unit = normal_unit(text);
  for (const auto& [name, factor] : kTimeUnits)
    if (name == unit) return factor;
  return std::nullopt;
}

bool is_unit(std::string_view text) {
  const std::string unit = normal_unit(text);
  return time_factor_of(text).has_value() || unit == "no_units" ||
         std::any_of(kUnits.begin(), kUnits.end(), [&](const Unit& known) { return known.name == unit; });
}

/// One column as its label tells it.
struct Label {
  std::optional<ImuQuantity> quantity;
  int axis = -1;
  bool other = false, time = false;
  std::string sensor, variant, unit;  // variant: of several such sensors in one housing
};

// Takes the unit in brackets at the end of a label: "Gyroscope X (deg/s)".
std::string take_bracket(std::string_view& text) {
  const std::size_t open = text.find_last_of("([");
  if (open == std::string_view::npos || (text.back() != ')' && text.back() != ']')) return {};
  std::size_t begin = open;
  // m/(s^2) has brackets of its own
  if (const std::size_t outer = text.find('('); outer < open && text.find(')') > open) begin = outer;
  std::string unit(text.substr(begin + 1, text.size() - begin - 2));
  if (!is_unit(unit)) return {};
  text = trimmed(text.substr(0, begin));
  return unit;
}

// Reads a word that names a quantity, with its axis if that is part of it: "acc", "GyroX", "ax", "q0".
bool read_quantity(std::string_view word, Label& label) {
  constexpr std::array<std::pair<std::string_view, ImuQuantity>, 16> names{
      {{"accelerometer", ImuQuantity::Acc},
       {"acceleration", ImuQuantity::Acc},
       {"accelero", ImuQuantity::Acc},
       {"accel", ImuQuantity::Acc},
       {"acc", ImuQuantity::Acc},
       {"gyroscope", ImuQuantity::Gyro},
       {"gyro", ImuQuantity::Gyro},
       {"gyr", ImuQuantity::Gyro},
       {"angular", ImuQuantity::Gyro},
       {"omega", ImuQuantity::Gyro},
       {"rotation", ImuQuantity::Gyro},
       {"magnetometer", ImuQuantity::Mag},
       {"magnetic", ImuQuantity::Mag},
       {"mag", ImuQuantity::Mag},
       {"quaternion", ImuQuantity::Orientation},
       {"quat", ImuQuantity::Orientation}}};
  const auto axis_of = [](char c) { return c >= 'x' && c <= 'z' ? c - 'x' : -1; };
  for (const auto& [name, quantity] : names) {
    if (!word.starts_with(name)) continue;
    const std::string_view rest = word.substr(name.size());
    if (!rest.empty() && (rest.size() > 1 || axis_of(rest[0]) < 0)) continue;
    label.quantity = quantity;
    if (!rest.empty()) label.axis = axis_of(rest[0]) + (quantity == ImuQuantity::Orientation ? 1 : 0);
    return true;
  }
  if (word.size() != 2) return false;
  if (word[0] == 'q') {
    const std::size_t at = std::string_view("wxyz").find(word[1]);
    const int index = word[1] >= '0' && word[1] <= '3' ? word[1] - '0'
                      : at != std::string_view::npos   ? static_cast<int>(at)
                                                       : -1;
    if (index < 0) return false;
    label.quantity = ImuQuantity::Orientation;
    label.axis = index;
    return true;
  }
  const std::size_t kind = std::string_view("agmw").find(word[0]);
  if (kind == std::string_view::npos || axis_of(word[1]) < 0) return false;
  constexpr std::array kinds{ImuQuantity::Acc, ImuQuantity::Gyro, ImuQuantity::Mag, ImuQuantity::Gyro};
  label.quantity = kinds[kind];
  label.axis = axis_of(word[1]);
  return true;
}

// words of a label in their own case, and in lower case
std::vector<std::pair<std::string, std::string>> words_of(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> words;
  bool inside = false;
  for (const char c : text) {
    const bool part = is_word(c) || static_cast<unsigned char>(c) >= 0x80U;
    if (part && !inside) words.emplace_back();
    if (part) {
      words.back().first += c;
      words.back().second += lower(c);
    }
    inside = part;
  }
  return words;
}

// Takes a unit in the last words of a label: gyro_x_deg_s.
void take_last_words(std::vector<std::pair<std::string, std::string>>& words, Label& label) {
  for (std::size_t count = std::min<std::size_t>(2, words.size() - 1); count > 0; --count) {
    std::string unit = words[words.size() - count].second;
    if (count == 2) unit += "_" + words.back().second;
    if (unit.size() < 2 && unit != "g" && unit != "s") continue;
    if (!is_unit(unit) || (count == 1 && unit == "t")) continue;
    label.unit = unit;
    words.resize(words.size() - count);
    return;
  }
}

// Splits words whose capitals begin a quantity: gyroRotationX.
void split_capitals(std::vector<std::pair<std::string, std::string>>& words) {
  std::vector<std::pair<std::string, std::string>> split;
  for (auto& word : words) {
    std::vector<std::pair<std::string, std::string>> parts;
    for (std::size_t i = 0; i < word.first.size(); ++i) {
      const bool begins = i > 0 && word.first[i] >= 'A' && word.first[i] <= 'Z' && word.first[i - 1] >= 'a' &&
                          word.first[i - 1] <= 'z';
      if (parts.empty() || begins) parts.emplace_back();
      parts.back().first += word.first[i];
      parts.back().second += word.second[i];
    }
    const bool known = std::any_of(parts.begin(), parts.end(), [](const auto& part) {
      Label label;
      return read_quantity(part.second, label) || among(kOthers, part.second);
    });
    if (known)
      split.insert(split.end(), parts.begin(), parts.end());
    else
      split.push_back(std::move(word));
  }
  words = std::move(split);
}

bool is_time_word(std::string_view word) {
  return word == "t" || word == "seconds" || word.find("time") != std::string_view::npos;
}

Label read_label(std::string_view text) {
  Label label;
  label.unit = take_bracket(text);
  auto words = words_of(text);
  if (words.empty()) return label;
  if (label.unit.empty() && words.size() > 1) take_last_words(words, label);
  split_capitals(words);
  bool timed = false, lettered = false;
  for (const auto& [own, word] : words) {
    label.other |= among(kOthers, word);
    timed |= is_time_word(word);
    if (label.axis < 0 && word.size() == 1 && word[0] >= 'w' && word[0] <= 'z') {
      label.axis = word[0] - 'w';  // w 0, x 1, y 2, z 3: corrected below
      lettered = true;
      continue;
    }
    if (read_quantity(word, label) || among(kDecoration, word)) continue;
    if (word == "ln" || word == "wr" || word == "lowg" || word == "highg") {
      label.variant += word;
      continue;
    }
    label.sensor += (label.sensor.empty() ? "" : "_") + own;
  }
  if (label.quantity && lettered && *label.quantity != ImuQuantity::Orientation) --label.axis;
  label.time = timed && !label.quantity;
  return label;
}

// A row of units, or of axes, under the names.
bool is_second_row(const std::vector<std::string_view>& cells) {
  std::size_t known = 0, filled = 0;
  for (const std::string_view cell : cells) {
    if (cell.empty()) continue;
    ++filled;
    const bool axis =
        cell.size() == 1 && std::string_view("wxyzWXYZ").find(cell[0]) != std::string_view::npos;
    known += axis || is_unit(cell) || cell == "CAL" ? 1 : 0;
  }
  return filled > 1 && 2 * known > filled;
}

// Names that apply to the columns after them too, joined with the row below.
std::vector<std::string> joined(const std::vector<std::string_view>& names,
                                const std::vector<std::string_view>& below) {
  std::vector<std::string> labels;
  std::string_view current;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty()) current = names[i];
    const std::string_view under = i < below.size() ? below[i] : std::string_view();
    std::string label(current);
    if (!under.empty() && under != "CAL")
      label += is_unit(under) ? " (" + std::string(under) + ")" : " " + std::string(under);
    labels.push_back(std::move(label));
  }
  return labels;
}

class Builder {
 public:
  std::optional<ImuHeader> build(std::vector<std::string> texts, char separator) {
    header_.separator = separator;
    header_.labels = std::move(texts);
    for (const std::string& text : header_.labels) labels_.push_back(read_label(text));
    header_.columns.resize(labels_.size());
    if (!choose_time()) return std::nullopt;
    bool moves = false;
    for (const Label& label : labels_) {
      if (!label.quantity || label.other || label.axis < 0) continue;
      if (!add(label.sensor, *label.quantity, label.variant)) continue;
      moves |= *label.quantity == ImuQuantity::Gyro || *label.quantity == ImuQuantity::Acc;
    }
    if (!moves) return std::nullopt;
    return std::move(header_);
  }

 private:
  bool choose_time() {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (!labels_[i].time) continue;
      const bool told = time_factor_of(labels_[i].unit).has_value();
      if (!best || (told && header_.time_unit == 0.0)) {
        best = i;
        header_.time_unit = told ? *time_factor_of(labels_[i].unit) : 0.0;
      }
    }
    header_.time = best.value_or(0);
    return best.has_value();
  }

  // Adds the axes of one quantity of one sensor; returns false when they are not all there.
  bool add(const std::string& name, ImuQuantity quantity, const std::string& variant) {
    std::vector<std::size_t> places(at(numbers_of(quantity)), labels_.size());
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const Label& label = labels_[i];
      if (label.other || label.quantity != quantity || label.sensor != name || label.variant != variant ||
          label.axis < 0 || label.axis >= numbers_of(quantity))
        continue;
      if (places[at(label.axis)] == labels_.size()) places[at(label.axis)] = i;
    }
    if (std::find(places.begin(), places.end(), labels_.size()) != places.end()) return false;
    const int sensor = index_of(name);
    for (const ImuColumn& column : header_.columns) {
      if (column.sensor != sensor || column.quantity != quantity) continue;
      if (header_.columns[places[0]].sensor < 0 &&
          std::find(header_.unused.begin(), header_.unused.end(), header_.labels[places[0]]) ==
              header_.unused.end())
        header_.unused.push_back(header_.labels[places[0]]);
      return true;  // it has one already
    }
    for (std::size_t k = 0; k < places.size(); ++k) {
      const std::optional<double> factor = factor_of(quantity, labels_[places[k]].unit);
      if (!factor && quantity == ImuQuantity::Gyro) header_.gyro_open[at(sensor)] = 1;
      if (!factor && quantity == ImuQuantity::Acc) header_.acc_open[at(sensor)] = 1;
      header_.columns[places[k]] = {sensor, quantity, static_cast<int>(k), factor.value_or(1.0)};
    }
    return true;
  }

  int index_of(const std::string& name) {
    const auto known = std::find(header_.sensors.begin(), header_.sensors.end(), name);
    if (known != header_.sensors.end()) return static_cast<int>(known - header_.sensors.begin());
    header_.sensors.push_back(name);
    header_.gyro_open.push_back(0);
    header_.acc_open.push_back(0);
    return static_cast<int>(header_.sensors.size()) - 1;
  }

  ImuHeader header_;
  std::vector<Label> labels_;
};

// The header in a line, or in this line and the next.
std::optional<ImuHeader> header_of(std::string_view line, std::string_view next) {
  for (const char separator : {'\t', ';', ','}) {
    const auto cells = split_cells(line, separator);
    if (cells.size() < 4 || cells.size() > kMostColumns) continue;
    const auto below = split_cells(next, separator);
    const bool second = below.size() == cells.size() && is_second_row(below);
    std::vector<std::string> labels(cells.begin(), cells.end());
    if (second) labels = joined(cells, below);
    auto header = Builder().build(std::move(labels), separator);
    if (!header) continue;
    header->lines = second ? 2 : 1;
    return header;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ImuHeader> find_imu_header(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < head.size() && lines.size() < kMostLines + 2;) {
    const std::size_t end = std::min(head.find('\n', begin), head.size());
    std::string_view line = head.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    begin = end + 1;
  }
  for (std::size_t i = 0; i < lines.size() && i < kMostLines; ++i) {
    if (lines[i].starts_with("sep=") || lines[i].find_first_of(",;\t") == std::string_view::npos) continue;
    std::string_view line = lines[i];
    if (line.starts_with('#')) line.remove_prefix(1);
    auto header = header_of(line, i + 1 < lines.size() ? lines[i + 1] : std::string_view());
    if (!header) continue;
    header->lines += i;
    return header;
  }
  return std::nullopt;
}

double unit_of_step(double step) noexcept {
  for (const double unit : {1.0, 1e-3, 1e-6, 1e-9})
    if (step * unit >= 1.0 / kFastest && step * unit <= 1.0 / kSlowest) return unit;
  return 0.0;
}

}  // namespace panto::io
