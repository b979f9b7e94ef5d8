#include "panto/api/written_content.hpp"

#include <algorithm>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/nearest_name.hpp"
#include "panto/base/text.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto {
namespace {

struct Format {
  std::string extension;
  std::vector<Content> holds;
};

const std::vector<Format> kFormats{{".bvh", {Content::Skeleton}},
                                   {".mvnx", {Content::Skeleton}},
                                   {".csv", {Content::Angles, Content::Keypoints}},
                                   {".mot", {Content::Angles}},
                                   {".sto", {Content::Angles, Content::Orientations}},
                                   {".trc", {Content::Keypoints}},
                                   {".npz", {Content::Keypoints}}};

const char* word(Content content) {
  switch (content) {
    case Content::Skeleton:
      return "skeleton";
    case Content::Angles:
      return "angles";
    case Content::Keypoints:
      return "keypoints";
    case Content::Orientations:
      return "orientations";
  }
  return "";
}

const Format& format_of(const std::string& path) {
  const std::string extension = io::extension_of(path);
  std::vector<std::string> known;
  for (const Format& format : kFormats) {
    if (format.extension == extension) return format;
    known.push_back(format.extension);
  }
  if (io::is_written_model(path))
    throw ConfigError("output '" + path + "': " + extension +
                      " holds a model, no motion; write a recording as one of " +
                      listed(known, known.size()));
  if (extension.empty())
    throw ConfigError(
        "output '" + path + "' has no extension, which chooses the format: " + listed(known, known.size()) +
        (io::has_own_size(path) ? "; for a robot's joint angles: panto retarget RECORDING --robot " + path
                                : ""));
  const std::string nearest = nearest_name(extension, known);
  throw ConfigError("output '" + path + "': convert does not write " + extension +
                    (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") +
                    "; write a recording as one of " + listed(known, known.size()));
}

// a robot or human that Panto brings
bool is_shipped(const std::string& name) {
  const std::vector<std::string>& shipped = io::shipped_models();
  return (io::has_own_size(name) && !io::is_model_file(name)) ||
         std::find(shipped.begin(), shipped.end(), name) != shipped.end();
}

}  // namespace

Content content_of(const std::string& output, std::optional<Content> as, const std::string& input,
                   bool trackable) {
  const Format& format = format_of(output);
  if (is_shipped(input))
    throw ConfigError("'" + input + "' is a model, which can be written to .urdf, .xml or .osim; " +
                      format.extension + " needs a recording of a motion");
  for (const Content content : format.holds) {
    if (as ? content == *as : trackable || content >= Content::Keypoints) return content;
  }
  std::string words;
  for (const Content content : format.holds)
    words += (words.empty() ? "" : ", ") + std::string(word(content));
  if (!as) {
    throw FormatError(input + ": no person was recognised in this recording: write it as " +
                      ".npz or .csv, not as " + format.extension + " (" + words + ")");
  }
  const bool with_points = *as == Content::Orientations &&
                           std::count(format.holds.begin(), format.holds.end(), Content::Keypoints) > 0 &&
                           format.extension != ".trc";
  throw ConfigError("'" + std::string(word(*as)) + "' is asked for; " + format.extension + " holds " + words +
                    (with_points ? ", which include orientations" : ""));
}

bool names_model(const std::string& input) {
  return is_shipped(input) || io::has_own_size(input) || io::is_written_model(input);
}

}  // namespace panto
