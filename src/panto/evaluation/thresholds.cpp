#include "panto/evaluation/thresholds.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/evaluation/verdict_limits.hpp"

namespace panto {
namespace {

// longer ones first: ">=" before ">"
constexpr std::array<std::pair<std::string_view, Comparison>, 6> kOperators{{{">=", Comparison::GreaterEqual},
                                                                             {"<=", Comparison::LessEqual},
                                                                             {"==", Comparison::Equal},
                                                                             {"!=", Comparison::NotEqual},
                                                                             {">", Comparison::Greater},
                                                                             {"<", Comparison::Less}}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  const std::size_t end = text.find_last_not_of(blanks);
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

std::optional<double> number_of(std::string_view text) {
  double value = 0.0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size())
    return std::nullopt;
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

Threshold parse_threshold(std::string_view piece) {
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(
        "'" + std::string(piece.substr(0, 80)) + "' " + why +
        "; a threshold is KEY OPERATOR LIMIT, such as angle_p99_deg>2, with > >= < <= == or !=");
  };
  const std::size_t at = piece.find_first_of("<>=!");
  if (at == std::string_view::npos) refuse("has no comparison");
  const std::string_view rest = piece.substr(at);
  const auto found = std::find_if(kOperators.begin(), kOperators.end(),
                                  [&](const auto& known) { return rest.starts_with(known.first); });
  if (found == kOperators.end()) refuse("has an unknown operator");
  Threshold threshold;
  threshold.key = trimmed(piece.substr(0, at));
  threshold.comparison = found->second;
  threshold.limit = trimmed(rest.substr(found->first.size()));
  threshold.number = number_of(threshold.limit);
  if (threshold.key.empty()) refuse("has no key");
  if (threshold.limit.empty()) refuse("has no limit");
  if (threshold.limit.find_first_of("<>=! \t") != std::string::npos) refuse("has more than one limit");
  const bool order =
      threshold.comparison != Comparison::Equal && threshold.comparison != Comparison::NotEqual;
  if (order && !threshold.number) refuse("has no number after " + std::string(found->first));
  if (threshold.number && !std::isfinite(*threshold.number)) refuse("has a limit that is not finite");
  return threshold;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// normalises a key: lower case, "a.1" and "a[01]" as "a[1]"
std::string canonical(std::string_view key) {
  std::string out;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const bool digit_next = i + 1 < key.size() && is_digit(key[i + 1]);
    if (!digit_next || (key[i] != '.' && key[i] != '[')) {
      out += key[i] >= 'A' && key[i] <= 'Z' ? static_cast<char>(key[i] - 'A' + 'a') : key[i];
      continue;
    }
    const bool dotted = key[i] == '.';
    out += '[';
    while (i + 2 < key.size() && key[i + 1] == '0' && is_digit(key[i + 2])) ++i;
    for (++i; i < key.size() && is_digit(key[i]); ++i) out += key[i];
    if (dotted) out += ']';
    --i;
  }
  return out;
}

// returns true for an entry of a list of counts, which reports may omit when zero
bool is_left_out_count(const std::string& wanted, const std::vector<ReportValue>& report) {
  const std::size_t bracket = wanted.find('[');
  if (bracket == std::string::npos || wanted.back() != ']') return false;
  if (!wanted.substr(0, bracket).ends_with("_counts")) return false;
  const std::string_view digits = std::string_view(wanted).substr(bracket + 1, wanted.size() - bracket - 2);
  int index = -1;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size()) return false;
  const std::string list = wanted.substr(0, bracket + 1);
  return index >= 0 && index < ReportBuilder::kFallbackLevels &&
         std::any_of(report.begin(), report.end(),
                     [&](const ReportValue& v) { return canonical(v.key).starts_with(list); });
}

ReportValue find(const std::string& key, const std::vector<ReportValue>& report) {
  const std::string wanted = canonical(key);
  for (const ReportValue& value : report) {
    if (canonical(value.key) == wanted) return value;
  }
  if (is_left_out_count(wanted, report)) return {wanted, 0.0, std::nullopt};
  std::vector<std::string> keys;
  keys.reserve(report.size());
  for (const ReportValue& value : report) keys.push_back(value.key);
  throw ConfigError(unknown_name("key", key, "the report", keys, 60));
}

bool holds(double value, Comparison comparison, double limit) {
  switch (comparison) {
    case Comparison::Greater:
      return value > limit;
    case Comparison::GreaterEqual:
      return value >= limit;
    case Comparison::Less:
      return value < limit;
    case Comparison::LessEqual:
      return value <= limit;
    case Comparison::Equal:
      return value == limit;
    case Comparison::NotEqual:
      return value != limit;
  }
  return true;
}

CheckOutcome judge(const Threshold& threshold, const ReportValue& value) {
  if (value.text) {
    if (threshold.comparison != Comparison::Equal && threshold.comparison != Comparison::NotEqual)
      throw ConfigError("'" + value.key + "' is the text '" + *value.text +
                        "', which cannot be ordered; use == or !=");
    const bool fails = (*value.text == threshold.limit) == (threshold.comparison == Comparison::Equal);
    return fails ? CheckOutcome::Failed : CheckOutcome::Passed;
  }
  if (!value.number) return CheckOutcome::Absent;
  if (!threshold.number)
    throw ConfigError("'" + value.key + "' is a number, but '" + threshold.limit + "' is not");
  return holds(*value.number, threshold.comparison, *threshold.number) ? CheckOutcome::Failed
                                                                       : CheckOutcome::Passed;
}

}  // namespace

const char* to_string(Comparison comparison) noexcept {
  for (const auto& [text, known] : kOperators) {
    if (known == comparison) return text.data();
  }
  return "?";
}

const char* to_string(CheckOutcome outcome) noexcept {
  switch (outcome) {
    case CheckOutcome::Passed:
      return "passed";
    case CheckOutcome::Failed:
      return "failed";
    case CheckOutcome::Absent:
      return "absent";
  }
  return "unknown";
}

std::vector<Threshold> parse_thresholds(std::string_view text) {
  std::vector<Threshold> thresholds;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view piece = trimmed(text.substr(begin, end - begin));
    thresholds.push_back(parse_threshold(piece));
    begin = end + 1;
  }
  return thresholds;
}

std::vector<CheckResult> check_report(const std::vector<Threshold>& thresholds,
                                      const std::vector<ReportValue>& report) {
  std::vector<CheckResult> results;
  for (const Threshold& threshold : thresholds) {
    ReportValue value = find(threshold.key, report);
    const CheckOutcome outcome = judge(threshold, value);
    results.push_back({threshold, outcome, std::move(value)});
  }
  return results;
}

std::vector<Threshold> default_thresholds(const std::vector<ReportValue>& report) {
  const auto find = [&](std::string_view key) {
    return std::find_if(report.begin(), report.end(), [&](const ReportValue& v) { return v.key == key; });
  };
  if (find("followable_mean_deg") == report.end()) return parse_thresholds(kDefaultThresholds);
  std::vector<Threshold> thresholds = parse_thresholds(kRobotThresholds);
  for (const FigureLimit& limit : verdict_limits::kRobotLimits) {
    const auto value = find(limit.key);
    if (value == report.end() || !value->number) continue;
    thresholds.push_back({std::string(limit.key), Comparison::Greater, digits(limit.care, 6), limit.care});
  }
  return thresholds;
}

}  // namespace panto
