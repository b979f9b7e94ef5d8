#include "panto/report/live_report.hpp"

#include <fmt/core.h>

#include "panto/base/text.hpp"
#include "panto/report/json.hpp"
#include "panto/report/judgement.hpp"

namespace panto {
namespace {

constexpr double kMostLost = 1.0, kMostUnused = 1.0, kMostOvertaken = 0.1;   // [%]
constexpr double kMostRefused = 1.0, kMostLate = 1.0, kMostUnwritten = 1.0;  // [%]
constexpr double kPercent = 100.0, kMilliseconds = 1e3;
constexpr double kLongestGap = 0.5;  // [s] without a sample: as `StreamState::Lost`
constexpr double kNoSample = 50.0;   // [%] above it a run is not usable
constexpr std::size_t kMostNames = 5;

double share(std::int64_t part, std::int64_t all) {
  return all > 0 ? kPercent * static_cast<double>(part) / static_cast<double>(all) : 0.0;
}

std::string percent(double value) { return fmt::format("{:.2g} %", value); }

// on time: the clocks of the sender and of this computer, pauses, gaps
void judge_time(const LiveFigures& run, report::Judgement& judgement) {
  if (run.fast > 0)
    judgement.care(
        counted(run.fast, "sample") +
        " came with stamps of a clock faster than this computer's: the result keeps to this computer's");
  if (run.slow > 0)
    judgement.care(counted(run.slow, "sample") +
                   " came with stamps of a clock slower than this computer's: the real motion was slower "
                   "than the result");
  if (run.pauses > 0)
    judgement.care(fmt::format(
        "this program was paused {}, for at most {:.1f} s{}", counted(run.pauses, "time"), run.longest_pause,
        run.passed > 0 ? fmt::format("; {} passed over", counted(run.passed, "sample")) : ""));
  if (run.losses > 0)
    judgement.care(fmt::format("the stream was lost {}, for at most {:.1f} s", counted(run.losses, "time"),
                               run.longest_gap));
}

// on what did not arrive, or could not be read
void judge_network(const LiveFigures& run, double lost, report::Judgement& judgement) {
  if (lost > kMostLost) judgement.care(percent(lost) + " of the samples did not arrive whole");
  if (const double refused = share(run.refused, run.samples + run.refused); refused > kMostRefused)
    judgement.care(percent(refused) + " of the datagrams are damaged or of another protocol");
  if (const double late = share(run.late, run.samples + run.late); late > kMostLate)
    judgement.care(percent(late) + " of the datagrams came late or twice, and were not used");
  if (!run.missing.empty())
    judgement.care(listed(run.missing, kMostNames) +
                   (run.missing.size() == 1 ? " no longer arrives" : " no longer arrive"));
}

}  // namespace

Verdict verdict_of(const LiveFigures& run) {
  report::Judgement judgement;
  const double lost = share(run.lost, run.samples + run.lost), unused = share(run.unused, run.samples),
               overtaken = share(run.overtaken, run.samples), unwritten = share(run.unwritten, run.samples);
  if (run.samples == 0) judgement.unreliable("no sample came");
  if (unused > kNoSample)
    judgement.unreliable(percent(unused) + " of the samples could not be used");
  else if (unused > kMostUnused)
    judgement.care(percent(unused) + " of the samples could not be used");
  judge_time(run, judgement);
  judge_network(run, lost, judgement);
  if (overtaken > kMostOvertaken)
    judgement.care(percent(overtaken) + " of the samples came faster than this computer solves them");
  if (unwritten > kMostUnwritten)
    judgement.care(percent(unwritten) + " of the frames were not written: an output was too slow for them");
  judgement.figure({"samples that did not arrive whole", lost, "%", kMostLost, 0.0, ""});
  judgement.figure({"samples that a newer one replaced", overtaken, "%", kMostOvertaken, 0.0, ""});
  judgement.figure({"longest time without a sample", run.longest_gap, "s", kLongestGap, 0.0, ""});
  if (run.to_pose.count > 0) {
    judgement.figure({"arrival to pose, median", kMilliseconds * run.to_pose.median, "ms", {}, 0.0, ""});
    judgement.figure({"arrival to pose, 99 %", kMilliseconds * run.to_pose.p99, "ms", {}, 0.0, ""});
  }
  return judgement.verdict(
      fmt::format("{} in {:.1f} s{}, {} lost{}", counted(run.samples, "sample"), run.seconds,
                  run.rate_hz > 0.0 ? fmt::format(" at {:.4g} Hz", run.rate_hz) : "", run.lost,
                  run.before > 0 ? fmt::format(", {} before the start", run.before) : ""));
}

std::string live_json(const LiveFigures& run) {
  report::Json json = {{"samples", run.samples},     {"seconds", run.seconds},
                       {"rate_hz", run.rate_hz},     {"lost", run.lost},
                       {"unused", run.unused},       {"overtaken", run.overtaken},
                       {"unwritten", run.unwritten}, {"refused", run.refused},
                       {"late", run.late},           {"foreign", run.foreign},
                       {"losses", run.losses},       {"longest_gap_s", run.longest_gap},
                       {"before", run.before},       {"passed", run.passed},
                       {"pauses", run.pauses},       {"longest_pause_s", run.longest_pause},
                       {"clock_fast", run.fast},     {"clock_slow", run.slow}};
  for (const auto& [name, delay] : {std::pair{"pose", run.to_pose}, std::pair{"output", run.to_output}}) {
    const std::string key = name;
    const bool known = delay.count > 0;
    json[key + "_median_ms"] = known ? report::Json(kMilliseconds * delay.median) : report::Json(nullptr);
    json[key + "_p99_ms"] = known ? report::Json(kMilliseconds * delay.p99) : report::Json(nullptr);
    json[key + "_max_ms"] = known ? report::Json(kMilliseconds * delay.longest) : report::Json(nullptr);
  }
  json["missing"] = run.missing;
  json["verdict"] = report::verdict_value(verdict_of(run));
  return report::dumped(json);
}

}  // namespace panto
