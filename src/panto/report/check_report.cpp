#include "panto/report/check_report.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "panto/base/text.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/report/json.hpp"
#include "panto/report/shared_names.hpp"

namespace panto {
namespace {

using report::Json;

constexpr double kRounding = 1e-9;

// six digits, or as many as tell the value from the limit
std::string number_text(const ReportValue& value, const std::string& limit) {
  if (value.text) return *value.text;
  if (!value.number) return "unknown";
  if (std::abs(*value.number) < kRounding && limit != "0") return "0";
  std::string text = digits(*value.number, 6);
  const bool complete = text.find('e') == std::string::npos || std::abs(*value.number) < 1.0;
  if (text != limit && complete) return text;
  text.clear();
  io::append_number(*value.number, text);
  return text;
}

}  // namespace

std::string to_text(const CheckReport& report, ShownChecks shown) {
  std::string text;
  for (const Check& line : report.checks) {
    if (!line.failed && shown != ShownChecks::All) continue;
    const Threshold& t = line.result.threshold;
    text += fmt::format("{} {} is {}; fails when {} {}{}{}\n", line.failed ? "FAILED" : "passed",
                        line.result.value.key, number_text(line.result.value, t.limit),
                        to_string(t.comparison), t.limit, line.worst.empty() ? "" : "; worst: ", line.worst);
  }
  return text;
}

std::string to_json(const CheckReport& report, const std::string& name) {
  Json checks = Json::array();
  for (const Check& line : report.checks) {
    const ReportValue& value = line.result.value;
    const Threshold& t = line.result.threshold;
    Json check = Json::object();
    check["key"] = value.key;
    check["value"] = value.text ? Json(*value.text) : value.number ? Json(*value.number) : Json(nullptr);
    check["fails_when"] = to_string(t.comparison);
    check["limit"] = t.number ? Json(*t.number) : Json(t.limit);
    check["outcome"] = to_string(line.result.outcome);
    check["failed"] = line.failed;
    check["worst"] = line.worst.empty() ? Json(nullptr) : Json(line.worst);
    checks.push_back(std::move(check));
  }
  Json all = Json::object();
  all["file"] = shared_name(name);
  all["passed"] = report.failed == 0;
  all["failed_count"] = report.failed;
  all["checks"] = std::move(checks);
  all["verdict"] = panto::report::verdict_value(verdict_of(report, shared_name(name)));
  return panto::report::dumped(all);
}

}  // namespace panto
