#include "panto/io/motion_manifest.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"

namespace panto::io {
namespace {

constexpr int kFolders = 4;  // motions/SUBJECT/SESSION/clip.npz
constexpr std::size_t kLargest = std::size_t{1} << 24U, kBaseColumns = 7;

std::filesystem::path manifest_of(const std::string& file) {
  std::error_code unknown;
  std::filesystem::path folder = std::filesystem::absolute(file, unknown).parent_path();
  for (int i = 0; i < kFolders && folder.has_relative_path(); ++i, folder = folder.parent_path())
    if (std::filesystem::is_regular_file(folder / "manifest.json", unknown)) return folder / "manifest.json";
  return {};
}

}  // namespace

void take_manifest(RobotArrays& arrays) {
  const std::filesystem::path path = manifest_of(arrays.name);
  if (path.empty()) return;
  Input input(path.string());
  const auto json = nlohmann::json::parse(input.whole(kLargest), nullptr, false);
  if (!json.is_object()) throw FormatError(path.string() + ": is no JSON object");
  const auto names = json.find("qpos_names");
  if (names == json.end() || !names->is_array()) return;  // of another program
  const std::size_t width = arrays.joints.width + kBaseColumns;
  if (names->size() != width)
    throw FormatError(path.string() + ": names " + std::to_string(names->size()) + " numbers a pose, " +
                      arrays.name + " has " + std::to_string(width));
  for (std::size_t i = kBaseColumns; i < width; ++i)
    if ((*names)[i].is_string()) arrays.joint_names.push_back((*names)[i].get<std::string>());
  if (const auto step = json.find("timestep"); step != json.end() && step->is_number()) {
    const double dt = step->get<double>();
    if (!(dt >= 1e-4 && dt <= 1e4))
      throw FormatError(path.string() + ": timestep: " + digits(dt, 6) + " s is outside 0.0001 to 10000 s");
    arrays.rate_hz = 1.0 / dt;
  }
}

}  // namespace panto::io
