#include "panto/report/viewed_file.hpp"

#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/input.hpp"
#include "panto/io/mapped_recording.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/recording/trackable.hpp"
#include "panto/report/plain_page.hpp"
#include "panto/report/run_page.hpp"

namespace panto {
namespace {

constexpr std::size_t kLargestPage = std::size_t{512} * 1024 * 1024;

ViewedFile written_page(io::Input& input) {
  ViewedFile viewed;
  viewed.html = input.whole(kLargestPage);
  if (viewed.html.find("<script id=\"panto-run\"") == std::string::npos)
    throw FormatError(
        input.name() +
        ": no report page of Panto; `--report FILE.html` of panto track, retarget or imitate writes one");
  return viewed;
}

ViewedFile page_of_motion(io::Input& input, const ViewOptions& options) {
  const RobotMotion motion = open_robot_motion(input, options.robot, io::parse_motion_hints(options.from));
  RunPageFacts facts{options.version, {}, motion.notes, nullptr, options.page};
  if (io::is_model_file(motion.robot_name))
    facts.meshes =
        io::page_meshes(io::open_robot(motion.robot_name).shapes.get(), motion.robot.model, facts.notes);
  ViewedFile viewed;
  viewed.verdict = motion_page({input.name() + ".html", viewed.html}, motion, input.name(), facts).verdict;
  return viewed;
}

ViewedFile page_of_recording(io::Input& input, const ViewOptions& options, const Observer& observer) {
  RunPageFacts facts{options.version, {}, {}, nullptr, options.page};
  const std::unique_ptr<Recording> recording = io::open_mapped_recording(input, {}, facts.notes);
  check_trackable(*recording);
  const SubjectDimensions subject = subject_of(recording->info(), {}, {}, facts.notes);
  ViewedFile viewed;
  const io::Destination to{input.name() + ".html", viewed.html};
  if (options.robot.empty()) {
    const Model human = io::open_model(options.human, subject, facts.notes);
    viewed.verdict = track_page(to, *recording, human, facts, observer).verdict;
    return viewed;
  }
  const io::RobotFile file = io::open_robot(options.robot, subject);
  facts.notes.insert(facts.notes.end(), file.notes.begin(), file.notes.end());
  facts.meshes = io::page_meshes(file.shapes.get(), file.model, facts.notes);
  RetargetOptions retargeting;
  retargeting.subject = subject;
  viewed.verdict = retarget_page(to, *recording, robot_of(file), retargeting, facts, observer).verdict;
  return viewed;
}

// Refuses what no file could be shown with.
void check(const ViewOptions& options) {
  (void)io::parse_motion_hints(options.from);
  std::vector<std::string> unread;
  if (options.robot.empty()) {
    (void)io::open_model(options.human, scaled_subject(1.75), unread);
  } else {
    (void)io::open_robot(options.robot, scaled_subject(1.75));
  }
}

}  // namespace

ViewedFile view_file(const std::string& path, const ViewOptions& options, const Observer& observer) {
  io::Input input(path, io::Folder::Allowed);
  if (!input.is_folder() && io::extension_of(path) == ".html") return written_page(input);
  if (io::is_robot_motion(input)) return page_of_motion(input, options);
  const io::ImuFormat sensors = io::recognise_imu(input);
  if (sensors != io::ImuFormat::None && sensors != io::ImuFormat::Sto)
    throw FormatError(path + ": holds raw sensors; write their page first: panto track " + path +
                      " --model MODEL --sensors MOUNTINGS.toml --report page.html, then view that");
  return page_of_recording(input, options, observer);
}

ViewedFiles::ViewedFiles(std::vector<std::string> paths, ViewOptions options, const Observer& observer)
    : options_(std::move(options)) {
  check(options_);
  for (std::string& path : paths) {
    (void)io::Input(path, io::Folder::Allowed);
    entries_.push_back({std::move(path)});
  }
  if (entries_.size() != 1) return;
  make(entries_[0], observer);
  if (!entries_[0].problem.empty()) throw FormatError(entries_[0].problem);
}

std::optional<std::string> ViewedFiles::page(const std::string& path, const Observer& observer) {
  if (path == "/" && entries_.size() != 1) return list(observer);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (path != "/" + std::to_string(i + 1) && !(path == "/" && i == 0)) continue;
    Entry& entry = entries_[i];
    make(entry, observer);
    if (entry.made) return entry.made->html;
    return plain_page(entry.path, "<h1>" + io::xml_text(entry.path) + "</h1><p class=\"card\">" +
                                      io::xml_text(entry.problem) +
                                      "</p><p>Mend the file and load this page again.</p>");
  }
  return std::nullopt;
}

void ViewedFiles::make(Entry& entry, const Observer& observer) const {
  const io::FileStamp stamp = io::file_stamp(entry.path);
  if (stamp == entry.stamp && (entry.made || (stamp.time != 0 && !entry.problem.empty()))) return;
  entry.made.reset();
  entry.problem.clear();
  try {
    entry.made = view_file(entry.path, options_, observer);
  } catch (const Error& problem) {
    entry.problem = problem.what();
  }
  entry.stamp = stamp;
}

std::string ViewedFiles::list(const Observer& observer) {
  std::string lines;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    make(entry, observer);
    const std::string said = !entry.made           ? "Cannot be shown: " + entry.problem
                             : entry.made->verdict ? entry.made->verdict->sentence
                                                   : "A report page written earlier.";
    lines += "<li><a href=\"/" + std::to_string(i + 1) + "\">" + io::xml_text(entry.path) + "</a><br>" +
             io::xml_text(said) + "</li>";
  }
  return plain_page("Panto",
                    "<h1>" + counted(std::ssize(entries_), "file") + "</h1><ul>" + lines +
                        "</ul><p>To compare two of them, open one and choose a saved report with its button "
                        "Compare with.</p>");
}

}  // namespace panto
