#include "panto/report/judgement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/support/refusals.hpp"

namespace panto::report {
namespace {

using JudgedGrade = Verdict::Grade;

constexpr VerdictLimit kTenAndTwenty{10.0, 20.0};
constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

Figure judged(const std::string& name, std::optional<double> value, std::optional<double> limit = {}) {
  return {name, value, "mm", limit, 0.0, "", false};
}

TEST(Judgement, AValueOnItsLimitIsGoodAndWhatIsNotKnownIsNoReason) {
  const auto graded = [](const std::optional<double>& value) {
    Judgement judgement;
    EXPECT_EQ(judgement.hold(value, kTenAndTwenty, "it slides"), value && *value > 10.0);
    return judgement.verdict("it stands");
  };
  EXPECT_EQ(graded(10.0).sentence, "Good: it stands.");
  EXPECT_EQ(graded(10.1).sentence, "Usable, but it slides.");
  EXPECT_EQ(graded(20.0).grade, JudgedGrade::Care);
  EXPECT_EQ(graded(20.1).sentence, "Not usable: it slides.");
  EXPECT_EQ(graded({}).grade, JudgedGrade::Good);
  EXPECT_EQ(graded(kNotKnown).grade, JudgedGrade::Good);
}

TEST(Judgement, ASentenceHasThreeReasonsOfTheWorstKindAndCountsTheOthers) {
  Judgement judgement;
  judgement.part("upper body only");
  for (const char* reason : {"a", "b", "c"}) judgement.care(reason);
  EXPECT_EQ(judgement.verdict("fine").sentence, "Usable, but upper body only; a; b; c.");
  judgement.care("d");
  EXPECT_EQ(judgement.verdict("fine").sentence, "Usable, but upper body only; a; b; c; and 1 other reason.");
  judgement.unreliable("e");
  EXPECT_EQ(judgement.verdict("fine").sentence, "Not usable: upper body only; e.");
  judgement.remedy(Remedy::Smooth);
  judgement.remedy(Remedy::PlanFeet);
  judgement.remedy(Remedy::Smooth);
  EXPECT_EQ(judgement.verdict("fine").remedies, (std::vector<Remedy>{Remedy::Smooth, Remedy::PlanFeet}));
}

TEST(Judgement, FiveFiguresAreShownThoseOverTheirLimitFirst) {
  Judgement judgement;
  judgement.figure(judged("unknown", {}));
  judgement.figure(judged("not a number", kNotKnown));
  for (const char* name : {"a", "b", "c", "d", "e"}) judgement.figure(judged(name, 1.0, 2.0));
  judgement.figure(judged("over", 3.0, 2.0));
  const Verdict verdict = judgement.verdict("a is small", "a");
  ASSERT_EQ(verdict.figures.size(), 5U);
  EXPECT_EQ(verdict.figures[0].name, "over");
  EXPECT_EQ(verdict.figures[1].name, "a") << "the others in their order";
  EXPECT_TRUE(verdict.figures[1].said) << "the sentence has it, so the lines have not";
  EXPECT_FALSE(verdict.figures[2].said);
  ASSERT_EQ(verdict.more.size(), 1U) << "unknown figures are left out";
  EXPECT_EQ(verdict.more[0].name, "e");
  const std::string text = figures_text(verdict);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_TRUE(test::names(text, "  over ", " 3 mm    limit 2\n")) << text;
  EXPECT_FALSE(test::names(text, "  a "));
  judgement.care("it is over");
  EXPECT_FALSE(judgement.verdict("a is small", "a").figures[1].said) << "only praise says a figure";
  EXPECT_EQ(figures_text(Judgement().verdict("fine")), "");
}

TEST(Judgement, TwoVerdictsBecomeOneOfTheWorseGradeWithBothReasons) {
  const auto verdict = [](const std::string& care, const std::string& unreliable) {
    Judgement judgement;
    if (!care.empty()) judgement.care(care);
    if (!unreliable.empty()) judgement.unreliable(unreliable);
    judgement.remedy(Remedy::Smooth);
    judgement.figure(judged(care + unreliable, 1.0));
    return judgement.verdict("all is well");
  };
  const Verdict good = verdict("", ""), care = verdict("the person drifts", ""),
                bad = verdict("", "it falls");
  EXPECT_EQ(joined(good, bad, "the robot: ").sentence, bad.sentence) << "good ground adds no word";
  const Verdict both = joined(care, bad, "the robot: ");
  EXPECT_EQ(both.sentence, "Not usable: the person drifts; the robot: it falls.");
  EXPECT_EQ(both.grade, JudgedGrade::Unreliable);
  ASSERT_EQ(both.figures.size(), 1U);
  EXPECT_EQ(both.figures[0].name, "it falls") << "the second's";
  EXPECT_TRUE(both.remedies.empty()) << "no remedy of the second helps its ground";
  EXPECT_EQ(joined(bad, good, "the robot: ").sentence, "Not usable: it falls.");
  EXPECT_EQ(joined(bad, care, "also ").sentence, "Not usable: it falls; also the person drifts.");
}

TEST(Judgement, AmountsHaveThreeDigitsNoPowersOfTenAndNoRoundingNoise) {
  EXPECT_EQ(amount(12.345, "deg"), "12.3 deg");
  EXPECT_EQ(amount(-0.0004, "mm", 0.001), "0 mm");
  EXPECT_EQ(amount(-0.0, ""), "0");
  EXPECT_EQ(amount(123456.7, "mm"), "123457 mm");
  EXPECT_EQ(amount(1000.0, "mm"), "1000 mm");
}

TEST(Judgement, AmountsJustBelowAThousandHaveNoPowerOfTen) {
  EXPECT_EQ(report::amount(999.9, "mm"), "1000 mm");
}

}  // namespace
}  // namespace panto::report
