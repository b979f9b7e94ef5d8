#include "panto/report/judgement.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/base/printable.hpp"
#include "panto/base/text.hpp"
#include "panto/report/table_text.hpp"

namespace panto {
namespace {

constexpr std::size_t kReasons = 3;                                      // in one sentence
constexpr std::size_t kFigures = 5;                                      // that matter most
constexpr std::size_t kNameWidth = 36, kValueWidth = 8, kUnitWidth = 6;  // columns of figures

// three digits, but no power of ten for what people read
std::string short_number(double value, double rounding) {
  if (std::abs(value) < rounding) return "0";
  const double size = std::abs(value);
  if (size >= 999.5 && size < 1e7) return decimals(value, 0);
  return digits(value, 3);
}

}  // namespace

std::string report::amount(double value, const std::string& unit, double rounding) {
  return short_number(value, rounding) + (unit.empty() ? "" : " ") + unit;
}

namespace report {

bool Judgement::hold(const std::optional<double>& value, const VerdictLimit& limit,
                     const std::string& reason) {
  if (!value || !(*value > limit.care)) return false;
  if (*value > limit.unreliable)
    unreliable(reason);
  else
    care(reason);
  return true;
}

void Judgement::remedy(Remedy remedy) {
  if (std::find(remedies_.begin(), remedies_.end(), remedy) == remedies_.end()) remedies_.push_back(remedy);
}

void Judgement::figure(Figure figure) {
  if (figure.value && std::isfinite(*figure.value)) figures_.push_back(std::move(figure));
}

std::string lead_of(Verdict::Grade grade) {
  return word_of(grade) + std::string(grade == Verdict::Grade::Care ? " " : ": ");
}

Verdict joined(const Verdict& first, Verdict second, const std::string& word) {
  if (first.grade == Verdict::Grade::Good) return second;
  const auto reasons_of = [](const Verdict& verdict) {
    return verdict.sentence.substr(lead_of(verdict.grade).size());
  };
  std::string reasons = reasons_of(first);
  if (second.grade != Verdict::Grade::Good)
    reasons = reasons.substr(0, reasons.size() - 1) + "; " + word + reasons_of(second);
  second.grade = std::max(first.grade, second.grade);
  second.sentence = lead_of(second.grade) + reasons;
  second.remedies.clear();
  return second;
}

Verdict Judgement::verdict(const std::string& praise, std::string_view said) const {
  Verdict verdict;
  verdict.grade = !reasons_[1].empty()   ? Verdict::Grade::Unreliable
                  : !reasons_[0].empty() ? Verdict::Grade::Care
                                         : Verdict::Grade::Good;
  verdict.sentence = lead_of(verdict.grade);
  if (!part_.empty()) verdict.sentence += part_ + "; ";
  verdict.figures = figures_;
  const auto over = [](const Figure& f) { return f.limit && *f.value > *f.limit; };
  std::stable_partition(verdict.figures.begin(), verdict.figures.end(), over);
  const auto few = static_cast<std::ptrdiff_t>(std::min(kFigures, verdict.figures.size()));
  verdict.more.assign(verdict.figures.begin() + few, verdict.figures.end());
  verdict.figures.resize(static_cast<std::size_t>(few));
  verdict.remedies = remedies_;
  if (verdict.grade == Verdict::Grade::Good) {
    verdict.sentence += praise + ".";
    for (Figure& figure : verdict.figures) figure.said = figure.name == said;
    return verdict;
  }
  const std::vector<std::string>& reasons = reasons_[verdict.grade == Verdict::Grade::Unreliable ? 1 : 0];
  for (std::size_t i = 0; i < reasons.size() && i < kReasons; ++i)
    verdict.sentence += (i == 0 ? "" : "; ") + reasons[i];
  if (reasons.size() > kReasons)
    verdict.sentence +=
        "; and " + counted(static_cast<std::int64_t>(reasons.size() - kReasons), "other reason");
  verdict.sentence += '.';
  return verdict;
}

}  // namespace report

const char* to_string(Verdict::Grade grade) noexcept {
  switch (grade) {
    case Verdict::Grade::Good:
      return "good";
    case Verdict::Grade::Care:
      return "usable_with_care";
    case Verdict::Grade::Unreliable:
      return "unreliable";
  }
  return "unknown";
}

const char* word_of(Verdict::Grade grade) noexcept {
  switch (grade) {
    case Verdict::Grade::Good:
      return "Good";
    case Verdict::Grade::Care:
      return "Usable, but";
    case Verdict::Grade::Unreliable:
      return "Not usable";
  }
  return "Unknown";
}

std::string figures_text(const Verdict& verdict) {
  std::string text;
  for (const Figure& figure : verdict.figures) {
    if (figure.said) continue;
    std::string line = "  " + table::padded_right(figure.name, kNameWidth);
    const std::string value = figure.value ? short_number(*figure.value, figure.rounding) : "-";
    line += std::string(value.size() < kValueWidth ? kValueWidth - value.size() : 1, ' ') + value + " ";
    const bool more = figure.limit || !figure.detail.empty();
    line += more ? table::padded_right(figure.unit + " ", kUnitWidth) : figure.unit;
    if (figure.limit)
      line +=
          table::padded_right("limit " + short_number(*figure.limit, 0.0), figure.detail.empty() ? 0 : 11);
    line += printable(figure.detail);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace panto
