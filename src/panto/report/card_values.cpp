#include "panto/report/card_values.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "panto/base/error.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/report/json.hpp"

namespace panto {
namespace {

constexpr std::size_t kLargestFile = std::size_t{64} << 20U;
constexpr std::size_t kDeepest = 16, kLongestKey = 100, kMostValues = 20'000;

// Collects figures while the text is parsed: no tree is built, so that nothing hostile can be one.
class Collector final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Collector(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  bool null() override { return add({}, {}); }
  bool boolean(bool value) override { return add({}, value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return add(static_cast<double>(value), {}); }
  bool number_unsigned(number_unsigned_t value) override { return add(static_cast<double>(value), {}); }
  bool number_float(number_float_t value, const string_t&) override { return add(value, {}); }
  bool string(string_t& value) override { return add({}, value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(false); }
  bool key(string_t& value) override {
    if (value.size() > kLongestKey)
      throw FormatError(
          fmt::format("{}: the key {}... is longer than {} bytes", name_, io::in_quotes(value), kLongestKey));
    key_ = value;
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    const std::string_view before = text_.substr(0, std::min(position > 0 ? position - 1 : 0, text_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column = before.size() - std::min(before.rfind('\n') + 1, before.size());
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...; last read: '...'"
    std::string why = error.what();
    if (const std::size_t colon = why.find(": "); colon != std::string::npos) why.erase(0, colon + 2);
    if (const std::size_t last = why.find("; last read"); last != std::string::npos) why.erase(last);
    if (why.starts_with("[json.")) why.erase(0, std::min(why.find("] ") + 2, why.size()));
    std::replace_if(
        why.begin(), why.end(), [](char c) { return c >= 0 && c < ' '; }, '?');
    throw FormatError(fmt::format("{}:{}:{}: not JSON: {}", name_, line, column + 1, why.substr(0, 200)));
  }

  std::vector<ReportValue> values;

 private:
  struct Level {
    std::string path;
    bool list = false;
    std::size_t next = 0;
  };

  // path of the value that is being read
  std::string path() {
    if (levels_.empty()) return "";
    Level& level = levels_.back();
    if (level.list) return fmt::format("{}[{}]", level.path, level.next++);
    return level.path.empty() ? key_ : level.path + "." + key_;
  }

  bool add(std::optional<double> number, std::optional<std::string> text) {
    if (levels_.empty()) throw FormatError(name_ + ":1: one JSON object was expected, as --json writes it");
    if (values.size() >= kMostValues)
      throw FormatError(fmt::format("{}: more than {} figures; no report has that many", name_, kMostValues));
    std::string here = path();
    if (!known_.insert(here).second)
      throw FormatError(fmt::format("{}: the key {} is there twice", name_, io::in_quotes(here)));
    values.push_back({std::move(here), number, std::move(text)});
    return true;
  }

  bool open(bool list) {
    if (levels_.empty() && list)
      throw FormatError(name_ + ":1: a JSON list; one object was expected, as --json writes it");
    if (levels_.size() >= kDeepest)
      throw FormatError(fmt::format("{}: nested deeper than {}", name_, kDeepest));
    std::string here = path();
    levels_.push_back({std::move(here), list, 0});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  std::vector<Level> levels_;
  std::set<std::string> known_;
  std::string key_;
};

// Adds the figures of `json`, which stands at `path`.
void add_values(const report::Json& json, const std::string& path, std::vector<ReportValue>& values) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items())
      add_values(value, path.empty() ? key : fmt::format("{}.{}", path, key), values);
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) add_values(json[i], fmt::format("{}[{}]", path, i), values);
  } else if (json.is_number()) {
    const double number = json.get<double>();
    values.push_back({path, std::isfinite(number) ? std::optional(number) : std::nullopt, {}});
  } else if (json.is_boolean()) {
    values.push_back({path, {}, json.get<bool>() ? "true" : "false"});
  } else {
    values.push_back({path, {}, json.is_string() ? std::optional(json.get<std::string>()) : std::nullopt});
  }
}

}  // namespace

std::vector<ReportValue> report::values_of(const Json& object) {
  std::vector<ReportValue> values;
  add_values(object, "", values);
  return values;
}

std::vector<ReportValue> parse_report_values(std::string_view json, const std::string& name) {
  if (io::trimmed(json).empty())
    throw FormatError(name + ":1: the file is empty; one JSON object was expected");
  Collector collector(json, name);
  try {
    nlohmann::json::sax_parse(json.begin(), json.end(), &collector);
  } catch (const nlohmann::json::exception& error) {
    const std::string_view why = error.what();  // "[json.exception.out_of_range.406] number overflow ..."
    throw FormatError(
        fmt::format("{}: not JSON: {}", name, why.substr(std::min(why.find("] ") + 2, why.size()))));
  }
  return std::move(collector.values);
}

std::vector<ReportValue> read_report_values(const std::string& path) {
  return parse_report_values(io::read_text_file(path, kLargestFile), path);
}

}  // namespace panto
