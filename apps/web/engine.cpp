// The module of the page in the browser: one function takes a request as JSON and files as bytes, and leaves
// an answer as JSON and bytes. Everything it does is a function of `Workbench`.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/web/workbench.hpp"
#include "panto/base/error.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/write_motion.hpp"

namespace panto::web {
namespace {

using Json = nlohmann::json;

Workbench& bench() {
  static Workbench workbench;
  return workbench;
}

// files given since the last call, and the last answer
std::vector<File> g_files;
std::string g_text, g_bytes;

template <class Value, std::size_t N>
Value choice(const Json& from, const char* key, Value otherwise,
             const std::pair<const char*, Value> (&all)[N]) {
  if (!from.contains(key)) return otherwise;
  const std::string name = from.at(key).get<std::string>();
  for (const auto& [word, value] : all)
    if (name == word) return value;
  throw ConfigError("unknown " + std::string(key) + " '" + name + "'");
}

std::optional<double> maybe(const Json& from, const char* key) {
  return from.contains(key) && !from.at(key).is_null() ? std::optional(from.at(key).get<double>())
                                                       : std::nullopt;
}

Settings settings_of(const Json& from) {
  Settings settings;
  settings.height = maybe(from, "height");
  settings.feet =
      choice<FeetMode>(from, "feet", FeetMode::Plant,
                       {{"plant", FeetMode::Plant}, {"soft", FeetMode::Soft}, {"off", FeetMode::Off}});
  settings.collisions = choice<Collisions>(
      from, "collisions", Collisions::Avoid,
      {{"avoid", Collisions::Avoid}, {"report", Collisions::Report}, {"off", Collisions::Off}});
  settings.hands = from.value("hands", "");
  settings.cutoff_hz = maybe(from, "cutoff_hz");
  settings.max_acceleration = from.value("max_acceleration", settings.max_acceleration);
  settings.speed = from.value("speed", 1.0);
  settings.arms = from.value("arms", 1.0);
  settings.legs = from.value("legs", 1.0);
  settings.edits.dropped_share = from.value("dropped_share", 0.0);
  settings.edits.turned_s = from.value("turned_s", 0.0);
  settings.edits.left_leg = from.value("left_leg", 1.0);
  settings.edits.lost_segment = from.value("lost_segment", "");
  settings.sensors.lost = from.value("lost_sensor", "");
  settings.sensors.magnet = from.value("magnet", "");
  return settings;
}

Json window_json(const Window& window) {
  g_bytes.resize((window.t.size() + window.rows.size()) * sizeof(double));
  std::memcpy(g_bytes.data(), window.t.data(), window.t.size() * sizeof(double));
  std::memcpy(g_bytes.data() + window.t.size() * sizeof(double), window.rows.data(),
              window.rows.size() * sizeof(double));
  return {{"frames", window.t.size()}, {"columns", window.columns}};
}

// the answer to a request; bytes go into g_bytes
std::string answer(const Json& request) {
  const std::string job = request.at("job").get<std::string>();
  const std::vector<File> files = std::exchange(g_files, {});
  const auto first = [&]() -> const File& {
    if (files.empty()) throw ConfigError("no file was given");
    return files.front();
  };
  const auto others = [&] { return std::vector<File>(files.begin() + 1, files.end()); };
  const auto settings = [&] { return settings_of(request.at("settings")); };
  if (job == "about")
    return Json{{"version", PANTO_VERSION}, {"bodies", io::shipped_models()}, {"layouts", io::layout_names()}}
        .dump();
  if (job == "recording") return bench().open_recording(first(), others());
  if (job == "body")
    return files.empty() ? bench().open_body(request.at("name").get<std::string>())
                         : bench().open_body(first(), others());
  if (job == "solve") {
    Solved solved = bench().solve(settings());
    g_bytes = std::move(solved.run);
    return Json{{"sentence", solved.sentence}, {"frames", solved.frames}}.dump();
  }
  if (job == "window")
    return window_json(bench().window(settings(), request.at("from_s"), request.at("until_s"))).dump();
  if (job == "save") {
    const std::string layout = request.value("layout", "");
    std::string name = request.at("name").get<std::string>();
    if (!layout.empty()) name += io::layout_extension(layout);
    g_bytes = bench().save(name, layout, request.value("fps", 0.0));
    return Json{{"name", name}}.dump();
  }
  throw ConfigError("unknown job '" + job + "'");
}

}  // namespace
}  // namespace panto::web

extern "C" {

/// Returns room for `size` bytes.
void* panto_room(std::size_t size) { return std::malloc(size); }

/// Takes a file of the next request; frees both rooms.
void panto_file(char* name, std::size_t name_size, char* bytes, std::size_t size) {
  panto::web::g_files.push_back({std::string(name, name_size), std::string(bytes, size)});
  std::free(name);
  std::free(bytes);
}

/// Answers a request; frees its room. Returns 1, or 0 where the answer's text is what was wrong.
int panto_ask(char* request, std::size_t size) {
  using namespace panto::web;
  const std::string text(request, size);
  std::free(request);
  g_bytes.clear();
  try {
    g_text = answer(nlohmann::json::parse(text));
    return 1;
  } catch (const std::exception& problem) {
    g_files.clear();
    g_text = problem.what();
    return 0;
  }
}

const char* panto_text() { return panto::web::g_text.data(); }
std::size_t panto_text_size() { return panto::web::g_text.size(); }
const char* panto_bytes() { return panto::web::g_bytes.data(); }
std::size_t panto_bytes_size() { return panto::web::g_bytes.size(); }

}  // extern "C"
