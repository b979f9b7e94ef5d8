// Is the result good? In words, as JSON for programs, and as a page with a replay for people.
//   09_report [RECORDING [PAGE.html]]

#include <cstdio>

#include "panto/api/track.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/report/page.hpp"
#include "panto/report/report.hpp"

namespace {

int report_on(const char* path, const char* output) {
  const auto clip = panto::io::open_recording(path);
  const panto::Model human = panto::human66();
  std::string bytes;  // of the page, where it is not a file
  const panto::io::Destination to =
      output ? panto::io::Destination(output) : panto::io::Destination("page.html", bytes);

  panto::Observer observer;
  std::unique_ptr<panto::ReportPage> page;  // collects the frames as they are solved
  if (panto::report_page_missing().empty()) {
    panto::ReportPageInfo info;
    info.recording = path;
    info.format = clip->info().format;
    info.rate_hz = clip->info().rate_hz;
    info.segments = clip->names();
    page = std::make_unique<panto::ReportPage>(to, human, panto::followed_pairs(*clip, human), info);
    observer.frame = [&](const panto::SegmentSample& sample, const panto::State& state,
                         const panto::StepRecord& step) { page->add(sample, state, step); };
  }
  const panto::TrackResult result = panto::track(*clip, human, {}, observer);

  const panto::Verdict verdict = panto::verdict_of(result);
  std::printf("%s\n%s", verdict.sentence.c_str(), panto::figures_text(verdict).c_str());
  std::printf("%s\n", panto::to_json(result, human).c_str());
  if (page) {
    page->close(panto::page_result(result, clip->info(), {}));
    if (output)
      std::printf("wrote %s\n", output);
    else
      std::printf("the page has %zu kB\n", bytes.size() / 1000);
  } else {
    std::printf("no page: %s\n", std::string(panto::report_page_missing()).c_str());
  }
  return verdict.grade == panto::Verdict::Grade::Good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return report_on(argc > 1 ? argv[1] : PANTO_EXAMPLE_DATA "/walk.bvh", argc > 2 ? argv[2] : nullptr);
  } catch (const panto::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
