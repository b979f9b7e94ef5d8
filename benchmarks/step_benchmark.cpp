// One complete step of the tracker, sample in to State out, timed one by one on the calling thread: a
// synthetic walk and run, clean and exact. Prints a row a scene: time, accuracy, allocations and the hash of
// the motion, so that a fast wrong answer is visible.
//   step_benchmark [--json]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "apps/support/allocation_count.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/model/human.hpp"
#include "panto/pipeline/retargeter.hpp"
#include "panto/synthesis/segments.hpp"
#include "panto/synthesis/synthesis.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Row {
  std::string scene, model;
  double p50_us = 0.0, p99_us = 0.0, max_us = 0.0;
  panto::ReportCard card;
  double active_mean = 0.0, resolves_mean = 0.0;
  long allocations = 0;
};

// Samples are made beforehand; the best of `repeats` runs gives the percentiles, since others use the machine
// too.
Row measure(const std::string& scene, const panto::Model& model, int repeats) {
  panto::SyntheticSourceOptions options;
  options.duration = 20.0;
  options.rate_hz = 100.0;
  panto::SyntheticSource source(panto::make_synthesis(scene, model), options);
  std::vector<panto::SegmentSample> samples(1);
  while (source.read(samples.back()) == panto::ReadStatus::Sample) samples.push_back(samples.back());
  samples.pop_back();

  Row row{scene, model.name(), 1e9, 1e9, 1e9, {}};
  const panto::AttachmentMap map = panto::mvn_attachments();
  for (int run = 0; run < repeats; ++run) {
    panto::Retargeter tracker(model, map, panto::DynamicalOptions{}, source.names());
    std::vector<panto::TrackedPair> pairs;
    for (std::size_t j = 0; j < map.attachments.size(); ++j) {
      pairs.push_back({tracker.attachments().segment(j), tracker.attachments().rows()[j].link});
    }
    panto::ReportBuilder report(model, pairs);
    panto::State state = tracker.rest_state();
    std::vector<double> times;
    times.reserve(samples.size());
    long allocations = 0, active = 0, solves = 0;
    for (const panto::SegmentSample& sample : samples) {
      const panto::AllocationCount count;
      const Clock::time_point start = Clock::now();
      const panto::StepStatus status = tracker.step(sample, state);
      const Clock::time_point end = Clock::now();
      allocations += count.value();
      times.push_back(std::chrono::duration<double, std::micro>(end - start).count());
      active += tracker.last_report().active_bounds;
      solves += tracker.last_report().solves;
      if (run == 0) report.add(sample, state, {status, tracker.last_report().fallback_level, {}, {}});
    }
    times.erase(times.begin());  // the first is the alignment
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
      return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
    };
    row.p50_us = std::min(row.p50_us, at(0.5));
    row.p99_us = std::min(row.p99_us, at(0.99));
    row.max_us = std::min(row.max_us, times.back());
    row.active_mean = static_cast<double>(active) / static_cast<double>(times.size());
    row.resolves_mean = static_cast<double>(solves) / static_cast<double>(times.size());
    row.allocations += allocations;
    if (run == 0) row.card = report.report();
  }
  return row;
}

void print_table(const std::vector<Row>& rows) {
  std::printf("one complete step, 23 orientations and the pelvis' position, 100 Hz, best of the repeats\n\n");
  std::printf("%-6s %-8s %9s %9s %9s %10s %9s %7s %7s %6s  %s\n", "scene", "model", "p50 us", "p99 us",
              "max us", "mnte mean", "max deg", "active", "solves", "alloc", "state hash");
  for (const Row& r : rows) {
    std::printf("%-6s %-8s %9.2f %9.2f %9.1f %10.1e %9.4f %7.2f %7.2f %6ld  %s\n", r.scene.c_str(),
                r.model.c_str(), r.p50_us, r.p99_us, r.max_us, r.card.mnte_mean.value_or(-1.0),
                r.card.angle_max_deg.value_or(-1.0), r.active_mean, r.resolves_mean, r.allocations,
                panto::hash_text(r.card.state_hash.value_or(0)).c_str());
  }
}

void print_json(const std::vector<Row>& rows) {
  std::printf("[");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& r = rows[i];
    std::printf(
        "%s\n  {\"scene\": \"%s\", \"model\": \"%s\", \"solver\": \"dynamical\", \"step_p50_us\": %.3f, "
        "\"step_p99_us\": %.3f, "
        "\"step_max_us\": %.3f, \"mnte_mean\": %.3e, \"active_mean\": %.3f, \"resolves_mean\": %.3f, "
        "\"allocations\": %ld, "
        "\"state_hash\": \"%s\"}",
        i == 0 ? "" : ",", r.scene.c_str(), r.model.c_str(), r.p50_us, r.p99_us, r.max_us,
        r.card.mnte_mean.value_or(-1.0), r.active_mean, r.resolves_mean, r.allocations,
        panto::hash_text(r.card.state_hash.value_or(0)).c_str());
  }
  std::printf("\n]\n");
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc == 2 && std::strcmp(argv[1], "--json") == 0;
  if (argc > 2 || (argc == 2 && !json)) {
    std::fprintf(stderr, "usage: step_benchmark [--json]\n");
    return 2;
  }
  const panto::Model human66 = panto::human66(), human48 = panto::human48();
  std::vector<Row> rows;
  for (const char* scene : {"tpose", "walk", "run"}) {
    rows.push_back(measure(scene, human66, 9));
    rows.push_back(measure(scene, human48, 9));
  }
  json ? print_json(rows) : print_table(rows);
  return 0;
}
