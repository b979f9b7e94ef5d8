#include "panto/bridge/machine_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace panto::bridge {

std::string to_text(const std::vector<live::Finding>& findings) {
  std::size_t widest = 0;
  for (const live::Finding& finding : findings) widest = std::max(widest, finding.subject.size());
  std::string text;
  for (const live::Finding& finding : findings) {
    text += fmt::format("{:<4}  {:<{}}  {}\n", finding.remedy.empty() ? "ok" : "hint", finding.subject,
                        widest, finding.state);
    if (!finding.remedy.empty()) text += fmt::format("      {}\n", finding.remedy);
  }
  return text;
}

std::string to_json(const std::vector<live::Finding>& findings) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const live::Finding& finding : findings)
    all.push_back({{"subject", finding.subject},
                   {"state", finding.state},
                   {"good", finding.remedy.empty()},
                   {"remedy", finding.remedy}});
  return all.dump(2) + "\n";
}

}  // namespace panto::bridge
