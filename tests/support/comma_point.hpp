#pragma once
// A locale whose numbers have a decimal comma, whatever is installed.

#include <clocale>
#include <locale>
#include <string>

namespace panto::test {

/// While it lives, C++'s locale has a decimal comma, and C's too where one with commas is installed.
class CommaPoint {
 public:
  CommaPoint() : before_(std::locale::global(std::locale(std::locale::classic(), new Facet))) {
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "it_IT.UTF-8"}) {
      if (std::setlocale(LC_ALL, name) != nullptr) break;
    }
  }
  ~CommaPoint() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, "C");
  }
  CommaPoint(const CommaPoint&) = delete;
  CommaPoint& operator=(const CommaPoint&) = delete;

 private:
  struct Facet : std::numpunct<char> {
    [[nodiscard]] char do_decimal_point() const override { return ','; }
    [[nodiscard]] char do_thousands_sep() const override { return '.'; }
    [[nodiscard]] std::string do_grouping() const override { return "\3"; }
  };
  std::locale before_;
};

}  // namespace panto::test
