#include "panto/io/motion_file.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "panto/base/error.hpp"
#include "panto/io/keypoint_io.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

// OpenSim's header line DataType=Quaternion, before the table begins
bool is_orientation_table(std::string_view head) {
  const std::string_view header = head.substr(0, head.find("endheader"));
  const std::size_t found = header.find("DataType");
  if (found == std::string_view::npos) return false;
  const std::string_view line = header.substr(found, header.find_first_of("\r\n", found) - found);
  return line.find("Quaternion") != std::string_view::npos;
}

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

}  // namespace

std::unique_ptr<MotionFile> open_motion_file(const std::string& path, const MotionFileOptions& options) {
  const std::string head = read_head(path);
  std::string_view text = head;
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));

  // what the file holds decides; its name only when that says nothing
  if (equal_ignoring_case(text.substr(0, 9), "HIERARCHY")) return open_bvh(path, options);
  if (text.substr(0, 1) == "<" && text.find("mvnx") != std::string_view::npos) return open_mvnx(path);
  if (text.substr(0, 12) == "PathFileType") return open_keypoints(read_trc(path), "trc", options);
  if (head.substr(0, 2) == "PK") return open_keypoints(read_npz(path), "npz", options);
  const std::string extension = extension_of(path);
  if (extension == ".sto" || extension == ".mot")
    return is_orientation_table(text) ? open_orientations(path) : open_states(path, options);
  if (extension == ".csv") {
    return is_keypoint_csv(head) ? open_keypoints(read_keypoint_csv(path), "csv", options)
                                 : open_states(path, options);
  }
  if (extension == ".trc") return open_keypoints(read_trc(path), "trc", options);
  if (extension == ".npz") return open_keypoints(read_npz(path), "npz", options);
  if (extension == ".bvh") return open_bvh(path, options);
  if (extension == ".mvnx") return open_mvnx(path);
  throw FormatError(
      path + ":1: " +
      (text.empty() ? "the file is empty"
                    : "begins with " + quoted(text.substr(0, text.find_first_of("\r\n")))) +
      "; a recording is MVNX (begins with <?xml or <mvnx), BVH (begins with HIERARCHY), TRC (begins "
      "with PathFileType), NPZ, or a table (.csv, .sto, .mot)");
}

}  // namespace panto::io
