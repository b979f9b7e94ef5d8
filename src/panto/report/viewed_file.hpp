#pragma once
// The page of any file: a recording, a robot's motion, or a page that was written before.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/file_stamp.hpp"
#include "panto/report/page.hpp"
#include "panto/report/report.hpp"
#include "panto/tracking/observer.hpp"

namespace panto {

/// How to view a file.
struct ViewOptions {
  std::string robot = {};  ///< that follows a recording, or whose a robot's motion is; empty: see `view_file`
  std::string human = "human66";  ///< that follows a recording where no robot is given
  std::string from = {};          ///< words of `io::parse_motion_hints`
  std::string version = {};       ///< of Panto
  std::string_view page = report_page_template();
};

/// A page, and what it says first.
struct ViewedFile {
  std::string html;
  std::optional<Verdict> verdict;  ///< unset: a page that was written before
};

/// Returns the page of a file: of a recording, followed by the robot, else by a human; of a robot's motion,
/// as it is; of a report page, the page. @throws Error and ConfigError as the readers, `track` and
/// `retarget`; FormatError for raw sensors, whose mountings are not known, and for other pages.
[[nodiscard]] ViewedFile view_file(const std::string& path, const ViewOptions& options,
                                   const Observer& observer = {});

/// Pages of several files: "/1", "/2", ...; "/" lists them, or is the page of the only one. A page is made
/// when it is asked for, and again after its file changed.
class ViewedFiles {
 public:
  /// Makes the page at once if there is one file. @throws FormatError for a file that cannot be read, and for
  /// a single file that cannot be shown; ConfigError for an unknown robot, human or word.
  ViewedFiles(std::vector<std::string> paths, ViewOptions options, const Observer& observer = {});
  /// Returns the page of a path, nothing for other paths. A file that cannot be read has a page that says
  /// why. Throws what `observer` throws.
  [[nodiscard]] std::optional<std::string> page(const std::string& path, const Observer& observer = {});

 private:
  struct Entry {
    std::string path;
    std::optional<ViewedFile> made = std::nullopt;
    std::string problem = {};
    io::FileStamp stamp = {};
  };
  void make(Entry& entry, const Observer& observer) const;
  [[nodiscard]] std::string list(const Observer& observer);

  std::vector<Entry> entries_;
  ViewOptions options_;
};

}  // namespace panto
