#include "panto/report/robot_motion_report.hpp"

#include <algorithm>

#include "panto/base/printable.hpp"
#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"
#include "panto/report/json.hpp"
#include "panto/report/judgement.hpp"
#include "panto/report/report.hpp"
#include "panto/report/table_text.hpp"

namespace panto {
namespace {

constexpr std::size_t kWhat = 13, kValue = 31, kSure = 8;  // columns

// no person and no robot moves so fast: a base that does was read or written wrongly
constexpr double kJumps = 12.0, kSpins = 25.0;  // [m/s], [rad/s]

// how far the base jumps and turns from one frame to the next where it does so fastest; empty: it does not
// jump
std::string jump_of(const std::vector<State>& states) {
  double jump = 0.0, spin = 0.0;
  std::string jumps, spins;
  for (std::size_t k = 1; k < states.size(); ++k) {
    const State &a = states[k - 1], &b = states[k];
    const double T = to_seconds(b.t - a.t), way = (b.p_WB - a.p_WB).norm(),
                 turn = so3::distance(a.R_WB, b.R_WB);
    const std::string when = " from one frame to the next at " + decimals(to_seconds(b.t), 2) + " s";
    if (way / T > std::max(jump, kJumps)) {
      jump = way / T;
      jumps = "the base jumps by " + report::amount(way, "m") + when;
    }
    if (turn / T > std::max(spin, kSpins)) {
      spin = turn / T;
      spins = "the base turns by " + report::amount(turn * kToDegrees, "deg") + when;
    }
  }
  return jumps.empty() || spins.empty() ? jumps + spins : jumps + ", " + spins;
}

// The object that `to_json` writes.
report::Json motion_json(const RobotMotion& motion, const RetargetResult& judged) {
  report::Json json = report::result_json(judged, motion.robot.model);
  json["format"] = motion.format;
  json["robot"] = motion.robot_name;
  report::Json& told = json["told"] = report::Json::array();
  for (const io::ToldFact& fact : motion.facts)
    told.push_back({{"what", fact.what},
                    {"value", fact.value},
                    {"certainty", io::to_string(fact.certainty)},
                    {"departs", fact.departs},
                    {"reason", fact.reason}});
  return json;
}

}  // namespace

Verdict verdict_of(const RobotMotion& motion) {
  report::Judgement judgement;
  for (const io::ToldFact& fact : motion.facts) {
    if (fact.certainty == io::Certainty::Open)
      judgement.unreliable("the file does not tell its " + fact.what);
    if (fact.departs) judgement.care("the file departs from its layout: " + fact.what + ": " + fact.value);
  }
  if (motion.motion.states.size() == 1) judgement.care("it has a single frame: a pose, not a motion");
  if (const std::string jump = jump_of(motion.motion.states); !jump.empty()) judgement.unreliable(jump);
  return judgement.verdict("understood as " + head_of(motion));
}

Verdict verdict_of(const RobotMotion& motion, const RetargetResult& judged) {
  Verdict verdict = verdict_of(judged, motion.robot.model);
  verdict.remedies.clear();  // they are options of `panto retarget`
  return report::joined(verdict_of(motion), std::move(verdict), "the motion: ");
}

std::string head_of(const RobotMotion& motion) {
  const std::int64_t frames = std::ssize(motion.motion.states);
  return motion.format + ", " + motion.robot_name + ", " + counted(frames, "frame") + " at " +
         digits(motion.motion.rate_hz, 6) + " Hz";
}

std::string told_text(const RobotMotion& motion) {
  std::string text;
  for (const io::ToldFact& fact : motion.facts)
    text += "  " + table::padded_right(fact.what, kWhat) + table::padded_right(fact.value, kValue) + " " +
            table::padded_right(io::to_string(fact.certainty), kSure) + printable(fact.reason) + "\n";
  return text;
}

std::string to_json(const RobotMotion& motion, const RetargetResult& judged) {
  return printable_json(
      motion_json(motion, judged).dump(2, ' ', false, report::Json::error_handler_t::replace));
}

std::vector<ReportValue> report_values(const RobotMotion& motion, const RetargetResult& judged) {
  return report::values_of(motion_json(motion, judged));
}

}  // namespace panto
